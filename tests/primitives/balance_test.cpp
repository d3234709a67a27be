#include <ravel/primitives/balance.hpp>

#include "support/device_forms.hpp"
#include "support/executors.hpp"
#include "support/said_by.hpp"
#include "support/segment_shapes.hpp"
#include "support/segmentations.hpp"

#include <algorithm>

namespace ravel::balance_test {
namespace {

/// The arguments of the visit of an element, and the number of visits.
struct place {
  index_t segment = -1;
  index_t rank = -1;
  int visits = 0;

  friend bool operator==(place const&, place const&) = default;
  friend std::ostream& operator<<(std::ostream& os, place const& p) {
    return os << p.rank << "-th of segment " << p.segment << ", visited " << p.visits << " times";
  }
};
struct note_place {
  place* out;
  RAVEL_HD void operator()(index_t i, index_t s, index_t rank) const {
    out[i] = {s, rank, out[i].visits + 1};
  }
};

/// The same in three steps.
struct note_by_segment {
  struct segment {
    index_t number, begin;
  };
  place* out;
  RAVEL_HD segment of_segment(index_t s, index_t begin) const { return {s, begin}; }
  RAVEL_HD int load(segment const&, index_t i) const { return out[i].visits; }
  RAVEL_HD void store(segment const& of, index_t i, int visits) const {
    out[i] = {of.number, i - of.begin, visits + 1};
  }
  RAVEL_HD void operator()(index_t i, index_t s, index_t rank) const {
    segment const of = of_segment(s, i - rank);
    store(of, i, load(of, i));
  }
};
static_assert(visits_segments<note_by_segment> && !visits_segments<note_place>);

/// The reference: a loop.
std::vector<place> places_of(testing::segment_shape const& shape) {
  std::vector<place> places;
  for (index_t s = 0; s < std::ssize(shape.lengths); ++s) {
    for (index_t r = 0; r < shape.lengths[static_cast<std::size_t>(s)]; ++r) {
      places.push_back({s, r, 1});
    }
  }
  return places;
}

template <class Ex>
struct balance : testing::on_executor<Ex> {};
TYPED_TEST_SUITE(balance, testing::all_executors);

TYPED_TEST(balance, gives_the_example_in_the_header) {
  auto const lengths = this->there(std::vector{3, 2, 0, 1});
  auto const out = this->there(std::vector<place>(6));
  for_each_in_segments(this->ex(), 6, by_lengths(lengths), note_place{out.data()});
  EXPECT_EQ(this->here(out),
            (std::vector<place>{{0, 0, 1}, {0, 1, 1}, {0, 2, 1}, {1, 0, 1}, {1, 1, 1}, {3, 0, 1}}));
}

TYPED_TEST(balance, agrees_with_the_loop_on_every_shape_and_form) {
  for (auto const& shape : testing::segment_shapes()) {
    SCOPED_TRACE(shape);
    auto const expected = places_of(shape);
    auto const n = std::ssize(expected);
    testing::for_each_numbered_form(*this, shape, [&](auto const& segments) {
      auto const out = this->there(std::vector<place>(expected.size()));
      for_each_in_segments(this->ex(), n, segments, note_place{out.data()});
      EXPECT_EQ(this->here(out), expected);
      auto const again = this->there(std::vector<place>(expected.size()));
      for_each_in_segments(this->ex(), n, segments, note_by_segment{again.data()});
      EXPECT_EQ(this->here(again), expected) << "in three steps";
    });

    auto const nonempty = testing::without_empty(shape);
    auto const counted = places_of(nonempty);
    testing::for_each_unnumbered_form(*this, shape, [&](auto const& segments) {
      auto const out = this->there(std::vector<place>(expected.size()));
      auto const count = this->template allocate<index_t>(1);
      for_each_in_segments(this->ex(), n, segments, note_place{out.data()}, total_to(count));
      EXPECT_EQ(this->here(out), counted);
      EXPECT_EQ(this->here(count).front(), std::ssize(nonempty.lengths));
      for_each_in_segments(this->ex(), n, segments, note_place{out.data()});
      EXPECT_TRUE(expected.empty() || this->here(out).front().visits == 2) << "without a count";
    });
  }
}

/// A visit that receives its tile.
struct note_tile {
  index_t* out;
  index_t first = -1;
  RAVEL_HD note_tile on(tile t) const { return {out, t.begin}; }
  RAVEL_HD void operator()(index_t i, index_t, index_t) const { out[i] = first; }
};

TYPED_TEST(balance, gives_every_tile_as_many_elements_and_passes_it_to_the_visit) {
  constexpr index_t n = 20'000;
  auto const firsts_of = [&](index_t count, auto const& segments) {
    auto const out = this->template allocate<index_t>(count);
    for_each_in_segments(this->ex(), count, segments, note_tile{out.data()});
    return this->here(out);
  };
  auto const of_one = firsts_of(n, uniform(1, n));
  index_t const width = div_up(n, this->ex().tile_count(n));
  for (index_t i = 0; i < n; ++i) {
    index_t const first = of_one[static_cast<std::size_t>(i)];
    ASSERT_TRUE(first <= i && i - first < 2 * width) << i << " in the tile of " << first;
  }
  // With heads, the tiles are those of the executor's own scan: of any width, all equal, and
  // several unless a single thread takes all at once.
  constexpr index_t many = 150'000;
  auto const keys = this->there(std::vector<int>(many, 7));
  auto const of_keys = firsts_of(many, by_keys(keys));
  index_t const every = std::ranges::count(of_keys, index_t{0});
  if constexpr (!std::same_as<TypeParam, cpu::sequential>) {
    ASSERT_LT(every, many);
  }
  ASSERT_GT(every, 0);
  for (index_t i = 0; i < many; ++i) {
    ASSERT_EQ(of_keys[static_cast<std::size_t>(i)], i / every * every) << i;
  }
}

TYPED_TEST(balance, visits_what_there_is_and_no_more_than_wanted) {
  auto const offsets = this->there(std::vector{0, 3, 5, 5, 6});
  std::vector<place> const all{{0, 0, 1}, {0, 1, 1}, {0, 2, 1}, {1, 0, 1}, {1, 1, 1}, {3, 0, 1}};
  for (std::size_t const most : {0, 5, 6, 200}) {
    auto const out = this->there(std::vector<place>(200));
    for_each_in_segments_within(this->ex(), static_cast<index_t>(most), offsets,
                                note_place{out.data()});
    std::vector<place> expected(all.begin(), all.begin() + std::min<long>(long(most), 6));
    expected.resize(200);
    EXPECT_EQ(this->here(out), expected) << most;
  }
}

TYPED_TEST(balance, refuses_sizes_that_differ) {
  note_place const nothing{nullptr};
  EXPECT_THROW(for_each_in_segments(this->ex(), 5, uniform(2, 2), nothing), contract_error);
  EXPECT_THROW(for_each_in_segments(this->ex(), -1, uniform(0, 0), nothing), contract_error);
  auto const keys = this->template allocate<int>(4);
  EXPECT_THROW(for_each_in_segments(this->ex(), 5, by_keys(keys), nothing), contract_error);
}

TEST(balance_on_the_host, names_wrong_lengths_and_offsets) {
  cpu::threads const ex;
  note_place const nothing{nullptr};
  std::vector<int> const lengths{2, 1}, none, offsets{0, 2, -1};
  EXPECT_EQ(testing::said_by([&] { for_each_in_segments(ex, 5, by_lengths(lengths), nothing); }),
            "for_each_in_segments: the lengths add up to 3, and there are 5 elements");
  EXPECT_EQ(testing::said_by([&] { for_each_in_segments(ex, 5, by_lengths(none), nothing); }),
            "for_each_in_segments: the lengths add up to 0, and there are 5 elements");
  EXPECT_EQ(testing::said_by([&] { for_each_in_segments_within(ex, 5, offsets, nothing); }),
            "for_each_in_segments_within: the last offset is -1");
}

}  // namespace
}  // namespace ravel::balance_test
