#include <ravel/algorithms/least_places.hpp>
#include <ravel/core/cpu/executor.hpp>

#include "support/device_forms.hpp"
#include "support/executors.hpp"
#include "support/stable_order.hpp"
#ifndef __CUDACC__
#  include <ravel/algorithms/cuda/least_by_warps.cuh>
#endif

#include <cstdint>
#include <limits>
#include <span>

namespace ravel::least_places_test {
namespace {

template <class T>
struct load_from {
  T const* data;
  RAVEL_HD T operator()(index_t i) const { return data[i]; }
};

template <class Ex>
struct least_places : testing::on_executor<Ex> {
  /// As many segments as occupy a device, and a few more.
  index_t many() const {
    if constexpr (requires { this->ex().multiprocessors(); }) {
      return gpu::least_places_by_warps::warps_each * this->ex().multiprocessors() + 44;
    } else {
      return 76;
    }
  }

  /// Against a stable sort of each segment.
  template <class T>
  void agrees(std::vector<T> const& host, std::vector<index_t> const& offsets) {
    auto const keys = this->there(host);
    auto const segments = this->there(offsets);
    auto const count = std::ssize(offsets) - 1;
    for (index_t const each : {index_t{0}, index_t{1}, index_t{5}, index_t{32}, index_t{33}}) {
      SCOPED_TRACE(each);
      std::vector<index_t> wanted;
      for (index_t s = 0; s < count; ++s) {
        auto const begin = static_cast<std::size_t>(offsets[static_cast<std::size_t>(s)]);
        auto const end = static_cast<std::size_t>(offsets[static_cast<std::size_t>(s) + 1]);
        std::span const segment(host.data() + begin, end - begin);
        auto const order = testing::stable_order(segment.size(), [&](index_t a, index_t b) {
          return radix_key<T>::bits(segment[static_cast<std::size_t>(a)]) <
                 radix_key<T>::bits(segment[static_cast<std::size_t>(b)]);
        });
        wanted.insert(wanted.end(), order.begin(), order.begin() + each);
      }
      auto out = this->template allocate<index_t>(count * each);
      least_places_on(this->ex(), std::ssize(host), load_from<T>{keys.data()}, by_offsets(segments),
                      each, view_of(out).data());
      EXPECT_EQ(this->here(out), wanted);
    }
  }
};
using hosts_and_devices = ::testing::Types<cpu::threads, gpu::executor>;
TYPED_TEST_SUITE(least_places, hosts_and_devices);

std::vector<index_t> offsets_of(index_t count, index_t least, index_t spread) {
  std::vector<index_t> offsets{0};
  for (index_t s = 0; s < count; ++s) offsets.push_back(offsets.back() + least + s * 37 % spread);
  return offsets;
}
template <class T, class F>
std::vector<T> values_of(index_t n, F const& f) {
  std::vector<T> all;
  std::uint64_t seed = 7;
  for (index_t i = 0; i < n; ++i) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    all.push_back(f(seed >> 20));
  }
  return all;
}

TYPED_TEST(least_places, are_those_of_the_example) {
  auto const keys = this->there(std::vector{3, 1, 2, 4, 1, 2});
  auto const out = this->template allocate<index_t>(4);
  least_places_on(this->ex(), 6, load_from<int>{keys.data()}, uniform(2, 3), 2,
                  view_of(out).data());
  EXPECT_EQ(this->here(out), (std::vector<index_t>{1, 2, 1, 2}));
}

TYPED_TEST(least_places, of_long_and_short_segments_are_those_of_a_stable_sort) {
  for (auto const& offsets : {offsets_of(this->many(), 100, 200), offsets_of(this->many(), 33, 3),
                              offsets_of(3, 500, 7)}) {
    index_t const n = offsets.back();
    this->template agrees<int>(
        values_of<int>(n, [](auto x) { return static_cast<int>(x % 97) - 48; }), offsets);
    this->template agrees<int>(values_of<int>(n, [](auto) { return 5; }), offsets);
  }
}
TYPED_TEST(least_places, of_numbers_have_nan_last) {
  auto const offsets = offsets_of(this->many(), 100, 200);
  using limits = std::numeric_limits<double>;
  double const odd[] = {limits::quiet_NaN(), limits::infinity(), -limits::infinity(), -0.0, 0.0,
                        limits::denorm_min()};
  this->template agrees<double>(
      values_of<double>(offsets.back(),
                        [&](auto x) {
                          return x % 3 == 0 ? odd[x / 3 % 6] : static_cast<double>(x % 1000) - 500;
                        }),
      offsets);
  this->template agrees<std::uint64_t>(
      values_of<std::uint64_t>(offsets.back(), [](auto x) { return ~(x % 2); }), offsets);
}
TYPED_TEST(least_places, of_no_segments_are_none) { this->template agrees<int>({}, {0}); }

}  // namespace
}  // namespace ravel::least_places_test
