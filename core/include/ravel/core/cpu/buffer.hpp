#pragma once

/// @file
/// Host memory owned by the caller.

#include <ravel/core/cpu/pages.hpp>
#include <ravel/core/error.hpp>
#include <ravel/core/view.hpp>

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

namespace ravel::inline v0::cpu {

/// `n` elements of host memory: uninitialised if T is trivial, and then in huge pages where the kernel
/// grants them, which the threads that fill them touch first; otherwise default constructed.
/// Move-only.
///
/// Errors   allocation_error, which names the number of bytes requested.
template <class T>
class buffer {
  static_assert(std::is_default_constructible_v<T>,
                "cpu::buffer<T>: T must be default constructible");
  T* data_ = nullptr;  // std::unique_ptr has a std::tuple, which takes compilers long
  index_t size_ = 0;

  static T* allocate(index_t n) {
    expects(n >= 0, "cpu::buffer: the size is ", n);
    try {
      T* const made = new T[static_cast<std::size_t>(n)];
      if constexpr (std::is_trivially_default_constructible_v<T>) {  // others are written already
        detail::prefer_huge_pages(made, static_cast<std::size_t>(n) * sizeof(T));
      }
      return made;
    } catch (std::bad_alloc const&) {
      ravel::detail::throw_no_memory("cpu::buffer", n, sizeof(T));
    }
  }

 public:
  using value_type = T;
  using space = host_space;

  buffer() = default;
  explicit buffer(index_t n) : data_(allocate(n)), size_(n) {}
  buffer(buffer&& from) noexcept
      : data_(std::exchange(from.data_, nullptr)), size_(std::exchange(from.size_, 0)) {}
  buffer& operator=(buffer&& from) noexcept {
    buffer now(std::move(from));
    std::swap(data_, now.data_);
    std::swap(size_, now.size_);
    return *this;
  }
  ~buffer() { delete[] data_; }

  T* data() const { return data_; }
  T* begin() const { return data(); }
  T* end() const { return data() + size_; }
  index_t size() const { return size_; }
  T& operator[](index_t i) const { return data_[i]; }
};

}  // namespace ravel::inline v0::cpu
