#pragma once

/// @file
/// Host memory in huge pages, where the kernel grants them.

#include <ravel/core/tile.hpp>

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <vector>

#if __has_include(<sys/mman.h>)
#  include <sys/mman.h>
#endif

namespace ravel::inline v0::cpu::detail {

inline constexpr std::size_t huge_page = std::size_t{1} << 21;

struct freed {
  void operator()(void* memory) const { std::free(memory); }
};
/// Memory allocated by the C library.
using c_memory = std::unique_ptr<void, freed>;

/// Advises the kernel to back the whole huge pages of this memory by such.
inline void prefer_huge_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#ifdef MADV_HUGEPAGE
  if (std::align(huge_page, huge_page, memory, bytes) != nullptr) {
    madvise(memory, bytes / huge_page * huge_page, MADV_HUGEPAGE);
  }
#endif
}

/// `bytes` bytes, a multiple of huge_page, aligned to huge_page; null if out of memory.
inline c_memory huge_pages(std::size_t bytes) {
  c_memory made(std::aligned_alloc(huge_page, bytes));
  if (made) prefer_huge_pages(made.get(), bytes);
  return made;
}

/// std::vector<T>(n), in huge pages where it has any.  The first writes to small pages take longer
/// than all else: 96 ms for 2^23 words on an EPYC, and 14 ms in huge pages.
template <class T>
std::vector<T> vector_of(index_t n) {
  auto const size = static_cast<std::size_t>(n);
  std::vector<T> made;
  made.reserve(size);
  prefer_huge_pages(made.data(), size * sizeof(T));
  made.resize(size);
  return made;
}

}  // namespace ravel::inline v0::cpu::detail
