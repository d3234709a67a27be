#include <ravel/primitives/segment_forms.hpp>

#include "support/executors.hpp"
#include "support/segment_shapes.hpp"
#include "support/segmentations.hpp"

#include <cstdint>

namespace ravel::segment_forms_test {
namespace {

using testing::segment_shape;

/// The references.
std::vector<int> ids_of(segment_shape const& shape) {
  std::vector<int> ids;
  for (std::size_t s = 0; s < shape.lengths.size(); ++s) {
    ids.insert(ids.end(), static_cast<std::size_t>(shape.lengths[s]), static_cast<int>(s));
  }
  return ids;
}
template <class T, class U>
std::vector<T> as(std::vector<U> const& from) {
  std::vector<T> to;
  for (auto const& x : from) to.push_back(static_cast<T>(x));
  return to;
}

template <class Ex>
struct segment_forms : testing::on_executor<Ex> {};
TYPED_TEST_SUITE(segment_forms, testing::executors);

TYPED_TEST(segment_forms, are_those_of_the_examples_in_the_header) {
  auto const& ex = this->ex();
  auto const lengths = this->there(std::vector{3, 0, 2, 1});
  auto const offsets = this->there(std::vector{0, 3, 3, 5, 6});
  auto const keys = this->there(std::vector{7, 7, 7, 4, 4, 7});
  auto four = this->template allocate<int>(4);
  auto five = this->template allocate<int>(5);
  auto six = this->template allocate<int>(6);
  auto words = this->template allocate<std::uint8_t>(1);

  offsets_of(ex, by_lengths(lengths), five);
  EXPECT_EQ(this->here(five), (std::vector{0, 3, 3, 5, 6}));
  offsets_of(ex, by_keys(keys), six);
  EXPECT_EQ(this->here(six), (std::vector{0, 3, 5, 6, 6, 6}));
  lengths_of(ex, by_offsets(offsets), four);
  EXPECT_EQ(this->here(four), (std::vector{3, 0, 2, 1}));
  lengths_of(ex, by_keys(keys), five);
  EXPECT_EQ(this->here(five), (std::vector{3, 2, 1, 0, 0}));
  heads_of(ex, by_lengths(lengths), six);
  EXPECT_EQ(this->here(six), (std::vector{1, 0, 0, 1, 0, 1}));
  head_bits_of(ex, by_lengths(lengths), words, 6);
  EXPECT_EQ(this->here(words).front(), 0b101001);
  segment_ids_of(ex, by_lengths(lengths), six);
  EXPECT_EQ(this->here(six), (std::vector{0, 0, 0, 2, 2, 3}));
  offsets_of_segment_ids(ex, six, five);
  EXPECT_EQ(this->here(five), (std::vector{0, 3, 3, 5, 6}));
  segment_ids_of(ex, by_keys(keys), six);
  EXPECT_EQ(this->here(six), (std::vector{0, 0, 0, 1, 1, 2}));
}

TYPED_TEST(segment_forms, of_numbered_segments_keep_the_empty_ones) {
  auto const& ex = this->ex();
  for (auto const& shape : testing::segment_shapes()) {
    SCOPED_TRACE(shape);
    auto const expected = testing::offsets_of(shape);
    index_t const n = expected.back();
    auto const k = std::ssize(shape.lengths);
    testing::for_each_numbered_form(*this, shape, [&](auto const& segments) {
      auto offsets = this->template allocate<int>(k + 1);
      auto lengths = this->template allocate<std::uint16_t>(k);
      auto ids = this->template allocate<int>(n);
      auto inverse = this->template allocate<index_t>(k + 1);
      offsets_of(ex, segments, offsets);
      lengths_of(ex, segments, lengths);
      segment_ids_of(ex, segments, ids);
      offsets_of_segment_ids(ex, ids, inverse);
      EXPECT_EQ(this->here(offsets), as<int>(expected));
      EXPECT_EQ(this->here(lengths), as<std::uint16_t>(shape.lengths));
      EXPECT_EQ(this->here(ids), ids_of(shape));
      EXPECT_EQ(this->here(inverse), expected);
    });
  }
}

TYPED_TEST(segment_forms, of_counted_segments_say_how_many_there_were) {
  auto const& ex = this->ex();
  for (auto const& shape : testing::segment_shapes()) {
    SCOPED_TRACE(shape);
    auto const nonempty = testing::without_empty(shape);
    index_t const n = testing::offsets_of(shape).back();
    auto const k = std::ssize(nonempty.lengths);
    testing::for_each_unnumbered_form(*this, shape, [&](auto const& segments) {
      auto count = this->template allocate<index_t>(1);
      auto const counted = [&] { return this->here(count).front(); };

      for (index_t const room : {k + 1, k + 3, k / 2 + 1}) {
        SCOPED_TRACE(room);
        auto offsets = this->template allocate<index_t>(room);
        auto expected = testing::offsets_of(nonempty);
        expected.resize(static_cast<std::size_t>(room), n);
        offsets_of(ex, segments, offsets, total_to(count));
        EXPECT_EQ(this->here(offsets), expected);
        EXPECT_EQ(counted(), k);
      }
      for (index_t const room : {k, k + 3, k / 2}) {
        SCOPED_TRACE(room);
        auto lengths = this->template allocate<int>(room);
        auto expected = as<int>(nonempty.lengths);
        expected.resize(static_cast<std::size_t>(room), 0);
        lengths_of(ex, segments, lengths, total_to(count));
        EXPECT_EQ(this->here(lengths), expected);
        EXPECT_EQ(counted(), k);
      }
      auto ids = this->template allocate<int>(n);
      segment_ids_of(ex, segments, ids, total_to(count));
      EXPECT_EQ(this->here(ids), ids_of(nonempty));
      EXPECT_EQ(counted(), k);
    });
  }
}

TYPED_TEST(segment_forms, of_heads_are_the_same_from_every_form) {
  auto const& ex = this->ex();
  for (auto const& shape : testing::segment_shapes()) {
    SCOPED_TRACE(shape);
    auto const heads = testing::heads_of(shape);
    auto const n = std::ssize(heads);
    auto const bits = testing::bits_of(heads);
    testing::for_each_form(*this, shape, [&](auto const& segments) {
      auto flags = this->template allocate<std::uint8_t>(n);
      auto bools = this->template allocate<bool>(n);
      auto words = this->there(std::vector<std::uint32_t>(bits.size() + 2, 0xabcdef01));
      heads_of(ex, segments, flags);
      heads_of(ex, segments, bools);
      head_bits_of(ex, segments, words, n);
      EXPECT_EQ(this->here(flags), as<std::uint8_t>(heads));
      EXPECT_EQ(this->here(bools), heads);
      auto expected = bits;
      expected.resize(bits.size() + 2, 0xabcdef01);  // words after them are not changed
      EXPECT_EQ(this->here(words), expected);
    });
  }
}

TYPED_TEST(segment_forms, of_head_bits_may_have_words_of_any_width) {
  segment_shape const shape{"", {3, 70, 1, 1, 0, 5000, 64, 9}};
  auto const heads = testing::heads_of(shape);
  auto const n = std::ssize(heads);
  auto const lengths = this->there(as<int>(shape.lengths));
  auto const check = [&]<class W>(W) {
    auto words = this->template allocate<W>(div_up(n, 8 * sizeof(W)));
    head_bits_of(this->ex(), by_lengths(lengths), words, n);
    auto const got = this->here(words);
    for (std::size_t i = 0; i < 8 * sizeof(W) * got.size(); ++i) {
      bool const bit = got[i / (8 * sizeof(W))] >> i % (8 * sizeof(W)) & 1;
      ASSERT_EQ(bit, i < heads.size() && heads[i]) << i;
    }
  };
  check(std::uint8_t{});
  check(std::uint16_t{});
  check(std::uint64_t{});
}

TYPED_TEST(segment_forms, refuse_sizes_that_differ) {
  auto const& ex = this->ex();
  auto const lengths = this->there(std::vector{3, 1});
  auto const keys = this->template allocate<int>(4);
  auto none = this->template allocate<int>(0);
  auto two = this->template allocate<int>(2);
  auto words = this->template allocate<std::uint8_t>(1);
  EXPECT_THROW(offsets_of(ex, by_lengths(lengths), two), contract_error);
  EXPECT_THROW(offsets_of(ex, uniform(2, 2), two), contract_error);
  EXPECT_THROW(offsets_of(ex, by_keys(keys), none), contract_error);
  EXPECT_THROW(lengths_of(ex, by_lengths(lengths), none), contract_error);
  EXPECT_THROW(lengths_of(ex, uniform(3, 2), two), contract_error);
  EXPECT_THROW(heads_of(ex, uniform(2, 2), two), contract_error);
  EXPECT_THROW(heads_of(ex, by_keys(keys), two), contract_error);
  EXPECT_THROW(head_bits_of(ex, uniform(1, 9), words, 9), contract_error);
  EXPECT_THROW(head_bits_of(ex, uniform(1, 9), words, 8), contract_error);
  EXPECT_THROW(segment_ids_of(ex, uniform(2, 2), two), contract_error);
  EXPECT_THROW(offsets_of_segment_ids(ex, two, none), contract_error);
}

}  // namespace
}  // namespace ravel::segment_forms_test
