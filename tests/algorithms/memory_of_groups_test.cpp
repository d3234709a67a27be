#include <ravel/algorithms/group_by_hash.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <vector>

namespace ravel::memory_of_groups_test {
namespace {

/// The bytes allocated by operator new, now and at most.
std::atomic<std::size_t> allocated{0}, peak{0};
constexpr std::size_t before_each = alignof(std::max_align_t);  // holds the size

}  // namespace
}  // namespace ravel::memory_of_groups_test

void* operator new(std::size_t size) {
  using namespace ravel::memory_of_groups_test;
  auto* const made = static_cast<std::size_t*>(std::malloc(size + before_each));
  if (made == nullptr) throw std::bad_alloc();
  *made = size;
  std::size_t const sum = allocated += size;
  for (std::size_t most = peak; sum > most && !peak.compare_exchange_weak(most, sum);) {
  }
  return reinterpret_cast<char*>(made) + before_each;
}
void operator delete(void* memory) noexcept {
  using namespace ravel::memory_of_groups_test;
  if (memory == nullptr) return;
  void* const made = static_cast<char*>(memory) - before_each;
  allocated -= *static_cast<std::size_t*>(made);
  std::free(made);
}
void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }

namespace ravel::memory_of_groups_test {
namespace {

template <class Call>
double peak_of(Call const& call) {
  std::size_t const before = allocated;
  peak = before;
  call();
  return static_cast<double>(peak - before);
}

/// n keys, each on as many threads as there are.
template <class Ex>
void expect_peak_of(Ex const& ex, index_t threads, index_t n) {
  SCOPED_TRACE(::testing::Message() << n << " keys on " << threads << " threads");
  std::vector<std::uint64_t> keys(threads * n), values(threads * n, 1), out(n), sums(n);
  for (index_t i = 0; i < std::ssize(keys); ++i) keys[i] = static_cast<std::uint64_t>(i % n);
  double const every = static_cast<double>(threads * n), once = static_cast<double>(threads << 16);
  EXPECT_LE(peak_of([&] { reduce_by_hash_sync(ex, keys, values, out, sums); }),
            every * (16 + 48) + once);
  EXPECT_EQ(sums.back(), threads);
  EXPECT_LE(peak_of([&] { histogram_by_key_sync(ex, keys, out, sums); }), every * (16 + 48) + once);
  EXPECT_LE(peak_of([&] { remove_duplicates_sync(ex, keys, out); }), every * (8 + 48) + once);
}

/// Just below and above the sizes where tables grow, and few keys.
TEST(memory_of_groups, is_what_their_documentation_says) {
  index_t const grown = (index_t{1} << 16) * 2 / 3;
  for (index_t const n :
       {index_t{5000}, grown - 9, grown + 9, index_t{1} << 16, (index_t{1} << 16) + 9}) {
    expect_peak_of(cpu::sequential{}, 1, n);
    expect_peak_of(cpu::threads{3}, 3, n);
  }
}

}  // namespace
}  // namespace ravel::memory_of_groups_test
