#pragma once

/// Operands of a numeric loop besides its input: memory to prefetch meanwhile, and where results
/// go.

#include <ravel/core/vocabulary.hpp>

#include <cstring>

namespace ravel::inline v0::cpu {

/// Memory that a loop prefetches while it processes other elements, which keeps memory bandwidth
/// busy: with element i it prefetches address from + i * step, as long as i < count.  Addresses
/// outside of the sequence are allowed.
struct prefetch_range {
  char const* from = nullptr;
  index_t step = 0;
  index_t count = 0;

  /// The prefetches that remain after the first i elements.
  prefetch_range after(index_t i) const {
    return {from + std::min(i, count) * step, step, count - std::min(i, count)};
  }
};

/// Whether the processor is AMD's.  These read sequences as fast without software prefetches, but
/// keep few gathers outstanding, so prefetching gathered elements pays.  On Intel's processors both
/// are the opposite (docs/decisions/0040).  AMD's also take longer to compress a register to memory
/// (core/cpu/simd_quicksort.hpp).
#ifdef RAVEL_CHOOSES_VECTORS
bool on_amd();  // defined in the archive
#else
inline bool on_amd() {
#  ifdef RAVEL_X86
  return __builtin_cpu_is("amd") != 0;
#  else
  return false;
#  endif
}
#endif

/// Prefetches a cache line to L2.
[[gnu::always_inline]] inline void prefetch_line(char const* line) {
  __builtin_prefetch(line, 0, 2);
  // Without this, g++ would deduce that a function that only prefetches has no effect, and drop
  // calls to it.
  asm volatile("");
}

/// The direction in which elements are read and results written.
enum class direction { forward, backward };

/// Where consecutive loops write results: in ascending order from `to`, or backward, in descending
/// order down from `to`.
///
/// If `streaming`, results bypass the caches by non-temporal stores.  These must be aligned, but
/// results may begin anywhere: each store combines the ends of two result vectors, and the last
/// bytes reach memory only in finish().
struct results {
  void* to;
  bool streaming;
  direction towards;
  int waiting = 0;  ///< bytes before `to` that are still in `last`
  alignas(64) std::byte last[64] = {};

  results(void* begin, bool past_caches, direction d = direction::forward)
      : to(begin), streaming(past_caches), towards(d) {}

  /// Writes the bytes that are still in `last`.  Must be called after the last result.
  void finish() {
    if (waiting == 0) return;
    auto* const begin = static_cast<char*>(to) - (towards == direction::forward ? waiting : 0);
    std::memcpy(begin, last, static_cast<std::size_t>(waiting));
    waiting = 0;
  }
};

/// What a scan writes for each element: the inclusive or the exclusive prefix.
enum class scanned { through, before };

}  // namespace ravel::inline v0::cpu
