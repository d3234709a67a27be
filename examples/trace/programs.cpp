/// Compaction, sorts and list ranking as programs over the library's scans and maps, run on the device
/// in software.

#include "programs.hpp"
#include "recorded.hpp"

#include <ravel/primitives/map.hpp>
#include <ravel/primitives/scan_algorithm.hpp>

#include <algorithm>
#include <array>
#include <list>
#include <stdexcept>
#include <string>
#include <utility>

namespace ravel::trace {
namespace {

using executor = software_blocks<of_block, of_block>;
using elements = cpu::buffer<plain>;

/// Members one by one: a structure that is passed or returned by value is not seen.
value get(plain const* from, index_t i) { return {from[i].v.number, from[i].v.marked}; }

void put(plain* to, index_t i, value v) {
  to[i].v.number = v.number;
  to[i].v.marked = v.marked;
}

struct plus_of_numbers {
  static std::int32_t call(std::int32_t a, std::int32_t b) { return a + b; }
};

/// A recording of calls on arrays with names.
class recording {
  recorder rec_;
  std::list<elements> arrays_;
  std::size_t n_;

 public:
  executor const ex;

  explicit recording(request const& r) : n_(r.values.size()) {
    now = &rec_;
    op = plus_of_numbers::call;
    identity_number = 0;
    rec_.know_elements(sizeof(plain));
    plain* const in = array("in");
    for (std::size_t i = 0; i < n_; ++i) in[i].v = value::made(r.values[i], rec_.leaf(r.values[i]));
  }

  index_t size() const { return static_cast<index_t>(n_); }
  plain* array(std::string const& name) {
    elements& made = arrays_.emplace_back(size());
    for (index_t i = 0; i < size(); ++i) made.data()[i] = {};
    rec_.know(
        {name, reinterpret_cast<char const*>(made.data()), n_ * sizeof(plain), sizeof(plain)});
    return made.data();
  }
  plain* in() { return arrays_.front().data(); }
  void heads(std::string const& name, std::vector<int> const& at) { rec_.know_heads(name, at); }

  /// Memory that is not drawn.
  template <class T>
  std::vector<T>& hidden(std::vector<T>& x) {
    rec_.ignore(x.data(), x.size() * sizeof(T));
    return x;
  }

  /// f(i) for each element, each by a thread.
  template <class F>
  void step(F f) {
    record(rec_, [&] { for_each_index(ex, size(), f); });
  }
  /// By the library's scan, whose steps are those of the other traces and are not drawn.
  void exclusive_sums(plain const* from, plain* to) {
    elements const& sums = arrays_.emplace_back(size());
    exclusive_scan(ex, view<plain const, host_space>(from, size()),
                   view<plain, host_space>(sums.data(), size()), recorded<plain>{},
                   scan_algorithm::reduce_then_scan);
    rec_.forget_threads();
    rec_.ignore(sums.data(), n_ * sizeof(plain));
    step([=, sums = sums.data()](index_t i) { put(to, i, now->compute(get(sums, i).number)); });
  }
  /// Sums of each segment, which are not drawn.
  template <class T, class M>
  void segmented_sums(std::vector<T>& x, std::vector<int> const& at, M m) {
    segmented_inclusive_scan(ex, x, by_heads(at), x, m);
  }

  picture finish() && {
    picture p = std::move(rec_).finish(of_block);
    p.block = of_block;
    p.warp = RAVEL_WARP_SIZE;
    return p;
  }
};

/// How many nodes link to each node of lists, of which the last links to itself.
std::vector<int> linked_nodes(request const& r) {
  auto const n = static_cast<int>(r.values.size());
  std::vector<int> linked(r.values.size());
  for (int i = 0; i < n; ++i) {
    int const next = r.values[static_cast<std::size_t>(i)];
    if (next < 0 || next >= n)
      throw std::invalid_argument("the link of node " + std::to_string(i) +
                                  " is no node: " + std::to_string(next));
    if (next != i && linked[static_cast<std::size_t>(next)]++ != 0)
      throw std::invalid_argument("two nodes link to node " + std::to_string(next));
  }
  for (int i = 0; i < n; ++i) {
    int at = i;
    for (int k = 0; k < n; ++k) at = r.values[static_cast<std::size_t>(at)];
    if (r.values[static_cast<std::size_t>(at)] != at)
      throw std::invalid_argument("node " + std::to_string(i) +
                                  " leads to no last node: the last links to itself");
  }
  return linked;
}

/// By pointer jumping: the nodes before each node that begins a sublist, of which there are count.
template <class Begins>
plain* jump(recording& to, plain* before, plain* sum, index_t count, Begins begins,
            std::string const& name) {
  for (index_t d = 1; d < count; d *= 2) {
    plain *const far = to.array("before"), *const more = to.array(name);
    to.step([=](index_t i) {
      if (!begins(i)) return;
      value const b = get(before, i), own = get(sum, i);
      put(far, i, get(before, b.number));
      put(more, i, b.number == i ? own : now->combine(get(sum, b.number), own, op));
    });
    before = far;
    sum = more;
  }
  return sum;
}

}  // namespace

picture compaction(request const& r) {
  recording to(r);
  plain *const in = to.in(), *const keep = to.array("keep"), *const place = to.array("place"),
               *const out = to.array("out");
  to.step([=, flags = r.heads.data(), given = !r.heads.empty()](index_t i) {
    value const x = get(in, i);
    bool const kept = given ? flags[i] != 0 : x.number % 2 != 0;
    put(keep, i, now->compute(kept ? 1 : 0, x));
  });
  to.exclusive_sums(keep, place);
  to.step([=](index_t i) {
    if (get(keep, i).number != 0) put(out, get(place, i).number, get(in, i));
  });
  return std::move(to).finish();
}

picture split_radix_sort(request const& r) {
  std::int32_t most = 0;
  for (int const x : r.values) {
    if (x < 0) throw std::invalid_argument("split_radix_sort sorts no negative values");
    most = std::max(most, x);
  }
  recording to(r);
  plain *keys = to.in(), *const zero = to.array("bit is 0"),
        *const before = to.array("zeros before");
  index_t const n = to.size();
  for (int bit = 0; most >> bit != 0 || bit == 0; ++bit) {
    plain* const split = to.array(most >> bit >> 1 == 0 ? "out" : "by bit " + std::to_string(bit));
    to.step([=](index_t i) {
      value const x = get(keys, i);
      put(zero, i, now->compute((x.number >> bit & 1) == 0 ? 1 : 0, x));
    });
    to.exclusive_sums(zero, before);
    to.step([=](index_t i) {
      index_t const zeros = before[n - 1].v.number + zero[n - 1].v.number;
      index_t const at = get(before, i).number;
      put(split, get(zero, i).number != 0 ? at : zeros + i - at, get(keys, i));
    });
    keys = split;
  }
  return std::move(to).finish();
}

picture quicksort_levels(request const& r) {
  recording to(r);
  using counts = std::array<index_t, 3>;  // of keys less than, equal to and greater than the pivot
  auto const n = static_cast<std::size_t>(to.size());
  using bounds = std::vector<std::pair<index_t, index_t>>;
  std::list<std::vector<counts>> all_sums;  // kept, so that no other memory is where they were
  std::list<bounds> all_bounds{bounds(n, {0, to.size()})};
  to.hidden(all_bounds.back());
  plain* keys = to.in();
  for (int level = 1;; ++level) {
    bounds const& segment = all_bounds.back();
    std::vector<int> heads(n);
    bool sorted = true;
    for (std::size_t i = 0; i < n; ++i) {
      heads[i] = segment[i].first == static_cast<index_t>(i) ? 1 : 0;
      sorted = sorted && (i == 0 || keys[i - 1].v.number <= keys[i].v.number);
    }
    to.heads(level == 1 ? "in" : "level " + std::to_string(level - 1), heads);
    if (sorted) break;
    plain *const part = to.array("part"), *const split = to.array("level " + std::to_string(level));
    std::vector<counts>& sums = to.hidden(all_sums.emplace_back(n));
    to.step([=, sums = sums.data(), segment = segment.data()](index_t i) {
      value const x = get(keys, i), pivot = get(keys, segment[i].first);
      int const of = x.number < pivot.number ? 0 : x.number == pivot.number ? 1 : 2;
      put(part, i, now->compute(of, x, pivot));
      sums[i] = {};
      sums[i][static_cast<std::size_t>(of)] = 1;
    });
    to.segmented_sums(sums, heads,
                      monoid{[](counts const& a, counts const& b) {
                               return counts{a[0] + b[0], a[1] + b[1], a[2] + b[2]};
                             },
                             counts{}});
    bounds& next = to.hidden(all_bounds.emplace_back(n));
    to.step([=, sums = sums.data(), segment = segment.data(), next = next.data()](index_t i) {
      auto const [begin, end] = segment[i];
      auto const of = static_cast<std::size_t>(get(part, i).number);
      counts const& total = sums[end - 1];
      index_t const first = begin + (of > 0 ? total[0] : 0) + (of > 1 ? total[1] : 0);
      index_t const at = first + sums[i][of] - 1;
      put(split, at, get(keys, i));
      next[at] = {first, first + total[of]};
    });
    keys = split;
  }
  return std::move(to).finish();
}

picture spmv(request const& r) {
  if (std::find(r.lengths.begin(), r.lengths.end(), 0) != r.lengths.end()) {
    throw std::invalid_argument(
        "spmv marks where rows begin, which cannot show an empty row; nested_product can");
  }
  recording to(r);
  index_t const n = to.size();
  to.heads("in", r.heads);
  to.heads("product", r.heads);
  to.heads("sum", r.heads);
  std::vector<index_t> column(r.values.size()), row(r.values.size());
  for (std::size_t i = 0; i < column.size(); ++i) {
    bool const begins = i == 0 || r.heads[i] != 0;
    column[i] = begins ? 0 : column[i - 1] + 1;
    row[i] = i == 0 ? 0 : row[i - 1] + (begins ? 1 : 0);
  }
  to.hidden(column);
  to.hidden(row);
  plain *const in = to.in(), *const x = to.array("x"), *const product = to.array("product"),
               *const sum = to.array("sum"), *const y = to.array("y");
  to.step([=](index_t i) { put(x, i, now->compute(static_cast<int>(i) + 1)); });
  to.step([=, column = column.data()](index_t i) {
    value const a = get(in, i), b = get(x, column[i]);
    put(product, i, now->compute(a.number * b.number, a, b));
  });
  std::vector<int> sums(r.values.size());
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = product[i].v.number;
  to.hidden(sums);
  to.segmented_sums(sums, r.heads, plus{});
  to.step(
      [=, sums = sums.data()](index_t i) { put(sum, i, now->compute(sums[i], get(product, i))); });
  to.step([=, heads = r.heads.data(), row = row.data()](index_t i) {
    if (i == n - 1 || heads[i + 1] != 0) put(y, row[i], get(sum, i));
  });
  return std::move(to).finish();
}

picture list_ranking(request const& r) {
  std::vector<int> linked = linked_nodes(r);
  recording to(r);
  to.hidden(linked);
  plain *const next = to.in(), *const before = to.array("before"), *const rank = to.array("rank");
  to.step([=, linked = linked.data()](index_t i) {
    value const link = get(next, i);
    if (link.number != i) {
      put(before, link.number, now->compute(static_cast<int>(i), link));
      put(rank, link.number, now->compute(1, link));
    }
    if (linked[i] == 0) {  // a head is before itself
      put(before, i, now->compute(static_cast<int>(i), link));
      put(rank, i, now->compute(0, link));
    }
  });
  jump(
      to, before, rank, to.size(), [](index_t) { return true; }, "rank");
  return std::move(to).finish();
}

picture list_ranking_by_splitters(request const& r) {
  std::vector<int> linked = linked_nodes(r);
  recording to(r);
  auto const begins = [linked = to.hidden(linked).data()](index_t i) {
    return i % 3 == 0 || linked[i] == 0;
  };
  index_t sublists = 0;
  for (index_t i = 0; i < to.size(); ++i) sublists += begins(i) ? 1 : 0;
  plain *const next = to.in(), *const sublist = to.array("sublist"),
               *const place = to.array("place"), *const before = to.array("before"),
               *const sum = to.array("nodes");
  to.step([=, linked = linked.data()](index_t first) {  // each walks its sublist
    if (!begins(first)) return;
    auto const of = static_cast<int>(first);
    index_t at = first;
    int k = 0;
    value link{};
    for (bool goes_on = true; goes_on; ++k) {
      put(sublist, at, now->compute(of, link));
      put(place, at, now->compute(k, link));
      link = get(next, at);
      goes_on = link.number != at && !begins(link.number);
      if (goes_on) at = link.number;
    }
    if (link.number != at) {
      put(before, link.number, now->compute(of, link));
      put(sum, link.number, now->compute(k, link));
    }
    if (linked[first] == 0) {
      put(before, first, now->compute(of));
      put(sum, first, now->compute(0));
    }
  });
  plain* const ahead = jump(to, before, sum, sublists, begins, "nodes");
  plain* const rank = to.array("rank");
  to.step([=](index_t i) {
    put(rank, i, now->combine(get(ahead, get(sublist, i).number), get(place, i), op));
  });
  return std::move(to).finish();
}

}  // namespace ravel::trace
