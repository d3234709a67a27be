#pragma once

/// Calls of a function for each segment on the host: a thread takes some consecutive segments, and all
/// threads together each longer one.

#include <ravel/core/cpu/executor.hpp>
#include <ravel/core/cpu/wake_up.hpp>
#include <ravel/core/search.hpp>
#include <ravel/core/std_algorithm.hpp>

#include <atomic>

namespace ravel::inline v0::cpu::detail {

/// Calls alone(s, begin, end) for each segment, at once by several threads; and for those that would
/// leave the other threads without work, together(s, begin, end) afterwards.  Segments of malformed
/// offsets may be left out, or be empty.
///
/// An element is estimated to take `each`; a segment as long as 8 of them.
void for_each_segment(auto const& ex, auto const& segments, index_t n, nanoseconds each,
                      auto const& alone, auto const& together) {
  index_t const all = segments.count(), work = n + 8 * all;
  auto const threads = [&] { return threads_of(ex); };
  index_t const parts = worth_sharing(threads, work * each) ? 16 * threads() : 1;
  index_t const width = div_up(work, parts), longest = std::max(index_t{1} << 14, 2 * width);
  auto const first_of = [&](index_t part) {
    return part == 0       ? 0
           : part == parts ? all
                           : partition_point(0, all, [&](index_t s) {
                               return segments.begin(s) + 8 * s < part * width;
                             });
  };
  auto const end_of = [&](index_t s, index_t begin) {
    return std::max(begin, segments.begin(s + 1));
  };
  std::atomic<index_t> next = 0;
  std::atomic<bool> leaves_longer = false;
  ex.on_each_thread(parts, [&] {
    try {
      for (index_t part; (part = next++) < parts;) {
        index_t const last = first_of(part + 1);
        for (index_t s = first_of(part); s < last; ++s) {
          index_t const begin = segments.begin(s), end = end_of(s, begin);
          if (parts > 1 && end - begin > longest) {
            leaves_longer.store(true, std::memory_order_relaxed);
          } else {
            alone(s, begin, end);
          }
        }
      }
    } catch (...) {
      next = parts;  // stops the other threads
      throw;
    }
  });
  for (index_t s = 0; leaves_longer && s < all; ++s) {
    index_t const begin = segments.begin(s), end = end_of(s, begin);
    if (end - begin > longest) together(s, begin, end);
  }
}

}  // namespace ravel::inline v0::cpu::detail
