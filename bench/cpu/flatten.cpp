/// Nested programs on the CPU, compared with the same work by direct calls of primitives.

#include "support/host.hpp"
#include "support/matrices.hpp"
#include "support/words.hpp"

#include <ravel/algorithms/comparison_sort.hpp>
#include <ravel/algorithms/radix_sort.hpp>
#include <ravel/algorithms/segmented_sort.hpp>
#include <ravel/algorithms/spmv.hpp>
#include <ravel/algorithms/string_sort.hpp>
#include <ravel/flatten/flatten.hpp>
#include <ravel/primitives/balance.hpp>
#include <ravel/primitives/gather.hpp>
#include <ravel/primitives/segmented_reduce.hpp>
#include <ravel/primitives/segmented_scan.hpp>

#include "nested/clusters.hpp"
#include "nested/graph.hpp"
#include "nested/multi_pivot_quicksort.hpp"
#include "nested/quicksort.hpp"
#include "nested/sparse.hpp"
#include "nested/text.hpp"

#include <algorithm>
#include <execution>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ravel::bench::host {
namespace {

/// The result of a program, which lives until the next run.
template <class T>
using result = std::shared_ptr<std::optional<computed_elements<T, host_space>>>;
template <class T>
result<T> no_result() {
  return std::make_shared<typename result<T>::element_type>();
}

/// The costs of a program other than time.
template <class F>
std::map<std::string, double> cost_of(F const& program) {
  reset_stats();
  index_t const before = stats().bytes;
  program();
  return {{"steps", static_cast<double>(stats().steps)},
          {"most_bytes", static_cast<double>(stats().most_bytes - before)}};
}

/// Compares a nested program with a flat one that writes the first n of `out`, whose expected
/// values are those of the first run.
template <class T, class Program, class ByHand>
comparison beside(executor const& ex, shared<T> const& out, index_t n, char const* peer,
                  Program const& program, ByHand const& by_hand) {
  by_hand();
  auto const wanted = generate<T>(ex, n, element<T>{out->data()});
  auto const are_wanted = [=](T const* from) {
    return std::equal(wanted->begin(), wanted->end(), from);
  };
  auto const made = no_result<T>();
  auto const ours = [=] { made->emplace(elements(program())); };
  comparison c;
  c.counters = cost_of(ours);
  c.poison = [=, spoil = poison(out)] {
    made->reset();
    spoil();
  };
  c.contenders.push_back({"ours", ours, [=] { return are_wanted((*made)->data()); }});
  c.contenders.push_back({peer, by_hand, [=] { return are_wanted(out->data()); }});
  return c;
}

/// A 27-point stencil: lengths and columns of rows.
struct stencil {
  index_t rows;
  shared<std::int32_t> offsets, columns;
  shared<index_t> lengths;
};
stencil stencil_of(executor const& ex, index_t k) {
  stencil27 const m{k};
  auto const lengths = generate<index_t>(ex, m.rows(), row_length<stencil27>{m});
  auto const offsets = allocate<std::int32_t>(ex, m.rows() + 1);
  std::int32_t sum = 0;
  for (index_t r = 0; r < m.rows(); ++r) {
    (*offsets)[r] = sum;
    sum += static_cast<std::int32_t>((*lengths)[r]);
  }
  (*offsets)[m.rows()] = sum;
  auto const columns = allocate<std::int32_t>(ex, sum);
  for_each_index(ex, m.rows(), write_row<stencil27>{m, offsets->data(), columns->data()});
  return {m.rows(), offsets, columns, lengths};
}

comparison product(executor const& ex, index_t k) {
  auto const p = stencil_of(ex, k);
  index_t const n = p.rows, nnz = p.columns->size();
  auto const values = generate<double>(ex, nnz, small_integer<double>{2});
  auto const x = generate<double>(ex, n, small_integer<double>{3});
  auto const y = allocate<double>(ex, n);
  auto const by_hand = [=] {
    spmv(ex, csr{n, n, view_of(*p.offsets), view_of(*p.columns), view_of(*values)}, *x, *y);
  };
  auto const a =
      unflatten(zip(borrow(ex, *p.columns), borrow(ex, *values)), borrow(ex, *p.lengths));
  auto const from = borrow(ex, *x);
  auto c = beside(
      ex, y, n, "peer:own spmv", [=] { return examples::spmv(a, from); }, by_hand);
  c.bytes = spmv_bytes<double>(n, n, nnz);
  c.items = double(nnz);
  return c;
}

/// An order that the library does not recognise as the order of bits, so it cannot use radix sort.
struct ascending {
  bool operator()(std::uint32_t a, std::uint32_t b) const { return a < b; }
};

comparison quicksort(executor const& ex, index_t n) {
  using K = std::uint32_t;
  auto const in = generate<K>(ex, n, reached<K>{});
  auto const wanted = generate<K>(ex, n, element<K>{in->data()});
  std::sort(std::execution::par, wanted->begin(), wanted->end());
  auto const out = allocate<K>(ex, n);
  auto const a = borrow(ex, *in);
  auto const made = no_result<K>();
  auto const program = [=] { made->emplace(elements(examples::multi_pivot_quicksort<K>(a))); };

  comparison c;
  c.counters = cost_of(program);
  c.bytes = 2.0 * double(n) * sizeof(K);
  c.poison = [=] {
    made->reset();
    std::fill(out->begin(), out->end(), K{0});
  };
  c.contenders.push_back({"ours", program, [=] {
                            return std::equal(wanted->begin(), wanted->end(), (*made)->begin());
                          }});
  auto const sorted = [=] { return std::equal(wanted->begin(), wanted->end(), out->begin()); };
  c.contenders.push_back(
      {"peer:own comparison sort", [=] { comparison_sort(ex, *in, *out, ascending{}); }, sorted});
  auto const add = [&](char const* name, auto sort) {
    c.contenders.push_back({name, [=] { sort(out->begin(), out->end()); }, sorted,
                            [=] { std::copy(in->begin(), in->end(), out->begin()); }});
  };
  add("peer:libstdc++, 1 thread", [](K* first, K* last) { std::sort(first, last); });
  add("peer:libstdc++ par", [](K* first, K* last) { std::sort(std::execution::par, first, last); });
  return c;
}

struct below {
  index_t k;
  index_t operator()(index_t i) const { return random_below(5, i, static_cast<std::uint64_t>(k)); }
};
template <class Bin>
struct count_value {
  Bin const* values;
  index_t k;
  index_t* counts;
  void operator()(index_t i, index_t s, index_t) const {
    if (0 <= values[i] && values[i] < k) fetch_add(counts + s * k + values[i], index_t{1});
  }
};

/// Histograms with 64 bins for each row of 1000 values, as for images.
comparison histogram_of_rows(executor const& ex, index_t n) {
  index_t const rows = n / 1000, bins = 64;
  auto const values = generate<index_t>(ex, rows * 1000, below{bins});
  auto const offsets = generate<index_t>(ex, rows + 1, [](index_t i) { return i * 1000; });
  auto const lengths = generate<index_t>(ex, rows, [](index_t) { return index_t{1000}; });
  auto const counts = allocate<index_t>(ex, rows * bins);
  auto const by_hand = [=] {
    for_each_index(ex, rows * bins, store_each<index_t, zero<index_t>>{counts->data(), {}});
    for_each_in_segments(ex, values->size(), by_offsets(*offsets),
                         count_value<index_t>{values->data(), bins, counts->data()});
  };
  auto const a = unflatten(borrow(ex, *values), borrow(ex, *lengths));
  auto c = beside(
      ex, counts, rows * bins, "peer:primitives",
      [=] { return flatten(examples::histograms(a, bins)); }, by_hand);
  c.bytes = 8.0 * double(values->size() + counts->size());
  return c;
}

struct weight_of_neighbour {
  std::int32_t const* columns;
  float const* weights;
  float operator()(index_t i) const { return weights[columns[i]]; }
};

comparison neighbours(executor const& ex, index_t k) {
  auto const p = stencil_of(ex, k);
  auto const weights = generate<float>(ex, p.rows, small_integer<float>{4});
  auto const out = allocate<float>(ex, p.rows);
  auto const by_hand = [=] {
    maximum<float> const m;
    segmented_reduce_on(
        ex, p.columns->size(), weight_of_neighbour{p.columns->data(), weights->data()},
        by_offsets(*p.offsets), m, [=] { return m.identity(); },
        [to = out->data()](index_t s, float x) { to[s] = x; });
  };
  auto const graph = unflatten(borrow(ex, *p.columns), borrow(ex, *p.lengths));
  auto const from = borrow(ex, *weights);
  auto c = beside(
      ex, out, p.rows, "peer:primitives", [=] { return examples::neighbour_max(graph, from); },
      by_hand);
  c.bytes = 4.0 * double(p.columns->size()) + 16.0 * double(p.rows);
  c.items = double(p.columns->size());
  return c;
}

comparison words(executor const& ex, index_t n) {
  auto const text = generate<char>(ex, n, random_text{});
  auto const begins = allocate<index_t>(ex, n + 2), counts = allocate<index_t>(ex, n + 1);
  auto const by_hand = [=] {
    return count_words(ex, n, text->data(), begins->data(), counts->data());
  };
  index_t const lines = by_hand();
  auto const from = borrow(ex, *text);
  auto c = beside(
      ex, counts, lines, "peer:primitives", [=] { return examples::words_per_line(from); },
      by_hand);
  c.bytes = double(n) + 8.0 * double(lines);
  c.items = double(n);
  return c;
}

/// Rows of u32 by their offsets; each is sorted.
comparison sort_of_rows(executor const& ex, shared<std::uint32_t> const& values,
                        shared<index_t> const& offsets) {
  auto const out = allocate<std::uint32_t>(ex, values->size());
  auto const rows = from_offsets(ex, *values, *offsets);
  auto c = beside(
      ex, out, out->size(), "peer:own segmented sort",
      [=] { return flatten(each(rows, [](auto const& row) { return sort(row); })); },
      [=] { segmented_sort(ex, *values, by_offsets(*offsets), *out); });
  c.bytes = 8.0 * double(values->size()) + 8.0 * double(offsets->size());
  c.items = double(values->size());
  return c;
}
comparison sort_short_rows(executor const& ex, index_t n) {
  auto const offsets = generate<index_t>(ex, n / 16 + 1, [](index_t i) { return i * 16; });
  return sort_of_rows(ex, generate<std::uint32_t>(ex, n / 16 * 16, reached<std::uint32_t>{}),
                      offsets);
}
/// Half of all elements in one row, the others in rows of 2.
comparison sort_huge_and_tiny(executor const& ex, index_t n) {
  index_t const tiny = n / 4;
  auto const offsets =
      generate<index_t>(ex, tiny + 2, [=](index_t i) { return i <= tiny ? 2 * i : n; });
  return sort_of_rows(ex, generate<std::uint32_t>(ex, n, reached<std::uint32_t>{}), offsets);
}

comparison sort_one(executor const& ex, index_t n) {
  auto const values = generate<std::uint32_t>(ex, n, reached<std::uint32_t>{});
  auto const out = allocate<std::uint32_t>(ex, n);
  auto const x = borrow(ex, *values);
  auto c = beside(
      ex, out, n, "peer:own radix sort", [=] { return sort(x); },
      [=] { radix_sort(ex, *values, *out); });
  c.bytes = 8.0 * double(n);
  c.items = double(n);
  return c;
}

/// Running sums of rows of 0 to 99.
comparison scan_rows(executor const& ex, index_t n) {
  auto const offsets = std::make_shared<std::vector<index_t>>(1, 0);
  for (index_t i = 0; offsets->back() < n; ++i) {
    offsets->push_back(std::min(n, offsets->back() + below{100}(i)));
  }
  auto const values = generate<float>(ex, n, small_integer<float>{4});
  auto const out = allocate<float>(ex, n);
  auto const rows = from_offsets(ex, *values, *offsets);
  auto c = beside(
      ex, out, n, "peer:own segmented scan",
      [=] { return flatten(each(rows, [](auto const& row) { return inclusive_scan(row); })); },
      [=] { segmented_inclusive_scan(ex, *values, by_offsets(*offsets), *out, plus<float>{}); });
  c.bytes = 8.0 * double(n) + 8.0 * double(offsets->size());
  c.items = double(n);
  return c;
}

comparison order_of_one(executor const& ex, index_t n) {
  auto const values = generate<std::uint32_t>(ex, n, reached<std::uint32_t>{});
  auto const out = allocate<index_t>(ex, n);
  auto const x = borrow(ex, *values);
  auto c = beside(
      ex, out, n, "peer:own argsort", [=] { return sort_order(x); },
      [=] { radix_argsort(ex, *values, *out); });
  c.bytes = 12.0 * double(n);
  c.items = double(n);
  return c;
}

/// Random words of 8 letters, of which few are equal.
comparison order_of_words(executor const& ex, index_t n) {
  auto const text = generate<char>(ex, 8 * n, random_text{});
  auto const offsets = generate<index_t>(ex, n + 1, [](index_t i) { return 8 * i; });
  auto const out = allocate<index_t>(ex, n);
  auto const x = from_offsets(ex, *text, *offsets);
  auto c = beside(
      ex, out, n, "peer:own string argsort", [=] { return sort_order(x); },
      [=] { string_argsort_sync(ex, *text, by_offsets(*offsets), *out); });
  c.bytes = 24.0 * double(n);
  c.items = double(n);
  return c;
}

/// The common neighbours of the ends of every edge of a graph with few hubs and many others:
/// vertex v has an edge to each multiple of v + 1.
comparison triangles(executor const& ex, index_t n) {
  auto const columns = std::make_shared<std::vector<std::int32_t>>();
  auto const offsets = std::make_shared<std::vector<index_t>>(1, 0);
  auto const from = std::make_shared<std::vector<index_t>>();
  for (index_t v = 0; v < n; ++v) {
    for (index_t k = 2 * v + 1; k < n; k += v + 1) {
      columns->push_back(static_cast<std::int32_t>(k));
      from->push_back(v);
    }
    offsets->push_back(std::ssize(*columns));
  }
  index_t const edges = std::ssize(*columns);
  auto const out = allocate<index_t>(ex, edges);
  auto const graph = from_offsets(ex, *columns, *offsets);
  auto const ends = zip(borrow(ex, *from), borrow(ex, *columns));
  auto const neighbours = [=](index_t v) {
    return std::pair{columns->data() + (*offsets)[v], columns->data() + (*offsets)[v + 1]};
  };
  auto const by_hand = [=, to = out->data()] {
    for_each_index(ex, edges, [&](index_t i) {
      auto const [a, a_end] = neighbours((*from)[i]);
      auto const [b, b_end] = neighbours((*columns)[i]);
      index_t count = 0;
      for (auto p = a, q = b; p < a_end && q < b_end;) {
        count += *p == *q;
        auto const p_moves = *p <= *q, q_moves = *q <= *p;
        p += p_moves;
        q += q_moves;
      }
      to[i] = count;
    });
  };
  auto c = beside(
      ex, out, edges, "peer:merge of each pair",
      [=] {
        return each(ends, [&](auto const& edge) {
          return len(intersect(at(graph, fst(edge)), at(graph, snd(edge))));
        });
      },
      by_hand);
  c.items = double(edges);
  return c;
}

// Loops of scalars beside the same loops in C++, compiled for the local processor, by one thread.

comparison mandelbrot(executor const& ex, index_t width) {
  index_t const n = width * width;
  int const rounds = 256;
  double const step = 3.0 / double(width);
  auto const real =
      generate<double>(ex, n, [=](index_t i) { return -2 + step * double(i % width); });
  auto const imaginary =
      generate<double>(ex, n, [=](index_t i) { return -1.5 + step * double(i / width); });
  auto const out = allocate<int>(ex, n);
  auto const by_hand = [=] {
    for (index_t i = 0; i < n; ++i) {
      double a = 0, b = 0;
      int k = 0;
      for (; a * a + b * b < 4 && k < rounds; ++k) {
        double const next = a * a - b * b + (*real)[i];
        b = 2 * a * b + (*imaginary)[i];
        a = next;
      }
      (*out)[i] = k;
    }
  };
  auto const x = borrow(ex, *real), y = borrow(ex, *imaginary);
  return beside(
      ex, out, n, "peer:loop, 1 thread",
      [=] {
        return each(x, y, [&](auto cx, auto cy) {
          auto const done =
              while_([&](auto a, auto b, auto k) { return a * a + b * b < 4.0 && k < rounds; },
                     [&](auto a, auto b, auto k) {
                       return tup(a * a - b * b + cx, 2.0 * a * b + cy, k + 1);
                     },
                     tup(cx * 0.0, cx * 0.0, cast<int>(cx * 0.0)));
          return get<2>(done);
        });
      },
      by_hand);
}

comparison collatz(executor const& ex, index_t n) {
  auto const starts = generate<index_t>(ex, n, [](index_t i) { return i + 1; });
  auto const out = allocate<index_t>(ex, n);
  auto const by_hand = [=] {
    for (index_t i = 0; i < n; ++i) {
      index_t k = 0;
      for (index_t x = (*starts)[i]; x != 1; ++k) x = x % 2 == 0 ? x / 2 : 3 * x + 1;
      (*out)[i] = k;
    }
  };
  auto const from = borrow(ex, *starts);
  return beside(
      ex, out, n, "peer:loop, 1 thread",
      [=] {
        return each(from, [](auto start) {
          auto const done = while_(
              [](auto x, auto) { return x != 1; },
              [](auto x, auto k) { return tup(select(x % 2 == 0, x / 2, 3 * x + 1), k + 1); },
              tup(start, start * 0));
          return get<1>(done);
        });
      },
      by_hand);
}

/// A binary search of each needle in one table.
comparison binary_search(executor const& ex, index_t n) {
  index_t const size = 1 << 16;
  auto const table = generate<std::int32_t>(ex, size, [](index_t i) { return 3 * int(i); });
  auto const needles = generate<std::int32_t>(
      ex, n, [=](index_t i) { return int(random_below(6, i, std::uint64_t(3 * size))); });
  auto const out = allocate<index_t>(ex, n);
  auto const by_hand = [=] {
    for (index_t i = 0; i < n; ++i) {
      index_t low = 0, high = size;
      while (low < high) {
        index_t const middle = (low + high) / 2;
        if ((*table)[middle] < (*needles)[i]) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      (*out)[i] = low;
    }
  };
  auto const all = borrow(ex, *table), keys = borrow(ex, *needles);
  return beside(
      ex, out, n, "peer:loop, 1 thread",
      [=] {
        return each(keys, [&](auto key) {
          auto const done =
              while_([](auto low, auto high) { return low < high; },
                     [&](auto low, auto high) {
                       auto const middle = (low + high) / 2;
                       auto const is_less = at(all, middle) < key;
                       return tup(select(is_less, middle + 1, low), select(is_less, high, middle));
                     },
                     tup(cast<index_t>(key * 0), len(all)));
          return get<0>(done);
        });
      },
      by_hand);
}

/// Sums into 10^6 bins, as for sparse updates.
comparison sums_by_index(executor const& ex, index_t n) {
  index_t const bins = n / 4;
  auto const at = generate<index_t>(ex, n, below{bins});
  auto const values = generate<std::int32_t>(ex, n, [](index_t i) { return int(i % 100); });
  auto const out = allocate<std::int32_t>(ex, bins);
  auto const by_hand = [=] {
    std::fill_n(out->data(), bins, 0);
    for (index_t i = 0; i < n; ++i) (*out)[(*at)[i]] += (*values)[i];
  };
  auto const i = borrow(ex, *at);
  auto const x = borrow(ex, *values);
  auto const k = from(ex, bins);
  auto c = beside(
      ex, out, bins, "peer:loop, 1 thread", [=] { return reduce_by_index(i, x, k, plus{}); },
      by_hand);
  c.items = double(n);
  return c;
}

comparison kept_gather(executor const& ex, index_t n) {
  auto const values = generate<std::int32_t>(ex, n, [](index_t i) { return int(i); });
  auto const at = generate<index_t>(ex, n, below{n});
  auto const out = allocate<std::int32_t>(ex, n);
  auto const x = borrow(ex, *values);
  auto const i = borrow(ex, *at);
  auto c = beside(
      ex, out, n, "peer:own gather", [=] { return keep(gather(x, i)); },
      [=] { gather(ex, *values, *at, *out); });
  c.bytes = 16.0 * double(n);
  c.items = double(n);
  return c;
}

suite all(executor const& ex) {
  suite s = make_suite("cpu.flatten", ex);
  auto const add = [&](std::string const& name, std::string const& work, index_t n, index_t quick,
                       comparison (*make)(executor const&, index_t)) {
    s.rows.push_back(
        {"cpu.flatten." + name, work, n, [=](index_t k) { return make(ex, k); }, quick});
  };
  add("spmv", "SpMV f64 as a nested lambda, 27-point 120^3", 120, 12, product);
  add("neighbours", "greatest neighbour f32, 27-point 120^3", 120, 12, neighbours);
  add("histogram", "64 bins of each 1000 values", 20'000'000, 10'000, histogram_of_rows);
  add("words", "words of each line, of 60 characters", 20'000'000, 10'000, words);
  add("sort_rows_of_16", "each row of 16 u32 sorted", index_t{1} << 24, 1 << 12, sort_short_rows);
  add("sort_huge_and_tiny", "rows of 2 u32 and one of half of all, sorted", index_t{1} << 24,
      1 << 12, sort_huge_and_tiny);
  add("sort_one", "one sequence of u32 sorted", index_t{1} << 24, 1 << 12, sort_one);
  add("scan_rows", "running sums of rows of 0 to 99 f32", index_t{1} << 24, 1 << 12, scan_rows);
  add("sort_order", "order of one sequence of u32", index_t{1} << 24, 1 << 12, order_of_one);
  add("sort_order_of_words", "order of 10^6 words of 8 letters", 1'000'000, 1'000, order_of_words);
  add("triangles", "common neighbours of the ends of each edge", 20'000, 200, triangles);
  add("reduce_by_index", "sums of 4 M values in 10^6 bins", 4'000'000, 1'000, sums_by_index);
  add("gather", "4 M random elements kept", 4'000'000, 1'000, kept_gather);
  add("mandelbrot", "rounds until |z| > 2, at most 256, 512^2 points", 512, 32, mandelbrot);
  add("collatz", "steps to 1 from each of 200,000 numbers", 200'000, 100, collatz);
  add("binary_search", "each of 10^6 needles in 2^16 keys, by a loop", 1'000'000, 100,
      binary_search);
  add("quicksort", "flattened quicksort u32", index_t{1} << 22, 1 << 12, quicksort);
  return s;
}

}  // namespace
}  // namespace ravel::bench::host

int main(int argc, char** argv) {
  using namespace ravel::bench::host;
  return run_suite(all, argc, argv);
}
