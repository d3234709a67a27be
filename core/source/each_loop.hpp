#pragma once

/// The contents of the library of vectors: the monoids that it has loops for.

/// f(M) for each monoid of numbers of all sizes, of those that may be in segments, and of sums
/// that may have strides.
#define RAVEL_SMALL_BITS(f, m) f(m<std::uint8_t>) f(m<std::uint16_t>)
#define RAVEL_LARGE_BITS(f, m) f(m<std::uint32_t>) f(m<std::uint64_t>)
#define RAVEL_SMALL_NUMBERS(f, m) RAVEL_SMALL_BITS(f, m) f(m<std::int8_t>) f(m<std::int16_t>)
#define RAVEL_LARGE_NUMBERS(f, m) \
  RAVEL_LARGE_BITS(f, m) f(m<std::int32_t>) f(m<std::int64_t>) f(m<float>) f(m<double>)

#define RAVEL_EACH_SMALL_MONOID(f) \
  RAVEL_SMALL_BITS(f, plus)        \
  RAVEL_SMALL_BITS(f, bit_and)     \
  RAVEL_SMALL_BITS(f, bit_or)      \
  RAVEL_SMALL_BITS(f, bit_xor)     \
  RAVEL_SMALL_NUMBERS(f, minimum)  \
  RAVEL_SMALL_NUMBERS(f, maximum)

#define RAVEL_EACH_LARGE_SUM(f) RAVEL_LARGE_BITS(f, plus) f(plus<float>) f(plus<double>)

#define RAVEL_EACH_LARGE_MONOID(f)                                                                 \
  RAVEL_LARGE_BITS(f, plus)                                                                        \
  f(plus<float>) f(plus<double>) RAVEL_LARGE_BITS(f, bit_and) RAVEL_LARGE_BITS(f, bit_or)          \
      RAVEL_LARGE_BITS(f, bit_xor) RAVEL_LARGE_NUMBERS(f, minimum) RAVEL_LARGE_NUMBERS(f, maximum) \
          f(flipped<minimum<float>>) f(flipped<minimum<double>>) f(flipped<maximum<float>>)        \
              f(flipped<maximum<double>>)

/// Instantiates all loops but rows_loop, here of one width or there of the width in use.
#define RAVEL_OF_NUMBERS(...)                                                    \
  template struct reduce_loop<__VA_ARGS__>;                                      \
  template struct scan_loop<__VA_ARGS__, scanned::through, direction::forward>;  \
  template struct scan_loop<__VA_ARGS__, scanned::before, direction::forward>;   \
  template struct scan_loop<__VA_ARGS__, scanned::through, direction::backward>; \
  template struct scan_loop<__VA_ARGS__, scanned::before, direction::backward>;
#define RAVEL_OF_SEGMENTS(...) template struct segmented_scan_loop<__VA_ARGS__>;
#define RAVEL_OF_STRIDES(...)                                       \
  template struct strided_scan_loop<__VA_ARGS__, scanned::through>; \
  template struct strided_scan_loop<__VA_ARGS__, scanned::before>;
#define RAVEL_INSTANTIATE_LOOPS                  \
  RAVEL_EACH_SMALL_MONOID(RAVEL_OF_NUMBERS)      \
  RAVEL_EACH_LARGE_MONOID(RAVEL_OF_NUMBERS)      \
  RAVEL_EACH_LARGE_MONOID(RAVEL_OF_SEGMENTS)     \
  RAVEL_EACH_LARGE_SUM(RAVEL_OF_STRIDES)         \
  template struct segment_sums_loop<float>;      \
  template struct segment_sums_loop<double>;     \
  template struct compress_loop<std::uint8_t>;   \
  template struct compress_loop<std::uint16_t>;  \
  template struct compress_loop<std::uint32_t>;  \
  template struct compress_loop<std::uint64_t>;  \
  template struct sort_loop<std::uint32_t>;      \
  template struct sort_loop<std::uint64_t>;      \
  template struct quicksort_loop<std::uint32_t>; \
  template struct quicksort_loop<std::uint64_t>; \
  template struct survey_loop<std::uint32_t>;    \
  template struct survey_loop<std::int32_t>;     \
  template struct survey_loop<float>;            \
  template struct survey_loop<std::uint64_t>;    \
  template struct survey_loop<std::int64_t>;     \
  template struct survey_loop<double>;
