#pragma once

/// @file
/// Plain values: a number, record or sequence of one instance, for bodies that run as loops.
///
/// `serially(f)` calls f with these in place of lifted values, in one thread for each instance, so
/// that the operations of f are loops over plain memory.  An operation that fails leaves a number
/// that is marked; where such a number is used, the loops are left, and f runs as steps, which
/// report the failure.

#include <ravel/core/config.hpp>
#include <ravel/core/tile.hpp>
#include <ravel/flatten/columns.hpp>
#include <ravel/flatten/lift.hpp>
#include <ravel/flatten/lifted.hpp>
#include <ravel/flatten/plain_memory.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <new>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ravel::inline v0 {
namespace flattening {

/// The body of a loop cannot go on: it runs as steps instead.
struct left_loop {};
[[noreturn, gnu::noinline, gnu::cold]] inline void leave_loop() { throw left_loop{}; }

}  // namespace flattening

/// The value of one instance in a body that runs as a loop: flatten/plain_value.hpp.
template <class T>
struct plain_value {
  using element = T;
  T value;
  bool failed;  // the operation had no result, which matters only if this is used

  constexpr plain_value(T x = T{}, bool has_failed = false) : value(x), failed(has_failed) {}
  // Member by member: g++ copies both as one vector, which waits for the stores of the members.
  constexpr plain_value(plain_value const& x) : value(x.value), failed(x.failed) {}
  constexpr plain_value& operator=(plain_value const& x) {
    value = x.value;
    failed = x.failed;
    return *this;
  }
};
template <flattening::host_record R>
struct plain_value<R>;

namespace flattening {

template <class R, class Indices>
struct plain_members;
template <class R, std::size_t... I>
struct plain_members<R, std::index_sequence<I...>>
    : std::type_identity<std::tuple<plain_value<typename members_of<R>::template type<I>>...>> {};

/// How elements are stored: numbers as such, records as tuples.
template <class T>
struct stored_as : std::type_identity<T> {};
template <class T>
struct stored_as<nested<T>> : std::type_identity<plain_value<nested<T>>> {};
template <class R, class Indices>
struct stored_members;
template <class R, std::size_t... I>
struct stored_members<R, std::index_sequence<I...>>
    : std::type_identity<
          std::tuple<typename stored_as<typename members_of<R>::template type<I>>::type...>> {};
template <host_record R>
struct stored_as<R> : stored_members<R, member_indices<R>> {};
template <class T>
using stored_element = typename stored_as<T>::type;

}  // namespace flattening

template <flattening::host_record R>
struct plain_value<R> {
  using element = R;
  typename flattening::plain_members<R, flattening::member_indices<R>>::type members;
};
/// Of n elements from `data`, in memory that it shares, or that lives as long as the loop.
template <class T>
struct plain_value<nested<T>> {
  using element = nested<T>;
  using stored = flattening::stored_element<T>;
  stored const* data = nullptr;
  index_t n = 0;
  flattening::room<stored> memory = {};
};

// Sequences whose elements are made where they are used; settled_plain writes them to memory.

/// The numbers first, first + step, ..., as range and indices give them.
template <class T>
struct plain_range {
  using element = nested<T>;
  T first, step;
  index_t n;
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

namespace flattening {

template <class T>
inline constexpr bool is_plain_value<plain_value<T>> = true;
template <class T>
inline constexpr bool is_plain_value<plain_range<T>> = true;
template <class T, class F, class... X>
inline constexpr bool is_plain_value<plain_map<T, F, X...>> = true;
template <class... X>
inline constexpr bool is_plain_value<plain_zip<X...>> = true;
template <std::size_t I, class R>
inline constexpr bool is_plain_value<plain_column<I, R>> = true;

template <class T>
struct element_of_lifted<plain_value<T>> : std::type_identity<T> {};
template <class T>
struct element_of_lifted<plain_range<T>> : std::type_identity<nested<T>> {};
template <class T, class F, class... X>
struct element_of_lifted<plain_map<T, F, X...>> : std::type_identity<nested<T>> {};
template <class... X>
struct element_of_lifted<plain_zip<X...>> : std::type_identity<typename plain_zip<X...>::element> {
};
template <std::size_t I, class R>
struct element_of_lifted<plain_column<I, R>>
    : std::type_identity<typename plain_column<I, R>::element> {};

template <class T, class U>
auto loaded_as(U const& x) {
  if constexpr (host_record<T>) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return plain_value<T>{
          {loaded_as<typename members_of<T>::template type<I>>(std::get<I>(x))...}};
    }
    (member_indices<T>{});
  } else if constexpr (is_nested<T>::value) {
    return x;
  } else {
    return plain_value<T>{x};
  }
}

template <class T>
T number_in(plain_value<T> const& x) {
  return x.value;
}
template <atom T>
T number_in(T const& x) {
  return x;
}

/// Element i of a sequence.
template <class T>
auto element_in(plain_value<nested<T>> const& x, index_t i) {
  return loaded_as<T>(x.data[i]);
}
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
      [&](auto const&... of) { return plain_value<T>{x.f(number_in(operand_at(of, i))...)}; },
      x.operands);
}
template <class... X>
auto element_in(plain_zip<X...> const& x, index_t i) {
  using T = typename nested_type<element_of<plain_zip<X...>>>::of;
  return std::apply([&](auto const&... of) { return plain_value<T>{{element_in(of, i)...}}; },
                    x.operands);
}
template <std::size_t I, class R>
auto element_in(plain_column<I, R> const& x, index_t i) {
  return loaded_as<typename members_of<R>::template type<I>>(std::get<I>(x.records.data[i]));
}
template <class X>
concept deferred_sequence = plain_sequence<X> && !requires(X const& x) {
  x.data;
};

template <class F>
auto sequence_of(index_t n, F const& f);
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

/// Whether x, or a member of it, is marked as failed.
template <class X>
bool has_failed(X const& x) {
  if constexpr (host_record<element_of<X>>) {
    return std::apply([](auto const&... member) { return (has_failed(member) | ...); }, x.members);
  } else if constexpr (requires { x.failed; }) {
    return x.failed;
  } else {
    return false;
  }
}
template <class X>
void expect_value(X const& x) {
  if (has_failed(x)) [[unlikely]]
    leave_loop();
}
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

/// Elements that are written to memory without more ado, and need not be destroyed.  Tuples of numbers
/// are, which std::is_trivially_copyable denies.
template <class U>
inline constexpr bool is_plain_memory =
    std::is_trivially_copy_constructible_v<U>&& std::is_trivially_destructible_v<U>;

/// Writes f(i) to out[i] for i in [0, n); whether one has failed.  What f reads is not written, so
/// that numbers which are the same for all stay in registers.
template <class U, class F>
bool fill_with(U* __restrict out, index_t n, F const& f) {
  bool failed = false;
  for (index_t i = 0; i < n; ++i) {
    auto const x = f(i);
    if constexpr (is_plain_value<std::remove_const_t<decltype(x)>>) failed |= has_failed(x);
    ::new (static_cast<void*>(out + i)) U(stored_of(x));
  }
  return failed;
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
template <class F>
auto sequence_of(index_t n, F const& f) {
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

template <class X>
bool is_marked(X const& x) {
  if constexpr (plain_operand<X>) {
    return x.failed;
  } else {
    return false;
  }
}
/// An operator on sequences of numbers, or on one and a number: it is applied where elements are used.
template <class F, class... X>
auto deferred_map(apply_function<F> const& by, X const&... x) {
  using T = std::remove_cvref_t<decltype(by.f(std::declval<number_under<X>>()...))>;
  index_t n = -1;
  auto const add = [&](auto const& one) {
    if constexpr (plain_sequence<decltype(one)>) {
      if (n >= 0 && n != one.n) leave_loop();
      n = one.n;
    } else if constexpr (plain_operand<decltype(one)>) {
      expect_value(one);
    }
  };
  (add(x), ...);
  return plain_map<T, F, X...>{by.f, {x...}, n};
}
/// f of numbers, where one is plain.
template <class F, class... X>
auto apply_to_one(apply_function<F> const& by, X const&... x) {
  using T = std::remove_cvref_t<decltype(by.f(number_in(x)...))>;
  return plain_value<T>{by.f(number_in(x)...), static_cast<bool>((is_marked(x) | ...))};
}
template <class F, class A, class B>
auto apply_to_one(apply_division<F> const& by, A const& a, B const& b) {
  auto const x = settled_plain(a);
  auto const y = settled_plain(b);
  using T = std::remove_cvref_t<decltype(by.f(x.value, y.value))>;
  if constexpr (std::integral<element_of<A>> && std::integral<element_of<B>>) {
    if (y.value == 0) [[unlikely]]
      return plain_value<T>{T{}, true};
  }
  return plain_value<T>{by.f(x.value, y.value), static_cast<bool>(x.failed | y.failed)};
}
template <bool Stop, class A, class B>
plain_value<bool> apply_to_one(apply_short_circuit<Stop> const&, A const& a, B const& b) {
  auto const x = settled_plain(a);
  auto const y = settled_plain(b);
  bool const decided = x.value == Stop;
  return {decided ? Stop : y.value, x.failed || (!decided && y.failed)};
}

}  // namespace flattening
}  // namespace ravel::inline v0

// Structured bindings of records.
template <class R>
requires ravel::flattening::host_record<R>
struct std::tuple_size<ravel::plain_value<R>>
    : std::integral_constant<std::size_t, ravel::flattening::members_of<R>::count> {
};
template <std::size_t I, class R>
requires ravel::flattening::host_record<R>
struct std::tuple_element<I, ravel::plain_value<R>>
    : std::type_identity<
          ravel::plain_value<typename ravel::flattening::members_of<R>::template type<I>>> {
};
