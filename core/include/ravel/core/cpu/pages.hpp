#pragma once

/// Host memory in huge pages, where the kernel grants them.

#include <ravel/core/std_memory.hpp>

#include <cstddef>
#include <cstdlib>

#if __has_include(<sys/mman.h>)
#  include <sys/mman.h>
#endif

namespace ravel::inline v0::cpu::detail {

inline constexpr std::size_t huge_page = std::size_t{1} << 21;

/// Blocks of this size and larger are pooled; the C library reuses smaller ones well.
inline constexpr std::size_t least_kept = std::size_t{1} << 16;

struct freed {
  void operator()(void* memory) const { std::free(memory); }
};
/// Memory allocated by the C library.
using c_memory = std::unique_ptr<void, freed>;

/// Passes `advice` to the kernel (madvise) for the whole huge pages within this memory.
inline void advise_on_huge_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes,
                                 [[maybe_unused]] int advice) {
#if __has_include(<sys/mman.h>)
  if (std::align(huge_page, huge_page, memory, bytes) != nullptr) {
    madvise(memory, bytes / huge_page * huge_page, advice);
  }
#endif
}

/// Advises the kernel to map this memory in huge pages.
inline void prefer_huge_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#ifdef MADV_HUGEPAGE
  advise_on_huge_pages(memory, bytes, MADV_HUGEPAGE);
#endif
}

/// Allows the kernel to reclaim the pages of memory whose content no longer matters, when it has no
/// other free pages.  Writes to pages that it did not reclaim are as fast as before: 32 MB in 0.3
/// ms; to reclaimed ones in 2 ms.
inline void offer_to_kernel([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#ifdef MADV_FREE
  advise_on_huge_pages(memory, bytes, MADV_FREE);
#endif
}

/// `bytes` bytes aligned to huge_page, in huge pages if possible; null if memory is exhausted.
inline c_memory huge_pages(std::size_t bytes) {
  if (bytes > ~std::size_t{0} - huge_page) return {};
  // aligned_alloc requires a multiple of the alignment.  The kernel maps a page past `bytes` only if
  // it is written.
  c_memory made(std::aligned_alloc(huge_page, (bytes + huge_page - 1) / huge_page * huge_page));
  if (made) prefer_huge_pages(made.get(), bytes);
  return made;
}

}  // namespace ravel::inline v0::cpu::detail
