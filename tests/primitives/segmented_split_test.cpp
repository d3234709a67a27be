#include <ravel/primitives/segmented_split.hpp>

#include "support/device_forms.hpp"
#include "support/digits.hpp"
#include "support/executors.hpp"
#include "support/segment_shapes.hpp"
#include "support/segmentations.hpp"

#include <array>
#include <cstdint>

namespace ravel::segmented_split_test {
namespace {

using testing::remainder;
using testing::shifted_by_segment;

/// One digit for all but a few elements far apart.
struct seldom {
  RAVEL_HD int operator()(int x) const { return x % 997 == 3 ? 2 : x % 499 == 1 ? 0 : 1; }
};

/// The reference: a loop.
template <int Ways>
struct parts_of_segments {
  std::array<std::vector<int>, Ways> elements;
  std::array<std::vector<index_t>, Ways> offsets;
};
template <int Ways, class Digit>
parts_of_segments<Ways> oracle(testing::segment_shape const& shape, std::vector<int> const& in,
                               Digit const& digit) {
  parts_of_segments<Ways> result;
  for (auto& offsets : result.offsets) offsets.push_back(0);
  std::size_t i = 0;
  index_t s = 0;
  for (index_t const length : shape.lengths) {
    for (index_t r = 0; r < length; ++r, ++i) {
      int d;
      if constexpr (requires { digit(in[i], s); }) {
        d = digit(in[i], s);
      } else {
        d = digit(in[i]);
      }
      result.elements[static_cast<std::size_t>(d)].push_back(in[i]);
    }
    for (std::size_t d = 0; d < Ways; ++d) {
      result.offsets[d].push_back(std::ssize(result.elements[d]));
    }
    ++s;
  }
  return result;
}

template <class Ex>
struct segmented_split : testing::on_executor<Ex> {
  template <int Ways, class Digit>
  void expect_parts(testing::segment_shape const& shape, Digit const& digit) {
    auto const offsets = this->there(testing::offsets_of(shape));
    expect_parts_by<Ways>(shape, digit, [&](auto const& expect) { expect(by_offsets(offsets)); });
  }
  template <int Ways, class Digit>
  void expect_parts_by_every_form(testing::segment_shape const& shape, Digit const& digit) {
    expect_parts_by<Ways>(shape, digit, [&](auto const& expect) {
      testing::for_each_numbered_form(*this, shape, expect);
    });
  }

 private:
  template <int Ways, class Digit, class Forms>
  void expect_parts_by(testing::segment_shape const& shape, Digit const& digit,
                       Forms const& for_each_form) {
    std::vector<int> host;
    for (index_t i = 0, n = testing::offsets_of(shape).back(); i < n; ++i) {
      host.push_back(static_cast<int>(i * 7919 % 10007));
    }
    auto const wanted = oracle<Ways>(shape, host, digit);
    auto const in = this->there(host);
    for_each_form([&](auto const& segments) {
      expect_parts_of(in, digit, segments, wanted, std::make_index_sequence<Ways>{});
    });
  }
  template <class In, class Digit, class S, int Ways, std::size_t... D>
  void expect_parts_of(In const& in, Digit const& digit, S const& segments,
                       parts_of_segments<Ways> const& wanted, std::index_sequence<D...>) {
    std::array outs{this->template allocate<int>(std::ssize(wanted.elements[D]))...};
    std::array offsets{this->template allocate<std::int32_t>(std::ssize(wanted.offsets[D]))...};
    ravel::segmented_split(this->ex(), in, digit, segments, parts(outs[D]...),
                           parts(offsets[D]...));
    for (std::size_t d = 0; d < Ways; ++d) {
      SCOPED_TRACE(d);
      EXPECT_EQ(this->here(outs[d]), wanted.elements[d]);
      auto const begins = this->here(offsets[d]);
      EXPECT_EQ(std::vector<index_t>(begins.begin(), begins.end()), wanted.offsets[d]);
    }
  }
};
TYPED_TEST_SUITE(segmented_split, testing::all_executors);

TYPED_TEST(segmented_split, gives_the_example_in_the_header) {
  auto const in = this->there(std::vector{3, 1, 2, 5, 4, 6});
  auto const segment_offsets = this->there(std::vector{0, 3, 5, 5, 6});
  auto even = this->template allocate<int>(3), odd = this->template allocate<int>(3);
  auto of_even = this->template allocate<int>(5), of_odd = this->template allocate<int>(5);
  ravel::segmented_split(this->ex(), in, remainder<2>{}, by_offsets(segment_offsets),
                         parts(even, odd), parts(of_even, of_odd));
  EXPECT_EQ(this->here(even), (std::vector{2, 4, 6}));
  EXPECT_EQ(this->here(odd), (std::vector{3, 1, 5}));
  EXPECT_EQ(this->here(of_even), (std::vector{0, 1, 2, 2, 3}));
  EXPECT_EQ(this->here(of_odd), (std::vector{0, 2, 3, 3, 3}));
}

TYPED_TEST(segmented_split, agrees_with_the_loop_on_every_shape_and_form) {
  int turn = 0;
  for (auto const& shape : testing::segment_shapes()) {
    SCOPED_TRACE(::testing::Message() << shape);
    if (++turn % 2 == 0) {
      this->template expect_parts_by_every_form<3>(shape, shifted_by_segment<3>{});
    } else {
      this->template expect_parts_by_every_form<3>(shape, seldom{});
    }
  }
}

TYPED_TEST(segmented_split, has_up_to_eight_ways) {
  testing::segment_shape const shape{"several", {700, 0, 1, 2100, 3}};
  this->template expect_parts<4>(shape, shifted_by_segment<4>{});
  this->template expect_parts<5>(shape, remainder<5>{});
  this->template expect_parts<8>(shape, shifted_by_segment<8>{});
}

TYPED_TEST(segmented_split, counts_what_it_has_no_room_for) {
  auto const in = this->there(std::vector{1, 2, 3, 5});
  auto even = this->there(std::vector{0}), odd = this->there(std::vector{0, 0, 0});
  view const two = view_of(odd).slice(0, 2);
  auto of_even = this->template allocate<index_t>(3), of_odd = this->template allocate<index_t>(3);
  ravel::segmented_split(this->ex(), in, remainder<2>{}, uniform(2, 2), parts(even, two),
                         parts(of_even, of_odd));
  EXPECT_EQ(this->here(even), (std::vector{2}));
  EXPECT_EQ(this->here(odd), (std::vector{1, 3, 0}));
  EXPECT_EQ(this->here(of_odd), (std::vector<index_t>{0, 1, 3}));
}

TYPED_TEST(segmented_split, refuses_sizes_that_differ) {
  auto const in = this->there(std::vector{1, 2, 3, 4});
  auto a = this->template allocate<int>(4), b = this->template allocate<int>(4);
  auto three = this->template allocate<int>(3), two = this->template allocate<int>(2);
  auto const& ex = this->ex();
  auto const split = [&](auto segments, auto const& offsets) {
    ravel::segmented_split(ex, in, remainder<2>{}, segments, parts(a, b), parts(three, offsets));
  };
  EXPECT_THROW(split(uniform(2, 2), two), contract_error);
  EXPECT_THROW(split(uniform(2, 3), three), contract_error);
}

}  // namespace
}  // namespace ravel::segmented_split_test
