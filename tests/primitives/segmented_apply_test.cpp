#include <ravel/primitives/segmented_apply.hpp>

#include "support/device_forms.hpp"
#include "support/executors.hpp"
#include "support/segment_shapes.hpp"
#include "support/segmentations.hpp"

#include <algorithm>
#include <cstdint>

namespace ravel::segmented_apply_test {
namespace {

/// The result of each element depends on its whole segment, and on its position.
struct to_differences {
  template <class T>
  RAVEL_HD void operator()(T* first, index_t n) const {
    T const head = first[0];
    for (index_t i = 0; i + 1 < n; ++i) first[i] = static_cast<T>(first[i + 1] - first[i]);
    first[n - 1] = static_cast<T>(head + static_cast<T>(n));
  }
};
struct sort_by_insertion {
  template <class T>
  RAVEL_HD void operator()(T* first, index_t n) const {
    for (index_t i = 1; i < n; ++i) {
      T const x = first[i];
      index_t k = i;
      for (; k > 0 && x < first[k - 1]; --k) first[k] = first[k - 1];
      first[k] = x;
    }
  }
};
/// Too large for shared memory.
struct large {
  std::int64_t of[10];
  friend bool operator==(large const&, large const&) = default;
};
struct reverse_order {
  template <class T>
  RAVEL_HD void operator()(T* first, index_t n) const {
    for (index_t i = 0; i < n / 2; ++i) {
      T const x = first[i];
      first[i] = first[n - 1 - i];
      first[n - 1 - i] = x;
    }
  }
};

/// The reference: a loop.
template <class T, class F>
std::vector<T> oracle(testing::segment_shape const& shape, std::vector<T> out, F const& f) {
  T* first = out.data();
  for (index_t const length : shape.lengths) {
    if (length > 0) f(first, length);
    first += length;
  }
  return out;
}

template <class Ex>
struct segmented_apply : testing::on_executor<Ex> {
  template <class T, class F>
  void expect_loop(testing::segment_shape const& shape, std::vector<T> const& host, F const& f) {
    auto const wanted = oracle(shape, host, f);
    auto const in = this->there(host);
    testing::for_each_numbered_form(*this, shape, [&](auto const& segments) {
      auto out = this->template allocate<T>(std::ssize(host));
      ravel::segmented_apply(this->ex(), in, segments, out, f);
      EXPECT_EQ(this->here(out), wanted);
    });
  }
};
TYPED_TEST_SUITE(segmented_apply, testing::all_executors);

TYPED_TEST(segmented_apply, gives_the_example_in_the_header) {
  auto const in = this->there(std::vector{3, 1, 2, 5, 4, 6});
  auto const offsets = this->there(std::vector{0, 3, 5, 5, 6});
  auto out = this->template allocate<int>(6);
  ravel::segmented_apply(this->ex(), in, by_offsets(offsets), out, sort_by_insertion{});
  EXPECT_EQ(this->here(out), (std::vector{1, 2, 3, 4, 5, 6}));
}

TYPED_TEST(segmented_apply, agrees_with_the_loop_on_every_shape_and_form) {
  for (auto const& shape : testing::segment_shapes()) {
    SCOPED_TRACE(::testing::Message() << shape);
    std::vector<int> host;
    for (index_t i = 0, n = testing::offsets_of(shape).back(); i < n; ++i) {
      host.push_back(static_cast<int>(i * 7919 % 10007));
    }
    this->expect_loop(shape, host, to_differences{});
  }
}

TYPED_TEST(segmented_apply, takes_small_and_large_elements_and_long_segments_among_short) {
  testing::segment_shape shape{"mixed", {}};
  for (index_t s = 0; s < 300; ++s) {
    shape.lengths.push_back(s == 7 ? 13'000 : s == 200 ? 3'072 : s * 37 % 50);
  }
  std::vector<unsigned char> bytes;
  std::vector<large> structs;
  for (index_t i = 0, n = testing::offsets_of(shape).back(); i < n; ++i) {
    bytes.push_back(static_cast<unsigned char>(i * 7919 % 251));
    structs.push_back({{i, 0, 0, i % 7}});
  }
  this->expect_loop(shape, bytes, reverse_order{});
  this->expect_loop(shape, structs, reverse_order{});
}

TYPED_TEST(segmented_apply, converts_and_works_in_place) {
  auto numbers = this->there(std::vector{4, 2, 3, 1});
  ravel::segmented_apply(this->ex(), numbers, uniform(2, 2), numbers, sort_by_insertion{});
  EXPECT_EQ(this->here(numbers), (std::vector{2, 4, 1, 3}));
  auto wide = this->template allocate<double>(4);
  ravel::segmented_apply(this->ex(), numbers, uniform(1, 4), wide, reverse_order{});
  EXPECT_EQ(this->here(wide), (std::vector<double>{3, 1, 4, 2}));
  auto none = this->template allocate<int>(0);
  ravel::segmented_apply(this->ex(), none, uniform(3, 0), none, reverse_order{});
}

TYPED_TEST(segmented_apply, refuses_sizes_that_differ) {
  auto const in = this->there(std::vector{1, 2, 3, 4});
  auto three = this->template allocate<int>(3), four = this->template allocate<int>(4);
  auto const& ex = this->ex();
  EXPECT_THROW(ravel::segmented_apply(ex, in, uniform(2, 2), three, reverse_order{}),
               contract_error);
  EXPECT_THROW(ravel::segmented_apply(ex, in, uniform(2, 3), four, reverse_order{}),
               contract_error);
}

}  // namespace
}  // namespace ravel::segmented_apply_test
