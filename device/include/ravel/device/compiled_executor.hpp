#pragma once

/// An executor on a CUDA device for programs that no compiler of device code compiles.

#include <ravel/core/vocabulary.hpp>

#include <memory>

namespace ravel::inline v0::gpu {

class executor;

/// Device memory owned by the caller: uninitialised, move-only, stream-ordered.  It may outlive the
/// executor that made it.
template <class T>
class array {
  static_assert(std::is_trivially_copyable_v<T>,
                "a type in device memory must be trivially copyable");
  std::shared_ptr<T> data_;
  index_t size_ = 0;

 public:
  using value_type = T;
  using space = device_space;

  array() = default;
  array(std::shared_ptr<T> data, index_t size) : data_(std::move(data)), size_(size) {}
  array(array&& other) noexcept
      : data_(std::move(other.data_)), size_(std::exchange(other.size_, 0)) {}
  array& operator=(array&& other) noexcept {
    data_ = std::move(other.data_);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }
  ~array() = default;

  T* data() const { return data_.get(); }
  T* begin() const { return data(); }
  T* end() const { return data() + size_; }
  index_t size() const { return size_; }
};

/// Runs the calls of device/calls.hpp on a CUDA device.  Any C++ compiler compiles a program that
/// uses it: the kernels are in the archive ravel::device.
///
///     gpu::compiled_executor{}               a stream of its own on the current device
///     gpu::compiled_executor{device}         a stream of its own on that device
///     gpu::compiled_executor{device, s}      the caller's cudaStream_t, which must outlive it
///
/// It is a gpu::executor, with its stream, its workspace and its errors.  Only wait(), to(...),
/// to_host(...) and calls that end in `_sync` wait for the device.  Copies share stream and workspace.
class compiled_executor {
  std::shared_ptr<executor const> ex_;

  std::shared_ptr<void> allocate_bytes(index_t n) const;
  void copy_bytes(void const* from, void* to, index_t n) const;

  template <class T>
  static index_t bytes_of(index_t n) {
    constexpr auto size = static_cast<index_t>(sizeof(T));
    expects(n >= 0, "gpu::compiled_executor: the size is ", n);
    if (n > std::numeric_limits<index_t>::max() / size) {
      ravel::detail::throw_no_memory("gpu::compiled_executor: allocate", n, sizeof(T));
    }
    return n * size;
  }

 public:
  using space = device_space;

  compiled_executor();
  explicit compiled_executor(int device);
  compiled_executor(int device, void* stream);

  /// What runs the calls: with nvcc it serves all others.
  executor const& native() const { return *ex_; }

  /// The cudaStream_t.
  void* stream() const;

  template <class T>
  array<T> allocate(index_t n) const {
    return {std::static_pointer_cast<T>(allocate_bytes(bytes_of<T>(n))), n};
  }

  /// Copies `n` elements between any two of host and device memory.  To or from pageable host
  /// memory, CUDA may return before or after the copy is complete.
  template <class T>
  void copy(T const* from, T* to, index_t n) const {
    copy_bytes(from, to, bytes_of<T>(n));
  }

  void wait() const;
};

}  // namespace ravel::inline v0::gpu
