#pragma once

/// A view: a pointer, a size and a memory space; and its construction from any contiguous sequence.

#include <ravel/core/std_ranges.hpp>
#include <ravel/core/tile.hpp>

#include <concepts>
#include <type_traits>
#include <utility>

namespace ravel::inline v0 {

struct host_space {};    ///< memory that host code may dereference
struct device_space {};  ///< memory that only device code may dereference

/// A non-owning range of `size()` elements from `data()`.
///
/// It can be copied into kernels.  Like std::span, a const view of mutable elements is writable.
template <class T, class Space = host_space>
class view {
  T* data_ = nullptr;
  index_t size_ = 0;

 public:
  using value_type = std::remove_cv_t<T>;
  using space = Space;

  view() = default;
  RAVEL_HD constexpr view(T* data, index_t size) : data_(data), size_(size) {}
  /// A view of mutable elements is one of const elements.
  template <class U>
  requires std::same_as<U const, T> RAVEL_HD constexpr view(view<U, Space> const& mutable_elements)
      : view(mutable_elements.data(), mutable_elements.size()) {}

  RAVEL_HD constexpr T* data() const { return data_; }
  RAVEL_HD constexpr T* begin() const { return data_; }
  RAVEL_HD constexpr T* end() const { return data_ + size_; }
  RAVEL_HD constexpr index_t size() const { return size_; }
  RAVEL_HD constexpr bool empty() const { return size_ == 0; }
  RAVEL_HD constexpr T& operator[](index_t i) const { return data_[i]; }

  /// The `count` elements from `first` on.
  RAVEL_HD constexpr view slice(index_t first, index_t count) const {
    return {data_ + first, count};
  }
};

/// `n` elements of device memory from a raw device pointer.
template <class T>
view<T, device_space> device_view(T* data, index_t n) {
  return {data, n};
}

namespace detail {

template <class R>
concept says_its_space = requires {
  typename std::remove_cvref_t<R>::space;
};

/// thrust::device_vector and similar types: `data()` is a fancy pointer that unwraps to a device
/// pointer, so they are no std::ranges::contiguous_range.
template <class R>
concept fancy_device_range = requires(R& r) {
  { *r.data().get() } -> std::same_as<std::add_lvalue_reference_t<decltype(*r.data().get())>>;
  { r.size() } -> std::convertible_to<index_t>;
  typename std::remove_cvref_t<R>::value_type;
};

template <class R>
concept plain_range = std::ranges::contiguous_range<R&> && std::ranges::sized_range<R&>;

template <class R>
struct space_of : std::type_identity<host_space> {};
template <fancy_device_range R>
struct space_of<R> : std::type_identity<device_space> {};
template <says_its_space R>
struct space_of<R> : std::type_identity<typename R::space> {};

}  // namespace detail

/// The memory space of `X`, a range or an executor: `X::space` if it is declared, device memory for
/// a vector of fancy device pointers such as thrust::device_vector, and host memory otherwise.
template <class X>
using space_of_t = typename detail::space_of<std::remove_cvref_t<X>>::type;

/// `R` is a contiguous, sized run of elements: std::vector, std::span, an
/// array, a buffer, a view, thrust::device_vector.  (std::vector<bool> is not.)
template <class R>
concept sequence = detail::plain_range<std::remove_reference_t<R>> ||
    detail::fancy_device_range<std::remove_reference_t<R>>;

/// The view of a sequence.
template <sequence R>
auto view_of(R&& r) {
  using space = space_of_t<R>;
  if constexpr (detail::plain_range<std::remove_reference_t<R>>) {
    using T = std::remove_reference_t<std::ranges::range_reference_t<R&>>;
    return view<T, space>(std::ranges::data(r), static_cast<index_t>(std::ranges::size(r)));
  } else {
    using T = std::remove_reference_t<decltype(*r.data().get())>;
    return view<T, space>(r.data().get(), static_cast<index_t>(r.size()));
  }
}

/// The type of the elements of a sequence.
template <sequence R>
using element_t = typename decltype(view_of(std::declval<R&>()))::value_type;

/// The number of elements of a sequence.
template <sequence R>
index_t size_of(R&& r) {
  return view_of(r).size();
}

}  // namespace ravel::inline v0

template <class T, class Space>
inline constexpr bool std::ranges::enable_borrowed_range<ravel::view<T, Space>> = true;
template <class T, class Space>
inline constexpr bool std::ranges::enable_view<ravel::view<T, Space>> = true;
