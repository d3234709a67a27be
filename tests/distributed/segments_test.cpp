#include <ravel/distributed/pipelines.hpp>  // before segments.hpp, whose calls it must not hide
#include <ravel/distributed/segments.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "distributed/ranks.hpp"

namespace ravel::testing::segments_test {
namespace {

/// The first element: associative, and not commutative.
struct leftmost {
  int identity() const { return 0; }
  int operator()(int x, int y) const { return x != 0 ? x : y; }
};

std::vector<std::int64_t> offsets_of(std::vector<int> const& lengths) {
  std::vector<std::int64_t> offsets{0};
  for (int const length : lengths) offsets.push_back(offsets.back() + length);
  return offsets;
}

/// call(ex, x, offsets, lengths, placement of results) for segments of many kinds in all placements.
template <class F>
void for_segments(F const& call) {
  std::vector<std::vector<int>> const kinds{
      {3, 2, 1}, {}, {29}, {5, 0, 0, 0}, {0, 17, 0, 0, 1, 9, 0, 2, 3, 0}};
  for (auto const& lengths : kinds) {
    auto const offsets = offsets_of(lengths);
    std::vector<int> all;
    for (int i = 1; i <= offsets.back(); ++i) all.push_back(i);
    on_groups([&](auto const& ex) {
      int const p = ex.ranks().size();
      auto const pieces = placements(std::ssize(all), p);
      auto const k = std::ssize(lengths);
      for (std::size_t s = 0; s < pieces.size(); ++s) {
        std::size_t const t = (s + 2) % pieces.size();
        call(ex, placed(ex, all, pieces[s]), placed(ex, offsets, placements(k + 1, p)[t]),
             placed(ex, lengths, placements(k, p)[s]), placements(k, p)[t], all, offsets);
      }
    });
  }
}

/// What a loop makes of each segment: the results of segments, and the scan of elements.
template <class M>
auto expected_of(std::vector<int> const& all, std::vector<std::int64_t> const& offsets,
                 M const& m) {
  struct {
    std::vector<int> reduced, scanned;
  } expected;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    int sum = m.identity();
    for (auto i = offsets[s]; i < offsets[s + 1]; ++i) {
      expected.scanned.push_back(sum = m(sum, all[static_cast<std::size_t>(i)]));
    }
    expected.reduced.push_back(sum);
  }
  return expected;
}

TEST(DistributedSegments, ReduceEachSegment) {
  for_segments([](auto const& ex, auto const& x, auto const& offsets, auto const& lengths,
                  auto const& places, auto const& all, auto const& all_offsets) {
    std::uint64_t const others = ex.ranks().size() - 1, p = ex.ranks().size();
    distributed::sequence<int, on_ranks> y(ex, places);
    auto const before = ex.ranks().sent();
    segmented_reduce(ex, x, by_offsets(offsets), y, leftmost{});
    // Each offset there; the results of those that came here back, and then to their places; p counts
    // and a value with a flag to each.
    auto const sent = ex.ranks().sent() - before;
    EXPECT_LE(sent, 8 * offsets.size() + 4 * std::ssize(all_offsets) + 4 * offsets.size() +
                        8 * (p + 1) * others);
    EXPECT_EQ(everywhere(ex, y), expected_of(all, all_offsets, leftmost{}).reduced);

    auto sums = expected_of(all, all_offsets, plus<int>{}).reduced;
    segmented_reduce(ex, x, by_lengths(lengths), y);
    EXPECT_EQ(everywhere(ex, y), sums);
    for (int& sum : sums) sum += 7;
    segmented_reduce(ex, x, by_lengths(lengths), y, plus{}, from(7));
    EXPECT_EQ(everywhere(ex, y), sums);
  });
}

TEST(DistributedSegments, ScanEachSegment) {
  for_segments([](auto const& ex, auto const& x, auto const& offsets, auto const& lengths,
                  auto const&, auto const& all, auto const& all_offsets) {
    distributed::sequence<int, on_ranks> y(ex, x);
    segmented_inclusive_scan(ex, x, by_offsets(offsets), y, leftmost{});
    EXPECT_EQ(everywhere(ex, y), expected_of(all, all_offsets, leftmost{}).scanned);

    auto expected = expected_of(all, all_offsets, plus<int>{}).scanned;
    for (std::size_t i = 0; i < all.size(); ++i) expected[i] += 5 - all[i];
    segmented_exclusive_scan(ex, x, by_lengths(lengths), y, plus<int>{}, from(5));
    EXPECT_EQ(everywhere(ex, y), expected);
  });
}

/// call(ex, x, pieces of results) for sequences x of `all` in all placements.
template <class F>
void for_pieces(std::vector<int> const& all, index_t results, F const& call) {
  on_groups([&](auto const& ex) {
    auto const pieces = placements(std::ssize(all), ex.ranks().size());
    auto const places = placements(results, ex.ranks().size());
    for (std::size_t s = 0; s < pieces.size(); ++s) {
      call(ex, placed(ex, all, pieces[s]), places[(s + 2) % pieces.size()]);
    }
  });
}

TEST(DistributedSegments, OfOneLengthNeedNoDescriptor) {
  for (auto const& segments : {chunks(29, 7), chunks(29, 40), uniform(29, 1), uniform(1, 29),
                               uniform(0, 5), uniform(4, 0)}) {
    auto const n = segments.elements, k = segments.count();
    std::vector<int> all(static_cast<std::size_t>(n)), first(static_cast<std::size_t>(k));
    std::iota(all.begin(), all.end(), 1);
    auto sums = first;
    auto scanned = all, rest = all;
    cpu::sequential const one;
    segmented_reduce(one, all, segments, first, leftmost{});
    segmented_reduce(one, all, segments, sums, plus{}, from(7));
    segmented_inclusive_scan(one, all, segments, scanned, leftmost{});
    segmented_exclusive_scan(one, all, segments, rest, plus{}, backward, from(3));
    for_pieces(all, k, [&](auto const& ex, auto const& x, auto const& places) {
      std::uint64_t const others = ex.ranks().size() - 1;
      distributed::sequence<int, on_ranks> y(ex, places), z(ex, x);
      auto before = ex.ranks().sent();
      segmented_reduce(ex, x, segments, y, leftmost{});
      index_t begun = n == 0 ? k : 0;  // those that begin here
      for (index_t i = x.first(); i < x.first() + x.size(); ++i) begun += i % segments.length == 0;
      EXPECT_LE(ex.ranks().sent() - before, 4 * begun + 8 * others);
      EXPECT_EQ(everywhere(ex, y), first);
      segmented_reduce(ex, x, segments, y, plus{}, from(7));
      EXPECT_EQ(everywhere(ex, y), sums);

      before = ex.ranks().sent();
      segmented_inclusive_scan(ex, x, segments, z, leftmost{});
      EXPECT_EQ(ex.ranks().sent() - before, sizeof(flagged<int>) * others);
      EXPECT_EQ(everywhere(ex, z), scanned);
      segmented_exclusive_scan(ex, x, segments, z, plus{}, backward, from(3));
      EXPECT_EQ(everywhere(ex, z), rest);
    });
  }
}

/// The head bits of a piece, from bit 0.
template <class Ex, class X>
auto bits_of_piece(Ex const& ex, X const& x, std::vector<int> const& heads) {
  std::vector<std::uint32_t> words(static_cast<std::size_t>(x.size() / 32 + 1));
  for (index_t i = 0; i < x.size(); ++i) {
    words[i / 32] |= std::uint32_t{heads[x.first() + i] != 0} << i % 32;
  }
  return from_pieces(ex, words);
}

TEST(DistributedSegments, ByFlagsBitsAndKeysAreCounted) {
  index_t const n = 70;
  for (int const every : {1, 9, 100}) {
    std::vector<int> heads(n), keys(n);
    for (index_t i = 0; i < n; ++i) heads[i] = i % every == every / 2;
    for (index_t i = 1; i < n; ++i) keys[i] = keys[i - 1] + heads[i];
    std::vector<int> all(n), expected(static_cast<std::size_t>(keys.back()) + 1), scanned(n);
    std::iota(all.begin(), all.end(), 1);
    segmented_reduce(cpu::sequential(), all, by_heads(heads), expected, leftmost{});
    segmented_inclusive_scan(cpu::sequential(), all, by_heads(heads), scanned);
    index_t const count = std::ssize(expected), room = count + (every == 9 ? -3 : 2);
    expected.resize(static_cast<std::size_t>(room), -5);
    for_pieces(all, room, [&](auto const& ex, auto const& x, auto const& places) {
      std::uint64_t const others = ex.ranks().size() - 1;
      std::vector<index_t> const begins(x.begins().begin(), x.begins().end());
      auto const flags = placed(ex, heads, begins), k = placed(ex, keys, begins);
      auto const bits = bits_of_piece(ex, x, heads);
      distributed::sequence<int, on_ranks> z(ex, x);
      auto const found = ex.template replicate<std::int16_t>(1);
      auto const is_reduced_by = [&](auto const& segments, std::uint64_t bytes) {
        distributed::sequence<int, on_ranks> y(ex, places);
        for (int& absent : y.local()) absent = -5;
        auto const before = ex.ranks().sent();
        segmented_reduce(ex, x, segments, y, leftmost{}, total_to(found));
        EXPECT_LE(ex.ranks().sent() - before, 4 * x.size() + (8 + 8 + bytes) * others);
        EXPECT_EQ(*found.data(), count);
        EXPECT_EQ(everywhere(ex, y), expected);
      };
      is_reduced_by(by_heads(flags), 2);
      is_reduced_by(by_head_bits(bits, x.size()), 2);
      is_reduced_by(by_keys(k), 12);
      segmented_inclusive_scan(ex, x, by_head_bits(bits, x.size()), z);
      EXPECT_EQ(everywhere(ex, z), scanned);
    });
  }
}

TEST(DistributedSegments, OffsetsThatDoNotFitAreRefused) {
  auto const error_with = [](std::vector<int> const& offsets) {
    return error_of([&] {
      distributed::run_ranks(3, [&](auto const& ranks) {
        on_ranks const ex(cpu::sequential(), ranks);
        auto const x = from(ex, std::vector{3, 1, 2, 4, 1, 5});
        auto const o = from(ex, offsets);
        auto y = ex.template allocate<int>(std::ssize(offsets) - 1);
        segmented_reduce(ex, x, by_offsets(o), y);
      });
    });
  };
  EXPECT_EQ(error_with({0, 3, 5, 7}), "rank 2: segmented_reduce: offset 3 is 7, and must be 6");
  EXPECT_EQ(error_with({1, 3, 5, 6}), "rank 0: segmented_reduce: offset 0 is 1, and must be 0");
  EXPECT_EQ(error_of([&] {
              distributed::run_ranks(3, [&](auto const& ranks) {
                on_ranks const ex(cpu::sequential(), ranks);
                auto x = from(ex, std::vector{3, 1, 2, 4, 1, 5});
                auto const lengths = from(ex, std::vector{3, 4});
                segmented_exclusive_scan(ex, x, by_lengths(lengths), x);
              });
            }),
            "rank 2: segmented_exclusive_scan: offset 2 is 7, and must be 6");
}

TEST(DistributedSegments, AnOperatorThatThrowsEndsTheCallByItsName) {
  struct picky : plus<int> {
    int operator()(int x, int y) const {
      if (x == 77 || y == 77) throw std::runtime_error("77 is too much");
      return x + y;
    }
  };
  EXPECT_EQ(error_of([] {
              distributed::run_ranks(2, [](auto const& ranks) {
                on_ranks const ex(cpu::sequential(), ranks);
                auto x = from(ex, std::vector{3, 1, 2, 4, 77, 5});
                auto const offsets = from(ex, std::vector{0, 2, 6});
                segmented_inclusive_scan(ex, x, by_offsets(offsets), x, picky{}, backward);
              });
            }).substr(8),
            "segmented_inclusive_scan: 77 is too much");
}

}  // namespace
}  // namespace ravel::testing::segments_test
