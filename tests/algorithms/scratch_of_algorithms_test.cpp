#include <ravel/algorithms/comparison_sort.hpp>
#include <ravel/algorithms/coordinates.hpp>
#include <ravel/algorithms/delta.hpp>
#include <ravel/algorithms/duplicates.hpp>
#include <ravel/algorithms/group_by_hash.hpp>
#include <ravel/algorithms/list_ranking.hpp>
#include <ravel/algorithms/merge_segments.hpp>
#include <ravel/algorithms/partial_sort.hpp>
#include <ravel/algorithms/quicksort.hpp>
#include <ravel/algorithms/radix_sort.hpp>
#include <ravel/algorithms/segmented_comparison_sort.hpp>
#include <ravel/algorithms/segmented_sort.hpp>
#include <ravel/algorithms/selection.hpp>
#include <ravel/algorithms/spmv.hpp>
#include <ravel/algorithms/spmv_plan.hpp>
#include <ravel/algorithms/string_sort.hpp>
#include <ravel/algorithms/transpose.hpp>
#include <ravel/primitives/iota.hpp>

#include "support/scratch_test.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

namespace ravel::scratch_of_algorithms_test {
namespace {

struct by_low_bits_first {
  template <class T>
  RAVEL_HD bool operator()(T const& x, T const& y) const {
    return x % 1024 != y % 1024 ? x % 1024 < y % 1024 : x < y;
  }
};

/// Scratch and tile states that calls allocate.
template <class Ex>
struct scratch_of_algorithms : testing::scratch_test<Ex> {
  template <class Call>
  void expect_at_most(double bytes, std::string const& name, Call call) const {
    EXPECT_LE(static_cast<double>(this->bytes_of(name, call)), bytes) << name;
  }

  template <class T>
  void expect_sorts_of(index_t n) const {
    SCOPED_TRACE(::testing::Message() << n << " keys of " << sizeof(T) << " bytes");
    auto const keys = this->template zeros<T>(n);
    auto const values = this->template zeros<std::uint32_t>(n);
    double const of_keys = 1.05 * sizeof(T) * double(n);
    struct row {  // interleaved, as the host moves them
      T key;
      std::uint32_t value;
    };
    double const of_pairs = 1.05 * sizeof(row) * double(n);
    expect_at_most(of_keys, "radix_sort", [&](Ex const& ex) { radix_sort(ex, keys); });
    expect_at_most(of_pairs, "radix_sort_pairs",
                   [&](Ex const& ex) { radix_sort_pairs(ex, keys, values); });
    double const of_buckets = 2.0 * double(n);  // of a device's sample sort
    expect_at_most(of_keys + of_buckets, "comparison_sort",
                   [&](Ex const& ex) { comparison_sort(ex, keys, by_low_bits_first{}); });
    expect_at_most(of_pairs + of_buckets, "comparison_sort_pairs", [&](Ex const& ex) {
      comparison_sort_pairs(ex, keys, values, keys, values, by_low_bits_first{});
    });
  }
};
TYPED_TEST_SUITE(scratch_of_algorithms, testing::executors_of_full_size);

THOROUGH_TYPED_TEST(scratch_of_algorithms, is_another_array_for_sorts) {
  for (index_t const n : {index_t{1} << 20, index_t{1} << 25}) {
    if (cpu::host_executor<TypeParam> && n > index_t{1} << 20) continue;  // sorts to plan
    this->template expect_sorts_of<std::uint32_t>(n);
    this->template expect_sorts_of<std::uint64_t>(n);
  }
}

/// Short rows, and longer ones: at most the partial sums of all warps of a device, or an index for
/// each 2048 entries.
TYPED_TEST(scratch_of_algorithms, is_less_than_a_thousandth_of_a_large_matrix) {
  for (index_t const length : {4, 32}) {
    SCOPED_TRACE(length);
    index_t const n = index_t{1} << (cpu::host_executor<TypeParam> ? 22 : 27), rows = n / length;
    auto const offsets = this->template zeros<std::int32_t>(rows + 1);
    iota(this->ex(), offsets, 0, static_cast<int>(length));
    csr const a{rows, index_t{1}, view_of(offsets), this->template zeros<std::int32_t>(n),
                this->template zeros<float>(n)};
    auto const x = this->template zeros<float>(1), y = this->template zeros<float>(rows);
    this->expect_at_most(std::max(5e5, 0.001 * 8 * double(n)), "spmv",
                         [&](auto const& ex) { spmv(ex, a, x, y); });
  }
}

/// On a device, which ranks in the result: 1.2 times the links.  The host ranks in separate memory.
TYPED_TEST(scratch_of_algorithms, is_a_part_of_the_list_for_ranking) {
  index_t const n = index_t{1} << 22;
  auto const next = this->template allocate<std::uint32_t>(n);
  iota(this->ex(), next, std::uint32_t{1});
  distribute(this->ex(), static_cast<std::uint32_t>(n - 1), view_of(next).slice(n - 1, 1));
  auto const ranks = this->template zeros<std::uint32_t>(n);
  double const share = cpu::host_executor<TypeParam> ? 1.6 : 1.2;
  this->expect_at_most(share * 4 * double(n), "list_rank",
                       [&](auto const& ex) { list_rank(ex, next, ranks); });
}

#ifndef __CUDACC__
/// Of n words, in bytes of each, as the docstrings of the calls say.
TYPED_TEST(scratch_of_algorithms, is_bounded_on_hosts) {
  index_t const n = index_t{1} << 20, rows = 1 << 12;
  auto const random = [](index_t i) {
    return static_cast<std::uint32_t>(static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15u >> 40);
  };
  std::vector<std::uint32_t> keys, out(n), middle(1), half(n / 2), ten(10);
  std::vector<std::int32_t> row, column;
  for (index_t i = 0; i < n; ++i) {
    keys.push_back(random(i));
    row.push_back(static_cast<std::int32_t>(random(i) % rows));
    column.push_back(static_cast<std::int32_t>(random(i + n) % rows));
  }
  std::vector<float> const value(n);
  auto const expect = [&](double bytes, std::string const& name, auto const& call) {
    this->expect_at_most((bytes + 0.1) * double(n), name, call);
  };
  std::vector<index_t> of_16, of_many;
  for (index_t k = 0; k <= 16; ++k) of_16.push_back(n / 16 * k);
  for (index_t k = 0; k <= n / 64; ++k) of_many.push_back(64 * k);
  auto const in_16 = by_offsets(of_16), in_many = by_offsets(of_many);
  by_low_bits_first const order;
  expect(4, "merge_segments", [&](auto const& ex) { merge_segments(ex, keys, in_16, out); });
  expect(4, "merge_segments by an order",
         [&](auto const& ex) { merge_segments(ex, keys, in_16, out, order); });
  expect(0, "segmented_sort", [&](auto const& ex) { segmented_sort(ex, keys, in_many, out); });
  expect(4, "segmented_comparison_sort",
         [&](auto const& ex) { segmented_comparison_sort(ex, keys, in_many, out, order); });
  expect(3.0 / 8 * 4, "nth_element", [&](auto const& ex) { nth_element(ex, keys, n / 2, middle); });
  expect(16.0 / 3, "nth_element by an order",
         [&](auto const& ex) { nth_element(ex, keys, n / 2, middle, order); });
  expect(0, "top_k of few", [&](auto const& ex) { top_k(ex, keys, ten); });
  expect(3.0 / 8 * 4 + 4.0 / 2, "top_k", [&](auto const& ex) { top_k(ex, keys, half); });
  expect(16.0 / 3 + 2 * 16.0 / 2, "top_k by an order",
         [&](auto const& ex) { top_k(ex, keys, half, order); });
  expect(4, "segmented_top_k",
         [&](auto const& ex) { segmented_top_k(ex, keys, in_many, 32, std::uint32_t{0}, half); });
  double const moved = 4 + 1 + 5 * 8;  // of each element sorted to the front
  out = keys;
  expect(3.0 / 8 * 4 + (4 + moved) / 2, "partial_sort",
         [&](auto const& ex) { partial_sort(ex, out, n / 2); });
  out = keys;
  expect(16.0 / 3 + (2 * 16 + moved) / 2, "partial_sort by an order",
         [&](auto const& ex) { partial_sort(ex, out, n / 2, order); });
  expect(2 * 4 + 3.0, "quicksort_sync", [&](auto const& ex) { quicksort_sync(ex, keys, out); });
  expect(4 + 8, "radix_argsort", [&](auto const& ex) { radix_argsort(ex, keys, out); });
  expect(3 * 8, "group_by_key_sync",
         [&](auto const& ex) { group_by_key_sync(ex, keys, std::vector<index_t>(n), ten); });
  expect(0, "delta_encode", [&](auto const& ex) { delta_encode(ex, keys, out, of_order<3>); });
  expect(0, "delta_decode", [&](auto const& ex) { delta_decode(ex, keys, out, of_order<3>); });
  expect(2 * (8 + 4), "csr_from_coordinates", [&](auto const& ex) {
    csr_from_coordinates<std::int32_t>(ex, rows, rows, row, column, value);
  });
  auto const a = csr_from_coordinates<std::int32_t>(this->ex(), rows, rows, row, column, value);
  expect((3 + 2) * 4, "transpose", [&](auto const& ex) { transpose(ex, a); });
  expect(0, "count_duplicates_sync", [&](auto const& ex) { count_duplicates_sync(ex, a); });
  expect(9, "combine_duplicates_sync", [&](auto const& ex) { combine_duplicates_sync(ex, a); });
  std::vector<float> const x(rows);
  std::vector<float> y(rows);
  expect(0, "spmv_plan", [&](auto const& ex) { spmv(ex, spmv_plan(ex, a), x, y); });
}

/// Strings that differ early, and equal ones; lists of narrow and of wide values.
THOROUGH_TYPED_TEST(scratch_of_algorithms, is_bounded_for_strings_and_lists_on_hosts) {
  index_t const n = index_t{1} << 20;
  double const each = static_cast<double>(n);
  std::vector<std::uint32_t> next(n), narrow(n), order(n);
  std::iota(next.begin(), next.end(), 1U);
  next.back() = static_cast<std::uint32_t>(n - 1);
  std::vector<std::uint64_t> wide(n);
  this->expect_at_most((8 + 0.7) * each, "list scan of narrow values",
                       [&](auto const& ex) { inclusive_list_scan(ex, next, narrow, order); });
  this->expect_at_most((16 + 0.7) * each, "list scan of wide values",
                       [&](auto const& ex) { inclusive_list_scan(ex, next, wide, wide); });
  for (std::uint64_t const spread : {0u, 0x9e3779b9u}) {
    std::string text(4 * n, 'a');
    std::vector<index_t> const of_4(n, 4);
    for (index_t i = 0; i < n; ++i) {
      auto const word = static_cast<std::uint32_t>(static_cast<std::uint64_t>(i) * spread);
      std::memcpy(text.data() + 4 * i, &word, 4);
    }
    this->expect_at_most((3 * 8 + 2 * 8 + 0.1) * each, "string_argsort_sync", [&](auto const& ex) {
      string_argsort_sync(ex, text, by_lengths(of_4), order);
    });
  }
}

/// The steps that all executors share, on scratch that holds other data.
struct on_used_scratch : cpu::sequential {
  template <class T>
  auto scratch(index_t n) const {
    auto made = cpu::sequential::scratch<T>(n);
    if (n > 0) std::memset(made.data(), 0x5a, sizeof(T) * static_cast<std::size_t>(n));
    return made;
  }
};

TEST(scratch_of_algorithms_by_steps, is_not_read_before_it_is_written) {
  for (index_t n = 0; n < 6; ++n) {
    SCOPED_TRACE(n);
    std::vector<int> in;
    for (int i = 0; i < n; ++i) in.push_back(10 * i % 7);
    auto sorted = in;
    std::sort(sorted.begin(), sorted.end());
    auto out = in;
    comparison_sort(on_used_scratch{}, in, out, by_low_bits_first{});
    EXPECT_EQ(out, sorted);
    comparison_sort(on_used_scratch{}, in, by_low_bits_first{});
    EXPECT_EQ(in, sorted);
  }
}
#endif

}  // namespace
}  // namespace ravel::scratch_of_algorithms_test
