#pragma once

/// Freed blocks of memory, kept for reuse.

#include <ravel/core/search.hpp>

#include <new>
#include <vector>

namespace ravel::inline v0 {

/// Keeps blocks for later.  Blocks in use and kept blocks together never exceed one and a half
/// times the peak use.
///
/// `Memory` owns a block; it is movable.  Not thread-safe.
template <class Memory>
class spare_blocks {
  using kept = std::pair<std::size_t, Memory>;
  std::vector<kept> spare_;  // in ascending order of size
  std::size_t spare_bytes_ = 0, used_ = 0, most_used_ = 0;

 public:
  static constexpr std::size_t huge_page = std::size_t{1} << 21;

  /// Whole huge pages where they waste little; otherwise one of eight sizes between consecutive
  /// powers of two, so that sizes recur.
  static std::size_t rounded(std::size_t bytes) {
    if (bytes > ~std::size_t{0} - huge_page) return bytes;  // the allocation will fail
    std::size_t unit = bytes < 4 * huge_page ? 64 : huge_page;
    while (unit < huge_page && bytes / unit >= 16) unit *= 2;
    return (bytes + unit - 1) / unit * unit;
  }

  /// A block of rounded(wanted) bytes or up to twice as many, and its size: a kept one, or a new
  /// one from make(bytes).
  std::pair<Memory, std::size_t> take(std::size_t wanted, auto const& make) {
    std::size_t bytes = rounded(wanted);
    Memory found{};
    if (auto const fits = of_size(bytes); fits != spare_.end() && fits->first <= 2 * bytes) {
      bytes = fits->first;
      found = std::move(fits->second);
      spare_.erase(fits);
      spare_bytes_ -= bytes;
    } else {
      found = made(bytes, make);
    }
    used_ += bytes;
    most_used_ = std::max(most_used_, used_);
    while (!spare_.empty() && used_ + spare_bytes_ > most_used_ + most_used_ / 2) {
      spare_bytes_ -= spare_.back().first;
      spare_.pop_back();
    }
    return {std::move(found), bytes};
  }

  /// Keeps a block, or frees it if there is no memory to record it.
  void give_back(Memory given, std::size_t bytes) noexcept {
    used_ -= bytes;
    spare_bytes_ += bytes;
    try {
      spare_.insert(of_size(bytes), {bytes, std::move(given)});
    } catch (std::bad_alloc const&) {
      spare_bytes_ -= bytes;
    }
  }

  /// Frees all kept blocks.
  void clear() {
    spare_.clear();
    spare_bytes_ = 0;
  }

 private:
  /// The first kept block of at least so many bytes.
  auto of_size(std::size_t bytes) {
    return spare_.begin() + partition_point(0, std::ssize(spare_), [&](index_t k) {
             return spare_[static_cast<std::size_t>(k)].first < bytes;
           });
  }

  /// If the allocation fails, frees all kept blocks and tries again.
  template <class Make>
  Memory made(std::size_t bytes, Make const& make) {
    try {
      return make(bytes);
    } catch (allocation_error const&) {
      if (spare_.empty()) throw;
    }
    clear();
    return make(bytes);
  }
};

}  // namespace ravel::inline v0
