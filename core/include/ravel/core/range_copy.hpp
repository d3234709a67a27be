#pragma once

/// @file
/// Copies of ranges that cannot be read in place, as sequences of host memory.

#include <ravel/core/cpu/buffer.hpp>
#include <ravel/core/error.hpp>
#include <ravel/core/view.hpp>

#include <concepts>
#include <cstddef>
#include <iterator>
#include <new>
#include <ranges>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace ravel::inline v0 {

/// Whether the type of a range shows that it does not end.
template <class R>
inline constexpr bool is_endless =
    std::same_as<std::ranges::sentinel_t<R>, std::unreachable_sentinel_t>;
template <class V>
inline constexpr bool is_endless<std::ranges::ref_view<V>> = is_endless<V>;
template <class V, class F>
inline constexpr bool is_endless<std::ranges::transform_view<V, F>> = is_endless<V>;
template <class V, class F>
inline constexpr bool is_endless<std::ranges::filter_view<V, F>> = is_endless<V>;
template <class V, class F>
inline constexpr bool is_endless<std::ranges::drop_while_view<V, F>> = is_endless<V>;
template <class V>
inline constexpr bool is_endless<std::ranges::drop_view<V>> = is_endless<V>;

namespace detail {

/// A range as it can be iterated: a const view of which only a mutable one can is copied.
template <class R>
decltype(auto) iterable(R& r) {
  if constexpr (std::ranges::range<R&>) {
    return (r);
  } else {
    return std::remove_const_t<R>(r);
  }
}
template <class R>
concept some_range = std::ranges::range<R&> ||
    (std::ranges::view<std::remove_const_t<R>>&& std::copy_constructible<std::remove_const_t<R>>);

template <class T>
[[noreturn]] void no_room_for_copy(char const* call, std::size_t copied) {
  throw allocation_error(sentence(call, ": no host memory for a copy of the range beyond ", copied,
                                  " elements of ", sizeof(T), " bytes"));
}

/// The elements of a range, each read once, in order, as a sequence in host memory.
template <class R>
auto copy_of_range(char const* call, R&& r) {
  using T = std::ranges::range_value_t<R>;
  constexpr bool can_be_copied = std::constructible_from<T, std::ranges::range_reference_t<R>>;
  static_assert(!is_endless<std::remove_cvref_t<R>>, "the range has no size, as if endless");
  static_assert(can_be_copied,
                "a source that has no random access is copied, and its elements cannot be copied: "
                "use a std::vector or std::deque of them");
  std::vector<T> elements;
  if constexpr (can_be_copied) {
    try {
      if constexpr (std::ranges::sized_range<R>) {
        elements.reserve(static_cast<std::size_t>(std::ranges::size(r)));
      }
      for (auto&& x : r) elements.emplace_back(std::forward<decltype(x)>(x));
    } catch (std::bad_alloc const&) {
      no_room_for_copy<T>(call, elements.size());
    } catch (std::length_error const&) {  // of a size that no vector has
      no_room_for_copy<T>(call, elements.size());
    }
  }
  if constexpr (std::same_as<T, bool>) {  // std::vector<bool> stores bits
    cpu::buffer<bool> bools(static_cast<index_t>(elements.size()));
    index_t i = 0;
    for (bool const x : elements) bools[i++] = x;
    return bools;
  } else {
    return elements;
  }
}

}  // namespace detail
}  // namespace ravel::inline v0
