#pragma once

/// Ranges of the host: read in place, by index, or copied to a sequence in memory.

#include <ravel/core/cpu/buffer.hpp>
#include <ravel/core/parallel.hpp>
#include <ravel/core/std_ranges.hpp>

#include <iterator>
#include <new>
#include <stdexcept>
#include <tuple>
#include <vector>

namespace ravel::inline v0 {

namespace detail {

/// Of an iterator and a sentinel.  Those of a view such as transform end where those that they hold
/// do; a counted iterator counts.
template <class I, class S>
inline constexpr bool never_ends = std::same_as<S, std::unreachable_sentinel_t>;
template <class I, class S>
requires requires(I const& i, S const& s) {
  i.base();
  s.base();
}
inline constexpr bool never_ends<I, S> =
    never_ends<std::remove_cvref_t<decltype(std::declval<I const&>().base())>,
               std::remove_cvref_t<decltype(std::declval<S const&>().base())>>;
template <class I, class S>
inline constexpr bool never_ends<std::counted_iterator<I>, S> = false;

}  // namespace detail

/// Whether the type of a range shows that it does not end.
template <class R>
inline constexpr bool is_endless =
    detail::never_ends<std::ranges::iterator_t<R>, std::ranges::sentinel_t<R>>;

/// Source: the elements of a random-access range of the host.  Proxies of elements, such as a tuple
/// of references, become elements.
template <class Iterator>
struct of_range {
  Iterator begin;
  using value = std::iter_value_t<Iterator>;
  using reference = std::iter_reference_t<Iterator>;
  static constexpr bool is_proxy = !std::same_as<std::remove_cvref_t<reference>, value>;
  // Only hosts call them, in functions that kernels could call too.
  RAVEL_MAY_CALL_HOST
  RAVEL_HD of_range(Iterator begin) : begin(begin) {}
  RAVEL_MAY_CALL_HOST
  RAVEL_HD of_range(of_range const& source) : begin(source.begin) {}
  of_range& operator=(of_range const&) = default;
  RAVEL_MAY_CALL_HOST
  RAVEL_HD auto operator()(index_t i) const -> std::conditional_t<is_proxy, value, reference> {
    auto const at = static_cast<std::iter_difference_t<Iterator>>(i);
    if constexpr (is_proxy &&
                  requires { std::tuple_size<std::remove_cvref_t<reference>>::value; }) {
      return std::make_from_tuple<value>(begin[at]);
    } else if constexpr (is_proxy) {
      return static_cast<value>(begin[at]);
    } else {
      return begin[at];
    }
  }
};

namespace detail {

template <class R>
concept some_range = std::ranges::range<R&> || std::ranges::range < std::remove_const_t<R>
& > ;

/// A range as it can be iterated.  Of a const reference to what only a mutable object can: a copy of a
/// view, or, where it cannot be copied, such as a generator, the object itself.  That is a temporary or a
/// variable that is not const, since a const one would have no use.
template <class R>
decltype(auto) iterable(R& r) {
  if constexpr (std::ranges::range<R&>) {
    return (r);
  } else if constexpr (std::copy_constructible<std::remove_const_t<R>> &&
                       std::ranges::view<std::remove_const_t<R>>) {
    return std::remove_const_t<R>(r);
  } else {
    return const_cast<std::remove_const_t<R>&>(r);
  }
}

/// Whether any element of a range can be read at once, after a constant time.
template <class R>
concept read_by_index = std::ranges::random_access_range<R> && !is_endless<std::remove_cvref_t<R>>;

template <class T, class Iterator>
struct copy_by_index {
  static constexpr bool divisible = true;
  of_range<Iterator> from;
  T* to;
  void operator()(auto const&, tile t) const {
    for (index_t i = t.begin; i < t.end; ++i) to[i] = from(i);
  }
};

template <class T>
[[noreturn]] void no_room_for_copy(char const* call, std::size_t copied) {
  throw allocation_error(sentence(call, ": no host memory for a copy of the range beyond ", copied,
                                  " elements of ", sizeof(T), " bytes"));
}

/// The elements of a range, each read once, in order, as a sequence in host memory.
template <class R>
auto copy_in_order(char const* call, R&& r) {
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

/// Whether the threads of `Ex` can copy the elements of a range, each at its index.
template <class Ex, class R>
concept copied_by_index =
    on_host<Ex> && read_by_index<R> && std::default_initializable<std::ranges::range_value_t<R>> &&
    std::assignable_from < std::ranges::range_value_t<R>
&, decltype(std::declval<of_range<std::ranges::iterator_t<R>> const&>()(index_t{})) > ;

/// The elements of a range, each read once, as a sequence in host memory: by all threads of `ex` if
/// it runs on the host and the range has random access, and otherwise in order, by the calling one.
template <class Ex, class R>
auto copy_of_range(Ex const& ex, char const* call, R&& r) {
  if constexpr (copied_by_index<Ex, R>) {
    using T = std::ranges::range_value_t<R>;
    auto const n = static_cast<index_t>(std::ranges::distance(r));
    auto elements = [&] {
      try {
        return ex.template allocate<T>(n);
      } catch (allocation_error const&) {
        no_room_for_copy<T>(call, 0);
      }
    }();
    ex.for_each_tile(
        n, copy_by_index<T, std::ranges::iterator_t<R>>{{std::ranges::begin(r)}, elements.data()});
    ex.wait();
    return elements;
  } else {
    return copy_in_order(call, r);
  }
}

}  // namespace detail
}  // namespace ravel::inline v0
