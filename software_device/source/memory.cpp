#include <ravel/software_device/memory.hpp>

#include <ravel/core/config.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>
#include <utility>

namespace ravel::software::device_memory {
namespace {

constexpr std::size_t alignment = 256;
#ifdef RAVEL_UNDER_ASAN
constexpr std::size_t guard = 0;  // it detects reads too
#else
constexpr std::size_t guard = 1 << 16;
#endif

struct memory {
  std::mutex mutex;
  std::map<unsigned char*, std::size_t> sizes;
  bool broken = false;
};
memory& all() {
  static memory it;  // outlives all its users
  return it;
}

constexpr std::size_t filled = 1 << 16;  // at the start of each allocation: large ones remain cheap
static_assert(filled >= guard);

/// What memory holds that was not written.  Its words are neither zero nor equal, and ascend at
/// first, so that data read from it by mistake seldom look like an empty range or a clear flag.
unsigned char const* pattern() {
  static auto const it = [] {
    std::array<unsigned char, filled> bytes;
    for (std::size_t i = 0; i < filled; ++i) {
      bytes[i] = static_cast<unsigned char>(0x21 + i / 4 % 0x5e);
    }
    return bytes;
  }();
  return it.data();
}

bool whole(unsigned char const* p, std::size_t bytes) {
  return std::memcmp(p + bytes, pattern(), guard) == 0;
}

}  // namespace

void* allocate(std::size_t bytes) {
  memory& m = all();
  std::lock_guard const lock(m.mutex);
  std::size_t const taken = (bytes + guard + alignment - 1) / alignment * alignment;
  auto* const p = static_cast<unsigned char*>(std::aligned_alloc(alignment, taken));
  if (p == nullptr) return nullptr;
  std::memcpy(p, pattern(), std::min(bytes, filled));
  std::memcpy(p + bytes, pattern(), guard);
  m.sizes[p] = bytes;
  return p;
}

void free(void* freed) {
  memory& m = all();
  std::lock_guard const lock(m.mutex);
  auto const found = m.sizes.find(static_cast<unsigned char*>(freed));
  if (found == m.sizes.end()) return;
  m.broken = m.broken || !whole(found->first, found->second);
  m.sizes.erase(found);
  std::free(freed);
}

bool has(void const* first, std::size_t bytes) {
  memory& m = all();
  std::lock_guard const lock(m.mutex);
  auto* const p = static_cast<unsigned char*>(const_cast<void*>(first));
  auto const next = m.sizes.upper_bound(p);
  if (next == m.sizes.begin()) return false;
  auto const at = std::prev(next);
  return p + bytes <= at->first + at->second;
}

bool intact() {
  memory& m = all();
  std::lock_guard const lock(m.mutex);
  for (auto const& [p, bytes] : m.sizes) {
    if (whole(p, bytes)) continue;
    m.broken = true;
    std::memcpy(p + bytes, pattern(), guard);
  }
  return !std::exchange(m.broken, false);
}

}  // namespace ravel::software::device_memory
