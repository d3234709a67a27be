#include <ravel/primitives/segmented_scan.hpp>

#include "support/device_forms.hpp"
#include "support/executors.hpp"
#include "support/monoids.hpp"
#include "support/segment_shapes.hpp"
#include "support/segmentations.hpp"

#include <cstdint>

namespace ravel::segmented_scan_test {
namespace {

using testing::affine;
using testing::then;

enum class direction { forward, backward };

/// The reference: a loop in each segment, no tiles, no lifted operator.
template <class T, class M>
std::vector<T> oracle(std::vector<T> const& in, testing::segment_shape const& shape, M m, T init,
                      bool inclusive, direction way) {
  std::vector<T> out(in.size());
  index_t begin = 0;
  for (index_t const length : shape.lengths) {
    T sum = init;
    for (index_t k = 0; k < length; ++k) {
      auto const i =
          static_cast<std::size_t>(way == direction::forward ? begin + k : begin + length - 1 - k);
      T const ahead = sum;
      sum = way == direction::forward ? m(sum, in[i]) : m(in[i], sum);
      out[i] = inclusive ? sum : ahead;
    }
    begin += length;
  }
  return out;
}

struct load_negative {
  int const* from;
  RAVEL_HD int operator()(index_t i) const { return -from[i]; }
};
struct note_both {
  int* ahead;
  int* until;
  RAVEL_HD void operator()(index_t i, int before, int through) const {
    ahead[i] = before;
    until[i] = through;
  }
};

template <class Ex>
struct segmented_scan : testing::on_executor<Ex> {};
TYPED_TEST_SUITE(segmented_scan, testing::all_executors);

TYPED_TEST(segmented_scan, gives_the_examples_in_the_header) {
  auto const in = this->there(std::vector{3, 1, 2, 4, 1, 5});
  auto const lengths = this->there(std::vector{3, 2, 1});
  auto out = this->template allocate<int>(6);
  auto const& ex = this->ex();

  segmented_inclusive_scan(ex, in, by_lengths(lengths), out);
  EXPECT_EQ(this->here(out), (std::vector{3, 4, 6, 4, 5, 5}));
  segmented_inclusive_scan(ex, in, by_lengths(lengths), out, plus{}, backward);
  EXPECT_EQ(this->here(out), (std::vector{6, 3, 2, 5, 1, 5}));
  segmented_exclusive_scan(ex, in, by_lengths(lengths), out);
  EXPECT_EQ(this->here(out), (std::vector{0, 3, 4, 0, 4, 0}));
  segmented_exclusive_scan(ex, in, by_lengths(lengths), out, plus{}, backward);
  EXPECT_EQ(this->here(out), (std::vector{3, 2, 0, 1, 0, 0}));
}

TYPED_TEST(segmented_scan, agrees_with_the_loop_on_every_shape_and_form) {
  for (auto const& shape : testing::segment_shapes()) {
    SCOPED_TRACE(shape);
    std::vector<affine> host;
    for (std::uint32_t i = 0, n = static_cast<std::uint32_t>(testing::offsets_of(shape).back());
         i < n; ++i)
      host.push_back(testing::nth_affine(i));
    auto const in = this->there(host);
    auto out = this->template allocate<affine>(std::ssize(host));
    affine const init{3, 5};
    auto const loop = [&](bool inclusive, direction way) {
      return oracle(host, shape, then{}, init, inclusive, way);
    };
    auto const inclusive = loop(true, direction::forward);
    auto const exclusive = loop(false, direction::forward);
    auto const inclusive_back = loop(true, direction::backward);
    auto const exclusive_back = loop(false, direction::backward);

    testing::for_each_form(*this, shape, [&](auto const& segments) {
      segmented_inclusive_scan(this->ex(), in, segments, out, then{}, from(init));
      EXPECT_EQ(this->here(out), inclusive);
      segmented_exclusive_scan(this->ex(), in, segments, out, then{}, from(init));
      EXPECT_EQ(this->here(out), exclusive);
      segmented_inclusive_scan(this->ex(), in, segments, out, then{}, from(init), backward);
      EXPECT_EQ(this->here(out), inclusive_back);
      segmented_exclusive_scan(this->ex(), in, segments, out, then{}, from(init), backward);
      EXPECT_EQ(this->here(out), exclusive_back);
    });
  }
}

TYPED_TEST(segmented_scan, may_write_over_its_input) {
  std::vector<int> const host(10000, 1);
  auto data = this->there(host);
  segmented_inclusive_scan(this->ex(), data, uniform(10, 1000), data);
  auto const out = this->here(data);
  for (std::size_t i = 0; i < out.size(); ++i) ASSERT_EQ(out[i], static_cast<int>(i % 1000 + 1));
}

LOCAL_TYPED_TEST(segmented_scan, visits_with_what_is_ahead_and_through) {
  auto const in = this->there(std::vector{3, 1, 2, 4, 1, 5});
  auto const lengths = this->there(std::vector{3, 2, 0, 1});
  auto const ahead = this->template allocate<int>(6);
  auto const until = this->template allocate<int>(6);
  auto const scan = [&](auto... options) {
    segmented_scan_on(this->ex(), 6, load_negative{in.data()}, by_lengths(lengths),
                      note_both{ahead.data(), until.data()}, plus<int>{}, options...);
  };
  scan();
  EXPECT_EQ(this->here(ahead), (std::vector{0, -3, -4, 0, -4, 0}));
  EXPECT_EQ(this->here(until), (std::vector{-3, -4, -6, -4, -5, -5}));
  scan(from(10), backward);
  EXPECT_EQ(this->here(ahead), (std::vector{7, 8, 10, 9, 10, 10}));
  EXPECT_EQ(this->here(until), (std::vector{4, 7, 8, 5, 9, 5}));
}

/// Head flags of one word of bits, of less, and of more; the last element is a segment of its own.
TEST(segmented_scan_on_the_host, sees_every_head_of_the_first_word) {
  for (std::size_t const n : {2, 9, 63, 64, 65, 100}) {
    SCOPED_TRACE(n);
    std::vector<unsigned char> heads(n);
    std::vector<int> const in(n, 1);
    std::vector<int> out(n), expected(n);
    for (std::size_t i = 0; i < n; ++i) {
      heads[i] = i % 9 == 0 || i + 1 == n;
      expected[i] = heads[i] ? 1 : expected[i - 1] + 1;
    }
    segmented_inclusive_scan(cpu::threads{}, in, by_heads(heads), out);
    EXPECT_EQ(out, expected);
  }
}

LOCAL_TYPED_TEST(segmented_scan, refuses_sizes_that_differ) {
  auto const in = this->there(std::vector{1, 2, 3, 4});
  auto const heads = this->there(std::vector<unsigned char>{1, 0, 0});
  auto out = this->template allocate<int>(4);
  auto few = this->template allocate<int>(3);
  EXPECT_THROW(segmented_inclusive_scan(this->ex(), in, by_heads(heads), out), contract_error);
  EXPECT_THROW(segmented_inclusive_scan(this->ex(), in, uniform(3, 2), out), contract_error);
  EXPECT_THROW(segmented_inclusive_scan(this->ex(), in, uniform(2, 2), few), contract_error);

  auto none = this->template allocate<int>(0);
  EXPECT_THROW(segmented_inclusive_scan(this->ex(), none, uniform(1, 2), none), contract_error);
  EXPECT_NO_THROW(segmented_inclusive_scan(this->ex(), none, uniform(2, 0), none));
}

}  // namespace
}  // namespace ravel::segmented_scan_test
