#pragma once

/// @file
/// Host memory owned by the caller.

#include <ravel/core/error.hpp>
#include <ravel/core/view.hpp>

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace ravel::inline v0::cpu {

/// `n` elements of host memory: uninitialised if T is trivial, otherwise default constructed.
/// Move-only.
///
/// Errors   allocation_error, which names the number of bytes requested.
template <class T>
class buffer {
  static_assert(std::is_default_constructible_v<T>,
                "cpu::buffer<T>: T must be default constructible");
  std::unique_ptr<T[]> data_;
  index_t size_ = 0;

  static T* allocate(index_t n) {
    expects(n >= 0, "cpu::buffer: the size is ", n);
    try {
      return new T[static_cast<std::size_t>(n)];
    } catch (std::bad_alloc const&) {
      throw allocation_error(ravel::detail::sentence("cpu::buffer: no host memory for ", n,
                                                     " elements of ", sizeof(T), " bytes"));
    }
  }

 public:
  using value_type = T;
  using space = host_space;

  buffer() = default;
  explicit buffer(index_t n) : data_(allocate(n)), size_(n) {}
  buffer(buffer&& from) noexcept
      : data_(std::move(from.data_)), size_(std::exchange(from.size_, 0)) {}
  buffer& operator=(buffer&& from) noexcept {
    data_ = std::move(from.data_);
    size_ = std::exchange(from.size_, 0);
    return *this;
  }

  T* data() const { return data_.get(); }
  T* begin() const { return data(); }
  T* end() const { return data() + size_; }
  index_t size() const { return size_; }
  T& operator[](index_t i) const { return data_[static_cast<std::size_t>(i)]; }
};

}  // namespace ravel::inline v0::cpu
