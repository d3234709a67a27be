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

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <memory>
#include <new>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ravel::inline v0 {
namespace flattening {

/// The body of a loop cannot go on: it runs as steps instead.
struct left_loop {};
[[noreturn, gnu::noinline, gnu::cold]] inline void leave_loop() { throw left_loop{}; }

/// Blocks of memory that a thread has released, in lists by their size, for the next sequences of
/// loops: they are then still in the cache.  Trivial, so that a thread finds it without a test.
struct spare_blocks {
  static constexpr std::size_t least = 64, classes = 16;
  static constexpr int most_of_class = 32;
  struct block {
    block* next;
  };
  block* first[classes];
  int count[classes];

  static std::size_t class_of(std::size_t bytes) {
    return static_cast<std::size_t>(std::bit_width((std::max(bytes, least) - 1) / least));
  }
  void* take(std::size_t bytes) {
    std::size_t const k = class_of(bytes);
    if (k >= classes || first[k] == nullptr) [[unlikely]]
      return made(bytes, k);
    --count[k];
    return std::exchange(first[k], first[k]->next);
  }
  void give(void* released, std::size_t bytes) {
    std::size_t const k = class_of(bytes);
    if (k >= classes || count[k] == most_of_class) [[unlikely]]
      return ::operator delete(released);
    ++count[k];
    first[k] = ::new (released) block{first[k]};
  }
  void clear() {
    for (auto& list : first) {
      while (list != nullptr) ::operator delete(std::exchange(list, list->next));
    }
  }

 private:
  static void* made(std::size_t bytes, std::size_t k);
};
inline thread_local constinit spare_blocks spare_blocks_of_thread{};

inline void* spare_blocks::made(std::size_t bytes, std::size_t k) {
  struct until_exit {
    ~until_exit() { spare_blocks_of_thread.clear(); }
  };
  thread_local until_exit const of_this_thread;
  static_cast<void>(of_this_thread);
  return ::operator new(k < classes ? least << k : bytes);
}

/// Memory for elements, shared by the sequences of one thread that are parts of it.
template <class U>
class room {
  struct header {
    index_t owners, made, bytes;
  };
  static constexpr std::size_t ahead = std::max(sizeof(header), alignof(U));
  header* head_ = nullptr;

  void release() {
    if (head_ == nullptr || --head_->owners > 0) return;
    if constexpr (!std::is_trivially_destructible_v<U>) std::destroy_n(data(), head_->made);
    spare_blocks_of_thread.give(head_, static_cast<std::size_t>(head_->bytes));
  }

 public:
  room() = default;
  explicit room(index_t n) {
    std::size_t const bytes = ahead + static_cast<std::size_t>(n) * sizeof(U);
    static_assert(alignof(U) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
    head_ = ::new (spare_blocks_of_thread.take(bytes)) header{1, 0, static_cast<index_t>(bytes)};
  }
  room(room const& from) noexcept : head_(from.head_) {
    if (head_) ++head_->owners;
  }
  room(room&& from) noexcept : head_(std::exchange(from.head_, nullptr)) {}
  room& operator=(room from) noexcept {
    std::swap(head_, from.head_);
    return *this;
  }
  ~room() { release(); }

  U* data() const { return reinterpret_cast<U*>(reinterpret_cast<std::byte*>(head_) + ahead); }
  bool is_only_owner() const { return head_ && head_->owners == 1; }
  /// Notes that elements [0, n) exist, which are destroyed with the memory.
  void has_made(index_t n) const { head_->made = n; }
};

}  // namespace flattening

/// The value of one instance in a body that runs as a loop: flatten/plain_value.hpp.
template <class T>
struct plain_value {
  using element = T;
  T value;
  bool failed = false;  // the operation had no result, which matters only if this is used
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
/// The numbers first, first + step, ..., as range and indices give them.
template <class T>
struct plain_range {
  using element = nested<T>;
  T first, step;
  index_t n;
};

namespace flattening {

template <class T>
inline constexpr bool is_plain_value<plain_value<T>> = true;
template <class T>
inline constexpr bool is_plain_value<plain_range<T>> = true;

template <class T>
struct element_of_lifted<plain_value<T>> : std::type_identity<T> {};
template <class T>
struct element_of_lifted<plain_range<T>> : std::type_identity<nested<T>> {};

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

/// A value of the host or a range as a plain value; plain values themselves.
template <class X>
decltype(auto) settled_plain(X&& x) {
  using V = std::remove_cvref_t<X>;
  if constexpr (!is_plain_value<V>) {
    return plain_value<V>{x};
  } else if constexpr (requires { x.step; }) {
    using T = std::remove_cvref_t<decltype(x.first)>;
    room<T> memory(x.n);
    T* const out = memory.data();
    for (index_t i = 0; i < x.n; ++i) out[i] = element_in(x, i).value;
    return plain_value<nested<T>>{out, x.n, std::move(memory)};
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
    return std::apply([](auto const&... member) { return (has_failed(member) || ...); }, x.members);
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

/// The sequence of f(i) for i in [0, n).
template <class F>
auto sequence_of(index_t n, F const& f) {
  using T = element_of<decltype(f(n))>;
  using U = stored_element<T>;
  room<U> memory(n);
  U* const out = memory.data();
  if constexpr (std::is_trivially_copyable_v<U>) {
    bool failed = false;
    for (index_t i = 0; i < n; ++i) {
      auto const x = f(i);
      if constexpr (is_plain_value<std::remove_const_t<decltype(x)>>) failed |= has_failed(x);
      out[i] = stored_of(x);
    }
    if (failed) [[unlikely]]
      leave_loop();
  } else {
    for (index_t i = 0; i < n; ++i) {
      auto x = f(i);
      expect_value(x);
      ::new (static_cast<void*>(out + i)) U(stored_of(std::move(x)));
      memory.has_made(i + 1);
    }
  }
  return plain_value<nested<T>>{out, n, std::move(memory)};
}

template <class T>
T number_in(plain_value<T> const& x) {
  return x.value;
}
template <atom T>
T number_in(T const& x) {
  return x;
}
template <class X>
bool is_marked(X const& x) {
  if constexpr (plain_operand<X>) {
    return x.failed;
  } else {
    return false;
  }
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
