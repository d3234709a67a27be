/// Nested programs on the GPU, compared with the same work by this library's flat algorithms.

#include "support/gpu.cuh"
#include "support/matrices.hpp"
#include "support/words.hpp"

#include <ravel/algorithms/comparison_sort.hpp>
#include <ravel/algorithms/radix_sort.hpp>
#include <ravel/algorithms/spmv.hpp>
#include <ravel/core/transfer.hpp>
#include <ravel/flatten/flatten.hpp>
#include <ravel/primitives/gather.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/segmented_reduce.hpp>
#include <ravel/primitives/segmented_scan.hpp>

#include "nested/clusters.hpp"
#include "nested/graph.hpp"
#include "nested/multi_pivot_quicksort.hpp"
#include "nested/quicksort.hpp"
#include "nested/sparse.hpp"
#include "nested/text.hpp"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#include <map>
#include <memory>
#include <optional>
#include <string>

namespace ravel::bench::on_gpu {
namespace {

/// The result of a program, which lives until the next run.
template <class T>
using result = std::shared_ptr<std::optional<computed_elements<T, device_space>>>;

/// The costs of a program other than time.
template <class F>
std::map<std::string, double> cost_of(F const& program) {
  reset_stats();
  index_t const before = stats().bytes;
  program();
  return {{"steps", static_cast<double>(stats().steps)},
          {"most_bytes", static_cast<double>(stats().most_bytes - before)}};
}

/// A 27-point stencil: lengths and columns of rows.
struct stencil {
  index_t rows, nonzeros;
  shared<std::int32_t> lengths, offsets, columns;
};
stencil stencil_of(gpu::executor const& ex, index_t k) {
  stencil27 const m{k};
  index_t const n = m.rows();
  auto const lengths = generate<std::int32_t>(ex, n + 1, row_length<stencil27>{m});
  auto const offsets = allocate<std::int32_t>(ex, n + 1);
  with_scratch(ex, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(scratch, bytes, lengths->data(), offsets->data(),
                                         int(n + 1), ex.stream());
  })();
  index_t const nnz = at_sync(ex, *offsets, n);
  auto const columns = allocate<std::int32_t>(ex, nnz);
  for_each_index(ex, n, write_row<stencil27>{m, offsets->data(), columns->data()});
  return {n, nnz, lengths, offsets, columns};
}

/// Compares a nested program with a flat one that writes `out`, whose expected values are those of
/// the first run.
template <class T, class Program, class ByHand>
comparison beside(gpu::executor const& ex, shared<T> const& out, index_t n, char const* peer,
                  Program const& program, ByHand const& by_hand) {
  by_hand();
  auto const wanted = generate<T>(ex, n, element<T>{out->data()});
  auto const made = std::make_shared<typename result<T>::element_type>();
  auto const ours = [=] { made->emplace(elements(program())); };
  comparison c;
  c.counters = cost_of(ours);
  c.poison = [=, spoil = poison(ex, out)] {
    made->reset();
    spoil();
  };
  c.contenders.push_back({"ours", ours, [=] {
                            return all_equal(ex, n, (*made)->data(), element<T>{wanted->data()});
                          }});
  c.contenders.push_back(
      {peer, by_hand, [=] { return all_equal(ex, n, out->data(), element<T>{wanted->data()}); }});
  return c;
}

template <class T>
comparison product(gpu::executor const& ex, index_t k) {
  stencil const p = stencil_of(ex, k);
  index_t const n = p.rows, nnz = p.nonzeros;
  auto const offsets = p.offsets, columns = p.columns;
  auto const values = generate<T>(ex, nnz, small_integer<T>{2});
  auto const x = generate<T>(ex, n, small_integer<T>{3});
  auto const y = allocate<T>(ex, n);
  auto const by_hand = [=] {
    spmv(ex, csr{n, n, view_of(*offsets), view_of(*columns), view_of(*values)}, *x, *y);
  };
  auto const a =
      unflatten(zip(borrow(ex, *columns), borrow(ex, *values)), take(borrow(ex, *p.lengths), n));
  auto const from = borrow(ex, *x);
  auto c = beside<T>(
      ex, y, n, "peer:own spmv", [=] { return examples::spmv(a, from); }, by_hand);
  c.bytes = spmv_bytes<T>(n, n, nnz);
  c.items = double(nnz);
  return c;
}

struct weight_of_neighbour {
  std::int32_t const* columns;
  float const* weights;
  RAVEL_HD float operator()(index_t i) const { return weights[columns[i]]; }
};
struct least_weight {
  RAVEL_HD float operator()() const { return maximum<float>{}.identity(); }
};
struct write_weight {
  float* to;
  RAVEL_HD void operator()(index_t s, float x) const { to[s] = x; }
};

comparison neighbours(gpu::executor const& ex, index_t k) {
  auto const p = stencil_of(ex, k);
  auto const weights = generate<float>(ex, p.rows, small_integer<float>{4});
  auto const out = allocate<float>(ex, p.rows);
  auto const by_hand = [=] {
    segmented_reduce_on(ex, p.nonzeros, weight_of_neighbour{p.columns->data(), weights->data()},
                        by_offsets(*p.offsets), maximum<float>{}, least_weight{},
                        write_weight{out->data()});
  };
  auto const graph = unflatten(borrow(ex, *p.columns), take(borrow(ex, *p.lengths), p.rows));
  auto const from = borrow(ex, *weights);
  auto c = beside<float>(
      ex, out, p.rows, "peer:primitives", [=] { return examples::neighbour_max(graph, from); },
      by_hand);
  c.bytes = 4.0 * double(p.nonzeros) + 16.0 * double(p.rows);
  c.items = double(p.nonzeros);
  return c;
}

struct below {
  index_t k;
  RAVEL_HD index_t operator()(index_t i) const { return random_below(5, i, k); }
};
struct multiple {
  index_t of;
  RAVEL_HD index_t operator()(index_t i) const { return i * of; }
};
struct same {
  index_t value;
  RAVEL_HD index_t operator()(index_t) const { return value; }
};
struct count_value {
  index_t const* values;
  index_t k;
  index_t* counts;
  RAVEL_HD void operator()(index_t i, index_t s, index_t) const {
    if (0 <= values[i] && values[i] < k) fetch_add(counts + s * k + values[i], index_t{1});
  }
};

/// Histograms with 64 bins for each row of 1000 values, as for images.
comparison histogram_of_rows(gpu::executor const& ex, index_t n) {
  index_t const rows = n / 1000, bins = 64;
  auto const values = generate<index_t>(ex, rows * 1000, below{bins});
  auto const offsets = generate<index_t>(ex, rows + 1, multiple{1000});
  auto const lengths = generate<index_t>(ex, rows, same{1000});
  auto const counts = allocate<index_t>(ex, rows * bins);
  auto const by_hand = [=] {
    ex.clear(*counts);
    for_each_in_segments(ex, values->size(), by_offsets(*offsets),
                         count_value{values->data(), bins, counts->data()});
  };
  auto const a = unflatten(borrow(ex, *values), borrow(ex, *lengths));
  auto c = beside<index_t>(
      ex, counts, rows * bins, "peer:primitives",
      [=] { return flatten(examples::histograms(a, bins)); }, by_hand);
  c.bytes = 8.0 * double(values->size() + counts->size());
  c.items = double(values->size());
  return c;
}

comparison words(gpu::executor const& ex, index_t n) {
  auto const text = generate<char>(ex, n, random_text{});
  auto const begins = allocate<index_t>(ex, n + 2), counts = allocate<index_t>(ex, n + 1);
  auto const by_hand = [=] {
    return count_words(ex, n, text->data(), begins->data(), counts->data());
  };
  index_t const lines = by_hand();
  auto const from = borrow(ex, *text);
  auto c = beside<index_t>(
      ex, counts, lines, "peer:primitives", [=] { return examples::words_per_line(from); },
      by_hand);
  c.bytes = double(n) + 8.0 * double(lines);
  c.items = double(n);
  return c;
}

comparison sort_one(gpu::executor const& ex, index_t n) {
  auto const values = generate<std::uint32_t>(ex, n, reached<std::uint32_t>{});
  auto const out = allocate<std::uint32_t>(ex, n);
  auto const x = borrow(ex, *values);
  auto c = beside<std::uint32_t>(
      ex, out, n, "peer:own radix sort", [=] { return sort(x); },
      [=] { radix_sort(ex, *values, *out); });
  c.bytes = 8.0 * double(n);
  c.items = double(n);
  return c;
}

comparison order_of_one(gpu::executor const& ex, index_t n) {
  auto const values = generate<std::uint32_t>(ex, n, reached<std::uint32_t>{});
  auto const out = allocate<index_t>(ex, n);
  auto const x = borrow(ex, *values);
  auto c = beside<index_t>(
      ex, out, n, "peer:own argsort", [=] { return sort_order(x); },
      [=] { radix_argsort(ex, *values, *out); });
  c.bytes = 12.0 * double(n);
  c.items = double(n);
  return c;
}

/// Rows of 50 numbers, as sequences and by offsets.
struct rows_of_50 {
  static constexpr index_t length = 50;
  index_t rows;
  shared<float> values, out;
  shared<index_t> offsets;

  rows_of_50(gpu::executor const& ex, index_t n)
      : rows(n / length),
        values(generate<float>(ex, rows * length, small_integer<float>{4})),
        out(allocate<float>(ex, rows * length)),
        offsets(generate<index_t>(ex, rows + 1, multiple{length})) {}
  auto sequences(gpu::executor const& ex) const { return from_offsets(ex, *values, *offsets); }
};
struct square {
  RAVEL_HD float operator()(float x) const { return x * x; }
};

/// Running sums of rows: a program beside the calls that write them to all.out.
template <class Program, class Calls>
comparison scans_beside(gpu::executor const& ex, rows_of_50 const& all, char const* peer,
                        Program const& program, Calls const& calls) {
  auto c = beside<float>(ex, all.out, all.out->size(), peer, program, calls);
  c.bytes = 8.0 * double(all.out->size() + all.rows);
  c.items = double(all.out->size());
  return c;
}

comparison scan_rows(gpu::executor const& ex, index_t n) {
  rows_of_50 const all(ex, n);
  auto const x = all.sequences(ex);
  return scans_beside(
      ex, all, "peer:own segmented scan",
      [=] { return flatten(each(x, [](auto const& row) { return inclusive_scan(row); })); },
      [=] {
        segmented_inclusive_scan(ex, *all.values, by_offsets(*all.offsets), *all.out,
                                 plus<float>{});
      });
}

comparison scan_squares(gpu::executor const& ex, index_t n) {
  rows_of_50 const all(ex, n);
  auto const x = all.sequences(ex);
  return scans_beside(
      ex, all, "peer:own map, segmented scan",
      [=] { return flatten(each(x, [](auto const& row) { return inclusive_scan(row * row); })); },
      [=] {
        map(ex, square{}, *all.out, *all.values);
        segmented_inclusive_scan(ex, *all.out, by_offsets(*all.offsets), *all.out, plus<float>{});
      });
}

comparison sum_rows(gpu::executor const& ex, index_t n) {
  rows_of_50 const all(ex, n);
  auto const x = all.sequences(ex);
  auto const out = allocate<float>(ex, all.rows);
  auto c = beside<float>(
      ex, out, all.rows, "peer:own segmented reduce",
      [=] { return each(x, [](auto const& row) { return sum(row); }); },
      [=] { segmented_reduce(ex, *all.values, by_offsets(*all.offsets), *out, plus<float>{}); });
  c.bytes = 4.0 * double(all.values->size()) + 12.0 * double(all.rows);
  c.items = double(all.values->size());
  return c;
}

comparison kept_gather(gpu::executor const& ex, index_t n) {
  auto const values = generate<float>(ex, n, small_integer<float>{4});
  auto const places = generate<index_t>(ex, n, below{n});
  auto const out = allocate<float>(ex, n);
  auto const x = borrow(ex, *values);
  auto const i = borrow(ex, *places);
  auto c = beside<float>(
      ex, out, n, "peer:own gather", [=] { return keep(gather(x, i)); },
      [=] { gather(ex, *values, *places, *out); });
  c.bytes = 16.0 * double(n);
  c.items = double(n);
  return c;
}

/// An order that the library does not recognise as the order of bits, so it cannot use radix sort.
struct ascending {
  RAVEL_HD bool operator()(std::uint32_t a, std::uint32_t b) const { return a < b; }
};

template <class Sort>
comparison quicksort(gpu::executor const& ex, index_t n, Sort const& sort) {
  using K = std::uint32_t;
  auto const in = generate<K>(ex, n, reached<K>{});
  auto const out = allocate<K>(ex, n);
  auto const wanted = allocate<K>(ex, n);
  with_scratch(ex, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortKeys(scratch, bytes, in->data(), wanted->data(), n, 0, 32,
                                          ex.stream());
  })();
  auto const a = borrow(ex, *in);
  auto const made = std::make_shared<typename result<K>::element_type>();
  auto const program = [=] { made->emplace(elements(sort(a))); };

  comparison c;
  c.counters = cost_of(program);
  c.bytes = 2.0 * double(n) * sizeof(K);
  c.poison = [=, spoil = poison(ex, out)] {
    made->reset();
    spoil();
  };
  c.contenders.push_back({"ours", program, [=] {
                            return all_equal(ex, n, (*made)->data(), element<K>{wanted->data()});
                          }});
  c.contenders.push_back(
      {"peer:own comparison sort", [=] { comparison_sort(ex, *in, *out, ascending{}); },
       [=] { return all_equal(ex, n, out->data(), element<K>{wanted->data()}); }});
  return c;
}

suite all(gpu::executor const& ex) {
  suite s = make_suite("gpu.flatten", ex);
  s.rows.push_back({"gpu.flatten.spmv.f32", "SpMV f32 as a nested lambda, 27-point 160^3", 160,
                    [=](index_t k) { return product<float>(ex, k); }, 12});
  s.rows.push_back({"gpu.flatten.spmv.f64", "SpMV f64 as a nested lambda, 27-point 160^3", 160,
                    [=](index_t k) { return product<double>(ex, k); }, 12});
  s.rows.push_back({"gpu.flatten.neighbours", "greatest neighbour f32, 27-point 160^3", 160,
                    [=](index_t k) { return neighbours(ex, k); }, 12});
  s.rows.push_back({"gpu.flatten.histogram", "64 bins of each 1000 values", 100'000'000,
                    [=](index_t n) { return histogram_of_rows(ex, n); }, 10'000});
  s.rows.push_back({"gpu.flatten.words", "words of each line, of 60 characters", 100'000'000,
                    [=](index_t n) { return words(ex, n); }, 10'000});
  s.rows.push_back({"gpu.flatten.sort_one", "one sequence of u32 sorted", index_t{1} << 24,
                    [=](index_t n) { return sort_one(ex, n); }, 1 << 12});
  s.rows.push_back({"gpu.flatten.sort_order", "order of one sequence of u32", index_t{1} << 24,
                    [=](index_t n) { return order_of_one(ex, n); }, 1 << 12});
  s.rows.push_back({"gpu.flatten.scan_rows", "running sums of rows of 50 f32", 100'000'000,
                    [=](index_t n) { return scan_rows(ex, n); }, 10'000});
  s.rows.push_back({"gpu.flatten.scan_squares", "running sums of squares of rows of 50 f32",
                    100'000'000, [=](index_t n) { return scan_squares(ex, n); }, 10'000});
  s.rows.push_back({"gpu.flatten.sum_rows", "sums of rows of 50 f32", 100'000'000,
                    [=](index_t n) { return sum_rows(ex, n); }, 10'000});
  s.rows.push_back({"gpu.flatten.gather", "2^24 random elements kept", index_t{1} << 24,
                    [=](index_t n) { return kept_gather(ex, n); }, 1 << 12});
  auto const by_pivots = examples::multi_pivot_quicksort<std::uint32_t>;
  s.rows.push_back({"gpu.flatten.quicksort", "flattened quicksort u32", index_t{1} << 24,
                    [=](index_t n) { return quicksort(ex, n, by_pivots); }, 1 << 12});
  auto const by_filters = examples::quicksort<std::uint32_t>;
  s.rows.push_back({"gpu.flatten.quicksort_by_filters", "the same with one pivot, u32",
                    index_t{1} << 24, [=](index_t n) { return quicksort(ex, n, by_filters); },
                    1 << 12});
  return s;
}

}  // namespace
}  // namespace ravel::bench::on_gpu

int main(int argc, char** argv) {
  using namespace ravel::bench::on_gpu;
  return run_suite(all, argc, argv);
}
