#pragma once

/// Plain values: a number, record or sequence of one instance, for bodies that run as loops.
///
/// `serially(f)` calls f with these in place of lifted values, in one thread for each instance, so
/// that the operations of f are loops over plain memory.  An operation that fails leaves a number
/// that is marked; where such a number is used, the loops are left, and f runs as steps, which
/// report the failure.

#include <ravel/flatten/columns.hpp>
#include <ravel/flatten/lift.hpp>
#include <ravel/flatten/lifted.hpp>
#include <ravel/flatten/plain_memory.hpp>

#include <tuple>

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

namespace flattening {

template <class T>
inline constexpr bool is_plain_value<plain_value<T>> = true;

template <class X>
requires is_plain_value<X>
struct element_of_lifted<X> : std::type_identity<typename X::element> {
};

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
void expect_value(auto const& x) {
  if (has_failed(x)) [[unlikely]]
    leave_loop();
}

/// Elements that are written to memory without more ado, and need not be destroyed.  Tuples of numbers
/// are, which std::is_trivially_copyable denies.
template <class U>
inline constexpr bool is_plain_memory =
    std::is_trivially_copy_constructible_v<U>&& std::is_trivially_destructible_v<U>;

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
