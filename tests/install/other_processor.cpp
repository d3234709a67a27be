/// The vector forms on the CPU, for an emulated processor: each type compared with loops, bit by
/// bit.  Numbers are small and whole, so that no sum depends on its order; the order is tested by
/// the test of the loops themselves.

#include <ravel/algorithms/comparison_sort.hpp>
#include <ravel/algorithms/csr.hpp>
#include <ravel/algorithms/radix_sort.hpp>
#include <ravel/algorithms/spmv.hpp>
#include <ravel/primitives/pack.hpp>
#include <ravel/primitives/reduce.hpp>
#include <ravel/primitives/scan.hpp>
#include <ravel/primitives/segmented_scan.hpp>

#include <ravel/core/cpu/executor.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <type_traits>
#include <vector>

namespace {

using namespace ravel;

bool all_right = true;

template <class T>
void expect(char const* what, std::vector<T> const& right, std::vector<T> const& got) {
  if (right.size() == got.size() &&
      std::equal(right.begin(), right.end(), got.begin(),
                 [](T const& x, T const& y) { return std::memcmp(&x, &y, sizeof(T)) == 0; })) {
    return;
  }
  std::printf("%s of %zu elements of %zu bytes is wrong\n", what, right.size(), sizeof(T));
  all_right = false;
}

template <class T>
struct is_small {
  bool operator()(T x) const { return x < T(3); }
};
template <class T>
struct by_low_bits {
  static int low(T x) { return static_cast<int>(x) & 3; }
  bool operator()(T x, T y) const { return low(x) < low(y); }
};

template <class T>
std::vector<T> numbers(index_t n) {
  std::vector<T> x(static_cast<std::size_t>(n));
  index_t const least = std::is_signed_v<T> ? -5 : 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<T>(least + static_cast<index_t>(i) * 37 % 11);
  }
  return x;
}

template <class T, class Ex>
void check(Ex const& ex, index_t n) {
  auto const in = numbers<T>(n);
  std::vector<std::uint8_t> heads(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) heads[i] = i % 7 == 3 || i % 1000 == 0;

  std::vector<T> sums, before, by_segments, kept,
      least(1, in.empty() ? minimum<T>::identity() : in[0]);
  T sum = 0, most = maximum<T>::identity(), in_segment = 0;
  for (std::size_t i = 0; i < in.size(); ++i) {
    sums.push_back(sum = static_cast<T>(sum + in[i]));
    before.push_back(most);
    most = std::max(most, in[i]);
    by_segments.push_back(in_segment = static_cast<T>(heads[i] ? in[i] : in_segment + in[i]));
    if (is_small<T>{}(in[i])) kept.push_back(in[i]);
    least[0] = std::min(least[0], in[i]);
  }

  auto out = in;
  inclusive_scan(ex, in, out);
  expect("inclusive_scan", sums, out);
  exclusive_scan(ex, in, out, maximum{});
  expect("exclusive_scan", before, out);
  segmented_inclusive_scan(ex, in, by_heads(heads), out);
  expect("segmented_inclusive_scan", by_segments, out);
  expect("reduce", {sum}, std::vector<T>{reduce_sync(ex, in)});
  expect("reduce", least, std::vector<T>{reduce_sync(ex, in, minimum{})});
  out.resize(std::size_t(filter_sync(ex, in, is_small<T>{}, out)));
  expect("filter", kept, out);
}

template <class T, class Ex>
void check_sorts(Ex const& ex, index_t n) {
  auto const in = numbers<T>(n);
  auto out = in, sorted = in, stable = in;
  std::stable_sort(sorted.begin(), sorted.end());
  std::stable_sort(stable.begin(), stable.end(), by_low_bits<T>{});
  radix_sort(ex, in, out);
  expect("radix_sort", sorted, out);
  comparison_sort(ex, in, out, by_low_bits<T>{});
  expect("comparison_sort", stable, out);
}

/// Rows of 0, 1, ..., 12, 0, 1, ... entries.
template <class T, class Ex>
void check_product(Ex const& ex, index_t rows) {
  std::vector<std::int32_t> offsets{0}, columns;
  for (index_t r = 0; r < rows; ++r) {
    for (index_t k = 0; k < r % 13; ++k)
      columns.push_back(static_cast<std::int32_t>(r * 5 + k * 7) % 1000);
    offsets.push_back(static_cast<std::int32_t>(columns.size()));
  }
  auto const values = numbers<T>(std::ssize(columns)), x = numbers<T>(1000);
  std::vector<T> y(offsets.size() - 1), right(y.size());
  for (std::size_t r = 0; r < right.size(); ++r) {
    for (auto k = std::size_t(offsets[r]); k < std::size_t(offsets[r + 1]); ++k) {
      right[r] += values[k] * x[std::size_t(columns[k])];
    }
  }
  spmv(ex, csr{rows, 1000, view_of(offsets), view_of(columns), view_of(values)}, x, y);
  expect("spmv", right, y);
}

/// Each type with all threads, and each size on one thread.
template <class Ex>
void check_all(Ex const& ex) {
  constexpr bool all = std::same_as<Ex, cpu::threads>;
  for (index_t const n : {0, 1, 63, 1000, 20'011}) {
    check<std::int8_t>(ex, n);
    check<std::uint16_t>(ex, n);
    check<float>(ex, n);
    check<std::int64_t>(ex, n);
    if constexpr (all) {
      check<std::uint8_t>(ex, n);
      check<std::int16_t>(ex, n);
      check<std::int32_t>(ex, n);
      check<std::uint32_t>(ex, n);
      check<std::uint64_t>(ex, n);
      check<double>(ex, n);
    }
    check_sorts<float>(ex, n);
    if constexpr (all) check_sorts<std::uint64_t>(ex, n);
    check_product<float>(ex, n);
    if constexpr (all) check_product<double>(ex, n);
  }
}

}  // namespace

int main() {
  check_all(cpu::sequential{});
  check_all(cpu::threads{4});
  return all_right ? 0 : 1;
}
