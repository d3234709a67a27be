#pragma once

/// Unique: the first element of each run of equal ones.

#include <ravel/primitives/options.hpp>
#include <ravel/primitives/pack.hpp>
#include <ravel/primitives/pack/call.hpp>

namespace ravel::inline v0 {

/// Keeps the first element of each run of equal ones:
///
///     in     7 7 7 4 4 7
///     out    7 4 7
///
/// Adjacent elements are in one run if x == y, or as the option `equal_by` defines.  The option
/// `total_to` receives the number of runs.
///
/// Shapes   in[n], in the memory of `ex`.  `out` is there too, of any size: runs that it has no
///          room for are counted and not written, and elements after the last one are not changed.
///          `out` overlaps nothing.  n may be 0.
/// Order    Stable.  The equality is evaluated once or twice for each pair of adjacent elements
///          (left, right), and for no others: it need not be transitive.
/// Cost     O(n) work, O(log n) span.  Reads `in` twice, and moves twice the
///          elements that are kept.
/// Errors   Only those of memory.
/// See also run_length_encode, which also writes the lengths of the runs.
template <local_executor Ex, class In, class Out, class... Options>
void unique(Ex const& ex, In const& in, Out&& out, Options... options) {
  RAVEL_EXPECT_RANGE(In, Ex, "unique: in");
  RAVEL_EXPECT_WRITABLE(Out, Ex, "unique: out");
  RAVEL_EXPECT_OPTIONS("unique: the options are equal_by(...) and total_to(...)", Ex,
                       detail::run_options);
  auto const& src = detail::sequence_of(ex, "unique", in);
  static_assert(
      detail::compares<decltype(detail::equality_of(options...)), element_t<decltype(src)>>,
      "unique: equal_by(...) cannot be called with two elements of in");
  run_call(detail::own(ex), describe_unique(src, out, options...));
}

/// unique, and the number of runs.  Waits for it.
template <executor Ex, class In, class Out, class... Options>
index_t unique_sync(Ex const& ex, In const& in, Out&& out, Options... options) {
  static_assert(!detail::has<detail::option::total, Options...>,
                "unique_sync: it returns the total");
  return detail::total_sync(ex, [&](auto total) { unique(ex, in, out, total, options...); });
}

/// Keeps the first key of each run of equal ones, and its value:
///
///     keys          7 7 7 4 4 7
///     values        a b c d e f
///     out_keys      7 4 7
///     out_values    a d f
///
/// All else is as for unique.
///
/// Errors   contract_error if there are not as many values as keys.
/// See also reduce_by_key, which combines the values of each run.
template <local_executor Ex, class Keys, class Values, class OutKeys, class OutValues,
          class... Options>
void unique_by_key(Ex const& ex, Keys const& keys, Values const& values, OutKeys&& out_keys,
                   OutValues&& out_values, Options... options) {
  RAVEL_EXPECT_RANGE(Keys, Ex, "unique_by_key: keys");
  RAVEL_EXPECT_RANGE(Values, Ex, "unique_by_key: values");
  RAVEL_EXPECT_WRITABLE(OutKeys, Ex, "unique_by_key: out_keys");
  RAVEL_EXPECT_WRITABLE(OutValues, Ex, "unique_by_key: out_values");
  RAVEL_EXPECT_OPTIONS("unique_by_key: the options are equal_by(...) and total_to(...)", Ex,
                       detail::run_options);
  auto const& all_keys = detail::sequence_of(ex, "unique_by_key", keys);
  auto const& all_values = detail::sequence_of(ex, "unique_by_key", values);
  using K = element_t<decltype(all_keys)>;
  using V = element_t<decltype(all_values)>;
  auto const equal = detail::equality_of(options...);
  static_assert(detail::compares<std::remove_const_t<decltype(equal)>, K>,
                "unique_by_key: equal_by(...) cannot be called with two keys");
  auto const src = view_of(all_keys);
  auto const beside = view_of(all_values);
  auto const to_keys = view_of(out_keys);
  auto const to_values = view_of(out_values);
  expects(beside.size() == src.size(), "unique_by_key: there are ", beside.size(), " values, and ",
          src.size(), " keys");
  using write_key = write_packed<K, element_t<OutKeys>>;
  using write_value = write_packed<V, element_t<OutValues>>;
  pack_on(ex, src.size(),
          by_change<contiguous<K>, std::remove_const_t<decltype(equal)>>{{src.data()}, equal},
          detail::write_both<write_key, write_value>{
              {src.data(), to_keys.data(), to_keys.size()},
              {beside.data(), to_values.data(), to_values.size()}},
          detail::total_of(options...));
}

/// unique_by_key, and the number of runs.  Waits for it.
template <local_executor Ex, class Keys, class Values, class OutKeys, class OutValues,
          class... Options>
index_t unique_by_key_sync(Ex const& ex, Keys const& keys, Values const& values, OutKeys&& out_keys,
                           OutValues&& out_values, Options... options) {
  static_assert(!detail::has<detail::option::total, Options...>,
                "unique_by_key_sync: it returns the total");
  return detail::total_sync(ex, [&](auto total) {
    unique_by_key(ex, keys, values, out_keys, out_values, total, options...);
  });
}

}  // namespace ravel::inline v0
