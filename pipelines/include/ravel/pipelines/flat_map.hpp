#pragma once

/// Flat map: each element is replaced by a number of elements that a function computes.

#include <ravel/core/member.hpp>
#include <ravel/core/transfer.hpp>
#include <ravel/pipelines/own_pass_stage.hpp>
#include <ravel/pipelines/runs_on.hpp>
#include <ravel/pipelines/stages.hpp>
#include <ravel/pipelines/views.hpp>
#include <ravel/primitives/balance.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/scan.hpp>
#include <ravel/primitives/scan_visits.hpp>
#include <ravel/primitives/verify.hpp>

namespace ravel::inline v0 {
namespace piping {

/// The number of elements that element i is replaced by: 0 if it was dropped.
template <class V, class Length>
struct length_of_each {
  V view;
  Length length;
  RAVEL_HD index_t operator()(index_t i) const {
    if constexpr (V::counted) {
      if (i >= view.size()) return 0;
    }
    return static_cast<index_t>(call(length, view(i)));
  }
};

/// Whether the length of element i is negative, or more than there is room for.
template <class Lengths>
struct is_no_length {
  Lengths lengths;
  index_t room;
  RAVEL_HD bool operator()(index_t i) const {
    return !ravel::detail::is_index_below(lengths(i), room + 1);
  }
};

/// Writes the r-th element that replaces element s.
template <class V, class F, class Out>
struct write_each_of {
  V view;
  F f;
  Out* out;
  RAVEL_HD void operator()(index_t i, index_t s, index_t r) const { out[i] = f(view(s), r); }
};

/// Where the last segment ends, and the number of results; 0 if lengths are negative together.
struct close_lengths {
  index_t room;
  index_t* end;
  index_t* count;
  RAVEL_HD void operator()(index_t sum) const {
    index_t const n = sum < 0 ? 0 : sum;
    *end = n;
    *count = n < room ? n : room;
  }
};

template <class Length, class F, bool Checked>
struct flat_map_op {
  static constexpr char const* name = "flat_map";
  static constexpr bool counted = true, reads_views = true, takes_counted = true;
  static constexpr bool counts_first = true;
  template <class T>
  using made = std::remove_cvref_t<std::invoke_result_t<F const&, T const&, index_t>>;
  Length length_of;
  F f;
  index_t room;

  index_t length(index_t) const { return room; }
  /// Scratch besides input and output: the beginning of each of n segments.
  static index_t scratch_bytes(index_t n) { return (n + 1) * index_t{sizeof(index_t)}; }

  void run(auto const& ex, auto const& in, auto const& out, auto const& count) const {
    auto const begins = begins_of(ex, in, count.data());
    write_each(ex, in, begins, out);
  }

  /// The same into memory that make(n) allocates once the number n is known; returns both.
  auto run_sync(auto const& ex, auto const& in, auto const& make) const {
    index_t n = 0;
    auto const begins = begins_of(ex, in, &n);
    auto out = make(n);
    write_each(ex, in, begins, sequence_at(ex, out.data(), n));
    return std::pair(std::move(out), n);
  }

 private:
  /// Where the replacement of each element begins; stores the number that there is room for.
  template <class Ex, class V>
  auto begins_of(Ex const& ex, V const& in, index_t* count) const {
    index_t const n = in.most();
    constexpr bool checks = Checked || ravel::detail::checks<Ex>;
    length_of_each<V, Length> const lengths{in, length_of};
    if constexpr (checks) verify(checked(ravel::detail::own(ex)), n, lengths);
    auto begins = ex.template scratch<index_t>(n + 1);
    using sum = plus<index_t>;
    scan_on(ex, n, lengths, write_before<index_t>{begins.data()}, sum{},
            start_of(sum{}, from_identity{}), close_lengths{room, begins.data() + n, count});
    if constexpr (checks) {
      index_t const total = at_sync(ex, view_of(begins).slice(n, 1));
      expects(total <= room, "there are ", total, " elements, and room for ", room);
    }
    return begins;
  }
  template <class Ex, class V, class Begins, class Out>
  void write_each(Ex const& ex, V const& in, Begins const& begins, Out const& out) const {
    for_each_in_segments_within(ex, out.size(), begins,
                                write_each_of<V, F, element_t<Out const&>>{in, f, out.data()});
  }
  /// Expects each length to be in [0, room], so that their sum does not overflow.
  template <class Ex, class Lengths>
  void verify(Ex const& ex, index_t n, Lengths const& lengths) const {
    index_t const at = ravel::detail::first_wrong_sync(ex, n, is_no_length<Lengths>{lengths, room});
    if (at == n) return;
    index_t const length = ravel::detail::loaded_sync(ex, lengths, at);
    expects(length >= 0, "length ", length, " at position ", at, " is negative");
    expects(false, "length ", length, " at position ", at, ", and room for ", room);
  }
};

template <class Length, class F, bool Checked>
struct flat_map_stage : is_stage {
  static constexpr char const* name = "flat_map";
  flat_map_op<Length, F, Checked> op;
  explicit flat_map_stage(flat_map_op<Length, F, Checked> op) : op(std::move(op)) {}

  template <class Ex, class Node>
  auto attached(Node const& node, spot where) const {
    using T = element_of_node<Node>;
    RAVEL_EXPECT_RUNS_ON(Length, Ex, "flat_map: length");
    static_assert(callable_with<Length, T>,
                  "flat_map: length cannot be called with an element, nor, of a row, with its "
                  "values");
    RAVEL_EXPECT_RUNS_ON(F, Ex, "flat_map: f");
    static_assert(std::is_invocable_v<F const&, T const&, index_t>,
                  "flat_map: f cannot be called with an element and a number from 0 on");
    return own_pass_stage(op).template attached<Ex>(node, where);
  }
};

}  // namespace piping

/// Replaces each element x by length(x) elements, f(x, 0), f(x, 1) and so on; the result is
/// truncated to the first `capacity` elements.
///
///     3 0 2 | flat_map(itself, f, 10)          30 31 32 20 21         f(x, r) = 10 x + r
///
/// The lengths are computed with the elements, and the executor alone knows the number of
/// results: nothing waits, and following stages are issued for `capacity`.  A truncation is
/// detected by
///
///     values | flat_map(length, f, capacity, checked)
///
/// which waits.
///
/// Shapes   length(x) is an integer and not negative; `capacity` is at least 0.
/// Cost     A scan of the lengths, and a search for each tile of results; 8 bytes of
///          temporary memory for each element.  length is called once for each
///          element, f once for each result, and preceding functions as often as both.
/// Errors   with `checked`, or on a checked executor, contract_error when it is run, before
///          anything is written, if a length is negative or there are more than `capacity` results.
/// See also expand, for lengths with a sum known in advance.
template <class Length, class F>
auto flat_map(Length length, F f, index_t capacity) {
  return piping::flat_map_stage<function_t<Length>, function_t<F>, false>(
      {as_function(std::move(length)), as_function(std::move(f)), capacity});
}
template <class Length, class F>
auto flat_map(Length length, F f, index_t capacity, checked_t) {
  return piping::flat_map_stage<function_t<Length>, function_t<F>, true>(
      {as_function(std::move(length)), as_function(std::move(f)), capacity});
}

}  // namespace ravel::inline v0
