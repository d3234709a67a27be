/// A program outside of the project, for a C++ compiler alone: every call of ravel::device, for each of TYPES, on
/// the device if there is one.

#include <ravel/device/calls.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <numeric>
#include <random>
#include <stdexcept>
#include <type_traits>
#include <vector>

using namespace ravel;

namespace {

int checks = 0, failures = 0;

template <class T>
void expect(char const* what, index_t n, std::vector<T> const& found,
            std::vector<T> const& wanted) {
  ++checks;
  if (found == wanted) return;
  ++failures;
  auto const at = std::mismatch(found.begin(), found.end(), wanted.begin(), wanted.end());
  std::printf("wrong: %s of %d bytes%s, n = %lld, at %lld\n", what, int{sizeof(T)},
              std::is_floating_point_v<T> ? ", real"
              : std::is_signed_v<T>       ? ", signed"
                                          : "",
              static_cast<long long>(n), static_cast<long long>(at.first - found.begin()));
}

/// Small integers, so that sums of real numbers are exact.
template <class T>
std::vector<T> numbers(index_t n, std::mt19937& random) {
  std::vector<T> all(static_cast<std::size_t>(n));
  for (T& x : all)
    x = static_cast<T>(static_cast<int>(random() % 16) - (std::is_signed_v<T> ? 8 : 0));
  return all;
}

template <class T>
T combined(plus<T> const&, T a, T b) {
  return static_cast<T>(a + b);
}
template <class T>
T combined(minimum<T> const&, T a, T b) {
  return std::min(a, b);
}
template <class T>
T combined(maximum<T> const&, T a, T b) {
  return std::max(a, b);
}

/// Scans and reductions of the segments between offsets.
template <class T, class M>
struct by_definition {
  std::vector<T> inclusive, exclusive, reduced;

  by_definition(std::vector<T> const& in, std::vector<std::int64_t> const& offsets, M m) {
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
      T sum = M::identity();
      for (auto i = offsets[s]; i < offsets[s + 1]; ++i) {
        exclusive.push_back(sum);
        sum = combined(m, sum, in[static_cast<std::size_t>(i)]);
        inclusive.push_back(sum);
      }
      reduced.push_back(sum);
    }
  }
};

template <class T, class M>
void check_folds(gpu::compiled_executor const& ex, std::vector<T> const& in,
                 std::vector<std::int64_t> const& offsets, M m) {
  auto const n = static_cast<index_t>(in.size());
  auto const there = to(ex, in);
  auto const out = ex.allocate<T>(n), one = ex.allocate<T>(1);
  by_definition<T, M> const whole(in, {0, n}, m), parts(in, offsets, m);

  inclusive_scan(ex, there, out, m);
  expect("inclusive_scan", n, to_host(ex, out), whole.inclusive);
  exclusive_scan(ex, there, out, m);
  expect("exclusive_scan", n, to_host(ex, out), whole.exclusive);
  reduce(ex, there, one, m);
  expect("reduce", n, to_host(ex, one), whole.reduced);
  expect("reduce_sync", n, {reduce_sync(ex, there, m)}, whole.reduced);

  auto const check = [&](auto const& segments) {
    auto const sums = ex.allocate<T>(segments.size() - 1);
    segmented_inclusive_scan(ex, there, by_offsets(segments), out, m);
    expect("segmented_inclusive_scan", n, to_host(ex, out), parts.inclusive);
    segmented_exclusive_scan(ex, there, by_offsets(segments), out, m);
    expect("segmented_exclusive_scan", n, to_host(ex, out), parts.exclusive);
    segmented_reduce(ex, there, by_offsets(segments), sums, m);
    expect("segmented_reduce", n, to_host(ex, sums), parts.reduced);
  };
  check(to(ex, offsets));
  check(to(ex, std::vector<std::int32_t>(offsets.begin(), offsets.end())));
}

template <class T, class V>
void check_pairs(gpu::compiled_executor const& ex, std::vector<T> const& in) {
  auto const n = static_cast<index_t>(in.size());
  auto const keys = to(ex, in);
  std::vector<V> places(in.size());
  std::iota(places.begin(), places.end(), V{});
  auto const values = to(ex, places);
  auto const keys_out = ex.allocate<T>(n);
  auto const values_out = ex.allocate<V>(n);
  auto const check = [&](char const* what, auto before, auto... order) {
    auto wanted = places;
    std::stable_sort(wanted.begin(), wanted.end(), [&](V a, V b) {
      return before(in[static_cast<std::size_t>(a)], in[static_cast<std::size_t>(b)]);
    });
    radix_sort_pairs(ex, keys, values, keys_out, values_out, order...);
    expect(what, n, to_host(ex, values_out), wanted);
    auto sorted = in;
    std::stable_sort(sorted.begin(), sorted.end(), before);
    expect(what, n, to_host(ex, keys_out), sorted);
    radix_sort(ex, keys, keys_out, order...);
    expect("radix_sort", n, to_host(ex, keys_out), sorted);
  };
  check("radix_sort_pairs", std::less{});
  check("radix_sort_pairs, descending", std::greater{}, descending);
}

template <class T, class I>
void check_product(gpu::compiled_executor const& ex, std::vector<T> const& values,
                   std::vector<std::int64_t> const& offsets, std::mt19937& random) {
  std::vector<std::int32_t> columns(values.size());
  auto const x = numbers<T>(1000, random);
  for (auto& c : columns) c = static_cast<std::int32_t>(random() % x.size());
  std::vector<T> wanted(offsets.size() - 1);
  for (std::size_t row = 0; row < wanted.size(); ++row) {
    for (auto k = static_cast<std::size_t>(offsets[row]);
         k < static_cast<std::size_t>(offsets[row + 1]); ++k) {
      wanted[row] =
          static_cast<T>(wanted[row] + values[k] * x[static_cast<std::size_t>(columns[k])]);
    }
  }
  auto const a = to(ex, csr{static_cast<index_t>(wanted.size()), 1000,
                            std::vector<I>(offsets.begin(), offsets.end()), columns, values});
  auto const y = ex.allocate<T>(static_cast<index_t>(wanted.size()));
  spmv(ex, a, to(ex, x), y);
  expect("spmv", static_cast<index_t>(values.size()), to_host(ex, y), wanted);
}

template <class T>
void check(gpu::compiled_executor const& ex) {
  std::mt19937 random(1);
  for (index_t const n : {0, 1, 6, 1000, 100'003, 3'000'000}) {
    auto const in = numbers<T>(n, random);
    std::vector<std::int64_t> offsets{
        0};  // segments of 0 to 60 elements, and at the end one of half
    while (offsets.back() < n / 2) {
      offsets.push_back(std::min<std::int64_t>(offsets.back() + random() % 61, n));
    }
    offsets.insert(offsets.end(), {n, n});
    check_folds(ex, in, offsets, plus<T>{});
    check_folds(ex, in, offsets, minimum<T>{});
    check_folds(ex, in, offsets, maximum<T>{});
    check_pairs<T, std::uint32_t>(ex, in);
    check_pairs<T, std::int64_t>(ex, in);
    check_product<T, std::int32_t>(ex, in, offsets, random);
    check_product<T, std::int64_t>(ex, in, offsets, random);
  }
}

template <class... T>
void check_all(gpu::compiled_executor const& ex) {
  (check<T>(ex), ...);
}

}  // namespace

int main() try {
  check_all<TYPES>(gpu::compiled_executor{});
  std::printf("%d checks, %d failed\n", checks, failures);
  return failures == 0 ? 0 : 1;
} catch (std::runtime_error const& e) {
  std::printf("there is no device, so this program only had to link: %s\n", e.what());
}
