#pragma once

/// Reduce by key: the combination of the values of each run of equal keys.

#include <ravel/primitives/options.hpp>
#include <ravel/primitives/pack.hpp>
#include <ravel/primitives/runs/call.hpp>
#include <ravel/primitives/runs/cpu.hpp>
#include <ravel/primitives/runs/cuda.hpp>
#include <ravel/primitives/runs/steps.hpp>

#ifdef RAVEL_KERNELS
#  include <ravel/primitives/cuda/reduce_by_key.cuh>
#  include <ravel/primitives/cuda/run_length.cuh>  // defines the forms that runs/cuda.hpp declares
#endif

namespace ravel::inline v0 {

/// Combines the values of each run of equal keys:
///
///     out_keys[s]   = the first key of run s
///     out_values[s] = init * the values of run s           writing * for `m`
///
///     keys          7 7 7 4 4 7
///     values        3 1 2 4 1 5
///     out_keys      7     4   7
///     out_values    6     5   5                            with plus
///
/// where init is the identity of `m`, or the value of the option `from`.  Adjacent keys are in one
/// run if x == y, or as the option `equal_by` defines.  The option `total_to` receives the number
/// of runs.  Equal keys that are not adjacent form different runs: sort them first to join these.
///
/// Shapes   keys[n], values[n], in the memory of `ex`, or sources over sequences there
///          (core/structure.hpp).  `out_keys` and `out_values` are there too, of any sizes: runs
///          that they have no room for are counted and not written, and elements after the last one
///          are not changed.  They overlap nothing.  n may be 0.
/// Order    As for segmented_reduce.
/// Cost     O(n) work, O(log n) span, whatever the lengths.  Reads keys and values twice, long ones of
///          words on devices once, and writes one of each for each run.
/// Errors   contract_error if there are not as many values as keys.
/// See also segmented_reduce, for segments with other descriptors.
template <local_executor Ex, class Keys, class Values, class OutKeys, class OutValues,
          class M = plus<>, class... Options>
void reduce_by_key(Ex const& ex, Keys const& keys, Values const& values, OutKeys&& out_keys,
                   OutValues&& out_values, M m = {}, Options... options) {
  RAVEL_EXPECT_READABLE(Keys, Ex, "reduce_by_key: keys");
  RAVEL_EXPECT_READABLE(Values, Ex, "reduce_by_key: values");
  RAVEL_EXPECT_WRITABLE(OutKeys, Ex, "reduce_by_key: out_keys");
  RAVEL_EXPECT_WRITABLE(OutValues, Ex, "reduce_by_key: out_values");
  RAVEL_EXPECT_OPTIONS("reduce_by_key: the options are from(...), equal_by(...) and total_to(...)",
                       Ex, detail::run_reduction_options);
  RAVEL_EXPECT_MONOID(decltype(monoid_on<element_t<OutValues>>(m)), "reduce_by_key");
  auto const& src = detail::operand_of(ex, "reduce_by_key", keys);
  static_assert(detail::compares<decltype(detail::equality_of(options...)),
                                 element_of_t<decltype(source_of(src))>>,
                "reduce_by_key: equal_by(...) cannot be called with two keys");
  run_call(detail::own(ex),
           describe_reduce_by_key(src, detail::operand_of(ex, "reduce_by_key", values), out_keys,
                                  out_values, m, options...));
}

/// reduce_by_key, and the number of runs.  Waits for it.
template <executor Ex, class Keys, class Values, class OutKeys, class OutValues, class M = plus<>,
          class... Options>
index_t reduce_by_key_sync(Ex const& ex, Keys const& keys, Values const& values, OutKeys&& out_keys,
                           OutValues&& out_values, M m = {}, Options... options) {
  static_assert(!detail::has<detail::option::total, Options...>,
                "reduce_by_key_sync: it returns the total");
  return detail::total_sync(ex, [&](auto total) {
    reduce_by_key(ex, keys, values, out_keys, out_values, m, total, options...);
  });
}

}  // namespace ravel::inline v0
