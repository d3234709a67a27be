#pragma once

/// A buffer: host memory that is owned by the caller.

#include <ravel/core/cpu/kept_memory.hpp>

#include <new>

namespace ravel::inline v0::cpu {

/// `n` elements of host memory: uninitialised if T is trivial, otherwise default constructed.
/// Move-only.
///
/// Buffers of trivial elements from 64 KiB on come from a pool of the process, in huge pages where
/// the kernel grants them: when a buffer ends, the pool keeps its memory for later buffers.  The
/// threads that fill a buffer touch its pages first.  So once the process has had as much memory in
/// buffers, a call that returns a buffer takes as long as one that writes to the caller's memory.
/// Buffers and the pool together have at most one and a half times the peak of the buffers.  When
/// the system is short of memory, the kernel reclaims pages of the pool; release_memory() frees
/// them at once.
///
/// Errors   allocation_error, which names the number of bytes requested.
template <class T>
class buffer {
  static_assert(std::is_default_constructible_v<T>,
                "cpu::buffer<T>: T must be default constructible");
#ifdef RAVEL_UNDER_ASAN  // AddressSanitizer finds uses after the end only in freed memory
  static constexpr bool is_pooled = false;
#else
  static constexpr bool is_pooled = std::is_trivial_v<T> && alignof(T) <= 64;
#endif
  static constexpr index_t most = std::numeric_limits<index_t>::max() / index_t{sizeof(T)};

  T* data_ = nullptr;
  index_t size_ = 0;
  std::size_t kept_ = 0;  // bytes of the block of the pool, or 0

 public:
  using value_type = T;
  using space = host_space;

  buffer() = default;
  explicit buffer(index_t n) : size_(n) {
    expects(n >= 0, "cpu::buffer: the size is ", n);
    auto const size = static_cast<std::size_t>(n);
    try {
      if (is_pooled && n <= most && size * sizeof(T) >= detail::least_kept) {
        detail::kept_block block = detail::take_for_buffer(size * sizeof(T));
        data_ = static_cast<T*>(block.memory.release());
        kept_ = block.bytes;
      } else {
        data_ = new T[size];
      }
    } catch (std::bad_alloc const&) {
      ravel::detail::throw_no_memory("cpu::buffer", n, sizeof(T));
    }
  }
  buffer(buffer&& source) noexcept
      : data_(std::exchange(source.data_, nullptr)),
        size_(std::exchange(source.size_, 0)),
        kept_(std::exchange(source.kept_, 0)) {}
  buffer& operator=(buffer&& source) noexcept {
    buffer taken(std::move(source));
    std::swap(data_, taken.data_);
    std::swap(size_, taken.size_);
    std::swap(kept_, taken.kept_);
    return *this;
  }
  ~buffer() {
    if (kept_ > 0) {
      detail::give_back_of_buffer({detail::c_memory(data_), kept_});
    } else {
      delete[] data_;
    }
  }

  T* data() const { return data_; }
  T* begin() const { return data(); }
  T* end() const { return data() + size_; }
  index_t size() const { return size_; }
  T& operator[](index_t i) const { return data_[i]; }
};

}  // namespace ravel::inline v0::cpu
