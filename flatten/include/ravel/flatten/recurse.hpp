#pragma once

/// @file
/// Recursion: a function that calls itself, for all instances, until no instance
/// recurses further.
///
/// Each level of a recursion is a C++ call of the body, with stack frames.
/// Stacks are small and the depth depends on data; so a recursion that has used `own_stack` bytes
/// of its caller's stack continues in stack segments of its own (core/cpu/stack_segment.hpp).

#include <ravel/core/cpu/stack_segment.hpp>
#include <ravel/core/function_ref.hpp>
#include <ravel/flatten/compute.hpp>
#include <ravel/flatten/finish.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace ravel::inline v0 {

/// An option of `rec`: how deeply calls of a function may be nested.
///
///     rec<int(int)>(body, depth_limit{100})
///
/// A level takes about 2 KB of memory, besides the values of the body.
struct depth_limit {
  index_t calls = index_t{1} << 20;
};

namespace flattening {

/// The stack segments of a thread's recursions.
struct stack_of_recursion {
  static constexpr std::size_t own_stack = std::size_t{256} << 10;  // bytes of the caller's stack
  static constexpr std::size_t spare = std::size_t{256} << 10;      // left for calls from a level
  static constexpr std::size_t least = std::size_t{1} << 20, most = std::size_t{64} << 20;

  std::uintptr_t low = 0;  // frames below this go to another segment; 0 outside of recursions
  std::size_t bytes = least / 2;  // of the segment in use
};
inline thread_local stack_of_recursion recursion_stack;

#ifdef RAVEL_STACK_SEGMENTS
template <class F>
[[gnu::noinline, gnu::cold]] auto call_on_segment(F const& f) {
  auto& now = recursion_stack;
  std::size_t const bytes = std::min(2 * now.bytes, stack_of_recursion::most);
  cpu::stack_segment const segment(bytes);
  now = {reinterpret_cast<std::uintptr_t>(segment.lowest()) + stack_of_recursion::spare, bytes};
  return segment.call(f);
}
/// Calls f(), in a stack with enough room.
template <class F>
auto call_with_room(F const& f) {
  struct restored {
    stack_of_recursion const before = recursion_stack;
    restored() = default;
    restored(restored const&) = delete;
    restored& operator=(restored const&) = delete;
    ~restored() { recursion_stack = before; }
  } const until_return;
  auto const position = cpu::stack_position();
  auto& low = recursion_stack.low;
  if (low == 0) low = position - stack_of_recursion::own_stack;
  return position < low ? call_on_segment(f) : f();
}
#else
template <class F>
auto call_with_room(F const& f) {
  return f();
}
#endif

/// Adds the sequences of x to `rows`.
template <class E>
void add_rows(cells<E> const&, std::vector<std::weak_ptr<void const>>&) {}
template <class Ex, class S>
void add_rows(ragged<Ex, S> const& x, std::vector<std::weak_ptr<void const>>& rows) {
  rows.emplace_back(x.d);
  add_rows(x.child, rows);
}
template <class R, class... S>
void add_rows(fields<R, S...> const& x, std::vector<std::weak_ptr<void const>>& rows) {
  ravel::detail::call_with([&](auto const&... s) { (add_rows(s, rows), ...); }, x.members);
}

/// Drops what d remembers of its elements: copies, indices, and the context of those that it owns.
/// They are recreated if it is opened again.
template <class Ex>
void forget_elements(descriptor<Ex> const& d) {
  d.copies.clear();
  d.elements.reset();
  d.inner.reset();
}

/// A level whose body is running: it drops what it remembers of its arguments while deeper levels
/// run.
class running_level {
  std::vector<std::weak_ptr<void const>> rows_;  // of the arguments
  void (*forget_)(void const*);
  std::size_t entered_;

 public:
  /// For the body to be called with these arguments.
  template <class Ex, class... S>
  running_level(std::type_identity<Ex>, S const&... argument)
      : forget_([](void const* d) { forget_elements(*static_cast<descriptor<Ex> const*>(d)); }),
        entered_(entered<Ex>().size()) {
    (add_rows(argument, rows_), ...);
    ++running_levels;
  }
  running_level(running_level const&) = delete;
  running_level& operator=(running_level const&) = delete;
  ~running_level() { --running_levels; }

  /// Drops what is remembered of the arguments, and values moved to contexts that the body is
  /// inside of.
  template <class Ex>
  void drop() const {
    for (auto const& row : rows_) {
      if (auto const d = row.lock()) forget_(d.get());
    }
    auto& contexts = entered<Ex>();
    for (std::size_t k = entered_; k < contexts.size(); ++k) {
      contexts[k].opened.clear();
      contexts[k].c->moved.drop();
    }
  }
};

/// Whether an argument may own elements of sequences.
template <class X>
inline constexpr bool holds_elements = lifted_value<X>;
template <class Ex, class E>
inline constexpr bool holds_elements<lifted<Ex, cells<E>>> = has_fetch<E>;

/// x, which a level of a recursion moves to the next: on the host a copy, if its elements are slices
/// of more than 1.5 times as much memory, which this may release.  Opened slices are copied too.
template <class Ex, class S>
S without_gaps(context_ptr<Ex> const&, S const& x) {
  return x;
}
template <cpu::host_executor Ex, no_larger_than_index T>
ragged<Ex, cells<leaf<T>>> without_gaps(context_ptr<Ex> const& c,
                                        ragged<Ex, cells<leaf<T>>> const& x) {
  if (x.d->dense || !x.child.e.at.is_identity()) return x;
  measure(*c->on, *x.d);
  index_t const used = x.d->total * index_t{sizeof(T)};
  index_t held = 0;
  for (auto const& owner : x.child.keep) {
    auto const* const memory = std::get_deleter<memory_of<T, Ex>>(owner);
    held += memory ? memory->bytes() : 0;
  }
  if (held - used <= used / 2) return x;
  auto const out = hold<T>(c->ex(), x.d->total);
  visit_elements(*c->on, *x.d, copy_element<leaf<T>, T>{x.child.e, x.d->where(), out.data});
  return {rows_by<Ex>(c->n, x.d->total, x.d->starts), leaf_of(out.shared())};
}

/// The first parameter of a body: the function itself, `depth` levels down.
template <class Signature, class Body>
class recursive_call;
template <class R, class... A, class Body>
class recursive_call<R(A...), Body> {
  Body const* body_;
  depth_limit limit_;
  index_t depth_;
  running_level const* caller_;  // null at the first call

  template <class Ex, class T, class X>
  static column_t<Ex, T> argument(context_ptr<Ex> const& here,
                                  std::remove_reference_t<X> const& x) {
    if constexpr (lifted_value<X> || !std::convertible_to<X, T>) {
      static_assert(std::same_as<element_of<X>, T>,
                    "rec: an argument is not of the type in the signature");
      level_of(here, x);
      auto const s = settled(here, storage_in(here, x));
      if constexpr (is_moved<X>) return without_gaps(here, s);
      return s;
    } else {
      return settled(here, storage_in(here, static_cast<T>(x)));
    }
  }
  /// Scalars hold no elements, unless they read them, and are many in a deep recursion.
  template <class X>
  static void end_argument(X&& x) {
    if constexpr (holds_elements<std::remove_cvref_t<X>>) end_moved(std::forward<X>(x));
  }

 public:
  recursive_call(Body const& body, depth_limit limit, index_t depth, running_level const* caller)
      : body_(&body), limit_(limit), depth_(depth), caller_(caller) {}

  /// Another function, called at the depth of this.
  template <class Other, class Its>
  recursive_call<Other, Its> beside(Its const& body) const {
    return {body, limit_, depth_, caller_};
  }

  template <liftable... X>
  auto operator()(X&&... x) const -> lifted<executor_of_t<X...>, column_t<executor_of_t<X...>, R>> {
    static_assert(sizeof...(X) == sizeof...(A),
                  "rec: the signature has another number of arguments");
    using Ex = executor_of_t<X...>;
    auto const here = ambient(x...);
    if (here->n == 0) return lift_storage(here, empty_column<Ex, R>(here->ex()));
    if (depth_ > limit_.calls) {
      throw context_error(sentence("rec: a call at depth ", depth_, " is beyond depth_limit{",
                                   limit_.calls, "}; instances that still call: ", here->n));
    }
    return call_with_room([&] {
      std::tuple<column_t<Ex, A>...> arguments{argument<Ex, A, X>(here, x)...};
      (end_argument(std::forward<X>(x)), ...);
      return ravel::detail::call_with([&](auto&... argument) { return called(here, argument...); },
                                      arguments);
    });
  }

 private:
  /// Moves the arguments into the parameters of the body.
  template <class Ex, class... S>
  lifted<Ex, column_t<Ex, R>> called(context_ptr<Ex> const& here, S&... argument) const {
    if constexpr (far_from_host<Ex> && capture_nothing<Body>) {
      if (is_for_host(here, argument...)) {
        return lift_storage(here, finished_on_host(here, *this, argument...));
      }
    }
    if (caller_) caller_->template drop<Ex>();
    running_level const level(std::type_identity<Ex>{}, argument...);
    auto const body = [&] {
      recursive_call const self(*body_, limit_, depth_ + 1, &level);
      if constexpr (std::is_invocable_v<Body const&, recursive_call const&, lifted<Ex, S>...>) {
        using V = std::remove_cvref_t<
            std::invoke_result_t<Body const&, recursive_call const&, lifted<Ex, S>...>>;
        expect_liftable<V>();
        if constexpr (liftable<V>)
          return (*body_)(self, lift_storage(here, std::move(argument))...);
      } else {
        return returned_by(*body_, self, lift_storage(here, argument)...);
      }
    };
    auto const result = body();
    static_assert(std::same_as<element_of<decltype(result)>, R>,
                  "rec: the body's type differs from the declared result");
    level_of(here, result);
    return lift_storage(here, column(here, storage_in(here, result)));
  }
};

/// The function in a body that runs as a loop: flatten/plain_words.hpp.
template <class Signature, class Body>
struct plain_recursion;

template <class Signature, class Body>
class recursive {
  Body body_;
  depth_limit limit_;

 public:
  recursive(Body body, depth_limit limit) : body_(std::move(body)), limit_(limit) {}

  template <liftable... X>
  auto operator()(X const&... x) const {
    return recursive_call<Signature, Body>(body_, limit_, 1, nullptr)(x...);
  }
  template <class... X>
  requires(plain_operand<X> || ...) auto operator()(X const&... x) const {
    return plain_recursion<Signature, Body>{&body_, limit_, 1}(x...);
  }
};

/// Function I of several that call each other, of which `Functions` is made, as a body that calls
/// itself.
template <std::size_t I, class Body, class Functions>
struct body_beside {
  Body body;

  template <class Self, class... X>
  auto operator()(Self const& self, X&&... x) const {
    auto const& all = static_cast<Functions const&>(*this);
    return all.call_with_all(self, [&](auto const&... function) {
      constexpr bool takes_them =
          std::is_invocable_v<Body const&, decltype(function)..., decltype(std::forward<X>(x))...>;
      static_assert(takes_them,
                    "rec: a body of several cannot be called with all functions, in the order of "
                    "their signatures, and its arguments");
      if constexpr (takes_them) return body(function..., std::forward<X>(x)...);
    });
  }
};
template <std::size_t I, class Body, class Functions>
inline constexpr bool captures_nothing<body_beside<I, Body, Functions>> =
    Functions::capture_nothing_together;

template <class Indices, class Signatures, class... Body>
struct functions_beside;
template <std::size_t... I, class... Signature, class... Body>
struct functions_beside<std::index_sequence<I...>, std::tuple<Signature*...>, Body...>
    : body_beside<
          I, Body,
          functions_beside<std::index_sequence<I...>, std::tuple<Signature*...>, Body...>>... {
  static constexpr bool capture_nothing_together = capture_nothing<Body...>;
  template <std::size_t K, class B>
  static auto const& body_of(body_beside<K, B, functions_beside> const& body) {
    return body;
  }
  template <class Self, class F>
  auto call_with_all(Self const& self, F const& f) const {
    return f(self.template beside<Signature>(body_of<I>(*this))...);
  }
};

/// Function I of several.
template <std::size_t I, class Signature, class Functions>
class recursive_beside {
  Functions all_;

 public:
  explicit recursive_beside(Functions all) : all_(std::move(all)) {}

  template <liftable... X>
  auto operator()(X const&... x) const {
    auto const& body = Functions::template body_of<I>(all_);
    return recursive_call<Signature, std::remove_cvref_t<decltype(body)>>(body, {}, 1,
                                                                          nullptr)(x...);
  }
  template <class... X>
  requires(plain_operand<X> || ...) auto operator()(X const&... x) const {
    auto const& body = Functions::template body_of<I>(all_);
    return plain_recursion<Signature, std::remove_cvref_t<decltype(body)>>{&body, {}, 1}(x...);
  }
};

}  // namespace flattening

/// A function of the given type whose body may call itself:
///
///     auto const factorial = rec<int(int)>([](auto self, auto n) {
///       return if_(n < 2, [&] { return n * 0 + 1; }, [&] { return n * self(n - 1); });
///     });
///     each([3 1 7], factorial)      [6 1 5040]
///
/// The body's first parameter is the function itself.  A call without instances does not run the
/// body, so that recursion ends when it has ended for all instances.
///
/// Shapes   The types are element types: rec<nested<int>(nested<int>, int)>.
/// Cost     As many steps as the deepest instance needs, if the body has one recursive call: each
///          of two calls in sequence would double the steps, so use `each(list(a, b), self)` for
///          both at once.  Frames use 256 KB of the calling thread's stack, and beyond that
///          separate memory, about 2 KB a level.
///          On a device, a call whose arguments have fewer than `tuned().nested`
///          elements in total is finished on the host, if the body captures nothing.
/// Errors   context_error, with the depth, if calls are nested more deeply than `depth_limit`,
///          by default 2^20; allocation_error if there is no memory for them.
template <class Signature, class Body>
requires(!std::is_function_v<Body>) auto rec(Body body, depth_limit limit = {}) {
  return flattening::recursive<Signature, Body>(std::move(body), limit);
}

/// Functions of the given types whose bodies may call themselves and each other: a tuple of them.
///
///     auto const [is_even, is_odd] = rec<bool(int), bool(int)>(
///         [](auto, auto is_odd, auto n) {
///           return if_(n == 0, [&] { return n == n; }, [&] { return is_odd(n - 1); });
///         },
///         [](auto is_even, auto, auto n) {
///           return if_(n == 0, [&] { return n != n; }, [&] { return is_even(n - 1); });
///         });
///     each([3 4 0], is_even)      [false true true]
///
/// The first parameters of each body are all functions, in the order of their types.
///
/// Cost     As of one function: instances that call different functions at one level take a call
///          of each, one after the other.
template <class First, class Second, class... More, class... Body>
requires(std::is_function_v<Second>) auto rec(Body... body) {
  constexpr std::size_t count = 2 + sizeof...(More);
  static_assert(sizeof...(Body) == count,
                "rec: functions that call each other are as many types and as many bodies");
  if constexpr (sizeof...(Body) == count) {
    using signatures = std::tuple<First*, Second*, More*...>;
    return [&]<std::size_t... I>(std::index_sequence<I...> indices) {
      flattening::functions_beside<decltype(indices), signatures, Body...> const all{
          {std::move(body)}...};
      return std::tuple{
          flattening::recursive_beside<I,
                                       std::remove_pointer_t<std::tuple_element_t<I, signatures>>,
                                       std::remove_const_t<decltype(all)>>(all)...};
    }
    (std::make_index_sequence<count>{});
  }
}

}  // namespace ravel::inline v0
