#include <ravel/core/cpu/flag_words.hpp>
#include <ravel/core/segments.hpp>

#include "support/executors.hpp"
#include "support/segment_shapes.hpp"
#include "support/segmentations.hpp"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <limits>
#include <random>
#include <string>

namespace ravel::segments_test {
namespace {

/// A descriptor's results for element i.
struct said {
  bool head = false;
  bool tail = false;
  index_t segment = -1;  // of numbered segments
  index_t begin = -1;    // of that segment

  friend bool operator==(said const&, said const&) = default;
  friend std::ostream& operator<<(std::ostream& os, said const& x) {
    return os << (x.head ? "head " : "") << (x.tail ? "tail " : "") << "of segment " << x.segment
              << ", which begins at " << x.begin;
  }
};

template <class Cursor>
struct query {
  Cursor cursor;
  said* out;
  RAVEL_HD void operator()(index_t i) const {
    out[i].head = cursor.head(i);
    out[i].tail = cursor.tail(i);
    if constexpr (requires { cursor.segment(i); }) {
      out[i].segment = cursor.segment(i);
      out[i].begin = cursor.begin(out[i].segment);
    } else {
      out[i].segment = out[i].begin = -1;
    }
  }
};

template <class S>
struct query_each {
  S segments;
  said* out;
  template <class Team>
  RAVEL_HD void operator()(Team const& team, tile t) const {
    auto const cursor = segments.on(t);
    using Cursor = std::remove_cv_t<decltype(cursor)>;
    team.for_each(t, query<Cursor>{cursor, out});
  }
};

/// The reference: a loop.
std::vector<said> expected(testing::segment_shape const& shape, bool numbered) {
  std::vector<said> all;
  index_t begin = 0;
  for (index_t s = 0; s < std::ssize(shape.lengths); ++s) {
    index_t const length = shape.lengths[static_cast<std::size_t>(s)];
    for (index_t i = begin; i < begin + length; ++i) {
      all.push_back(
          {i == begin, i + 1 == begin + length, numbered ? s : -1, numbered ? begin : -1});
    }
    begin += length;
  }
  return all;
}

template <class Ex>
struct segments : testing::on_executor<Ex> {};
TYPED_TEST_SUITE(segments, testing::executors);

TYPED_TEST(segments, of_every_form_and_shape_say_what_the_loop_says) {
  for (auto const& shape : testing::segment_shapes()) {
    SCOPED_TRACE(shape);
    auto const expect_of = [&](auto const& form) {
      using S = std::remove_cvref_t<decltype(form)>;
      static_assert(segments_on<S, TypeParam>);
      if constexpr (segment_descriptor<S>) {  // lengths become offsets first
        auto const want = expected(shape, S::numbered);
        auto const out = this->template allocate<said>(std::ssize(want));
        form.expect_elements(std::ssize(want), "a call");
        this->ex().for_each_tile(std::ssize(want), query_each<S>{form, out.data()});
        EXPECT_EQ(this->here(out), want);
      }
      if constexpr (requires { form.count(); }) {
        EXPECT_EQ(form.count(), std::ssize(shape.lengths));
      }
    };
    testing::for_each_form(*this, shape, expect_of);
    using offsets = view<index_t const, space_of_t<TypeParam>>;
    auto const there = this->there(testing::offsets_of(shape));
    auto const count = std::ssize(shape.lengths);
    expect_of(by_offsets_or_length(offsets(view_of(there)), count, 0));
    if (testing::is_uniform(shape)) {
      expect_of(by_offsets_or_length(offsets(), count, count == 0 ? 0 : shape.lengths[0]));
    }
  }
}

#ifndef __CUDACC__

/// A cursor remembers its position: query it in other orders than ascending.
TEST(segment_cursor, gives_the_same_answers_in_any_order) {
  std::mt19937 random(1);
  for (auto const& shape : testing::segment_shapes()) {
    SCOPED_TRACE(shape);
    auto const offsets = testing::offsets_of(shape);
    auto const want = expected(shape, true);
    auto const segments = by_offsets(offsets);
    std::vector<said> got(want.size());
    for (index_t const width : {1, 7, 512, 4096, 100'000}) {
      index_t const tiles = div_up(offsets.back(), width);
      for (index_t id = 0; id < tiles; id += tiles / 500 + 1) {  // a sample
        tile const t = nth_tile(id, width, offsets.back());
        auto const cursor = segments.on(t);
        query<std::remove_cv_t<decltype(cursor)>> const answer{cursor, got.data()};
        auto const check = [&](index_t i) {
          answer(i);
          auto const k = static_cast<std::size_t>(i);
          if (got[k] != want[k]) ADD_FAILURE() << i << " is " << got[k] << ", not " << want[k];
        };
        for (index_t i = t.end; i-- > t.begin;) check(i);
        std::uniform_int_distribution<index_t> anywhere(t.begin, t.end - 1);
        for (int k = 0; k < 20; ++k) check(anywhere(random));
      }
    }
  }
}

/// Offsets that count the searches among them.
struct counted_begins : detail::begins_by_offsets<index_t> {
  int* searches;
  index_t segment(index_t low, index_t high, index_t i) const {
    ++*searches;
    return begins_by_offsets::segment(low, high, i);
  }
};

TEST(segment_cursor, continues_with_each_word_of_flags_where_the_last_ended) {
  std::vector<index_t> offsets;
  for (index_t begin = 0; begin <= 1000; begin += 5) offsets.push_back(begin);
  int searches = 0;
  counted_begins const begins{{offsets.data()}, &searches};
  auto const cursor = detail::walk_on(begins, std::ssize(offsets) - 1, tile{0, 0, 1000});
  searches = 0;
  cpu::flag_words<std::remove_cv_t<decltype(cursor)>> const words{cursor};
  for (index_t i = 0; i < 1000; i += 64) {
    std::uint64_t want = 0;
    for (index_t k = 0; k < 64 && i + k < 1000; ++k) want |= std::uint64_t{(i + k) % 5 == 0} << k;
    EXPECT_EQ(words(i, std::min<index_t>(64, 1000 - i)), want) << i;
  }
  EXPECT_EQ(searches, 0);
}

/// The message of the contract_error that `f` throws.
template <class F>
std::string complaint(F f) {
  try {
    f();
  } catch (contract_error const& broken) {
    return broken.what();
  }
  return "no complaint";
}

TEST(segment_descriptor, by_offsets_complains_of_what_it_can_see) {
  std::vector<int> const none;
  EXPECT_EQ(complaint([&] { by_offsets(none); }),
            "by_offsets: there must be one offset more than segments, and there is none");
  std::vector<int> const one{0};
  EXPECT_EQ(complaint([&] { by_offsets(one).expect_elements(3, "scan"); }),
            "scan: there is one offset, so no segment, and there are 3 elements");
  std::vector<int> const late{1, 3};
  EXPECT_EQ(complaint([&] { by_offsets(late).expect_elements(3, "scan"); }),
            "scan: the first offset is 1 and must be 0");
  std::vector<std::uint8_t> const few{0, 2, 200};
  EXPECT_EQ(complaint([&] { by_offsets(few).expect_elements(6, "scan"); }),
            "scan: the last offset is 200, and there are 6 elements");
  std::vector<unsigned> const right{0, 2, 6};
  EXPECT_EQ(complaint([&] { by_offsets(right).expect_elements(6, "scan"); }), "no complaint");
}

TEST(segment_descriptor, by_heads_and_keys_complain_of_another_number_of_elements) {
  std::vector<char> const heads{1, 0, 1};
  EXPECT_EQ(complaint([&] { by_heads(heads).expect_elements(4, "scan"); }),
            "scan: the segment heads are for 3 elements, and there are 4");
  EXPECT_EQ(complaint([&] { by_keys(heads).expect_elements(2, "scan"); }),
            "scan: the segment heads are for 3 elements, and there are 2");
  EXPECT_EQ(complaint([&] { by_heads(heads).expect_elements(3, "scan"); }), "no complaint");
}

TEST(segment_descriptor, by_head_bits_complains_of_too_few_words) {
  std::vector<std::uint32_t> const words(2);
  EXPECT_EQ(complaint([&] { by_head_bits(words, 65); }),
            "by_head_bits: 2 words are too few for 65 elements");
  EXPECT_EQ(complaint([&] { by_head_bits(words, -1); }),
            "by_head_bits: 2 words are too few for -1 elements");
  index_t const most = std::numeric_limits<index_t>::max();
  EXPECT_EQ(complaint([&] { by_head_bits(words, most); }),
            "by_head_bits: 2 words are too few for 9223372036854775807 elements");
  EXPECT_EQ(complaint([&] { by_bits(words, most); }),
            "by_bits: 2 words are too few for 9223372036854775807 flags");
  EXPECT_EQ(complaint([&] { by_head_bits(words, 64); }), "no complaint");
  EXPECT_EQ(complaint([&] { by_head_bits(words, 3); }), "no complaint");
  EXPECT_EQ(complaint([&] { by_head_bits(words, 64).expect_elements(63, "scan"); }),
            "scan: the segment heads are for 64 elements, and there are 63");
}

TEST(segment_descriptor, uniform_complains_of_negative_and_of_wrong_sizes) {
  EXPECT_EQ(complaint([] { uniform(-1, 4); }),
            "uniform: there cannot be -1 segments of 4 elements");
  EXPECT_EQ(complaint([] { uniform(3, -4); }),
            "uniform: there cannot be 3 segments of -4 elements");
  EXPECT_EQ(complaint([] { uniform(index_t{1} << 40, index_t{1} << 23); }),
            "uniform: there cannot be 1099511627776 segments of 8388608 elements");
  EXPECT_EQ(complaint([] { uniform(3, 4).expect_elements(13, "scan"); }),
            "scan: uniform(3, 4) has 12 elements, and there are 13");
  EXPECT_EQ(complaint([] { uniform(3, 0).expect_elements(0, "scan"); }), "no complaint");
}

TEST(segment_descriptor, chunks_complain_of_negative_and_of_wrong_sizes) {
  EXPECT_EQ(complaint([] { chunks(-1, 4); }),
            "chunks: there cannot be -1 elements in segments of 4");
  EXPECT_EQ(complaint([] { chunks(7, 0); }), "chunks: there cannot be 7 elements in segments of 0");
  EXPECT_EQ(complaint([] { chunks(7, 3).expect_elements(9, "scan"); }),
            "scan: chunks(7, 3) has 7 elements, and there are 9");
  EXPECT_EQ(complaint([] { chunks(7, 3).expect_elements(7, "scan"); }), "no complaint");
}
TEST(segment_descriptor, the_last_of_chunks_has_what_is_left) {
  auto const of = chunks(7, 3);
  EXPECT_EQ(of.count(), 3);
  EXPECT_EQ(of.begin(2), 6);
  EXPECT_EQ(of.begin(3), 7);
  EXPECT_TRUE(of.tail(6));
  EXPECT_EQ(chunks(6, 3).count(), 2);
  EXPECT_EQ(chunks(2, 3).begin(1), 2);
  EXPECT_EQ(chunks(0, 3).count(), 0);
  EXPECT_EQ(chunks(5, std::numeric_limits<index_t>::max()).count(), 1);
  EXPECT_EQ(chunks(5, std::numeric_limits<index_t>::max()).begin(1), 5);
}

TEST(segment_descriptor, by_head_bits_reads_words_of_any_width) {
  testing::segment_shape const shape{"", {3, 70, 1, 1, 64, 9}};
  auto const heads = testing::heads_of(shape);
  auto const check = [&]<class W>(W) {
    constexpr std::size_t width = 8 * sizeof(W);
    std::vector<W> words((heads.size() + width - 1) / width);
    for (std::size_t i = 0; i < heads.size(); ++i) {
      if (heads[i]) words[i / width] = static_cast<W>(words[i / width] | W{1} << i % width);
    }
    auto const segments = by_head_bits(words, std::ssize(heads));
    for (std::size_t i = 0; i < heads.size(); ++i) {
      auto const at = static_cast<index_t>(i);
      EXPECT_EQ(segments.head(at), heads[i]) << i;
      EXPECT_EQ(segments.tail(at), i + 1 == heads.size() || heads[i + 1]) << i;
    }
  };
  check(std::uint8_t{});
  check(std::uint16_t{});
  check(std::uint32_t{});
  check(std::uint64_t{});
}

TEST(segment_descriptor, by_keys_calls_the_given_equality) {
  std::vector<std::string> const words{"Ab", "aB", "b", "B", "ab"};
  auto const alike = [](std::string const& x, std::string const& y) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                      [](char a, char b) { return std::tolower(a) == std::tolower(b); });
  };
  auto const segments = by_keys(words, alike);
  std::vector<bool> heads;
  for (index_t i = 0; i < std::ssize(words); ++i) heads.push_back(segments.head(i));
  EXPECT_EQ(heads, (std::vector<bool>{true, false, true, false, true}));
}

TEST(segment_descriptor, is_made_only_of_what_outlives_it) {
  static_assert(detail::outlives_the_call<std::vector<int>&>);
  static_assert(detail::outlives_the_call<view<int>>);
  static_assert(!detail::outlives_the_call<std::vector<int>>);
}

#endif

}  // namespace
}  // namespace ravel::segments_test
