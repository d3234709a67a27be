/// Selects the vector width, and dispatches each loop to its instance of that width.

#include <ravel/core/cpu/loops.hpp>
#include <ravel/core/cpu/sort_few.hpp>
#include <ravel/core/error.hpp>

#include "each_loop.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <string_view>

namespace ravel::inline v0::cpu {

// Defined in vectors_of_..._bytes.cpp.
#define RAVEL_LOOPS_IN(width)                                                                    \
  namespace simd::width {                                                                        \
  template <class M, class T = carrier_t<M>>                                                     \
  struct loops_over_numbers {                                                                    \
    static T reduce(T const*, index_t, T, prefetch_range const&);                                \
    static T scan_through(T const*, index_t, T, results&, prefetch_range const&, T*);            \
    static T scan_before(T const*, index_t, T, results&, prefetch_range const&, T*);             \
    static T scan_through_back(T const*, index_t, T, results&, prefetch_range const&, T*);       \
    static T scan_before_back(T const*, index_t, T, results&, prefetch_range const&, T*);        \
  };                                                                                             \
  template <class M, class T = carrier_t<M>>                                                     \
  struct loops_over_segments {                                                                   \
    static T scan(T const*, std::uint64_t const*, index_t, T, results&, prefetch_range const&);  \
  };                                                                                             \
  template <class M, class T = carrier_t<M>>                                                     \
  struct loops_over_strides {                                                                    \
    static void scan_through(T const*, index_t, int, int, T*, results&, prefetch_range const&);  \
    static void scan_before(T const*, index_t, int, int, T*, results&, prefetch_range const&);   \
  };                                                                                             \
  template <class T>                                                                             \
  struct loops_over_elements {                                                                   \
    static index_t compress(T const*, index_t, std::uint64_t const*, T*, prefetch_range const&); \
  };                                                                                             \
  template <class T>                                                                             \
  struct loops_over_keys {                                                                       \
    static void sort(T*, index_t);                                                               \
  };                                                                                             \
  }
RAVEL_LOOPS_IN(of_32_bytes)
RAVEL_LOOPS_IN(of_64_bytes)

namespace simd::of_64_bytes {
template <class T>
struct loops_over_rows {
  static void add_up(index_t const*, index_t, std::int32_t const*, T const*, T const*, index_t, T*);
};
}  // namespace simd::of_64_bytes

namespace loops {
namespace {

/// In bytes; 0 until first queried.
std::atomic<int> in_use = 0;

int processor_has() {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("x86-64-v4")) return 64;
  return __builtin_cpu_supports("x86-64-v3") ? 32 : 16;
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

/// Returns  `call` on the loops of the width in use.
#define RAVEL_IN_USE(call)            \
  switch (width()) {                  \
    case 64:                          \
      return simd::of_64_bytes::call; \
    case 32:                          \
      return simd::of_32_bytes::call; \
    default:                          \
      return simd::of_16_bytes::call; \
  }

template <class M, class T>
T loops_over_numbers<M, T>::reduce(T const* in, index_t n, T carry,
                                   prefetch_range const& upcoming) {
  RAVEL_IN_USE(loops_over_numbers<M>::reduce(in, n, carry, upcoming))
}
template <class M, class T>
T loops_over_numbers<M, T>::scan_through(T const* in, index_t n, T carry, results& out,
                                         prefetch_range const& upcoming, T* total) {
  RAVEL_IN_USE(loops_over_numbers<M>::scan_through(in, n, carry, out, upcoming, total))
}
template <class M, class T>
T loops_over_numbers<M, T>::scan_before(T const* in, index_t n, T carry, results& out,
                                        prefetch_range const& upcoming, T* total) {
  RAVEL_IN_USE(loops_over_numbers<M>::scan_before(in, n, carry, out, upcoming, total))
}
template <class M, class T>
T loops_over_numbers<M, T>::scan_through_back(T const* in, index_t n, T carry, results& out,
                                              prefetch_range const& upcoming, T* total) {
  RAVEL_IN_USE(loops_over_numbers<M>::scan_through_back(in, n, carry, out, upcoming, total))
}
template <class M, class T>
T loops_over_numbers<M, T>::scan_before_back(T const* in, index_t n, T carry, results& out,
                                             prefetch_range const& upcoming, T* total) {
  RAVEL_IN_USE(loops_over_numbers<M>::scan_before_back(in, n, carry, out, upcoming, total))
}
template <class M, class T>
T loops_over_segments<M, T>::scan(T const* in, std::uint64_t const* heads, index_t n, T carry,
                                  results& out, prefetch_range const& upcoming) {
  RAVEL_IN_USE(loops_over_segments<M>::scan(in, heads, n, carry, out, upcoming))
}
template <class M, class T>
void loops_over_strides<M, T>::scan_through(T const* in, index_t n, int stride, int rounds,
                                            T* carried, results& out,
                                            prefetch_range const& upcoming) {
  RAVEL_IN_USE(loops_over_strides<M>::scan_through(in, n, stride, rounds, carried, out, upcoming))
}
template <class M, class T>
void loops_over_strides<M, T>::scan_before(T const* in, index_t n, int stride, int rounds,
                                           T* carried, results& out,
                                           prefetch_range const& upcoming) {
  RAVEL_IN_USE(loops_over_strides<M>::scan_before(in, n, stride, rounds, carried, out, upcoming))
}
template <class T>
index_t loops_over_elements<T>::compress(T const* in, index_t n, std::uint64_t const* keep, T* out,
                                         prefetch_range const& upcoming) {
  RAVEL_IN_USE(loops_over_elements<T>::compress(in, n, keep, out, upcoming))
}

template <class T>
void loops_over_keys<T>::sort(T* keys, index_t n) {
  RAVEL_IN_USE(loops_over_keys<T>::sort(keys, n))
}

template <class T>
void loops_over_rows<T>::add_up(index_t const* begins, index_t rows, std::int32_t const* columns,
                                T const* values, T const* x, index_t entries, T* sums) {
  simd::of_64_bytes::loops_over_rows<T>::add_up(begins, rows, columns, values, x, entries, sums);
}

#define RAVEL_NUMBERS(...) template struct loops_over_numbers<__VA_ARGS__>;
#define RAVEL_SEGMENTS(...) template struct loops_over_segments<__VA_ARGS__>;
#define RAVEL_STRIDES(...) template struct loops_over_strides<__VA_ARGS__>;
RAVEL_EACH_SMALL_MONOID(RAVEL_NUMBERS)
RAVEL_EACH_LARGE_MONOID(RAVEL_NUMBERS)
RAVEL_EACH_LARGE_MONOID(RAVEL_SEGMENTS)
RAVEL_EACH_LARGE_SUM(RAVEL_STRIDES) template struct loops_over_elements<std::uint8_t>;
template struct loops_over_elements<std::uint16_t>;
template struct loops_over_elements<std::uint32_t>;
template struct loops_over_elements<std::uint64_t>;
template struct loops_over_keys<std::uint32_t>;
template struct loops_over_keys<std::uint64_t>;
template struct loops_over_rows<float>;
template struct loops_over_rows<double>;

}  // namespace loops
}  // namespace ravel::inline v0::cpu
