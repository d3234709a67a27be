#pragma once

/// @file
/// Memory of a device in software, which notices what is written behind its end.

#include "support/sanitizers.hpp"

#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>
#include <utility>

namespace ravel::testing::lockstep {

class device_memory {
  static constexpr std::size_t alignment = 256;
  static constexpr unsigned char mark = 0xa5;
#ifdef RAVEL_UNDER_ASAN
  static constexpr std::size_t guard = 0;  // it notices reads too
#else
  static constexpr std::size_t guard = 1 << 16;
#endif

  static inline std::mutex mutex_;
  static inline std::map<unsigned char*, std::size_t> sizes_;
  static inline bool broken_ = false;

  static bool whole(unsigned char const* p, std::size_t bytes) {
    return guard == 0 ||
           (p[bytes] == mark && std::memcmp(p + bytes, p + bytes + 1, guard - 1) == 0);
  }

 public:
  static void* allocate(std::size_t bytes) {
    std::lock_guard const lock(mutex_);
    std::size_t const all = (bytes + guard + alignment - 1) / alignment * alignment;
    auto* const p = static_cast<unsigned char*>(std::aligned_alloc(alignment, all));
    if (p == nullptr) return nullptr;
    std::memset(p + bytes, mark, guard);
    sizes_[p] = bytes;
    return p;
  }

  static void free(void* freed) {
    std::lock_guard const lock(mutex_);
    auto const found = sizes_.find(static_cast<unsigned char*>(freed));
    if (found == sizes_.end()) return;
    broken_ = broken_ || !whole(found->first, found->second);
    sizes_.erase(found);
    std::free(freed);
  }

  /// Whether all of these bytes were allocated.
  static bool has(void const* first, std::size_t bytes) {
    std::lock_guard const lock(mutex_);
    auto* const p = static_cast<unsigned char*>(const_cast<void*>(first));
    auto const behind = sizes_.upper_bound(p);
    if (behind == sizes_.begin()) return false;
    auto const at = std::prev(behind);
    return p + bytes <= at->first + at->second;
  }

  /// Whether nothing was written behind an end since the last time somebody asked.
  static bool intact() {
    std::lock_guard const lock(mutex_);
    for (auto const& [p, bytes] : sizes_) {
      if (whole(p, bytes)) continue;
      broken_ = true;
      std::memset(p + bytes, mark, guard);
    }
    return !std::exchange(broken_, false);
  }
};

}  // namespace ravel::testing::lockstep
