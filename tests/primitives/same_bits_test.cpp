#include <ravel/core/cpu/executor.hpp>
#include <ravel/primitives/reduce.hpp>
#include <ravel/primitives/scan.hpp>
#include <ravel/primitives/scan_then_pack.hpp>
#include <ravel/primitives/segmented_reduce.hpp>
#include <ravel/primitives/segmented_scan.hpp>

#include "support/random_word.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

/// Which host executors have the same bits of floating-point results.

namespace ravel::same_bits_test {
namespace {

/// Waking costs of zero: threads share even little work.
[[maybe_unused]] bool const help_at_once =
    (cpu::assume(cpu::waking_costs{.asleep = {}, .awake = {}}), true);

/// Numbers of many magnitudes, whose sums depend on the grouping.
template <class T>
std::vector<T> numbers(index_t n) {
  std::vector<T> all(static_cast<std::size_t>(n));
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    auto const word = testing::random_word32(i);
    all[i] = static_cast<T>(word % 2000) / static_cast<T>(1 + (word >> 16) % 999) - T(1);
  }
  return all;
}

template <class T>
struct read_doubled {
  T const* from;
  T operator()(index_t i) const { return 2 * from[i]; }
};
template <class T>
struct from_one {
  T operator()() const { return 1; }
};
template <class T>
struct some_of_them {
  maybe<T> operator()(index_t i, T before, T through) const {
    return i % 3 == 0 ? maybe<T>(through) : i % 7 == 0 ? maybe<T>(before) : maybe<T>();
  }
};
template <class T>
struct write_to {
  T* out;
  void operator()(index_t place, T x) const { out[place] = x; }
};
/// A sum that the library does not know.
template <class T>
struct sum_of_users {
  T operator()(T x, T y) const { return x + y; }
  T identity() const { return 0; }
};

template <class T>
struct operands {
  std::vector<T> in, out;
  std::vector<index_t> offsets;
  T total = 0;

  explicit operands(index_t n) : in(numbers<T>(n)), out(in.size()), offsets{0} {
    for (index_t k = 1; offsets.back() < n; ++k) {
      offsets.push_back(std::min(n, offsets.back() + (k % 5 == 0 ? 70000 : 37 * k)));
    }
  }
  void clear() {
    std::fill(out.begin(), out.end(), T(0));
    total = 0;
  }
  auto totals() { return view<T>(&total, 1); }
  auto segments() const { return by_offsets(offsets); }
  index_t size() const { return std::ssize(in); }
};

/// Calls with the same bits on cpu::sequential and cpu::threads.
template <class T, class Ex>
void same_on_all(Ex const& ex, operands<T>& x, int which) {
  auto total = x.totals();
  switch (which) {
    case 0:
      return reduce(ex, x.in, total, plus{}, from(T(0.1)));
    case 1:
      return reduce(ex, x.in, total, sum_of_users<T>{});
    case 2: {
      auto sums = view<T>(x.out.data(), std::ssize(x.offsets) - 1);
      return segmented_reduce(ex, x.in, x.segments(), sums);
    }
    case 3:
      return scan_then_pack_on(ex, x.size(), load_elements<T>{x.in.data()}, plus<T>{},
                               from_one<T>{}, some_of_them<T>{}, write_to<T>{x.out.data()});
    case 4:
      return scan_then_pack_on(ex, x.size(), read_doubled<T>{x.in.data()}, plus<T>{}, from_one<T>{},
                               some_of_them<T>{}, write_to<T>{x.out.data()});
  }
}
constexpr int of_all = 5;

/// Calls with the same bits for any number of threads.
template <class T, class Ex>
void same_on_threads(Ex const& ex, operands<T>& x, int which) {
  auto total = x.totals();
  switch (which) {
    case 0:
      return inclusive_scan(ex, x.in, x.out, plus{}, total_to(total));
    case 1:
      return exclusive_scan(ex, x.in, x.out, plus{}, from(T(0.1)));
    case 2:
      return inclusive_scan(ex, x.in, x.out, plus{}, from(T(0.1)), backward);
    case 3:
      return exclusive_scan(ex, x.in, x.out, plus{}, backward, total_to(total));
    case 4:
      return scan_on(ex, x.size(), read_doubled<T>{x.in.data()}, write_through<T>{x.out.data()},
                     plus<T>{}, from_one<T>{}, detail::no_total{});
    case 5:
      return segmented_inclusive_scan(ex, x.in, x.segments(), x.out);
    case 6:
      return segmented_exclusive_scan(ex, x.in, x.segments(), x.out, plus{}, backward);
    case 7:
      return inclusive_scan(ex, x.in, x.out, plus{}, of_tuples<3>);
    case 8:
      return inclusive_scan(ex, x.in, x.out, plus{}, of_order<2>);
    case 9:
      return inclusive_scan(ex, x.in, x.out, sum_of_users<T>{});
    case 10: {
      std::vector<char> heads(x.in.size());
      for (index_t const o : x.offsets) {
        if (o < x.size()) heads[static_cast<std::size_t>(o)] = 1;
      }
      auto sums = view<T>(x.out.data(), std::ssize(x.offsets) - 1);
      return segmented_reduce(ex, x.in, by_heads(heads), sums);
    }
    case 11:
      return scan_then_pack_on(ex, x.size(), load_elements<T>{x.in.data()}, sum_of_users<T>{},
                               from_one<T>{}, some_of_them<T>{}, write_to<T>{x.out.data()});
  }
}
constexpr int of_threads = 12;

template <class T>
bool same_bits(operands<T> const& x, operands<T> const& y) {
  return std::memcmp(x.out.data(), y.out.data(), x.out.size() * sizeof(T)) == 0 &&
         std::memcmp(&x.total, &y.total, sizeof(T)) == 0;
}

/// Around the sizes that are scanned serially, as one tile, by tiles, and beyond caches.
constexpr std::array<index_t, 12> sizes{1,      39,     40,     4097,    65535,   65537,
                                        131073, 262143, 262145, 1000003, 2097153, 5000000};

template <class T>
struct same_bits_of : ::testing::Test {};
using numbers_of_scans = ::testing::Types<float, double>;
TYPED_TEST_SUITE(same_bits_of, numbers_of_scans);

TYPED_TEST(same_bits_of, sequential_and_any_number_of_threads) {
  for (index_t const n : sizes) {
    operands<TypeParam> x(n), y(n);
    for (int which = 0; which < of_all; ++which) {
      x.clear();
      same_on_all(cpu::sequential{}, x, which);
      for (int const count : {1, 2, 3, 5, 8}) {
        y.clear();
        same_on_all(cpu::threads(count), y, which);
        EXPECT_TRUE(same_bits(x, y)) << "case " << which << ", n = " << n << ", " << count;
      }
    }
  }
}

TYPED_TEST(same_bits_of, any_number_of_threads) {
  for (index_t const n : sizes) {
    operands<TypeParam> x(n), y(n);
    for (int which = 0; which < of_threads; ++which) {
      if (n == sizes.back() && which % 4 != 0) continue;  // some of the calls at the largest size
      x.clear();
      same_on_threads(cpu::threads(1), x, which);
      for (int const count : {2, 3, 5, 8}) {
        y.clear();
        same_on_threads(cpu::threads(count), y, which);
        EXPECT_TRUE(same_bits(x, y)) << "case " << which << ", n = " << n << ", " << count;
      }
    }
  }
}

}  // namespace
}  // namespace ravel::same_bits_test
