#include <ravel/primitives/split_within.hpp>

#include "support/device_forms.hpp"
#include "support/digits.hpp"
#include "support/executors.hpp"
#include "support/segment_shapes.hpp"
#include "support/segmentations.hpp"

#include <cstdint>

namespace ravel::split_within_test {
namespace {

using testing::remainder;
using testing::shifted_by_segment;

/// One digit for all but a few elements far apart, and some digits do not occur.
struct seldom {
  RAVEL_HD int operator()(int x) const { return x % 997 == 3 ? 8 : x % 499 == 1 ? 0 : 5; }
};
/// Elements that devices do not stage.
struct large {
  std::int64_t of[5];
  large() = default;
  RAVEL_HD explicit large(index_t x) : of{x, -x, 0, 1, 2} {}
  RAVEL_HD explicit operator index_t() const { return of[0]; }
  friend bool operator==(large const&, large const&) = default;
};

/// Elements below the first of their segment, those up to a bound above it, and others.
struct beside_first_of_segment {
  struct bounds {
    int low, middle, high;
  };
  int const* in;
  int* out;
  RAVEL_HD bounds of_segment(index_t, index_t begin) const {
    return {in[begin], in[begin] + 1000, in[begin] + 2000};
  }
  RAVEL_HD int load(bounds const&, index_t i) const { return in[i]; }
  RAVEL_HD static int digit(bounds const& of, int x) {
    return x < of.low ? 0 : x < of.middle ? 1 : x < of.high ? 2 : 3;
  }
  RAVEL_HD void store(int x, int, index_t place) const { out[place] = x; }
};
struct write_begin {
  index_t* begins;
  RAVEL_HD void operator()(int d, index_t s, index_t begin) const { begins[4 * s + d] = begin; }
};

/// The reference: a loop.
template <class T>
struct ordered {
  std::vector<T> elements;
  std::vector<index_t> offsets;
};
template <int Ways, class T, class Digit>
ordered<T> oracle(testing::segment_shape const& shape, std::vector<T> const& in,
                  Digit const& digit) {
  ordered<T> result{{}, {0}};
  std::size_t begin = 0;
  index_t s = 0;
  for (index_t const length : shape.lengths) {
    std::size_t const end = begin + static_cast<std::size_t>(length);
    for (int d = 0; d < Ways; ++d) {
      for (std::size_t i = begin; i < end; ++i) {
        int of_this;
        if constexpr (requires { digit(in[i], s); }) {
          of_this = digit(in[i], s);
        } else {
          of_this = digit(in[i]);
        }
        if (of_this == d) result.elements.push_back(in[i]);
      }
      result.offsets.push_back(std::ssize(result.elements));
    }
    begin = end;
    ++s;
  }
  return result;
}

template <class Ex>
struct split_within : testing::on_executor<Ex> {
  template <int Ways, class T, class Digit>
  void expect_loop(testing::segment_shape const& shape, Digit const& digit) {
    auto const offsets = this->there(testing::offsets_of(shape));
    expect_loop_of<Ways, T>(shape, digit, [&](auto const& expect) { expect(by_offsets(offsets)); });
  }
  template <int Ways, class T, class Digit>
  void expect_loop_of_every_form(testing::segment_shape const& shape, Digit const& digit) {
    expect_loop_of<Ways, T>(shape, digit, [&](auto const& expect) {
      testing::for_each_numbered_form(*this, shape, expect);
    });
  }

 private:
  template <int Ways, class T, class Digit, class Forms>
  void expect_loop_of(testing::segment_shape const& shape, Digit const& digit,
                      Forms const& for_each_form) {
    std::vector<T> host;
    for (index_t i = 0, n = testing::offsets_of(shape).back(); i < n; ++i) {
      host.push_back(static_cast<T>(i * 7919 % 10007));
    }
    auto const wanted = oracle<Ways>(shape, host, digit);
    auto const in = this->there(host);
    for_each_form([&](auto const& segments) {
      auto out = this->template allocate<T>(std::ssize(host));
      auto offsets = this->template allocate<std::int32_t>(std::ssize(wanted.offsets));
      ravel::split_within<Ways>(this->ex(), in, digit, segments, out, offsets_to(offsets));
      EXPECT_EQ(this->here(out), wanted.elements);
      auto const begins = this->here(offsets);
      EXPECT_EQ(std::vector<index_t>(begins.begin(), begins.end()), wanted.offsets);
    });
  }
};
TYPED_TEST_SUITE(split_within, testing::all_executors);

TYPED_TEST(split_within, gives_the_example_in_the_header) {
  auto const in = this->there(std::vector{3, 1, 2, 5, 4, 6});
  auto const segments = this->there(std::vector{0, 3, 5, 5, 6});
  auto out = this->template allocate<int>(6), offsets = this->template allocate<int>(9);
  ravel::split_within<2>(this->ex(), in, remainder<2>{}, by_offsets(segments), out,
                         offsets_to(offsets));
  EXPECT_EQ(this->here(out), (std::vector{2, 3, 1, 4, 5, 6}));
  EXPECT_EQ(this->here(offsets), (std::vector{0, 1, 3, 4, 5, 5, 5, 6, 6}));
}

TYPED_TEST(split_within, agrees_with_the_loop_on_every_shape_and_form) {
  int turn = 0;
  for (auto const& shape : testing::segment_shapes()) {
    SCOPED_TRACE(::testing::Message() << shape);
    if (++turn % 2 == 0) {
      this->template expect_loop_of_every_form<9, int>(shape, shifted_by_segment<9>{});
    } else {
      this->template expect_loop_of_every_form<9, int>(shape, seldom{});
    }
  }
}

TYPED_TEST(split_within, takes_segments_by_warps_and_by_tiles) {
  testing::segment_shape const shape{"from a row to several tiles",
                                     {31, 32, 33, 0, 256, 257, 2048, 2049, 0, 4096, 9000, 1}};
  this->template expect_loop<9, std::int64_t>(shape, shifted_by_segment<9>{});
  this->template expect_loop<16, int>(shape, remainder<16>{});
}

TYPED_TEST(split_within, looks_up_what_all_of_a_segment_need) {
  testing::segment_shape const shape{"short and long", {0, 1, 40, 300, 0, 2100, 5000, 2}};
  auto const offsets = testing::offsets_of(shape);
  std::vector<int> host;
  for (int i = 0; i < offsets.back(); ++i) host.push_back(i * 7919 % 10007);
  beside_first_of_segment const by{host.data(), nullptr};
  auto const wanted = oracle<4>(shape, host, [&](int x, index_t s) {
    return by.digit(by.of_segment(s, offsets[static_cast<std::size_t>(s)]), x);
  });
  auto const in = this->there(host);
  auto const segments = this->there(offsets);
  auto const out = this->template allocate<int>(std::ssize(host));
  auto const begins = this->template allocate<index_t>(std::ssize(wanted.offsets));
  split_within_on<4>(this->ex(), std::ssize(host), by_offsets(view_of(segments)),
                     beside_first_of_segment{in.data(), out.data()}, write_begin{begins.data()});
  EXPECT_EQ(this->here(out), wanted.elements);
  EXPECT_EQ(this->here(begins), wanted.offsets);
}

TYPED_TEST(split_within, has_any_number_of_ways_and_elements_of_any_size) {
  testing::segment_shape const shape{"several", {700, 0, 1, 2100, 3}};
  this->template expect_loop<1, int>(shape, remainder<1>{});
  this->template expect_loop<2, std::int8_t>(shape, remainder<2>{});
  this->template expect_loop<32, int>(shape, shifted_by_segment<32>{});
  this->template expect_loop<40, int>(shape, shifted_by_segment<40>{});
  this->template expect_loop<3, large>(shape, shifted_by_segment<3>{});
}

TYPED_TEST(split_within, refuses_sizes_that_differ) {
  auto const in = this->there(std::vector{1, 2, 3, 4});
  auto four = this->template allocate<int>(4), five = this->template allocate<int>(5);
  auto const split = [&](auto segments, auto& out, auto& offsets) {
    ravel::split_within<2>(this->ex(), in, remainder<2>{}, segments, out, offsets_to(offsets));
  };
  EXPECT_NO_THROW(split(uniform(2, 2), four, five));
  EXPECT_THROW(split(uniform(2, 2), five, five), contract_error);
  EXPECT_THROW(split(uniform(2, 2), four, four), contract_error);
  EXPECT_THROW(split(uniform(2, 3), four, five), contract_error);
}

}  // namespace
}  // namespace ravel::split_within_test
