#include "distributed/every_call.hpp"

#include <ravel/algorithms/comparison_sort.hpp>
#include <ravel/algorithms/delta.hpp>
#include <ravel/algorithms/radix_sort.hpp>
#include <ravel/algorithms/transpose.hpp>
#include <ravel/distributed/checked.hpp>
#include <ravel/distributed/deferred_scan.hpp>
#include <ravel/distributed/gather.hpp>
#include <ravel/distributed/group_by.hpp>
#include <ravel/distributed/histogram.hpp>
#include <ravel/distributed/list_rank.hpp>
#include <ravel/distributed/map.hpp>
#include <ravel/distributed/merge.hpp>
#include <ravel/distributed/pack.hpp>
#include <ravel/distributed/reduce.hpp>
#include <ravel/distributed/runs.hpp>
#include <ravel/distributed/same_everywhere.hpp>
#include <ravel/distributed/scan.hpp>
#include <ravel/distributed/searches.hpp>
#include <ravel/distributed/segmented_scan.hpp>
#include <ravel/distributed/segmented_sort.hpp>
#include <ravel/distributed/segments.hpp>
#include <ravel/distributed/sort.hpp>
#include <ravel/distributed/split.hpp>
#include <ravel/distributed/spmv.hpp>
#include <ravel/distributed/transpose.hpp>

#include <algorithm>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace ravel::testing {
namespace {

using on_ranks = distributed::executor<cpu::sequential, distributed::checked<any_ranks>>;
template <class T>
using on_all = distributed::sequence<T, on_ranks>;
cpu::sequential const alone;

constexpr index_t n = 1009;

void expect(bool holds, char const* what) {
  if (!holds) throw std::runtime_error(std::string(what) + " is wrong");
}

/// Pieces of growing sizes, the first of them empty.
std::vector<index_t> growing(index_t size, int ranks) {
  std::vector<index_t> begins;
  for (int r = 0; r <= ranks; ++r) begins.push_back(size * r * r / (ranks * ranks));
  begins[1] = 0;
  return begins;
}

template <class T>
auto placed(on_ranks const& ex, std::vector<T> const& all) {
  auto const begins = growing(std::ssize(all), ex.ranks().size());
  int const r = ex.ranks().rank();
  return from_pieces(ex, std::vector<T>(all.begin() + begins[r], all.begin() + begins[r + 1]));
}

/// The elements of all ranks are the first of `all`.
template <class T>
void expect_elements(on_ranks const& ex, on_all<T> const& x, std::vector<T> all, char const* what) {
  all.resize(x.total_size());
  expect(gather_to(ex, x, 1) == (ex.ranks().rank() == 1 ? all : std::vector<T>{}), what);
}

std::vector<int> numbers(int factor, int below) {
  std::vector<int> all(n);
  for (index_t i = 0; i < n; ++i) all[i] = static_cast<int>(i * factor % below);
  return all;
}

struct same_third {
  bool operator()(int a, int b) const { return a / 3 == b / 3; }
};

void scans_and_segments(on_ranks const& ex) {
  auto const all = numbers(37, 211);
  std::vector<int> expected(n), heads(n), offsets{0, 3, 3, 190, 191, 800, static_cast<int>(n)};
  for (int const o : {0, 3, 190, 191, 800}) heads[o] = 1;
  auto const x = placed(ex, all), flags = placed(ex, heads);
  auto const by = from(ex, offsets);
  on_all<int> y(ex, x);

  segmented_inclusive_scan(alone, all, by_heads(heads), expected);
  segmented_inclusive_scan(ex, x, by_heads(flags), y);
  expect_elements(ex, y, expected, "segmented_inclusive_scan by heads");
  segmented_exclusive_scan(alone, all, by_offsets(offsets), expected);
  segmented_exclusive_scan(ex, x, by_offsets(by), y);
  expect_elements(ex, y, expected, "segmented_exclusive_scan by offsets");
  std::vector<int> greatest(6);
  segmented_reduce(alone, all, by_offsets(offsets), greatest, maximum{}, from(0));
  auto results = ex.allocate<int>(6);
  segmented_reduce(ex, x, by_offsets(by), results, maximum{}, from(0));
  expect_elements(ex, results, greatest, "segmented_reduce");
  segmented_sort(alone, all, by_offsets(offsets), expected);
  segmented_sort(ex, x, by_offsets(by), y);
  expect_elements(ex, y, expected, "segmented_sort");

  inclusive_scan(alone, all, expected);
  distributed::deferred_inclusive_scan(ex, x, y).settle();
  expect_elements(ex, y, expected, "deferred_inclusive_scan");

  std::vector<float> f(n), through(n);
  for (index_t i = 0; i < n; ++i) f[i] = 1.0F / static_cast<float>(i + 1);
  auto const g = placed(ex, f);
  on_all<float> h(ex, g);
  expect(reduce_sync(same_everywhere(ex), g) == reduce_sync(same_everywhere(alone), f),
         "same_everywhere's reduce");
  inclusive_scan(same_everywhere(alone), f, through);
  inclusive_scan(same_everywhere(ex), g, h);
  expect_elements(ex, h, through, "same_everywhere's scan");
}

void runs(on_ranks const& ex) {
  std::vector<int> all(n), keys(n), values(n);
  for (int i = 0; i < n; ++i) all[i] = i < 300 ? 4 : i / 2;
  auto const x = placed(ex, all);
  on_all<int> k(ex, x), v(ex, x);
  auto const third = equal_by(same_third{});

  index_t count = unique_sync(alone, all, keys, third);
  expect(unique_sync(ex, x, k, third) == count, "unique_sync's number");
  expect_elements(ex, k, keys, "unique_sync");
  count = run_length_encode_sync(alone, all, keys, values, third);
  expect(run_length_encode_sync(ex, x, k, v, third) == count, "run_length_encode_sync's number");
  expect_elements(ex, k, keys, "run_length_encode_sync's values");
  expect_elements(ex, v, values, "run_length_encode_sync's lengths");
  count = reduce_by_key_sync(alone, all, all, keys, values, plus{}, third);
  expect(reduce_by_key_sync(ex, x, x, k, v, plus{}, third) == count, "reduce_by_key_sync's number");
  expect_elements(ex, k, keys, "reduce_by_key_sync's keys");
  expect_elements(ex, v, values, "reduce_by_key_sync's values");
}

void searches(on_ranks const& ex) {
  auto all = numbers(37, 211);
  all[700] = 500;
  auto other = all;
  other[900] = -1;
  auto const x = placed(ex, all), y = from(ex, other);
  auto const is_large = [](int i) { return i > 400; };
  expect(find_first_sync(ex, x, is_large) == 700, "find_first_sync");
  expect(any_of_sync(ex, x, is_large), "any_of_sync");
  expect(!all_of_sync(ex, x, is_large), "all_of_sync");
  expect(!none_of_sync(ex, x, is_large), "none_of_sync");
  expect(adjacent_find_sync(ex, x) == n, "adjacent_find_sync");
  expect(!is_sorted_sync(ex, x), "is_sorted_sync");
  expect(!is_partitioned_sync(ex, x, is_large), "is_partitioned_sync");
  expect(min_element_sync(ex, x) == 0, "min_element_sync");
  expect(max_element_sync(ex, x) == 700, "max_element_sync");
  expect(mismatch_sync(ex, x, y) == 900, "mismatch_sync");
  expect(!equal_sync(ex, x, y), "equal_sync");
  expect(lexicographical_compare_sync(ex, y, x), "lexicographical_compare_sync");
  auto const both = ex.replicate<int>(2);
  minmax_element(ex, x, both);
  expect(both.begin()[0] == 0 && both.begin()[1] == 700, "minmax_element");
  auto const what = from(ex, std::vector<int>(all.begin() + 600, all.begin() + 900));
  expect(search_sync(ex, x, what) == 600, "search_sync");
  expect(find_end_sync(ex, x, what) == 600, "find_end_sync");
  on_all<int> z(ex, x);
  auto const source = distributed::deferred_inclusive_scan(ex, x, z);
  std::vector<int> sums(n);
  inclusive_scan(alone, all, sums);
  expect(find_first_sync(ex, source.source(), [&](int i) { return i == sums[801]; }) == 801,
         "find_first_sync of a deferred scan");
  auto const is_odd = [](int i) { return i % 2 != 0; };
  on_all<int> kept(ex, x);
  std::vector<int> odd(n);
  index_t const count = filter_sync(alone, sums, is_odd, odd);
  expect(filter_sync(ex, source.source(), is_odd, kept) == count, "filter_sync's number");
  expect_elements(ex, kept, odd, "filter_sync of a deferred scan");
}

void moves(on_ranks const& ex) {
  auto const all = numbers(37, 211), order = numbers(100, static_cast<int>(n));
  std::vector<int> expected(n), values(n);
  auto const x = placed(ex, all), at = placed(ex, order);
  on_all<int> y(ex, x), z(ex, n);

  auto const digit = [](int i) { return i % 7; };
  split<7>(alone, all, digit, expected);
  split<7>(ex, x, digit, z);
  expect_elements(ex, z, expected, "split");
  std::vector<int> bins(211);
  histogram(alone, all, bins);
  auto const counts = ex.replicate<int>(211);
  histogram(ex, x, counts);
  expect(std::equal(bins.begin(), bins.end(), counts.begin()), "histogram");
  scatter(alone, all, order, expected);
  scatter(ex, x, at, z);
  expect_elements(ex, z, expected, "scatter");

  auto const before = [](int a, int b) { return a / 10 > b / 10; };
  comparison_sort_pairs(alone, all, order, expected, values, before);
  on_all<int> w(ex, n);
  comparison_sort_pairs(ex, x, at, z, w, before);
  expect_elements(ex, z, expected, "comparison_sort_pairs' keys");
  expect_elements(ex, w, values, "comparison_sort_pairs' values");
  auto descending = placed(ex, all);
  sort(ex, descending, before);
  expect_elements(ex, descending, expected, "sort");
  transform(ex, x, y, digit);
  transform(alone, all, expected, digit);
  expect_elements(ex, y, expected, "transform");
  delta_decode(ex, x, y);
  delta_decode(alone, all, expected);
  expect_elements(ex, y, expected, "delta_decode");
  auto sorted = all, other = order;
  std::sort(sorted.begin(), sorted.end());
  std::sort(other.begin(), other.end());
  std::vector<int> merged(2 * n);
  merge(alone, sorted, other, merged);
  on_all<int> both(ex, 2 * n);
  merge(ex, placed(ex, sorted), from(ex, other), both);
  expect_elements(ex, both, merged, "merge");
  auto least = ex.allocate<int>(40);
  top_k(ex, x, least);
  expect_elements(ex, least, sorted, "top_k");

  index_t const groups = group_by_sync(ex, x, at, z, w);
  std::vector<int> sums(211);
  for (index_t i = 0; i < n; ++i) sums[all[i]] += order[i];
  std::vector<int> keys(211);
  std::iota(keys.begin(), keys.end(), 0);
  expect(groups == 211, "group_by_sync's number");
  expect_elements(ex, z, keys, "group_by_sync's keys");
  expect_elements(ex, w, sums, "group_by_sync's values");

  std::vector<int> next(n), ranked(n);
  for (index_t i = 0; i < n; ++i) next[order[i]] = i + 1 < n ? order[i + 1] : -1;
  list_rank(alone, next, ranked);
  auto const links = placed(ex, next);
  list_rank(ex, links, y);
  expect_elements(ex, y, ranked, "list_rank");
}

/// Calls that move elements, of the source of a deferred scan, which stays as it is.
void moves_of_sources(on_ranks const& ex) {
  auto const all = numbers(37, 211), order = numbers(100, static_cast<int>(n));
  std::vector<int> sums(n), expected(n), values(n);
  inclusive_scan(alone, all, sums);
  auto const x = placed(ex, all), at = placed(ex, order);
  on_all<int> y(ex, x), z(ex, n), w(ex, n);
  auto const scan = distributed::deferred_inclusive_scan(ex, x, y);
  auto const source = scan.source();

  auto const digit = [](int i) { return i % 7; };
  split<7>(alone, sums, digit, expected);
  split<7>(ex, source, digit, z);
  expect_elements(ex, z, expected, "split of a source");
  gather(alone, sums, order, expected);
  on_all<int> gathered(ex, at);
  gather(ex, source, at, gathered);
  expect_elements(ex, gathered, expected, "gather of a source");
  scatter(alone, sums, order, expected);
  scatter(ex, source, at, z);
  expect_elements(ex, z, expected, "scatter of a source");
  comparison_sort_pairs(alone, order, sums, expected, values, std::greater<>{});
  comparison_sort_pairs(ex, at, source, z, w, std::greater<>{});
  expect_elements(ex, z, expected, "comparison_sort_pairs' keys beside a source");
  expect_elements(ex, w, values, "comparison_sort_pairs of a source");
  comparison_sort(ex, source, z);
  expect_elements(ex, z, sums, "comparison_sort of a source");
  segmented_sort(alone, sums, chunks(n, 100), expected, descending);
  segmented_sort(ex, source, chunks(n, 100), z, descending);
  expect_elements(ex, z, expected, "segmented_sort of a source");
  segmented_sort_pairs(alone, sums, order, chunks(n, 100), expected, values, descending);
  segmented_sort_pairs(ex, source, at, chunks(n, 100), z, w, descending);
  expect_elements(ex, z, expected, "segmented_sort_pairs' keys of a source");
  expect_elements(ex, w, values, "segmented_sort_pairs beside a source");
  std::vector<int> merged(2 * n), beside(2 * n);
  merge(alone, sums, sums, merged);
  on_all<int> both(ex, 2 * n), both_beside(ex, 2 * n);
  merge(ex, from(ex, sums), source, both);
  expect_elements(ex, both, merged, "merge with a source");
  merge_pairs(alone, sums, order, sums, sums, merged, beside);
  merge_pairs(ex, source, at, source, source, both, both_beside);
  expect_elements(ex, both, merged, "merge_pairs' keys with a source");
  expect_elements(ex, both_beside, beside, "merge_pairs with a source");
  radix_sort_pairs(alone, all, sums, expected, values);
  index_t const groups = reduce_by_key_sync(alone, expected, values, merged, beside);
  expect(group_by_sync(ex, x, source, z, w) == groups, "group_by_sync's number beside a source");
  expect_elements(ex, z, merged, "group_by_sync's keys beside a source");
  expect_elements(ex, w, beside, "group_by_sync of a source");
  sums[700] += 1;
  auto const other = from(ex, sums);
  expect(mismatch_sync(ex, source, other) == 700, "mismatch_sync of a source");
  expect(!equal_sync(ex, other, source), "equal_sync of a source");
  expect(lexicographical_compare_sync(ex, source, other),
         "lexicographical_compare_sync of a source");
}

/// A band matrix of integers, so that sums are exact in any order.
void matrices(on_ranks const& ex) {
  using matrix = csr<std::vector<int>, std::vector<int>, std::vector<double>>;
  auto const rows = [](index_t first, index_t last) {
    matrix a{last - first, n, {0}, {}, {}};
    for (index_t r = first; r < last; ++r) {
      for (index_t c = r % 5; c < n; c += 97) {
        a.columns.push_back(static_cast<int>(c));
        a.values.push_back(static_cast<double>((r + c) % 9) - 4);
      }
      a.offsets.push_back(static_cast<int>(std::ssize(a.columns)));
    }
    return a;
  };
  auto const begins = growing(n, ex.ranks().size());
  int const r = ex.ranks().rank();
  matrix const whole = rows(0, n);
  std::vector<double> v(2 * n), expected(2 * n);
  for (index_t i = 0; i < 2 * n; ++i) v[i] = static_cast<double>(i % 13);

  distributed::csr const mine(ex, rows(begins[r], begins[r + 1]));
  spmv_plan const plan(ex, mine);
  auto const x = from(ex, std::vector<double>(v.begin(), v.begin() + n));
  on_all<double> y(ex, mine.rows);
  spmv(alone, whole, std::vector<double>(v.begin(), v.begin() + n),
       view<double, host_space>(expected.data(), n));
  spmv(ex, plan, x, y);
  expect_elements(ex, y, expected, "spmv");
  auto twice = mine.rows, columns = mine.columns;
  for (index_t& b : twice) b *= 2;
  for (index_t& b : columns) b *= 2;
  auto const vectors =
      from_pieces(ex, std::vector<double>(v.begin() + columns[r], v.begin() + columns[r + 1]));
  on_all<double> products(ex, twice);
  spmm(alone, whole, 2, v, expected);
  spmm(ex, plan, 2, vectors, products);
  expect_elements(ex, products, expected, "spmm");

  auto const t = transpose(ex, mine);
  auto const u = transpose(alone, whole);
  auto const columns_of = from_pieces(ex, t.block.columns);
  expect_elements(ex, columns_of, std::vector<int>(u.columns.begin(), u.columns.end()),
                  "transpose's columns");
  expect_elements(ex, from_pieces(ex, t.block.values),
                  std::vector<double>(u.values.begin(), u.values.end()), "transpose's values");
}

}  // namespace

void make_every_call(any_ranks const& ranks) {
  on_ranks const ex(alone, distributed::checked<any_ranks>{ranks});
  scans_and_segments(ex);
  runs(ex);
  searches(ex);
  moves(ex);
  moves_of_sources(ex);
  matrices(ex);
}

}  // namespace ravel::testing
