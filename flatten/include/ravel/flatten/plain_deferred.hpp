#pragma once

/// Deferred sequences of plain values: ranges, maps, zips and columns.
///
/// Their elements are made where they are used; settled_plain writes them to memory.

#include <ravel/flatten/columns.hpp>
#include <ravel/flatten/plain_memory.hpp>
#include <ravel/flatten/plain_value.hpp>

#include <new>
#include <tuple>

namespace ravel::inline v0 {

/// The numbers first, first + step, ..., as range and indices give them.
template <class T>
struct plain_range {
  using element = nested<T>;
  T first, step;
  index_t n;

  constexpr plain_range(T begin, T delta, index_t count) : first(begin), step(delta), n(count) {}
  // Member by member: a copy as one block waits for the stores of the members.
  constexpr plain_range(plain_range const& x) : first(x.first), step(x.step), n(x.n) {}
  plain_range& operator=(plain_range const&) = default;
};
/// f of elements of sequences, or of numbers that are the same for all: what operators give.
template <class T, class F, class... X>
struct plain_map {
  using element = nested<T>;
  F f;
  std::tuple<X...> operands;
  index_t n;
};
/// Records of the elements of sequences.
template <class... X>
struct plain_zip {
  using element = nested<std::tuple<typename flattening::nested_type<element_of<X>>::of...>>;
  std::tuple<X...> operands;
  index_t n;
};
/// Member I of records in memory.
template <std::size_t I, class R>
struct plain_column {
  using element = nested<typename flattening::members_of<R>::template type<I>>;
  plain_value<nested<R>> records;
  index_t n;
};
/// Elements of a sequence of numbers at indices.
template <class X, class I>
struct plain_gather {
  using element = element_of<X>;
  X source;
  I places;
  index_t n;
};

namespace flattening {

template <class T>
inline constexpr bool is_plain_value<plain_range<T>> = true;
template <class T, class F, class... X>
inline constexpr bool is_plain_value<plain_map<T, F, X...>> = true;
template <class... X>
inline constexpr bool is_plain_value<plain_zip<X...>> = true;
template <std::size_t I, class R>
inline constexpr bool is_plain_value<plain_column<I, R>> = true;
template <class X, class I>
inline constexpr bool is_plain_value<plain_gather<X, I>> = true;

template <class T>
plain_value<T> element_in(plain_range<T> const& x, index_t i) {
  return {
      static_cast<T>(ravel::detail::wrapping(x.first) +
                     ravel::detail::wrapping(static_cast<T>(i)) * ravel::detail::wrapping(x.step))};
}

template <class... X>
auto element_in(plain_zip<X...> const& x, index_t i);
template <std::size_t I, class R>
auto element_in(plain_column<I, R> const& x, index_t i);
template <class X, class I>
auto element_in(plain_gather<X, I> const& x, index_t i);
template <class T, class F, class... X>
plain_value<T> element_in(plain_map<T, F, X...> const& x, index_t i);
/// Element i of a sequence; a number, which is the same for all.
template <class X>
decltype(auto) operand_at(X const& x, index_t i) {
  if constexpr (plain_sequence<X>) {
    return element_in(x, i);
  } else {
    return (x);
  }
}
template <class T, class F, class... X>
plain_value<T> element_in(plain_map<T, F, X...> const& x, index_t i) {
  return std::apply(
      [&](auto const&... xs) { return plain_value<T>{x.f(number_in(operand_at(xs, i))...)}; },
      x.operands);
}
template <class... X>
auto element_in(plain_zip<X...> const& x, index_t i) {
  using T = typename nested_type<element_of<plain_zip<X...>>>::of;
  return std::apply([&](auto const&... xs) { return plain_value<T>{{element_in(xs, i)...}}; },
                    x.operands);
}
template <std::size_t I, class R>
auto element_in(plain_column<I, R> const& x, index_t i) {
  return loaded_as<typename members_of<R>::template type<I>>(std::get<I>(x.records.data[i]));
}
template <class X, class I>
auto element_in(plain_gather<X, I> const& x, index_t i) {
  auto const place = static_cast<index_t>(element_in(x.places, i).value);
  if (place < 0 || place >= x.source.n) [[unlikely]]
    leave_loop();
  return element_in(x.source, place);
}
template <class X>
concept deferred_sequence = plain_sequence<X> && !requires(X const& x) {
  x.data;
};

auto sequence_of(index_t n, auto const& f);
/// A value of the host or a deferred sequence as a plain value; plain values themselves.
template <class X>
decltype(auto) settled_plain(X&& x) {
  using V = std::remove_cvref_t<X>;
  if constexpr (!is_plain_value<V>) {
    return plain_value<V>{x};
  } else if constexpr (deferred_sequence<V>) {
    return sequence_of(x.n, [&](index_t i) { return element_in(x, i); });
  } else {
    return std::forward<X>(x);
  }
}
template <class X>
using settled_t = std::remove_cvref_t<decltype(settled_plain(std::declval<X>()))>;

/// x as an element in memory; whether it has failed is tested apart.
template <class X>
auto stored_of(X&& x) {
  using T = element_of<X>;
  if constexpr (!is_plain_value<std::remove_cvref_t<X>>) {
    return x;
  } else if constexpr (host_record<T>) {
    return std::apply(
        [](auto&&... member) {
          return stored_element<T>{stored_of(std::forward<decltype(member)>(member))...};
        },
        std::forward<X>(x).members);
  } else if constexpr (is_nested<T>::value) {
    return settled_t<X>(settled_plain(std::forward<X>(x)));
  } else {
    return x.value;
  }
}

/// Writes f(i) to out[i] for i in [0, n); whether one has failed.  What f reads is not written, so
/// that numbers which are the same for all stay in registers.
template <class U, class F>
bool fill_with(U* __restrict out, index_t n, F const& f) {
  // As wide as an element: vectors of narrower flags would hold more elements than short rows have.
  std::conditional_t<(sizeof(U) < 8), int, index_t> failed = 0;
  for (index_t i = 0; i < n; ++i) {
    auto const x = f(i);
    if constexpr (is_plain_value<std::remove_const_t<decltype(x)>>) failed |= has_failed(x) ? 1 : 0;
    ::new (static_cast<void*>(out + i)) U(stored_of(x));
  }
  return failed != 0;
}

/// The elements of a sequence of which n are expected to follow, in memory.
template <class X>
struct stored_elements {
  auto operator()(X& x, index_t) { return stored_of(std::move(x)); }
};
/// Deferred rows of numbers share blocks: one for each would cost more than a short row does.
template <deferred_sequence X>
requires is_plain_memory<stored_element<typename nested_type<element_of<X>>::of>>
class stored_elements<X> {
  using T = typename nested_type<element_of<X>>::of;
  using stored = stored_element<T>;
  static constexpr index_t most = 8192 / sizeof(stored);  // as one row may outlive all others
  room<stored> memory_ = {};
  index_t size_ = 0, used_ = 0;

 public:
  plain_value<nested<T>> operator()(X const& x, index_t n) {
    if (x.n == 0) return {};
    if (size_ - used_ < x.n) {
      size_ = std::max(x.n, std::min(x.n * n, most));
      memory_ = room<stored>(size_);
      used_ = 0;
    }
    stored* const out = memory_.data() + used_;
    if (fill_with(out, x.n, [&](index_t i) { return element_in(x, i); })) [[unlikely]]
      leave_loop();
    used_ += x.n;
    return {out, x.n, memory_};
  }
};

/// The sequence of f(i) for i in [0, n).
auto sequence_of(index_t n, auto const& f) {
  using T = element_of<decltype(f(n))>;
  using U = stored_element<T>;
  room<U> memory(n);
  U* const out = memory.data();
  if constexpr (is_plain_memory<U>) {
    if (fill_with(out, n, f)) [[unlikely]]
      leave_loop();
  } else {
    stored_elements<decltype(f(n))> stored;
    for (index_t i = 0; i < n; ++i) {
      auto x = f(i);
      expect_value(x);
      ::new (static_cast<void*>(out + i)) U(stored(x, n - i));
      memory.has_made(i + 1);
    }
  }
  return plain_value<nested<T>>{out, n, std::move(memory)};
}

/// Whether T is a record of records of one type, without sequences.
template <class T>
inline constexpr bool is_record_of_like_records = false;
template <host_record M, std::same_as<M>... Rest>
inline constexpr bool is_record_of_like_records<std::tuple<M, Rest...>> =
    is_plain_memory<stored_element<M>>;

/// The sequence of f(i) for i in [0, n).  Of records of like records each member is a part of one block,
/// as what follows reads members apart.
auto columns_of(index_t n, auto const& f) {
  using T = element_of<decltype(f(n))>;
  if constexpr (is_record_of_like_records<T>) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      using M = typename members_of<T>::template type<0>;
      using U = stored_element<M>;
      room<U> const memory(n * index_t{sizeof...(I)});
      auto const fill = [&](U* __restrict out) {
        index_t failed = 0;
        for (index_t i = 0; i < n; ++i) {
          auto const x = f(i);
          failed |= has_failed(x) ? 1 : 0;
          (::new (static_cast<void*>(out + index_t{I} * n + i))
               U(stored_of(std::get<I>(x.members))),
           ...);
        }
        if (failed != 0) [[unlikely]]
          leave_loop();
      };
      fill(memory.data());
      auto const column = [&](std::size_t k) {
        return plain_value<nested<M>>{memory.data() + static_cast<index_t>(k) * n, n, memory};
      };
      return plain_zip<decltype(column(I))...>{{column(I)...}, n};
    }
    (member_indices<T>{});
  } else {
    return sequence_of(n, f);
  }
}

}  // namespace flattening
}  // namespace ravel::inline v0
