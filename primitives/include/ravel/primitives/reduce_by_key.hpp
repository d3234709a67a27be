#pragma once

/// @file
/// Reduce by key: the combination of the values of each run of equal keys.

#include <ravel/core/checked.hpp>
#include <ravel/core/concepts.hpp>
#include <ravel/core/config.hpp>
#include <ravel/core/derived_monoids.hpp>
#include <ravel/core/error.hpp>
#include <ravel/core/monoid.hpp>
#include <ravel/core/segments.hpp>
#include <ravel/primitives/options.hpp>
#include <ravel/primitives/pack.hpp>
#include <ravel/primitives/segmented_reduce.hpp>
#include <ravel/primitives/unique.hpp>

#include <type_traits>

namespace ravel::inline v0 {
namespace detail {

/// A value, and where it is: the least of these in a run is where the run begins.
template <class T, class Load>
struct read_placed {
  Load load;
  RAVEL_HD paired<T, index_t> operator()(index_t i) const { return {T(load(i)), i}; }
};
template <class T, class Seed>
struct seed_placed {
  Seed seed;
  RAVEL_HD paired<T, index_t> operator()() const {
    return {T(seed()), minimum<index_t>::identity()};
  }
};

template <class Key, class OutKey, class OutValue>
struct write_run {
  static constexpr bool overwrites = std::is_arithmetic_v<OutKey> && std::is_arithmetic_v<OutValue>;
  Key const* keys;
  OutKey* out_keys;
  index_t key_capacity;
  OutValue* out_values;
  index_t value_capacity;
  template <class T>
  RAVEL_HD void operator()(index_t run, paired<T, index_t> const& x) const {
    if (run < key_capacity) out_keys[run] = static_cast<OutKey>(keys[x.second]);
    if (run < value_capacity) out_values[run] = static_cast<OutValue>(x.first);
  }
};

/// Visits each run of equal keys with the combination of its values and where
/// it begins.
template <class Ex, class Keys, class Eq, class Load, class M, class Seed, class Visit, class Total>
void reduce_runs_on(Ex const& ex, Keys keys, Eq equal, Load load, M m, Seed seed, Visit visit,
                    Total total) {
  using T = carrier_t<M>;
  segmented_reduce_on(ex, keys.size(), read_placed<T, Load>{load}, by_keys(keys, equal),
                      pair_of<M, minimum<index_t>>{m, {}}, seed_placed<T, Seed>{seed}, visit,
                      total);
}

}  // namespace detail

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
/// where init is the identity of `m`, or what the option `from` says.
/// Neighbours are in one run where x == y, or where the option `equal_by` says
/// so.  The option `total_to` takes the number of runs.  Keys that are equal and
/// apart are different runs: sort them first where they are to be one.
///
/// Shapes   keys[n], values[n], in the memory of `ex`.  `out_keys` and
///          `out_values` are there too, of any sizes: runs that they have no room
///          for are counted and not written, and what is behind the last one
///          stays as it was.  They overlap nothing.  n may be 0.
/// Order    As for segmented_reduce.
/// Cost     O(n) work, O(log n) span, whatever the lengths.  Reads keys and
///          values twice, and writes one of each for each run.
/// Errors   contract_error if there are not as many values as keys.
/// See also segmented_reduce, for segments that are known by other means.
template <executor Ex, class Keys, class Values, class OutKeys, class OutValues, class M = plus<>,
          class... Options>
void reduce_by_key(Ex const& ex, Keys const& keys, Values const& values, OutKeys&& out_keys,
                   OutValues&& out_values, M m = {}, Options... options) {
  static_assert(sequence_on<Keys const&, Ex> && sequence_on<Values const&, Ex>,
                "reduce_by_key: keys or values is not a contiguous sequence in the executor's "
                "memory");
  static_assert(writable_on<OutKeys, Ex> && writable_on<OutValues, Ex>,
                "reduce_by_key: out_keys or out_values is not a writable contiguous sequence in "
                "the executor's memory");
  static_assert(detail::are_run_reduction_options<Options...>,
                "reduce_by_key: the options are from(...), equal_by(...) and total_to(...), each "
                "once");
  static_assert(detail::options_on<Ex, Options...>,
                "reduce_by_key: from(...) or total_to(...) is not in the executor's memory");
  using K = element_t<Keys const&>;
  using V = element_t<Values const&>;
  auto const monoid = monoid_on<element_t<OutValues>>(m);
  static_assert(some_monoid<decltype(monoid)>,
                "reduce_by_key: m is not a monoid: it needs m(x, y) and m.identity()");
  auto const equal = detail::equality_of(options...);
  static_assert(detail::compares<std::remove_const_t<decltype(equal)>, K>,
                "reduce_by_key: equal_by(...) cannot be asked of two keys");
  auto const from = view_of(keys);
  auto const combined = view_of(values);
  auto const to_keys = view_of(out_keys);
  auto const to_values = view_of(out_values);
  expects(combined.size() == from.size(), "reduce_by_key: there are ", combined.size(),
          " values, and ", from.size(), " keys");
  using detail::reduce_runs_on;
  reduce_runs_on(
      detail::own(ex), from, equal, detail::read<V>{combined.data()}, monoid,
      detail::seed_of<carrier_t<decltype(monoid)>>(monoid, options...),
      detail::write_run<K, element_t<OutKeys>, element_t<OutValues>>{
          from.data(), to_keys.data(), to_keys.size(), to_values.data(), to_values.size()},
      detail::total_of(options...));
}

/// reduce_by_key, and the number of runs.  Waits for it.
template <executor Ex, class Keys, class Values, class OutKeys, class OutValues, class M = plus<>,
          class... Options>
index_t reduce_by_key_sync(Ex const& ex, Keys const& keys, Values const& values, OutKeys&& out_keys,
                           OutValues&& out_values, M m = {}, Options... options) {
  static_assert(detail::total_count<Options...> == 0, "reduce_by_key_sync: it returns the total");
  return detail::total_sync(ex, [&](auto total) {
    reduce_by_key(ex, keys, values, out_keys, out_values, m, total, options...);
  });
}

}  // namespace ravel::inline v0

#include <ravel/primitives/cpu/reduce_by_key.hpp>  // from head to head
