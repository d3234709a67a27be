#pragma once

/// @file
/// What goes in and out of a loop over numbers beside what it works on: memory that it
/// asks for, since others will want it, and where its results go.

#include <ravel/core/tile.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace ravel::inline v0::cpu {

/// Memory that a loop asks for, a vector with each that it works on, so that memory is never
/// idle: with element i what is at from + i step, as long as i < count.  Bytes that are not
/// there may be asked for too.
struct asked_ahead {
  char const* from = nullptr;
  index_t step = 0;
  index_t count = 0;

  /// What is left after i elements.
  asked_ahead after(index_t i) const {
    return {from + std::min(i, count) * step, step, count - std::min(i, count)};
  }
};

/// Whether what is read once is best asked for past the second cache.  AMD's processors are a tenth
/// faster so, and Intel's, which have few lines on their way past it, three times as slow
/// (docs/decisions/0040).
inline bool reads_past_caches() {
#ifdef __x86_64__
  return __builtin_cpu_is("amd") != 0;
#else
  return false;
#endif
}

/// Asks for a line that is read once, past the second cache or not.
[[gnu::always_inline]] inline void prefetch_once(char const* line, bool past) {
  if (past) {
    __builtin_prefetch(line, 0, 0);
  } else {
    __builtin_prefetch(line, 0, 2);
  }
  // Or else g++ takes functions that do nothing but ask for functions without effects, and may drop
  // calls to them.
  asm volatile("");
}

/// From which end to which elements are gone through, and results written.
enum class direction { forward, backward };

/// Where results go, one behind the other, by one call of a loop after another: from `to` on, or,
/// backward, one ahead of the other, up to `to`.
///
/// Those that stream go past the caches.  Streaming stores are aligned, and results may begin
/// anywhere: so what is stored is put together of two vectors, and the last is in memory only
/// when all is finished.
struct results {
  void* to;
  bool streaming;
  direction towards;
  int waiting = 0;  ///< bytes at `to` that are written, and not all in memory
  alignas(64) std::byte last[64] = {};

  results(void* begin, bool past_caches, direction d = direction::forward)
      : to(begin), streaming(past_caches), towards(d) {}

  /// No more results are to come.
  void finish() {
    if (waiting == 0) return;
    auto* const begin = static_cast<char*>(to) - (towards == direction::forward ? waiting : 0);
    std::memcpy(begin, last, static_cast<std::size_t>(waiting));
    waiting = 0;
  }
};

/// What a scan leaves of each number: what is through it, or ahead of it.
enum class scanned { through, before };

}  // namespace ravel::inline v0::cpu
