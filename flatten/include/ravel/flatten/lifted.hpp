#pragma once

/// Lifted values: a variable of a nested program, which has a value for each
/// instance of a context.

#include <ravel/core/cpu/buffer.hpp>
#include <ravel/core/function_ref.hpp>
#include <ravel/core/owning_iterator.hpp>
#include <ravel/flatten/columns.hpp>
#include <ravel/flatten/context.hpp>
#include <ravel/flatten/errors.hpp>
#include <ravel/flatten/storage.hpp>

#include <iterator>
#include <tuple>

namespace ravel::inline v0 {

namespace flattening {

/// What iterating over a sequence on the host yields.
template <class S>
struct host_element : std::type_identity<void> {};
template <class Ex, class S>
struct host_element<ragged<Ex, S>> : std::type_identity<host_t<typename S::element>> {};
template <class S>
using host_element_t = typename host_element<S>::type;

}  // namespace flattening

/// A value for each instance of a context: the parameters of the lambda of
/// `each`, and everything computed from them.
///
/// Ex is the executor of its elements, S their representation; `value<Ex,
/// T>` is the lifted type of computed values of element type T, and `element_of<X>`
/// is the T of any lifted type X.
///
/// A copy shares what the value holds, and a move is a copy, so every value stays usable, unless it
/// is moved into a call that says that it updates in place, as `write` does.  A lifted record, or a
/// sequence of records, has a structured binding: `auto [key, row] = entry;`.
///
/// Outside of lambdas a sequence is an input range of host values: each begin() copies its elements
/// there, as to_host does.
///
///     for (auto const& row : rows) ...           std::vector<int> const& row, of [[int]]
///     rows | std::views::take(2)
template <class Ex, class S>
struct lifted {
  using executor_type = Ex;
  S s;
  flattening::context_ptr<Ex> c;

  lifted(S&& storage, flattening::context_ptr<Ex> const& context)
      : s(std::move(storage)), c(context) {}
  lifted(lifted const&) = default;
  lifted& operator=(lifted const&) = default;

  owning_iterator<flattening::host_element_t<S>> begin() const requires(flattening::is_rows<S>) {
    using T = flattening::host_element_t<S>;
    if constexpr (std::same_as<T, bool>) {  // whose vector has no elements in memory
      auto const bools = to_host(*this);
      cpu::buffer<bool> elements(static_cast<index_t>(bools.size()));
      std::copy(bools.begin(), bools.end(), elements.begin());
      return owning_iterator<T>(std::move(elements));
    } else {
      return owning_iterator<T>(to_host(*this));
    }
  }
  std::default_sentinel_t end() const requires(flattening::is_rows<S>) { return {}; }
  /// Sources of pipelines, where they are: elements, a column for each member of records, and the elements
  /// of sequences with the offsets of these.
  auto elements_in_memory() const requires(flattening::is_rows_of_cells<S>) {
    return elements(*this);
  }
  auto columns_in_memory() const requires(flattening::is_rows_of_fields<S>) {
    return columns(*this);
  }
  auto segments_in_memory() const requires(flattening::is_rows_of_rows<S>) {
    return elements_with_offsets(*this);
  }

  template <class I>
  void operator[](I const&) const {
    static_assert(flattening::never<I>, "x[i] of a lifted sequence is at(x, i)");
  }
  void push_back(auto const&) const {
    static_assert(flattening::never<S>,
                  "x.push_back(y) of a lifted sequence is append(x, list(y))");
  }
  void operator+=(auto const&) const { refuse_to_change(); }
  void operator-=(auto const&) const { refuse_to_change(); }
  void operator*=(auto const&) const { refuse_to_change(); }
  void operator++() const { refuse_to_change(); }
  static void refuse_to_change() {
    static_assert(flattening::never<S>,
                  "a lifted value is not changed by x += y or ++x: auto const z = x + y");
  }
  template <std::same_as<bool> B>
  explicit operator B() const {
    static_assert(
        flattening::never<B>,
        "a lifted bool cannot steer C++'s if, while, ?:, && or ||: use if_(c, [&] { ... }, "
        "[&] { ... }), select(c, a, b) or while_");
    return B();
  }
};

/// The lifted type of computed values of element type `T`.
///
///     value<cpu::threads, nested<nested<double>>> const rows = from(ex, vectors);
template <class Ex, class T>
using value = lifted<Ex, flattening::column_t<Ex, T>>;

namespace flattening {

/// The members that a structured binding yields: of a record, or of a sequence of records.
template <class S>
struct members_bound {
  static_assert(never<S>,
                "a structured binding is of a lifted tuple or struct, or of a sequence of them: "
                "this lifted value has no members");
};
template <class R, class... S>
struct members_bound<fields<R, S...>> : std::tuple_size<std::tuple<S...>> {
  template <std::size_t I>
  using type = std::tuple_element_t<I, std::tuple<S...>>;
};
template <class Ex, class R, class... S>
struct members_bound<ragged<Ex, fields<R, S...>>> : std::tuple_size<std::tuple<S...>> {
  template <std::size_t I>
  using type = ragged<Ex, std::tuple_element_t<I, std::tuple<S...>>>;
};

template <class X>
inline constexpr bool is_lifted = false;
template <class Ex, class S>
inline constexpr bool is_lifted<lifted<Ex, S>> = true;

template <class X>
struct element_of_lifted;
template <class Ex, class S>
struct element_of_lifted<lifted<Ex, S>> : std::type_identity<typename S::element> {};
template <atom T>
struct element_of_lifted<T> : std::type_identity<T> {};

}  // namespace flattening

/// `X` is lifted: a scalar, a record or a sequence for each instance.
template <class X>
concept lifted_value = flattening::is_lifted<std::remove_cvref_t<X>>;
/// The type of the value of X at each instance.
template <class X>
using element_of = typename flattening::element_of_lifted<std::remove_cvref_t<X>>::type;
/// `X` is a lifted sequence.
template <class X>
concept lifted_sequence = lifted_value<X> && flattening::is_nested<element_of<X>>::value;
/// `X` is a lifted record.
template <class X>
concept lifted_record = lifted_value<X> && flattening::host_record<element_of<X>>;
/// `X` is a lifted scalar.
template <class X>
concept lifted_scalar = lifted_value<X> && !lifted_sequence<X> && !lifted_record<X>;
/// `X` is a lifted scalar, or a value of the host, which is the same for all instances.
template <class X>
concept scalar = lifted_scalar<X> || atom<std::remove_cvref_t<X>>;
/// `X` is the value of one instance, in a body that runs as a loop: a scalar, a record or a sequence.
template <class X>
concept plain_operand = flattening::is_plain_value<std::remove_cvref_t<X>>;
template <class X>
concept plain_sequence = plain_operand<X> && flattening::is_nested<element_of<X>>::value;
/// `X` is a value of a nested program, whether it runs as steps or as a loop.
template <class X>
concept operand = lifted_value<X> || plain_operand<X>;
template <class X>
concept sequence_operand = lifted_sequence<X> || plain_sequence<X>;
/// `X` may be returned from a lambda of a nested program.
template <class X>
concept liftable = lifted_value<X> || atom<std::remove_cvref_t<X>>;

namespace flattening {

/// The executor of the first lifted operand.
template <class... X>
struct executor_of {
  static_assert(never<std::tuple<X...>>,
                "an operation of a nested program needs an operand that is lifted: `from(ex, x)` "
                "lifts a value of the host");
};
template <class X, class... Rest>
struct executor_of<X, Rest...> : executor_of<Rest...> {};
template <class Ex, class S, class... Rest>
struct executor_of<lifted<Ex, S>, Rest...> : std::type_identity<Ex> {};
template <class... X>
using executor_of_t = typename executor_of<std::remove_cvref_t<X>...>::type;
/// Whether operands are nested values of the host, and none a plain value.
template <class... X>
inline constexpr bool are_on_host = false;
template <class... X>
requires(!plain_operand<X> &&
         ...) inline constexpr bool are_on_host<X...> = cpu::host_executor<executor_of_t<X...>>;

template <class Ex, class X, class... Rest>
context_ptr<Ex> const& first_context(X const& x, Rest const&... rest) {
  if constexpr (lifted_value<X>) {
    return x.c;
  } else {
    return first_context<Ex>(rest...);
  }
}

[[noreturn]] inline void throw_escaped() {
  throw context_error(
      "a lifted value is used outside of the lambda that it was a parameter of, or was made in, or "
      "after it was moved into a call");
}

/// Throws unless c has exactly one instance, for a call that exports a value of it.
template <class Ex>
void expect_one(char const* call, context_ptr<Ex> const& c) {
  if (c->level == 0) return;
  if (entered<Ex>().empty()) throw_escaped();
  throw context_error(sentence(call, ": inside a lambda a value has many instances: return it, ",
                               "and call this with the result of the program"));
}

/// The current context.  Outside of any lambda that is the root of the operands, of which one is in
/// `c`.
template <class Ex>
context_ptr<Ex> ambient_of(context_ptr<Ex> const& c) {
  return entered<Ex>().empty() ? above(c, 0) : entered<Ex>().back().c;
}
template <class... X>
auto ambient(X const&... x) {
  using Ex = executor_of_t<X...>;
  return ambient_of(first_context<Ex>(x...));
}

/// The level of c, which must be `here` or above it.
template <class Ex>
int level_in(context_ptr<Ex> const& here, context_ptr<Ex> const& c) {
  if (c->level == 0) return 0;
  if (c->level > here->level || above(here, c->level) != c) throw_escaped();
  return c->level;
}
/// The level of the context of x, which must be `here` or above it.
template <class Ex, class X>
int level_of(context_ptr<Ex> const& here, X const& x) {
  if constexpr (lifted_value<X>) {
    static_assert(std::same_as<typename X::executor_type, Ex>,
                  "the operands of an operation are on executors of different types");
    return level_in(here, x.c);
  } else {
    return 0;
  }
}

/// The context of an operation whose deepest operand is of that level.
template <class Ex>
context_ptr<Ex> const& resolved(context_ptr<Ex> const& here, int deepest) {
  return deepest == 0 && here->n > 0 ? above(here, 0) : covered_above(here, deepest);
}
/// The context of an operation: the outermost that its operands allow and whose instances
/// all have active instances, so that it runs once for all that share it, and fails
/// only for an active instance.
auto resolve(auto const&... x) {
  auto const here = ambient(x...);
  int const deepest = std::max({level_of(here, x)...});
  return resolved(here, deepest);
}
template <class Ex, class S>
lifted<Ex, S> lift_storage(context_ptr<Ex> const& c, S s) {
  return {std::move(s), c};
}

template <class E>
void release(cells<E>& x) {
  x.keep = {};
}
template <class Ex, class S>
void release(ragged<Ex, S>& x) {
  static descriptor_ptr<Ex> const none = std::make_shared<descriptor<Ex> const>();
  x.d = none;
  release(x.child);
}
template <class R, class... S>
void release(fields<R, S...>& x) {
  ravel::detail::call_with([](auto&... member) { (release(member), ...); }, x.members);
}
/// Whether X is deduced from an operand that is a temporary, or was moved.
template <class X>
inline constexpr bool is_moved = !std::is_reference_v<X> && !std::is_const_v<X>;
/// Ends the value of an operand that the caller moved: it releases its memory, and gets a context
/// that is never entered, so that a later use throws.
template <class X>
void end_moved(X&& x) {
  if constexpr (is_moved<X> && lifted_value<X>) {
    using context = context<typename X::executor_type>;
    auto&& ended = std::forward<X>(x);
    release(ended.s);
    ended.c =
        std::make_shared<context const>(context{ended.c->on, ended.c, 0, ended.c->level + 1, {}});
  }
}

}  // namespace flattening
}  // namespace ravel::inline v0

// Structured bindings, by get<I> of record.hpp.
template <class Ex, class S>
struct std::tuple_size<ravel::lifted<Ex, S>>
    : std::integral_constant<std::size_t, ravel::flattening::members_bound<S>::value> {};
template <std::size_t I, class Ex, class S>
struct std::tuple_element<I, ravel::lifted<Ex, S>>
    : std::type_identity<
          ravel::lifted<Ex, typename ravel::flattening::members_bound<S>::template type<I>>> {};
