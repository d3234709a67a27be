/// Selects the vector width, and dispatches each loop to its instance of that width.

#include <ravel/core/cpu/loops.hpp>
#include <ravel/core/cpu/simd_compress.hpp>
#include <ravel/core/cpu/simd_quicksort.hpp>
#include <ravel/core/cpu/simd_segment_sums.hpp>
#include <ravel/core/cpu/simd_survey.hpp>
#include <ravel/core/error.hpp>

#include "each_loop.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <string_view>

#include <cpuid.h>

namespace ravel::inline v0::cpu {

// Defined in vectors_of_..._bytes.cpp.
#define RAVEL_LOOPS_IN(width)                                                                  \
  namespace simd::width {                                                                      \
  template <class M, class T = carrier_t<M>>                                                   \
  struct reduce_loop {                                                                         \
    static T run(T const*, index_t, T, prefetch_range const&);                                 \
  };                                                                                           \
  template <class M, scanned What, direction Towards, class T = carrier_t<M>>                  \
  struct scan_loop {                                                                           \
    static T run(T const*, index_t, T, results&, prefetch_range const&, T*);                   \
  };                                                                                           \
  template <class M, class T = carrier_t<M>>                                                   \
  struct segmented_scan_loop {                                                                 \
    static T run(T const*, std::uint64_t const*, index_t, T, results&, prefetch_range const&); \
  };                                                                                           \
  template <class M, scanned What, class T = carrier_t<M>>                                     \
  struct strided_scan_loop {                                                                   \
    static void run(T const*, index_t, int, int, T*, results&, prefetch_range const&);         \
  };                                                                                           \
  template <class T>                                                                           \
  struct compress_loop {                                                                       \
    static index_t run(T const*, index_t, std::uint64_t const*, T*, prefetch_range const&);    \
  };                                                                                           \
  template <class T>                                                                           \
  struct sort_loop {                                                                           \
    static void run(T*, index_t);                                                              \
  };                                                                                           \
  template <class T>                                                                           \
  struct quicksort_loop {                                                                      \
    static bool run(T*, index_t);                                                              \
    static divided_keys divide(T*, index_t);                                                   \
    static void count(T const*, index_t, T const*, index_t*);                                  \
    static void scatter(T const*, index_t, T const*, T**);                                     \
  };                                                                                           \
  template <class T>                                                                           \
  struct survey_loop {                                                                         \
    static key_survey<radix_bits_t<T>> run(T const*, index_t);                                 \
  };                                                                                           \
  template <class T>                                                                           \
  struct segment_sums_loop {                                                                   \
    static void run(index_t const*, index_t, T const*, T, T*);                                 \
  };                                                                                           \
  template <class T>                                                                           \
  struct rows_loop {                                                                           \
    static void run(index_t const*, index_t, std::int32_t const*, T const*, T const*, index_t, \
                    T*);                                                                       \
  };                                                                                           \
  }
RAVEL_LOOPS_IN(of_32_bytes)
RAVEL_LOOPS_IN(of_64_bytes)

// As __builtin_cpu_is("amd") says, which takes 4.5 KB of a program.
bool on_amd() {
  static bool const is_amd = [] {
    unsigned leaf = 0, name = 0, rest = 0;
    return __get_cpuid(0, &leaf, &name, &rest, &rest) && name == signature_AMD_ebx;
  }();
  return is_amd;
}

namespace loops {
namespace {

/// In bytes; 0 until first queried.
std::atomic<int> in_use = 0;

/// Whether the bits of `wanted` are set in `all`.
bool has(unsigned all, unsigned wanted) { return (all & wanted) == wanted; }

/// The vectors of x86-64-v4, of x86-64-v3, or of x86-64, as the processor has the instructions and the
/// system saves the registers.  __builtin_cpu_supports says the same, in as much code as above.
int processor_has() {
  unsigned basic = 0, base = 0, long_mode = 0, saved = 0, rest = 0;
  if (!__get_cpuid(1, &rest, &rest, &basic, &rest) || !has(basic, bit_OSXSAVE)) return 16;
  if (!__get_cpuid_count(7, 0, &rest, &base, &rest, &rest)) return 16;
  __get_cpuid(0x80000001, &rest, &rest, &long_mode, &rest);
  __asm__("xgetbv" : "=a"(saved), "=d"(rest) : "c"(0));
  constexpr unsigned registers_of_32_bytes = 0x06, registers_of_64_bytes = 0xe6;
  bool const v3 = has(basic, bit_AVX | bit_FMA | bit_F16C | bit_MOVBE | bit_POPCNT) &&
                  has(base, bit_AVX2 | bit_BMI | bit_BMI2) && has(long_mode, bit_LZCNT) &&
                  has(saved, registers_of_32_bytes);
  bool const v4 =
      v3 && has(base, bit_AVX512F | bit_AVX512BW | bit_AVX512CD | bit_AVX512DQ | bit_AVX512VL) &&
      has(saved, registers_of_64_bytes);
  return v4 ? 64 : v3 ? 32 : 16;
}

int environment_allows() {
  char const* const text = std::getenv("RAVEL_VECTORS");
  if (!text) return 64;
  std::string_view const bytes = text;
  expects(bytes == "16" || bytes == "32" || bytes == "64", "RAVEL_VECTORS is '", bytes,
          "', and not 16, 32 or 64");
  return std::atoi(text);
}

int first_choice() {
  int const width = std::min(processor_has(), environment_allows());
  int none = 0;
  in_use.compare_exchange_strong(none, width, std::memory_order_relaxed);
  return in_use.load(std::memory_order_relaxed);
}

int width() {
  int const chosen = in_use.load(std::memory_order_relaxed);
  return chosen != 0 ? chosen : first_choice();
}

}  // namespace

vector_width vectors_in_use() { return static_cast<vector_width>(width()); }

vector_width vectors_of_processor() { return static_cast<vector_width>(processor_has()); }

void use_vectors(vector_width wanted) {
  int const bytes = static_cast<int>(wanted);
  expects(bytes <= processor_has(), "use_vectors: the processor has vectors of ", processor_has(),
          " bytes, and not of ", bytes);
  in_use.store(bytes, std::memory_order_relaxed);
}

/// Returns the call on the loops of the width in use.
#define RAVEL_IN_USE(...)                    \
  switch (width()) {                         \
    case 64:                                 \
      return simd::of_64_bytes::__VA_ARGS__; \
    case 32:                                 \
      return simd::of_32_bytes::__VA_ARGS__; \
    default:                                 \
      return simd::of_16_bytes::__VA_ARGS__; \
  }

template <class M, class T>
T reduce_loop<M, T>::run(T const* in, index_t n, T carry, prefetch_range const& upcoming) {
  RAVEL_IN_USE(reduce_loop<M>::run(in, n, carry, upcoming))
}
template <class M, scanned What, direction Towards, class T>
T scan_loop<M, What, Towards, T>::run(T const* in, index_t n, T carry, results& out,
                                      prefetch_range const& upcoming, T* total) {
  RAVEL_IN_USE(scan_loop<M, What, Towards>::run(in, n, carry, out, upcoming, total))
}
template <class M, class T>
T segmented_scan_loop<M, T>::run(T const* in, std::uint64_t const* heads, index_t n, T carry,
                                 results& out, prefetch_range const& upcoming) {
  RAVEL_IN_USE(segmented_scan_loop<M>::run(in, heads, n, carry, out, upcoming))
}
template <class M, scanned What, class T>
void strided_scan_loop<M, What, T>::run(T const* in, index_t n, int stride, int rounds, T* carried,
                                        results& out, prefetch_range const& upcoming) {
  RAVEL_IN_USE(strided_scan_loop<M, What>::run(in, n, stride, rounds, carried, out, upcoming))
}
template <class T>
index_t compress_loop<T>::run(T const* in, index_t n, std::uint64_t const* keep, T* out,
                              prefetch_range const& upcoming) {
  RAVEL_IN_USE(compress_loop<T>::run(in, n, keep, out, upcoming))
}
template <class T>
void sort_loop<T>::run(T* keys, index_t n) {
  RAVEL_IN_USE(sort_loop<T>::run(keys, n))
}
template <class T>
bool quicksort_loop<T>::run(T* keys, index_t n) {
  RAVEL_IN_USE(quicksort_loop<T>::run(keys, n))
}
template <class T>
divided_keys quicksort_loop<T>::divide(T* keys, index_t n) {
  RAVEL_IN_USE(quicksort_loop<T>::divide(keys, n))
}
template <class T>
void quicksort_loop<T>::count(T const* keys, index_t n, T const* ends, index_t* below) {
  RAVEL_IN_USE(quicksort_loop<T>::count(keys, n, ends, below))
}
template <class T>
void quicksort_loop<T>::scatter(T const* keys, index_t n, T const* ends, T** to) {
  RAVEL_IN_USE(quicksort_loop<T>::scatter(keys, n, ends, to))
}
template <class T>
key_survey<ravel::detail::unsigned_of_t<T>> survey_loop<T>::run(T const* keys, index_t n) {
  RAVEL_IN_USE(survey_loop<T>::run(keys, n))
}
template <class T>
void segment_sums_loop<T>::run(index_t const* begins, index_t count, T const* in, T carry,
                               T* sums) {
  RAVEL_IN_USE(segment_sums_loop<T>::run(begins, count, in, carry, sums))
}
template <class T>
void rows_loop<T>::run(index_t const* begins, index_t rows, std::int32_t const* columns,
                       T const* values, T const* x, index_t entries, T* sums) {
  simd::of_64_bytes::rows_loop<T>::run(begins, rows, columns, values, x, entries, sums);
}

RAVEL_INSTANTIATE_LOOPS
template struct rows_loop<float>;
template struct rows_loop<double>;

}  // namespace loops
}  // namespace ravel::inline v0::cpu
