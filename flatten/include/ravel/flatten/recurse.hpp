#pragma once

/// Recursion: a function that calls itself, for all instances, until no instance
/// recurses further.

#include <ravel/core/std_memory.hpp>
#include <ravel/flatten/compute.hpp>
#include <ravel/flatten/each.hpp>
#include <ravel/flatten/finish.hpp>
#include <ravel/flatten/recursion_stack.hpp>

#include <tuple>
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

/// The function in a body that runs as a loop: flatten/plain_words.hpp.
template <class Signature, class Body>
struct plain_recursion;

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
  limit_on_host of_host_;

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
  recursive_call(Body const& body, depth_limit limit, index_t depth, running_level const* caller,
                 limit_on_host of_host = {})
      : body_(&body), limit_(limit), depth_(depth), caller_(caller), of_host_(of_host) {}

  /// The same for values of one instance, in a loop.
  plain_recursion<R(A...), Body> in_loop() const { return {body_, limit_, depth_}; }

  /// Another function, called at the depth of this.
  template <class Other, class Its>
  recursive_call<Other, Its> beside(Its const& body) const {
    return {body, limit_, depth_, caller_, of_host_};
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
    limit_on_host of_host = of_host_;
    if constexpr (far_from_host<Ex> && capture_nothing<Body>) {
      if (auto const results = finished_on_host(here, of_host, *this, argument...)) {
        return lift_storage(here, *results);
      }
    }
    if (caller_) caller_->template drop<Ex>();
    if constexpr (requires { body_->results_of_loops(*this, here, argument...); }) {
      if (auto const results = body_->results_of_loops(*this, here, argument...)) {
        return lift_storage(here, *results);
      }
    }
    running_level const level(std::type_identity<Ex>{}, argument...);
    auto const body = [&] {
      recursive_call const self(*body_, limit_, depth_ + 1, &level, of_host);
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

template <class Signature, class Body>
class recursive {
  Body body_;
  depth_limit limit_;

 public:
  recursive(Body body, depth_limit limit) : body_(std::move(body)), limit_(limit) {}

  auto operator()(liftable auto const&... x) const {
    return recursive_call<Signature, Body>(body_, limit_, 1, nullptr)(x...);
  }
  template <class... X>
  requires(plain_operand<X> || ...) auto operator()(X const&... x) const {
    return plain_recursion<Signature, Body>{&body_, limit_, 1}(x...);
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
/// A body serially(f, k) runs as steps until its calls are as many as threads, as serial_body.hpp says, and
/// each call then as loops by one thread.  So threads share one recursion whatever f captures, where
/// serially(rec<R(A)>(f)) of one instance runs in one.
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
  if constexpr (requires { body.in_recursion(); }) {
    using serial = decltype(body.in_recursion());
    return flattening::recursive<Signature, serial>(body.in_recursion(), limit);
  } else {
    return flattening::recursive<Signature, Body>(std::move(body), limit);
  }
}

}  // namespace ravel::inline v0
