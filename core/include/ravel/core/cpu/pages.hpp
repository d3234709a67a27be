#pragma once

/// @file
/// Host memory in huge pages, where the kernel grants them.

#include <cstddef>
#include <cstdlib>
#include <memory>

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

/// `bytes` bytes, a multiple of huge_page, aligned to huge_page; null if out of memory.
inline c_memory huge_pages(std::size_t bytes) {
  c_memory made(std::aligned_alloc(huge_page, bytes));
#ifdef MADV_HUGEPAGE
  if (made) madvise(made.get(), bytes, MADV_HUGEPAGE);
#endif
  return made;
}

}  // namespace ravel::inline v0::cpu::detail
