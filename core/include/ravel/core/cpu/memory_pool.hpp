#pragma once

/// A pool of host memory: freed blocks are reused.
///
/// Fresh memory costs more than most steps that fill it, since the kernel clears each page first.
/// Scratch (cpu/scratch.hpp) lasts for one call; a pool serves results that outlive the call.

#include <ravel/core/cpu/pages.hpp>
#include <ravel/core/spare_blocks.hpp>
#include <ravel/core/std_memory.hpp>
#include <ravel/core/std_mutex.hpp>

#include <cstdlib>

namespace ravel::inline v0::cpu {

/// A pool of blocks of host memory.  It keeps as many freed blocks as spare_blocks does.
///
///     auto const pool = std::make_shared<memory_pool>();
///     memory_pool::block const x(pool, 1 << 20);      // x.data(), until x ends
///
/// Errors   allocation_error, which names the number of bytes requested.
class memory_pool {
  using memory = detail::c_memory;

 public:
  /// A block of a pool.  It shares ownership of the pool, so the pool lives at least as long.
  /// Move-only.
  class block {
    std::shared_ptr<memory_pool> pool_;
    memory data_;
    std::size_t bytes_ = 0;

   public:
    block(std::shared_ptr<memory_pool> pool, std::size_t bytes);
    block(block&&) noexcept = default;
    block& operator=(block&&) = delete;
    ~block();
    void* data() const { return data_.get(); }
  };

 private:
  std::mutex busy_;
  spare_blocks<memory> spare_;

  static memory fresh(std::size_t bytes);

 public:
  /// A block of at least `wanted` bytes, and its size.
  std::pair<memory, std::size_t> take(std::size_t wanted);
  /// Keeps a block that `take` returned with this size.
  void give_back(memory given, std::size_t bytes) noexcept;
  /// Frees all kept blocks.
  void clear();
};

#ifdef RAVEL_DEFINES_ARCHIVED
RAVEL_ARCHIVED memory_pool::block::block(std::shared_ptr<memory_pool> pool, std::size_t bytes)
    : pool_(std::move(pool)) {
  auto taken = pool_->take(bytes);
  data_ = std::move(taken.first);
  bytes_ = taken.second;
}
RAVEL_ARCHIVED memory_pool::block::~block() {
  if (data_) pool_->give_back(std::move(data_), bytes_);
}
RAVEL_ARCHIVED memory_pool::memory memory_pool::fresh(std::size_t bytes) {
  memory made;
  if (bytes < detail::least_kept) {
    made.reset(std::malloc(std::max<std::size_t>(bytes, 1)));
  } else if (bytes >= detail::huge_page) {
    made = detail::huge_pages(bytes);
  } else {
    made.reset(std::aligned_alloc(64, bytes));
  }
  if (!made) {
    throw allocation_error(
        ravel::detail::sentence("cpu::memory_pool: no host memory for ", bytes, " bytes"));
  }
  return made;
}
RAVEL_ARCHIVED std::pair<memory_pool::memory, std::size_t> memory_pool::take(std::size_t wanted) {
  if (wanted < detail::least_kept) return {fresh(wanted), wanted};
  std::lock_guard const lock(busy_);
  return spare_.take(wanted, fresh);
}
RAVEL_ARCHIVED void memory_pool::give_back(memory given, std::size_t bytes) noexcept {
  if (bytes < detail::least_kept) return;
  std::lock_guard const lock(busy_);
  spare_.give_back(std::move(given), bytes);
}
RAVEL_ARCHIVED void memory_pool::clear() {
  std::lock_guard const lock(busy_);
  spare_.clear();
}
#endif

}  // namespace ravel::inline v0::cpu
