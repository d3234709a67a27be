#pragma once

/// Freed host memory that is kept for reuse: large blocks of scratch by each thread, memory of
/// buffers by the process.
///
/// Fresh memory costs more than most calls: the kernel clears each page on first touch, which takes
/// three times as long as copying to it.  So each thread keeps the large blocks that its calls
/// freed, and the next call finds pages that are already mapped.  They are huge pages where the
/// kernel grants them.

#include <ravel/core/cpu/pages.hpp>
#include <ravel/core/vocabulary.hpp>

#ifdef RAVEL_DEFINES_ARCHIVED
#  include <ravel/core/cpu/memory_pool.hpp>
#  include <ravel/core/scratch_stack.hpp>

#  include <algorithm>
#  include <array>
#  include <bit>
#  include <cstdlib>
#  include <mutex>
#  include <utility>
#  include <vector>
#endif

namespace ravel::inline v0::cpu {

/// Returns memory that is kept for later calls to the system: of each thread up to eight blocks of
/// scratch, and of the process the memory of buffers that have ended.
///
///     radix_sort(ex, keys, sorted);      // keeps as much scratch as the keys take
///     cpu::release_memory();             // until here
///
/// Any thread may call it at any time; later calls allocate fresh memory.
void release_memory();

namespace detail {

struct kept_block {
  c_memory memory;
  std::size_t bytes = 0;
};

/// A block of at least `bytes` bytes: one that the calling thread keeps, or a new one.  An empty
/// block if memory is exhausted.
kept_block take_scratch(std::size_t bytes);
/// Keeps a block for later calls of the calling thread.
void give_back_scratch(kept_block given);

/// Memory of at least `bytes` bytes for a buffer: kept by the process, or fresh.
///
/// Errors   allocation_error
kept_block take_for_buffer(std::size_t bytes);
/// Keeps a block for later buffers; the kernel may reclaim its pages meanwhile.
void give_back_of_buffer(kept_block given) noexcept;

#ifdef RAVEL_DEFINES_ARCHIVED

/// The blocks of scratch that one thread keeps.  Only this thread uses them; others may free them.
/// Its functions are compiled for size: a call that needs such a block takes much longer than they
/// do.
class kept_blocks {
 public:
  using block = kept_block;

  /// The smallest spare block of at least `bytes`, or a new one; empty if out of memory.
  [[gnu::cold]] block take(std::size_t bytes) {
    {
      std::lock_guard const lock(busy_);
      block* best = nullptr;
      for (block& spare : spare_) {
        if (spare.bytes >= bytes && (!best || spare.bytes < best->bytes)) best = &spare;
      }
      if (best) return std::exchange(*best, {});
      spare_ = {};  // all kept blocks are too small: the new one will replace them
    }
    if (bytes > ~std::size_t{0} - huge_page) return {};
    if (bytes <= huge_page / 2) {
      std::size_t const rounded = std::bit_ceil(bytes);
      return {c_memory(std::aligned_alloc(scratch_stack::alignment, rounded)), rounded};
    }
    std::size_t const rounded = (bytes + huge_page - 1) / huge_page * huge_page;
    return {huge_pages(rounded), rounded};
  }

  /// Keeps a block; if all places are taken, frees the smallest.
  [[gnu::cold]] void give_back(block given) {
    std::lock_guard const lock(busy_);
    block* least = spare_.data();
    RAVEL_ROLLED
    for (block& spare : spare_) {
      if (spare.bytes < least->bytes) least = &spare;
    }
    if (least->bytes < given.bytes) *least = std::move(given);
  }

  [[gnu::cold]] static kept_blocks& of_this_thread() {
    static thread_local kept_blocks blocks;
    return blocks;
  }

  /// Frees the blocks of all threads.
  [[gnu::cold]] static void clear_all() {
    auto const& [busy, kept] = of_all_threads();
    std::lock_guard const lock(busy);
    for (kept_blocks* const blocks : kept) {
      std::lock_guard const its(blocks->busy_);
      blocks->spare_ = {};
    }
  }

  kept_blocks(kept_blocks const&) = delete;
  ~kept_blocks() {
    auto& [busy, kept] = of_all_threads();
    std::lock_guard const lock(busy);
    std::erase(kept, this);
  }

 private:
  struct registry {
    mutable std::mutex busy;
    std::vector<kept_blocks*> all;
  };
  std::mutex busy_;             // another thread may free the blocks
  std::array<block, 8> spare_;  // more blocks than one call uses at once

  [[gnu::cold]] kept_blocks() {
    auto& [busy, kept] = of_all_threads();
    std::lock_guard const lock(busy);
    kept.push_back(this);
  }
  /// Never destroyed: threads may end after static objects.
  static registry& of_all_threads() {
    static auto* const threads = new registry;
    return *threads;
  }
};

/// The pool of the process for results: cpu::buffer.  Never destroyed: buffers may be static
/// objects.
inline memory_pool& results_pool() {
  static auto* const pool = new memory_pool;
  return *pool;
}
RAVEL_ARCHIVED kept_block take_scratch(std::size_t bytes) {
  return kept_blocks::of_this_thread().take(bytes);
}
RAVEL_ARCHIVED void give_back_scratch(kept_block given) {
  kept_blocks::of_this_thread().give_back(std::move(given));
}

RAVEL_ARCHIVED kept_block take_for_buffer(std::size_t bytes) {
  auto [memory, size] = results_pool().take(bytes);
  return {std::move(memory), size};
}
RAVEL_ARCHIVED void give_back_of_buffer(kept_block given) noexcept {
  offer_to_kernel(given.memory.get(), given.bytes);
  results_pool().give_back(std::move(given.memory), given.bytes);
}

#endif

}  // namespace detail

#ifdef RAVEL_DEFINES_ARCHIVED
RAVEL_ARCHIVED void release_memory() {
  detail::kept_blocks::clear_all();
  detail::results_pool().clear();
}
#endif

}  // namespace ravel::inline v0::cpu
