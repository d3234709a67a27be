#pragma once

/// Owners of the memory of a gpu::executor: buffers and pinned host memory; and, for single calls,
/// scratch and tile states.

#include <ravel/core/cuda/error.cuh>
#include <ravel/core/cuda/memory.cuh>
#include <ravel/core/cuda/tile_state.cuh>
#include <ravel/core/std_memory.hpp>

#include <cuda_runtime_api.h>

#include <span>

namespace ravel::inline v0::gpu {

namespace detail {

/// The size in bytes of `n` elements.  Throws if it overflows; `kind` names the memory in the
/// error.
template <class T>
std::size_t bytes_of(index_t n, char const* kind) {
  if (n > PTRDIFF_MAX / static_cast<index_t>(sizeof(T))) {
    throw allocation_error(ravel::detail::sentence("gpu::executor: no ", kind, " memory for ", n,
                                                   " elements of ", sizeof(T), " bytes"));
  }
  return static_cast<std::size_t>(n) * sizeof(T);
}

/// `n` uninitialised elements of device memory, freed in stream order.
template <class T>
class device_elements {
  static_assert(std::is_trivially_copyable_v<T>,
                "a type in device memory must be trivially copyable");

 protected:
  std::shared_ptr<memory> from_;
  T* data_ = nullptr;
  index_t size_ = 0;

  device_elements() = default;
  device_elements(std::shared_ptr<memory> pool, T* data, index_t n)
      : from_(std::move(pool)), data_(data), size_(n) {}
  device_elements(device_elements&& other) noexcept { swap(other); }
  ~device_elements() = default;

  void swap(device_elements& other) noexcept {
    std::swap(from_, other.from_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }

 public:
  using value_type = T;
  using space = device_space;

  T* data() const { return data_; }
  T* begin() const { return data_; }
  T* end() const { return data_ + size_; }
  index_t size() const { return size_; }
};

}  // namespace detail

/// Device memory owned by the caller: uninitialised, move-only, stream-ordered.  It may outlive the
/// executor that made it.
template <class T>
class buffer : public detail::device_elements<T> {
  using base = detail::device_elements<T>;
  std::size_t bytes_ = 0;  // size of the block if it is kept for reuse, 0 if it is freed

  buffer(std::shared_ptr<memory> const& pool, index_t n, std::pair<void*, std::size_t> taken)
      : base(pool, static_cast<T*>(taken.first), n), bytes_(taken.second) {}

  static std::pair<void*, std::size_t> taken(memory& pool, index_t n, std::size_t most_taken) {
    std::size_t const bytes = detail::bytes_of<T>(n, "device");
    if (bytes <= most_taken) return pool.take(bytes);
    return {pool.allocate(bytes), 0};
  }

 public:
  buffer() = default;
  /// Takes freed blocks for requests of up to `most_taken` bytes.
  buffer(std::shared_ptr<memory> const& pool, index_t n, std::size_t most_taken)
      : buffer(pool, n, taken(*pool, n, most_taken)) {}
  buffer(buffer&& other) noexcept : base(std::move(other)), bytes_(other.bytes_) {}
  buffer& operator=(buffer&& other) noexcept {
    buffer moved(std::move(other));
    this->swap(moved);
    std::swap(bytes_, moved.bytes_);
    return *this;
  }
  ~buffer() {
    if (this->from_) this->from_->give_back(this->data_, bytes_);
  }
};

/// Refuses a range adaptor, such as std::views::take(2), on device memory, with a readable error.
template <class T, std::invocable<std::span<T>> Adaptor>
void operator|(buffer<T> const&, Adaptor&&) {
  static_assert(!std::invocable<Adaptor, std::span<T>>,
                "a buffer of a device is no range of the host, which cannot read its memory: "
                "to_host(ex, buffer) copies it there");
}
/// The overload for an lvalue buffer.
template <class T, std::invocable<std::span<T>> Adaptor>
void operator|(buffer<T>& elements, Adaptor&& adaptor) {
  std::as_const(elements) | adaptor;
}
/// The overload for an rvalue buffer.
template <class T, std::invocable<std::span<T>> Adaptor>
void operator|(buffer<T>&& elements, Adaptor&& adaptor) {
  std::as_const(elements) | adaptor;
}

/// Pinned host memory.  Kernels write it; the host may read it after it has waited for them.
template <class T>
class pinned_buffer {
  struct release {
    void operator()(T* p) const { cudaFreeHost(p); }
  };
  std::unique_ptr<T, release> data_;

 public:
  explicit pinned_buffer(index_t n) {
    std::size_t const bytes = detail::bytes_of<T>(n, "pinned");
    void* p = nullptr;
    check(cudaMallocHost(&p, bytes), "gpu::executor: pinning ", n, " elements of ", sizeof(T),
          " bytes");
    data_.reset(static_cast<T*>(p));
  }
  T* data() const { return data_.get(); }
};

/// Device memory for the duration of one call, from the executor's workspace.  Scratches must be
/// released in reverse order, as C++ scopes do.
template <class T>
class scratch : public detail::device_elements<T> {
  using base = detail::device_elements<T>;

  static T* take(memory& pool, index_t n) {
    std::size_t const bytes = detail::bytes_of<T>(n, "device");
    if (bytes == 0) return nullptr;
    void* const top = pool.push(bytes);
    return static_cast<T*>(top ? top : pool.allocate(bytes));
  }

 public:
  scratch(std::shared_ptr<memory> const& pool, index_t n) : base(pool, take(*pool, n), n) {}
  scratch(scratch&&) noexcept = default;
  scratch& operator=(scratch&&) = delete;
  ~scratch() {
    if (!this->from_ || !this->data_) return;
    if (this->from_->on_stack(this->data_)) {
      this->from_->pop(this->data_);
    } else {
      this->from_->free(this->data_);
    }
  }
};

/// The tile descriptors for one kernel.  If the preallocated ones are enough, their epochs
/// distinguish them from those of earlier kernels; otherwise scratch, which is cleared first.
template <class Word>
class state_lease {
  scratch<char> own_;
  char* at_;

  static bool few(index_t slots) { return slots <= memory::state_slots; }
  static index_t bytes_of(index_t slots) {
    return static_cast<index_t>(memory::states_bytes(sizeof(Word), slots));
  }

 public:
  state_lease(std::shared_ptr<memory> const& pool, index_t slots)
      : own_(pool, few(slots) ? 0 : bytes_of(slots)),
        at_(few(slots) ? pool->states(sizeof(Word)) : own_.data()) {
    if (few(slots)) pool->note_states(static_cast<std::size_t>(bytes_of(slots)));
    if (few(slots) || pool->rehearses()) return;
    on_device const guard(pool->device());
    check(cudaMemsetAsync(at_, 0, static_cast<std::size_t>(own_.size()), pool->stream()),
          "gpu::executor: clearing ", slots, " tile states");
  }

  dispenser* tickets() const { return reinterpret_cast<dispenser*>(at_); }
  Word* words() const { return reinterpret_cast<Word*>(at_ + memory::dispenser_bytes); }
};

namespace detail {

/// After the last epoch tags would repeat, so the last block to finish clears all words.
/// `in_block` threads of each block call this at their end.  By then every published word has been
/// read, so no access is in flight.
template <class Word>
__device__ void clear_after_last_epoch(dispenser& tickets, Word* words, unsigned epoch,
                                       unsigned in_block = 1) {
  if (epoch != dispenser::last_epoch) return;
  if (atomicAdd(&tickets.finished, 1u) == gridDim.x * in_block - 1) {
    for (index_t s = 0; s < memory::state_slots; ++s) words[s] = {};
    tickets.finished = 0;
  }
}

}  // namespace detail

}  // namespace ravel::inline v0::gpu
