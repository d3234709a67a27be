#pragma once

/// @file
/// Options of primitives.
///
///     exclusive_scan(ex, in, out, plus{}, from(100), backward, total_to(sum))
///     unique(ex, in, out, equal_by(close{}), total_to(count))
///
/// Options are the last arguments, in any order.

#include <ravel/core/concepts.hpp>
#include <ravel/core/config.hpp>
#include <ravel/core/error.hpp>
#include <ravel/core/member.hpp>
#include <ravel/core/segments.hpp>

#include <concepts>
#include <type_traits>

namespace ravel::inline v0 {

/// From the last element to the first; operands keep their left and right.
struct backward_t {};
inline constexpr backward_t backward{};

/// The result of `from` for a value.
template <class T>
struct from_value {
  T value;
};

/// The result of `from` for a sequence of one element.
template <class T, class Space>
struct from_element {
  using space = Space;
  T const* value;
};

/// The result of `total_to`.
template <class T, class Space>
struct total_to_element {
  using space = Space;
  T* total;
};

/// The result of `equal_by`.
template <class Eq>
struct equality {
  Eq eq;
};

/// The type of `of_order<Q>`.
template <int Q>
struct order_t {
  static_assert(1 <= Q && Q <= 8, "of_order<q>: orders are 1 to 8");
};

/// Repeated sums, Q times:  of_order<2>  gives the result of two consecutive scans.
template <int Q>
inline constexpr order_t<Q> of_order{};

/// The type of `of_tuples<S>`.
template <int S>
struct tuples_t {
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
template <class T>
struct store_total {
  T* total;
  template <class U>
  RAVEL_HD void operator()(U const& x) const {
    *total = static_cast<T>(x);
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

template <class O>
struct option_kind {
  static constexpr bool is_from = false, is_total = false, is_backward = false, is_equal = false;
  static constexpr int order = 0, tuples = 0;  // 0 for other options
};
template <class T>
struct option_kind<from_value<T>> : option_kind<void> {
  static constexpr bool is_from = true;
};
template <class T, class S>
struct option_kind<from_element<T, S>> : option_kind<void> {
  static constexpr bool is_from = true;
};
template <class T, class S>
struct option_kind<total_to_element<T, S>> : option_kind<void> {
  static constexpr bool is_total = true;
};
template <>
struct option_kind<backward_t> : option_kind<void> {
  static constexpr bool is_backward = true;
};

template <class Eq>
struct option_kind<equality<Eq>> : option_kind<void> {
  static constexpr bool is_equal = true;
};

template <int Q>
struct option_kind<order_t<Q>> : option_kind<void> {
  static constexpr int order = Q;
};

template <int S>
struct option_kind<tuples_t<S>> : option_kind<void> {
  static constexpr int tuples = S;
};

template <class... Options>
inline constexpr bool is_backward = (option_kind<Options>::is_backward || ...);
template <class... Options>
inline constexpr int from_count = (0 + ... + int{option_kind<Options>::is_from});
template <class... Options>
inline constexpr int total_count = (0 + ... + int{option_kind<Options>::is_total});
template <class... Options>
inline constexpr bool are_options = ((option_kind<Options>::is_from ||
                                      option_kind<Options>::is_total ||
                                      option_kind<Options>::is_backward) &&
                                     ...) &&
                                    from_count<Options...> <= 1 && total_count<Options...> <= 1;

/// The order, and the size of the tuples, of the options: 1 by default.
template <class... Options>
inline constexpr int order_of = (0 + ... + option_kind<Options>::order) == 0
                                    ? 1
                                    : (0 + ... + option_kind<Options>::order);
template <class... Options>
inline constexpr int tuples_of = (0 + ... + option_kind<Options>::tuples) == 0
                                     ? 1
                                     : (0 + ... + option_kind<Options>::tuples);
/// At most one of each.
template <class... Options>
inline constexpr bool are_shape_options = (0 + ... + int{option_kind<Options>::order > 0}) <= 1 &&
                                          (0 + ... + int{option_kind<Options>::tuples > 0}) <= 1;

template <class... Options>
inline constexpr int equal_count = (0 + ... + int{option_kind<Options>::is_equal});

/// The kind of scan that an algorithm option implements.
struct a_scan {};
struct a_segmented_scan {};
template <class O, class What>
inline constexpr bool names = [] {
  if constexpr (requires { typename O::names; }) {
    return std::same_as<typename O::names, What>;
  } else {
    return false;
  }
}();
template <class O>
inline constexpr bool is_algorithm = names<O, a_scan> || names<O, a_segmented_scan>;

/// Some of the named algorithms exist on devices only.
template <class Ex, class... Options>
inline constexpr bool algorithm_runs_on = ([] {
  if constexpr (is_algorithm<Options>) {
    return !Options::device_only || std::same_as<space_of_t<Ex>, device_space>;
  } else {
    return true;
  }
}() && ...);

/// The options of scans: those of are_options, and an algorithm, of either kind for segmented
/// scans; an order and tuples for scans without segments.
template <bool Segmented, class... Options>
inline constexpr bool are_scan_options =
    ((option_kind<Options>::is_from || option_kind<Options>::is_total ||
      option_kind<Options>::is_backward || names<Options, a_scan> ||
      (Segmented && names<Options, a_segmented_scan>) ||
      (!Segmented && (option_kind<Options>::order > 0 || option_kind<Options>::tuples > 0))) &&
     ...) &&
    from_count<Options...> <= 1 && total_count<Options...> <= 1 && are_shape_options<Options...> &&
    (0 + ... + int{is_algorithm<Options>}) <= 1;

/// Each component of a tuple has its own total, so total_to does not apply.
template <class... Options>
inline constexpr bool total_is_one = tuples_of<Options...> == 1 || total_count<Options...> == 0;

/// The options of calls that keep some elements and count them.
template <class... Options>
inline constexpr bool are_pack_options =
    (option_kind<Options>::is_total && ...) && total_count<Options...> <= 1;

/// The options of calls that find runs, and of those that also combine each run.
template <class... Options>
inline constexpr bool are_run_options =
    ((option_kind<Options>::is_total || option_kind<Options>::is_equal) && ...) &&
    total_count<Options...> <= 1 && equal_count<Options...> <= 1;
template <class... Options>
inline constexpr bool are_run_reduction_options =
    ((option_kind<Options>::is_total || option_kind<Options>::is_equal ||
      option_kind<Options>::is_from) &&
     ...) &&
    total_count<Options...> <= 1 && equal_count<Options...> <= 1 && from_count<Options...> <= 1;

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

/// The seed, of type T, from the options.
template <class T, class M>
auto seed_of(M m) {
  return seed_identity<M>{m};
}
template <class T, class M, class O, class... Rest>
auto seed_of(M m, O const& option, Rest const&... rest) {
  if constexpr (!option_kind<O>::is_from) {
    return seed_of<T>(m, rest...);
  } else if constexpr (requires { typename O::space; }) {
    return seed_element<T, std::remove_cvref_t<decltype(*option.value)>>{option.value};
  } else {
    return seed_value<T>{static_cast<T>(option.value)};
  }
}

/// The receiver of the total, from the options.
inline no_total total_of() { return {}; }
template <class O, class... Rest>
auto total_of(O const& option, Rest const&... rest) {
  if constexpr (option_kind<O>::is_total) {
    return store_total<std::remove_pointer_t<decltype(option.total)>>{option.total};
  } else {
    return total_of(rest...);
  }
}

/// The algorithm from the options: by default the executor's own.
struct the_executors_own {};
inline the_executors_own algorithm_of() { return {}; }
template <class O, class... Rest>
auto algorithm_of(O const& option, Rest const&... rest) {
  if constexpr (is_algorithm<O>) {
    return option;
  } else {
    return algorithm_of(rest...);
  }
}

/// Whether Eq compares two values of type T.
template <class Eq, class T>
inline constexpr bool compares = std::is_invocable_r_v<bool, Eq&, T const&, T const&>;

/// The equality from the options.
inline equal_to equality_of() { return {}; }
template <class O, class... Rest>
auto equality_of(O const& option, Rest const&... rest) {
  if constexpr (option_kind<O>::is_equal) {
    return option.eq;
  } else {
    return equality_of(rest...);
  }
}

}  // namespace detail
}  // namespace ravel::inline v0
