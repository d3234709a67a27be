#pragma once

/// @file
/// Operands of a numeric loop besides its input: memory to prefetch, and the destination of its
/// results.

#include <ravel/core/config.hpp>
#include <ravel/core/std_algorithm.hpp>
#include <ravel/core/tile.hpp>

#include <cstddef>
#include <cstring>

namespace ravel::inline v0::cpu {

/// Memory that a loop prefetches, a vector for each vector that it processes, so that memory is
/// never idle: with element i it prefetches address from + i * step, as long as i < count.
/// Addresses outside of the sequence are allowed.
struct prefetch_range {
  char const* from = nullptr;
  index_t step = 0;
  index_t count = 0;

  /// The prefetches that remain after i elements.
  prefetch_range after(index_t i) const {
    return {from + std::min(i, count) * step, step, count - std::min(i, count)};
  }
};

/// Whether the processor is of AMD, whose processors read sequences as fast without prefetches, and gather few
/// elements at once, so that prefetching those pays; of Intel's the opposite holds (docs/decisions/0040).
#ifdef RAVEL_CHOOSES_VECTORS
bool on_amd();  // in the archive
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
  // g++ would otherwise deduce that functions that only prefetch have no effects, and drop calls to
  // them.
  asm volatile("");
}

/// The direction in which elements are read and results written.
enum class direction { forward, backward };

/// The destination of the results of consecutive loops: in ascending order from `to`, or, backward,
/// in descending order down from `to`.
///
/// If `streaming`, results bypass the caches.  Streaming stores must be aligned, but results may
/// begin anywhere: each stored vector combines two result vectors, and the last bytes reach memory
/// only in finish().
struct results {
  void* to;
  bool streaming;
  direction towards;
  int waiting = 0;  ///< bytes before `to` that are not all in memory yet
  alignas(64) std::byte last[64] = {};

  results(void* begin, bool past_caches, direction d = direction::forward)
      : to(begin), streaming(past_caches), towards(d) {}

  /// Call after the last result.
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
