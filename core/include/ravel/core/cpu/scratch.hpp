#pragma once

/// Host memory for the duration of one call.

#include <ravel/core/cpu/kept_memory.hpp>
#include <ravel/core/scratch_stack.hpp>
#include <ravel/core/std_memory.hpp>

#include <cstdlib>
#include <cstring>

namespace ravel::inline v0::cpu {
namespace detail {

/// Untyped scratch memory, from a stack, from the C library, or one of the large blocks that the
/// thread keeps.  Move-only.
class scratch_memory {
  scratch_piece piece_;
  c_memory small_;
  kept_block large_;

 public:
  /// Bytes from which on the thread keeps blocks.  The C library reuses smaller ones itself, but
  /// gives the end of the heap back to the system once 128 KiB there are free: each call would
  /// touch its pages first again.
  static constexpr index_t large = index_t{1} << 15;

  scratch_memory() = default;
  scratch_memory(scratch_memory&& source) noexcept
      : piece_(std::move(source.piece_)),
        small_(std::move(source.small_)),
        large_(std::exchange(source.large_, {})) {}
  ~scratch_memory() {
    if (large_.memory) give_back_scratch(std::move(large_));
  }

  /// n elements of `size` bytes each from a stack; null if the stack only measures how much is
  /// needed.
  void* take(std::shared_ptr<scratch_stack> const& stack, index_t n, std::size_t size) {
    piece_ = scratch_piece(stack, static_cast<std::size_t>(n) * size);
    return piece_.memory();
  }
  void* take(index_t n, std::size_t size, std::size_t alignment, bool keeps);
};

#ifdef RAVEL_DEFINES_ARCHIVED
[[gnu::noinline]] RAVEL_ARCHIVED void* scratch_memory::take(index_t n, std::size_t size,
                                                            std::size_t alignment, bool keeps) {
  expects(n >= 0, "cpu::scratch_buffer: the size is ", n);
  auto const bytes = static_cast<std::size_t>(n) * size;
  void* taken = nullptr;
  if (n <= std::numeric_limits<index_t>::max() / static_cast<index_t>(size)) {
    if (keeps && bytes > std::size_t{large}) {
      large_ = take_scratch(bytes);
      taken = large_.memory.get();
    } else {
      small_.reset(std::aligned_alloc(alignment, bytes / alignment * alignment + alignment));
      taken = small_.get();
    }
  }
  if (!taken) ravel::detail::throw_no_memory("cpu::scratch_buffer", n, size);
  return taken;
}
#endif

}  // namespace detail

/// `n` elements of host memory for the duration of one call: uninitialised if T is trivial,
/// otherwise default constructed.  Move-only.
///
/// Where the memory is depends on its size: up to `little` bytes inside the scratch_buffer itself;
/// above `large` bytes in a block that the thread keeps for later calls, until the thread ends or
/// release_memory() is called; else from the C library.  If the executor has a stack
/// (core/plan.hpp), it is there.
///
/// Errors   allocation_error, which names the number of bytes requested; contract_error if the
///   stack has no room.
template <class T>
class scratch_buffer {
  static_assert(alignof(T) <= scratch_stack::alignment, "scratch: T is aligned too far");
  static constexpr bool is_trivial = std::is_trivial_v<T>;
  static constexpr std::size_t alignment = std::max(alignof(T), alignof(std::max_align_t));

 public:
  static constexpr index_t large = detail::scratch_memory::large;
  /// Bytes up to which scratch is inside the object: malloc takes longer than most work on so few
  /// bytes.
  static constexpr index_t little = 512;

 private:
  detail::scratch_memory memory_;
  T* data_ = nullptr;
  index_t size_ = 0;
  alignas(T) std::byte room_[is_trivial ? little : 1];

  T* inside() { return reinterpret_cast<T*>(room_); }

  void take(index_t n) {
    if (is_trivial && 0 <= n && n <= little / index_t{sizeof(T)}) {
      data_ = inside();
      size_ = n;
    } else {
      construct(memory_.take(n, sizeof(T), alignment, is_trivial), n);
    }
  }
  void construct(void* memory, index_t n) {
    data_ = static_cast<T*>(memory);
    if constexpr (!is_trivial) std::uninitialized_default_construct_n(data_, n);
    size_ = n;
  }

 public:
  using value_type = T;
  using space = host_space;

  static constexpr index_t most = std::numeric_limits<index_t>::max() / index_t{sizeof(T)};

  scratch_buffer() = default;
  explicit scratch_buffer(index_t n) { take(n); }
  scratch_buffer(index_t n, std::shared_ptr<scratch_stack> const& stack) : scratch_buffer() {
    bool const fits = stack && 0 < n && n <= most;
    if (void* const memory = fits ? memory_.take(stack, n, sizeof(T)) : nullptr) {
      construct(memory, n);
    } else {
      take(n);
    }
  }
  scratch_buffer(scratch_buffer&& source) noexcept
      : memory_(std::move(source.memory_)),
        data_(std::exchange(source.data_, nullptr)),
        size_(std::exchange(source.size_, 0)) {
    if (data_ == source.inside()) {
      data_ = inside();
      std::memcpy(room_, source.room_, static_cast<std::size_t>(size_) * sizeof(T));
    }
  }
  scratch_buffer& operator=(scratch_buffer&& source) noexcept {
    if (this != &source) {
      std::destroy_at(this);
      std::construct_at(this, std::move(source));
    }
    return *this;
  }
  ~scratch_buffer() {
    if constexpr (!is_trivial) std::destroy_n(data_, size_);
  }

  T* data() const { return data_; }
  T* begin() const { return data(); }
  T* end() const { return data() + size_; }
  index_t size() const { return size_; }
  T& operator[](index_t i) const { return data_[i]; }
};

}  // namespace ravel::inline v0::cpu
