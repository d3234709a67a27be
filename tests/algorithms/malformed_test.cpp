// Algorithms with malformed offsets, links and indices: they write nothing
// outside of their outputs, and terminate.

#include <ravel/algorithms/list_ranking.hpp>
#include <ravel/algorithms/merge_segments.hpp>
#include <ravel/algorithms/segmented_comparison_sort.hpp>
#include <ravel/algorithms/segmented_sort.hpp>
#include <ravel/algorithms/selection.hpp>

#include "support/executors.hpp"
#include "support/guarded.hpp"
#include "support/malformed.hpp"
#include "support/random_word.hpp"

#include <ravel/algorithms/cuda/comparison_sort.cuh>
#include <ravel/algorithms/cuda/list_walk.cuh>
#include <ravel/algorithms/cuda/segmented_sort.cuh>
#include <ravel/algorithms/cuda/selection.cuh>

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstdint>

namespace ravel::malformed_test {
namespace {

using namespace std::chrono_literals;
using testing::malformed_indices;
using testing::malformed_offsets;
using testing::random_word32;

struct below {
  template <class T>
  RAVEL_HD bool operator()(T const& x, T const& y) const {
    return x < y;
  }
};

template <class T>
std::vector<T> random_values(index_t n) {
  std::vector<T> values;
  for (index_t i = 0; i < n; ++i) {
    values.push_back(static_cast<T>(random_word32(static_cast<std::uint32_t>(i))));
  }
  return values;
}

template <class Ex>
struct malformed : testing::on_executor<Ex> {
  testing::time_bound bound{240s};

  template <class T>
  auto guarded(index_t n) const {
    return testing::guarded<malformed, T>(*this, n);
  }

  /// On a device the host knows no offset, so that the first and the last may be wrong, too.
  static constexpr bool ends = std::same_as<space_of_t<Ex>, device_space>;

  static constexpr bool is_host =
      std::same_as<Ex, cpu::sequential> || std::same_as<Ex, cpu::threads>;
  static constexpr bool has_blocks = std::same_as<Ex, gpu::executor>;

  /// Calls f with descriptors of so many segments of n elements.
  template <class T, class F>
  void for_each_malformed(index_t n, std::vector<index_t> const& counts, F f) const {
    for (index_t const segments : counts) {
      for (auto const& [name, offsets] : malformed_offsets<T>(segments, n, ends)) {
        SCOPED_TRACE(name);
        auto const there = this->there(offsets);
        f(by_offsets(there));
        if (::testing::Test::HasFailure()) return;
      }
    }
  }
};
TYPED_TEST_SUITE(malformed, testing::executors_and_device);

TYPED_TEST(malformed, segments_are_sorted_within_the_output) {
  // Some segments must be too long for one block of a device, or for the cache of one host thread.
  index_t const n = this->has_blocks ? 20'000 : this->is_host ? 300'000 : 2000;
  auto const keys = this->there(random_values<std::uint32_t>(n));
  this->template for_each_malformed<std::int64_t>(n, {12}, [&](auto segments) {
    auto const out = this->template guarded<std::uint32_t>(n);
    ravel::segmented_sort(this->ex(), keys, segments, out.elements());
    out.expect_untouched_outside();
  });
}

TYPED_TEST(malformed, segments_of_pairs_are_sorted_within_the_output) {
  auto const keys = this->there(random_values<std::int64_t>(2000));
  auto const values = this->there(random_values<std::int16_t>(2000));
  this->template for_each_malformed<std::int32_t>(2000, {200, 12}, [&](auto segments) {
    auto const keys_out = this->template guarded<std::int64_t>(2000);
    auto const values_out = this->template guarded<std::int16_t>(2000);
    segmented_sort_pairs(this->ex(), keys, values, segments, keys_out.elements(),
                         values_out.elements());
    keys_out.expect_untouched_outside();
    values_out.expect_untouched_outside();
  });
}

TYPED_TEST(malformed, segments_are_sorted_in_place) {
  this->template for_each_malformed<std::int64_t>(3000, {300, 3}, [&](auto segments) {
    auto const data = this->template guarded<std::uint32_t>(3000);
    ravel::segmented_sort(this->ex(), data.elements(), segments, data.elements());
    data.expect_unwritten();  // all keys are equal
  });
}

TYPED_TEST(malformed, lengths_are_sorted_within_the_output) {
  index_t const n = 5000;
  auto const keys = this->there(random_values<std::uint32_t>(n));
  std::vector<std::vector<std::int64_t>> cases{
      {5000, 2000, -2000}, {2500, -2000, 4500}, {-1, 5001}, {5001, -1}, {-5000, 10'000}};
  for (auto const& lengths : cases) {
    auto const there = this->there(lengths);
    auto const out = this->template guarded<std::uint32_t>(n);
    ravel::segmented_sort(this->ex(), keys, by_lengths(there), out.elements());
    out.expect_untouched_outside();
  }
}

TYPED_TEST(malformed, segments_are_sorted_by_comparisons_within_the_output) {
  auto const keys = this->there(random_values<std::int32_t>(3000));
  this->template for_each_malformed<std::int64_t>(3000, {300, 3}, [&](auto segments) {
    auto const out = this->template guarded<std::int32_t>(3000);
    ravel::segmented_comparison_sort(this->ex(), keys, segments, out.elements(), below{});
    out.expect_untouched_outside();
  });
}

TYPED_TEST(malformed, segments_are_merged_within_the_output) {
  auto const keys = this->there(random_values<std::int32_t>(9000));
  this->template for_each_malformed<std::int64_t>(9000, {30, 3}, [&](auto segments) {
    auto const out = this->template guarded<std::int32_t>(9000);
    ravel::merge_segments(this->ex(), keys, segments, out.elements(), below{});
    out.expect_untouched_outside();
  });
}

TYPED_TEST(malformed, selection_reads_no_element_that_does_not_exist) {
  auto const keys = this->there(random_values<std::uint32_t>(1000));
  this->template for_each_malformed<std::int64_t>(1000, {100, 3}, [&](auto segments) {
    auto const out = this->template guarded<std::uint32_t>(segments.count());
    segmented_nth_element(this->ex(), keys, segments, 3, 0u, out.elements());
    out.expect_untouched_outside();
  });
}

/// Malformed links: a name, and the link of each node.
std::vector<testing::named_integers<std::int64_t>> malformed_links(index_t n) {
  std::vector<testing::named_integers<std::int64_t>> all;
  auto const add = [&](std::string name, auto next) {
    std::vector<std::int64_t> links;
    for (index_t i = 0; i < n; ++i) links.push_back(next(i));
    all.push_back({name, links});
  };
  auto const random = [](index_t i) {
    return index_t{random_word32(static_cast<std::uint32_t>(i))};
  };
  add("random", [=](index_t i) { return random(i) % n; });
  add("one cycle", [=](index_t i) { return (i + 1) % n; });
  add("cycles of two", [=](index_t i) { return i ^ 1; });
  add("cycles of three", [=](index_t i) { return i % 3 == 2 ? i - 2 : i + 1; });
  add("all to one", [=](index_t i) { return i < n - 1 ? n - 1 : n / 2; });
  add("a tail to a cycle", [=](index_t i) { return i < n - 1 ? i + 1 : n / 2; });
  add("few heads", [=](index_t i) { return random(i) % (n / 10); });
  all.push_back({"out of range", malformed_indices<std::int64_t>(n, n)});
  return all;
}

TYPED_TEST(malformed, lists_are_ranked_within_the_output) {
  for (index_t const n : {300, 5000}) {
    for (auto const& [name, links] : malformed_links(n)) {
      SCOPED_TRACE(name);
      auto const next = this->there(links);
      auto const heads = this->there(malformed_indices<std::int64_t>(n / 4, n));
      auto const ranks = this->template guarded<std::int32_t>(n);
      list_rank(this->ex(), next, ranks.elements());
      list_rank(this->ex(), next, ranks.elements(), heads_at(heads));
      auto const fault = this->there(std::vector<list_fault>{list_fault{}});
      list_rank(this->ex(), next, ranks.elements(), heads_at(heads), fault_to(fault));
      list_rank(this->ex(), next, ranks.elements(), splitter_spacing(64), sublists_in_turn);
      list_rank(this->ex(), next, ranks.elements(), splitter_count(77), sublists_on_host);
      ranks.expect_untouched_outside();
      EXPECT_NE(this->here(fault)[0].kind, list_fault_kind::none);
    }
  }
}

TYPED_TEST(malformed, lists_are_scanned_within_the_output) {
  for (index_t const n : {300, 5000}) {
    auto const values = this->there(random_values<std::int64_t>(n));
    for (auto const& [name, links] : malformed_links(n)) {
      SCOPED_TRACE(name);
      auto const next = this->there(links);
      auto const heads = this->there(malformed_indices<std::int32_t>(n / 4, n));
      auto const out = this->template guarded<std::int64_t>(n);
      inclusive_list_scan(this->ex(), next, values, out.elements(), maximum<>{});
      inclusive_list_scan(this->ex(), next, values, out.elements(), maximum<>{}, heads_at(heads));
      out.expect_untouched_outside();
    }
  }
}

}  // namespace
}  // namespace ravel::malformed_test
