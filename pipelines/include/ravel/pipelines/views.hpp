#pragma once

/// Views: what a pass reads, elements in memory or computed, with random access.
///
/// A view is called with a position.  Its number of elements, size(), may be in the memory of the
/// executor; most() is an upper bound on the host.

#include <ravel/core/operands.hpp>
#include <ravel/core/range_copy.hpp>
#include <ravel/pipelines/row.hpp>

#include <iterator>
#include <optional>

namespace ravel::inline v0::piping {

template <class V>
using value_t = std::remove_cvref_t<decltype(std::declval<V const&>()(index_t{}))>;

/// A view, or a step, with the address that it reads for each element.
template <class V>
concept addressed = requires(V const& v, index_t i) {
  { v.address(i) } -> std::convertible_to<void const*>;
};

/// A view that computes elements from those of a sequence, by position:
/// v(i) is v.of(i, v.elements()[i]).
template <class V>
concept of_elements = requires(V const& v, index_t i) {
  v.of(i, *v.elements());
};

/// A source with its number of elements, which is on the host.
template <class Source, class Space = any_space>
struct sized_view : Source {
  using space = Space;
  static constexpr bool counted = false;
  index_t n;
  void const* address(index_t i) const requires is_instance<Source, contiguous> {
    return this->data + i;
  }
  RAVEL_HD index_t size() const { return n; }
  index_t most() const { return n; }
};

/// Elements in memory.
template <class T, class Space>
using in_memory = sized_view<contiguous<T>, Space>;

/// Elements in memory, and their number, `count`, in the same memory.
template <class T, class Space>
struct counted_in_memory {
  using space = Space;
  static constexpr bool counted = true;
  T const* data;
  index_t room;
  index_t const* count;
  RAVEL_HD T const& operator()(index_t i) const { return data[i]; }
  RAVEL_HD index_t size() const { return *count < room ? *count : room; }
  index_t most() const { return room; }
};

/// Where elements of type T are kept that a pass writes: as they are, or, without a default constructor,
/// in std::optional.
template <class T>
using room_of = std::conditional_t<std::default_initializable<T>, T, std::optional<T>>;

/// Source: elements of host memory, each moved from when it is written.
template <class T, class Room = T>
struct taken {
  Room* data;
  T& at(index_t i) const {
    if constexpr (std::same_as<T, Room>) {
      return data[i];
    } else {
      return *data[i];
    }
  }
  T const& operator()(index_t i) const { return at(i); }
};

/// A view with its number of elements on the host, if it is in host memory.
template <class V>
V host_sized(V const& v) {
  return v;
}
template <class T>
in_memory<T, host_space> host_sized(counted_in_memory<T, host_space> const& v) {
  return {{v.data}, v.size()};
}
template <class V>
using host_sized_t = decltype(host_sized(std::declval<V const&>()));

/// Source: one value everywhere.
template <class T>
struct repeated {
  T value;
  RAVEL_HD T operator()(index_t) const { return value; }
};

/// Source: f(first), f(first + 1), ...
template <class F>
struct generated {
  F f;
  index_t first = 0;
  RAVEL_HD auto operator()(index_t i) const { return f(first + i); }
};

/// A source from position `first` on.
template <class T>
contiguous<T> source_from(contiguous<T> const& s, index_t first) {
  return {s.data + first};
}
template <class T, class Room>
taken<T, Room> source_from(taken<T, Room> const& s, index_t first) {
  return {s.data + first};
}
template <class T>
counted<T> source_from(counted<T> const& s, index_t first) {
  return {s(first), s.step};
}
template <class T>
repeated<T> source_from(repeated<T> const& s, index_t) {
  return s;
}
template <class F>
generated<F> source_from(generated<F> const& s, index_t first) {
  return {s.f, s.first + first};
}
template <class I>
of_range<I> source_from(of_range<I> const& s, index_t first) {
  return {s.begin + static_cast<std::iter_difference_t<I>>(first)};
}

/// Zipped views, all as long as the first.
template <class... V>
struct zipped_views {
  static constexpr bool counted = false;
  row<V...> views;
  template <std::size_t... k>
  RAVEL_HD auto at(index_t i, std::index_sequence<k...>) const {
    return make_row<value_t<V>...>(get<k>(views)(i)...);
  }
  RAVEL_HD auto operator()(index_t i) const { return at(i, std::index_sequence_for<V...>{}); }
  RAVEL_HD index_t size() const { return views.head.size(); }
  index_t most() const { return views.head.most(); }
};

/// Concatenated views.
template <class A, class B>
struct concatenated_views {
  using T = std::common_type_t<value_t<A>, value_t<B>>;
  static constexpr bool counted = A::counted || B::counted;
  A a;
  B b;
  RAVEL_HD T operator()(index_t i) const {
    index_t const n = a.size();
    return i < n ? static_cast<T>(a(i)) : static_cast<T>(b(i - n));
  }
  RAVEL_HD index_t size() const { return a.size() + b.size(); }
  index_t most() const { return a.most() + b.most(); }
};

/// Whether all memory that a view, or a step, reads is in Space.
template <class V, class Space>
inline constexpr bool reads_in = true;
template <class V, class Space>
requires requires { typename V::space; }
inline constexpr bool reads_in<V, Space> =
    std::same_as<typename V::space, Space> || std::same_as<typename V::space, any_space>;
template <class... V, class Space>
inline constexpr bool reads_in<zipped_views<V...>, Space> = (reads_in<V, Space> && ...);
template <class A, class B, class Space>
inline constexpr bool reads_in<concatenated_views<A, B>, Space> =
    reads_in<A, Space>&& reads_in<B, Space>;

}  // namespace ravel::inline v0::piping
