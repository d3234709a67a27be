#pragma once

/// Groups of equal keys over all ranks: one result for each distinct key.

#include <ravel/algorithms/radix_sort.hpp>
#include <ravel/distributed/executor.hpp>
#include <ravel/distributed/operands.hpp>
#include <ravel/distributed/runs.hpp>
#include <ravel/distributed/sequence.hpp>
#include <ravel/distributed/sort.hpp>
#include <ravel/primitives/reduce_by_key.hpp>
#include <ravel/primitives/rows.hpp>

namespace ravel::inline v0 {

/// Combines the values of each distinct key, and returns the number of keys:
///
///     ranks      0       1       2
///     keys       3 1 3 | 1 1   | 3
///     values     a b c | d e   | f
///     out_keys   1     | 3     |
///     out_values b d e | a c f |           with a monoid that concatenates
///
/// Keys ascend over all ranks.  Each rank combines its own values first, so that what crosses the
/// network is a result for each key that a rank has.
///
/// Shapes   keys[n] and values[n] in the same pieces.  The outputs get pieces of new sizes, and have
///          room for n / p groups, rounded up, on each rank, as ex.allocate<K>(n) has.  Keys are those of
///          radix_sort, values of the outputs trivially copyable.
/// Order    `m` is applied in the order of elements, and need not be commutative.
/// Cost     A local radix_sort_pairs and reduce_by_key_sync; the exchange and the merges of a sort of
///          the local groups; reduce_by_key_sync of these.
/// Volume   The key and the value of each group of a rank that another rank gets, once; besides as
///          radix_sort and reduce_by_key_sync.
/// Errors   contract_error if the pieces of keys and values differ; `error` if an output has too
///          little room.
template <distributed::some_executor Ex, distributed::operand_of<Ex> Keys,
          distributed::operand_of<Ex> Values, class K, class V, class M = plus<>, class... Options>
index_t group_by_sync(Ex const& ex, Keys const& from_keys, Values const& from_values,
                      distributed::sequence<K, Ex>& out_keys,
                      distributed::sequence<V, Ex>& out_values, M m = {}, Options...) {
  static_assert(sizeof...(Options) == 0,
                "group_by_sync: it takes no options: keys ascend, and are equal by their digits");
  using namespace distributed::detail;
  using T = element_of_t<source_t<Values>>;
  auto const& keys = written<K>(ex, from_keys);
  auto const& values = written<T>(ex, from_values);
  expect_same_pieces("group_by_sync", values, keys);
  return together(ex, "group_by_sync", [&] {
    auto const& local = ex.local();
    auto const sorted_keys = local.template scratch<K>(keys.size());
    auto const sorted_values = local.template scratch<T>(keys.size());
    distributed::sequence<K, Ex> own_keys(ex, keys);
    distributed::sequence<V, Ex> own_values(ex, keys);
    radix_sort_pairs(local, keys.local(), values.local(), sorted_keys, sorted_values);
    index_t const groups = reduce_by_key_sync(local, sorted_keys, sorted_values, own_keys.memory(),
                                              own_values.memory(), m);
    auto const total = distributed::begins_of(ex, groups).back();
    auto group_keys = ex.template allocate<K>(total);
    auto group_values = ex.template allocate<V>(total);
    place_sorted(ex, groups, rows<K const, V const>{own_keys.data(), own_values.data()}, total,
                 rows<K, V>{group_keys.data(), group_values.data()}, group_keys.begins(),
                 radix_order<K>("group_by_sync"));
    return reduce_by_key_sync(ex, group_keys, group_values, out_keys, out_values, m);
  });
}

}  // namespace ravel::inline v0
