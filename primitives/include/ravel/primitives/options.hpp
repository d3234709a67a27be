#pragma once

/// Options of primitives.
///
///     exclusive_scan(ex, in, out, plus{}, from(100), backward, total_to(sum))
///     unique(ex, in, out, equal_by(close{}), total_to(count))
///
/// Options are the last arguments, in any order.

#include <ravel/core/member.hpp>
#include <ravel/core/segments.hpp>

namespace ravel::inline v0 {

namespace detail {

/// The kinds of options; each type of option names its own.  Of a kind and those derived from it a
/// call takes one option.
namespace option {
struct from {};
struct total {};
struct backward {};
struct equal {};
struct order {};
struct tuples {};
struct algorithm {};
struct scan : algorithm {};
struct segmented_scan : algorithm {};
}  // namespace option

template <class O, class Kind>
concept option_of = std::derived_from<typename O::kind, Kind>;

template <class Kind, class... Options>
inline constexpr int count_of = (0 + ... + int{option_of<Options, Kind>});
template <class Kind, class... Options>
inline constexpr bool has = count_of<Kind, Options...> > 0;

/// The kinds of options that a call takes: any of them, each once.
template <class... Kind>
struct takes {
  template <class... Options>
  static constexpr bool all = ((count_of<Kind, Options...> <= 1) && ...) &&
                              (0 + ... + count_of<Kind, Options...>) == sizeof...(Options);
};
template <class Kinds, class... Options>
inline constexpr bool are_options = Kinds::template all<Options...>;

/// The option of a kind, or what stands for none.
template <class Kind, class None>
constexpr None option_or(None const& none) {
  return none;
}
template <class Kind, class None, class O, class... Rest>
constexpr auto option_or(None const& none, O const& option, Rest const&... rest) {
  if constexpr (option_of<O, Kind>) {
    return option;
  } else {
    return option_or<Kind>(none, rest...);
  }
}

}  // namespace detail

/// From the last element to the first; operands keep their left and right.
struct backward_t {
  using kind = detail::option::backward;
};
inline constexpr backward_t backward{};

/// The result of `from` for a value.
template <class T>
struct from_value {
  using kind = detail::option::from;
  T value;
};

/// The result of `from` for a sequence of one element.
template <class T, class Space>
struct from_element {
  using kind = detail::option::from;
  using space = Space;
  T const* value;
};

/// The result of `total_to`.
template <class T, class Space>
struct total_to_element {
  using kind = detail::option::total;
  using space = Space;
  T* total;
};

/// The result of `equal_by`.
template <class Eq>
struct equality {
  using kind = detail::option::equal;
  Eq eq;
};

/// The type of `of_order<Q>`.
template <int Q>
struct order_t {
  using kind = detail::option::order;
  static constexpr int value = Q;
  static_assert(1 <= Q && Q <= 8, "of_order<q>: orders are 1 to 8");
};

/// Repeated sums, Q times:  of_order<2>  gives the result of two consecutive scans.
template <int Q>
inline constexpr order_t<Q> of_order{};

/// The type of `of_tuples<S>`.
template <int S>
struct tuples_t {
  using kind = detail::option::tuples;
  static constexpr int value = S;
  static_assert(1 <= S && S <= 8, "of_tuples<s>: tuples are of 1 to 8 elements");
};

/// Every S-th element by itself, S times: the sequence is one of interleaved tuples.
template <int S>
inline constexpr tuples_t<S> of_tuples{};

/// Start from `initial` instead of the identity: it is combined before the first element (backward:
/// after the last), in each segment if there are any.
template <class T>
requires(!sequence<T>) from_value<T> from(T initial) { return {initial}; }

/// Start from the one element of a sequence in the executor's memory, read when
/// the work runs.
///
/// Errors   contract_error unless it has one element.
template <sequence R>
auto from(R&& initial) {
  static_assert(detail::outlives_the_call<R>, "from: the initial value is in a temporary");
  expects(size_of(initial) == 1, "from: the initial value is a sequence of ", size_of(initial),
          " elements and not of one");
  return from_element<element_t<R>, space_of_t<R>>{view_of(initial).data()};
}

/// Write the total to the one element of `total`, a sequence in the executor's memory, when the
/// work runs.
///
/// Errors   contract_error unless it has one element.
template <sequence R>
auto total_to(R&& total) {
  static_assert(detail::outlives_the_call<R>, "total_to: the total goes to a temporary");
  expects(size_of(total) == 1, "total_to: the total goes to a sequence of ", size_of(total),
          " elements and not of one");
  return total_to_element<element_t<R>, space_of_t<R>>{view_of(total).data()};
}

/// Adjacent x, y are in one run if eq(x, y), instead of x == y.
template <class Eq>
equality<function_t<Eq>> equal_by(Eq eq) {
  return {as_function(eq)};
}

namespace detail {

/// A seed is a function that returns the value to start from.
template <class M>
struct seed_identity {
  M m;
  RAVEL_HD auto operator()() const { return m.identity(); }
};
template <class T>
struct seed_value {
  T value;
  RAVEL_HD T operator()() const { return value; }
};
template <class T, class U>
struct seed_element {
  U const* value;
  RAVEL_HD T operator()() const { return T(*value); }
};

/// A receiver is called with the total, once.
struct no_total {
  template <class T>
  RAVEL_HD void operator()(T const&) const {}
};
/// Whether a receiver does nothing with the total of no elements, so that it is not called with it.
template <class Total>
inline constexpr bool ignores_none = std::same_as<Total, no_total>;

template <class T>
struct store_total {
  T* total;
  template <class U>
  RAVEL_HD void operator()(U const& x) const {
    *total = static_cast<T>(x);
  }
};

/// Two receivers of one total.
template <class A, class B>
struct both_totals {
  A a;
  B b;
  template <class T>
  RAVEL_HD void operator()(T const& x) const {
    a(x);
    b(x);
  }
};

/// Passes on the second of a pair as the total; without a receiver no kernel is instantiated.
template <class Total>
struct total_of_second {
  Total total;
  template <class P>
  RAVEL_HD void operator()(P const& x) const {
    total(x.second);
  }
};
template <class Total>
total_of_second<Total> second_of(Total total) {
  return {total};
}
inline no_total second_of(no_total none) { return none; }

template <class... Options>
inline constexpr bool is_backward = has<option::backward, Options...>;

/// The order, and the size of the tuples, of the options: 1 by default.
template <class... Options>
inline constexpr int order_of =
    decltype(option_or<option::order>(order_t<1>{}, std::declval<Options>()...))::value;
template <class... Options>
inline constexpr int tuples_of =
    decltype(option_or<option::tuples>(tuples_t<1>{}, std::declval<Options>()...))::value;

/// Each component of a tuple has its own total, so total_to does not apply.
template <class... Options>
inline constexpr bool total_is_one = tuples_of<Options...> == 1 || !has<option::total, Options...>;

/// The options of scans, of scans of segments, of calls that find runs, and of those that also
/// combine each run.
using scan_options = takes<option::from, option::total, option::backward, option::order,
                           option::tuples, option::scan>;
using segmented_scan_options = takes<option::from, option::backward, option::algorithm>;
using run_options = takes<option::equal, option::total>;
using run_reduction_options = takes<option::from, option::equal, option::total>;

/// A named algorithm of a kind, which an overload of scan_by(algorithm, ex, n, load, visit, m, seed, total) runs;
/// some exist on devices only.
template <class Kind, bool DeviceOnly = false>
struct named_algorithm {
  using kind = Kind;
  static constexpr bool device_only = DeviceOnly;
};
template <class Ex, class... Options>
inline constexpr bool algorithm_runs_on = ([] {
  if constexpr (option_of<Options, option::algorithm>) {
    return !Options::device_only || std::same_as<space_of_t<Ex>, device_space>;
  } else {
    return true;
  }
}() && ...);

/// Whether the memory that an option names is the executor's.
template <class Ex, class O>
constexpr bool option_is_on() {
  if constexpr (requires { typename O::space; }) {
    return std::same_as<typename O::space, space_of_t<Ex>>;
  } else {
    return true;
  }
}
template <class Ex, class... Options>
inline constexpr bool options_on = (option_is_on<Ex, Options>() && ...);

/// Refuses, by a sentence that names those of a call, options of other kinds, in other memory, or of algorithms that
/// this executor does not have:
///
///     RAVEL_EXPECT_OPTIONS("reduce: the only option is from(...)", Ex, detail::takes<detail::option::from>);
#define RAVEL_EXPECT_OPTIONS(sentence, Ex, ...)                                                    \
  static_assert(ravel::detail::are_options<__VA_ARGS__, Options...>, sentence ", at most once");   \
  static_assert(ravel::detail::options_on<Ex, Options...>, sentence ", in the executor's memory"); \
  static_assert(ravel::detail::algorithm_runs_on<Ex, Options...>,                                  \
                sentence "; this algorithm is for gpu::executor alone")

/// The seed, of type T, from the options.
struct no_seed {};
template <class T, class M, class... Options>
auto seed_of(M m, Options const&... options) {
  auto const start = option_or<option::from>(no_seed{}, options...);
  using start_t = std::remove_const_t<decltype(start)>;
  if constexpr (std::same_as<start_t, no_seed>) {
    return seed_identity<M>{m};
  } else if constexpr (requires { typename start_t::space; }) {
    return seed_element<T, std::remove_cvref_t<decltype(*start.value)>>{start.value};
  } else {
    return seed_value<T>{static_cast<T>(start.value)};
  }
}

/// The receiver of the total, from the options.
template <class... Options>
auto total_of(Options const&... options) {
  auto const chosen = option_or<option::total>(no_total{}, options...);
  if constexpr (has<option::total, Options...>) {
    return store_total<std::remove_pointer_t<decltype(chosen.total)>>{chosen.total};
  } else {
    return chosen;
  }
}

/// The algorithm from the options: by default the executor's own.
struct the_executors_own {};
auto algorithm_of(auto const&... options) {
  return option_or<option::algorithm>(the_executors_own{}, options...);
}

/// Whether Eq compares two values of type T.
template <class Eq, class T>
inline constexpr bool compares = std::is_invocable_r_v<bool, Eq&, T const&, T const&>;

/// The equality from the options.
auto equality_of(auto const&... options) {
  return option_or<option::equal>(equality<equal_to>{}, options...).eq;
}

}  // namespace detail
}  // namespace ravel::inline v0
