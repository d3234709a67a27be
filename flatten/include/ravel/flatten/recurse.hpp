#pragma once

/// @file
/// Recursion: a function that calls itself, for all instances, until no instance
/// recurses further.
///
/// Each level of a recursion is a C++ call of the body, with stack frames.
/// Stacks are small and the depth depends on data; so a recursion that has used `own_stack` bytes
/// of its caller's stack continues in stack segments of its own (core/cpu/stack_segment.hpp).

#include <ravel/core/call_with.hpp>
#include <ravel/core/cpu/stack_segment.hpp>
#include <ravel/flatten/compute.hpp>
#include <ravel/flatten/finish.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

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

/// Drops copies of elements of x.  They are recreated if x is opened again.
template <class E>
void drop_copies(cells<E> const&) {}
template <class Ex, class S>
void drop_copies(ragged<Ex, S> const& x) {
  x.d->copies.clear();
  drop_copies(x.child);
}
template <class R, class... S>
void drop_copies(fields<R, S...> const& x) {
  ravel::detail::call_with([](auto const&... s) { (drop_copies(s), ...); }, x.members);
}

/// A level whose body is running: it drops cached copies while deeper levels run.
class running_level {
  void const* arguments_;
  void (*drop_copies_)(void const*);
  std::size_t entered_;

 public:
  /// For the body to be called with these arguments.
  template <class Ex, class... X>
  running_level(std::type_identity<Ex>, std::tuple<X const&...> const& arguments)
      : arguments_(&arguments),
        drop_copies_([](void const* x) {
          ravel::detail::call_with([](auto const&... one) { (drop_copies(one.s), ...); },
                                   *static_cast<std::tuple<X const&...> const*>(x));
        }),
        entered_(entered<Ex>().size()) {
    ++running_levels;
  }
  running_level(running_level const&) = delete;
  running_level& operator=(running_level const&) = delete;
  ~running_level() { --running_levels; }

  /// Drops the copies of the arguments, and values moved to contexts that the body is inside of.
  template <class Ex>
  void drop() const {
    drop_copies_(arguments_);
    auto& contexts = entered<Ex>();
    for (std::size_t k = entered_; k < contexts.size(); ++k) {
      contexts[k].opened.clear();
      contexts[k].c->moved.drop();
    }
  }
};

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
  static lifted<Ex, column_t<Ex, T>> argument(context_ptr<Ex> const& here, X const& x) {
    if constexpr (lifted_value<X> || !std::convertible_to<X, T>) {
      static_assert(std::same_as<element_of<X>, T>,
                    "rec: an argument is not of the type in the signature");
      level_of(here, x);
      return lift_storage(here, settled(here, storage_in(here, x)));
    } else {
      return lift_storage(here, settled(here, storage_in(here, static_cast<T>(x))));
    }
  }

 public:
  recursive_call(Body const& body, depth_limit limit, index_t depth, running_level const* caller)
      : body_(&body), limit_(limit), depth_(depth), caller_(caller) {}

  template <liftable... X>
  auto operator()(X const&... x) const
      -> lifted<executor_of_t<X...>, column_t<executor_of_t<X...>, R>> {
    static_assert(sizeof...(X) == sizeof...(A),
                  "rec: the signature has another number of arguments");
    using Ex = executor_of_t<X...>;
    auto const here = ambient(x...);
    if (here->n == 0) return lift_storage(here, empty_column<Ex, R>(here->ex()));
    if (depth_ > limit_.calls) {
      throw context_error(sentence("rec: a call at depth ", depth_, " is beyond depth_limit{",
                                   limit_.calls, "}; instances that still call: ", here->n));
    }
    return call_with_room([&] { return called(here, argument<Ex, A>(here, x)...); });
  }

 private:
  template <class Ex, class... X>
  lifted<Ex, column_t<Ex, R>> called(context_ptr<Ex> const& here, X const&... x) const {
    if constexpr (far_from_host<Ex> && capture_nothing<Body>) {
      if (is_for_host(here, x.s...)) {
        return lift_storage(here, finished_on_host(here, *this, x.s...));
      }
    }
    if (caller_) caller_->template drop<Ex>();
    std::tuple<X const&...> const arguments{x...};
    running_level const level(std::type_identity<Ex>{}, arguments);
    recursive_call const self(*body_, limit_, depth_ + 1, &level);
    auto const result = returned_by(*body_, self, x...);
    static_assert(std::same_as<element_of<decltype(result)>, R>,
                  "rec: the body's type differs from the declared result");
    level_of(here, result);
    return lift_storage(here, column(here, storage_in(here, result)));
  }
};

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
auto rec(Body body, depth_limit limit = {}) {
  return flattening::recursive<Signature, Body>(std::move(body), limit);
}

}  // namespace ravel::inline v0
