#pragma once

/// @file
/// Aggregation of equal keys on any executor: a sort by hash, a search among equal hashes, and a sort by
/// the first element of each group.

#include <ravel/algorithms/radix_sort.hpp>
#include <ravel/core/config.hpp>
#include <ravel/core/operands.hpp>
#include <ravel/core/radix_key.hpp>
#include <ravel/core/segments.hpp>
#include <ravel/core/std_algorithm.hpp>
#include <ravel/core/structure.hpp>
#include <ravel/core/view.hpp>
#include <ravel/primitives/iota.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/reduce_by_key.hpp>
#include <ravel/primitives/run_length.hpp>
#include <ravel/primitives/scan_on.hpp>

#include <concepts>
#include <cstdint>
#include <type_traits>

namespace ravel::inline v0::detail {

/// Numbers by themselves: the bits by which radix sort orders them.
struct radix_bits {
  template <radix_sortable K>
  RAVEL_HD auto operator()(K const& key) const {
    return radix_key<K>::bits(key);
  }
};

/// The hash of a key, as an unsigned integer.
template <class H>
struct word_of_hash {
  H hash;
  template <class K>
  RAVEL_HD auto operator()(K const& key) const {
    using R = decltype(hash(key));
    if constexpr (std::unsigned_integral<R> && radix_sortable<R>) {
      return hash(key);
    } else {
      return static_cast<std::uint64_t>(hash(key));
    }
  }
};

/// Where the elements with the hash of element k of all, sorted by hash, begin, if they begin at k.
template <class Word>
struct begin_of_hash {
  Word const* hashes;
  RAVEL_HD index_t operator()(index_t k) const {
    return k > 0 && hashes[k] != hashes[k - 1] ? k : 0;
  }
};

/// Of element k, the first element of its group: the first with an equal key, of those with its hash.
template <class K, class Eq>
struct find_first_of_group {
  K const* keys;
  index_t const* order;
  index_t* firsts;
  Eq eq;
  RAVEL_HD void operator()(index_t k, index_t, index_t begin) const {
    while (begin < k && !eq(keys[order[begin]], keys[order[k]])) ++begin;
    firsts[k] = order[begin];
  }
};

/// Orders the elements of `keys` by group, groups by their first elements:
///
///     keys       7 4 7 4 7
///     order      0 2 4 1 3
///     firsts     0 0 0 1 1        of each element of `order`, the first of its group
///
/// Cost     Two radix sorts of pairs, by the bits of hashes and by those of n, a scan, and for each element
///          a search of those with its hash.  Scratch for a hash and 2 integers of each.
template <class Ex, class K, class H, class Eq>
void order_groups(Ex const& ex, K const* keys, index_t n, H hash, Eq eq,
                  view<index_t, space_of_t<Ex>> order, view<index_t, space_of_t<Ex>> firsts) {
  word_of_hash<H> const word{hash};
  using Word = decltype(word(*keys));
  {
    auto const hashes = ex.template scratch<Word>(n);
    map(ex, word, hashes, view<K const, space_of_t<Ex>>{keys, n});
    iota(ex, order);
    radix_sort_pairs(ex, hashes, order);
    scan_on(ex, n, begin_of_hash<Word>{hashes.data()},
            find_first_of_group<K, Eq>{keys, order.data(), firsts.data(), eq}, maximum<index_t>{},
            seed_identity<maximum<index_t>>{{}}, no_total{});
  }
  radix_sort_pairs(ex, firsts, order, bits_of_numbers_below<index_t>(n));
}

/// Writes the key of each group and its length, as far as there is room.
template <class K, class OutKeys, class Lengths>
struct write_group {
  K const* keys;
  index_t const* firsts;
  OutKeys to_keys;
  Lengths to_lengths;
  template <class Run>
  RAVEL_HD void operator()(index_t s, Run const& run) const {
    if (s < to_keys.size()) to_keys[s] = keys[firsts[run.second]];
    if (s < to_lengths.size()) {
      using C = std::remove_reference_t<decltype(to_lengths.data()[s])>;
      to_lengths.data()[s] = static_cast<C>(run.first);
    }
  }
};

/// Writes the keys of groups that their first elements represent.
template <class K, class OutKeys>
struct write_key {
  K const* keys;
  index_t const* firsts;
  OutKeys to_keys;
  RAVEL_HD void operator()(index_t s) const { to_keys[s] = keys[firsts[s]]; }
};

/// The keys of all groups and their lengths; returns how many there are.
template <class Ex, class K, class H, class Eq, class OutKeys, class Lengths>
index_t write_groups_sync(Ex const& ex, K const* keys, index_t n, H hash, Eq eq,
                          view<index_t, space_of_t<Ex>> order, OutKeys to_keys,
                          Lengths to_lengths) {
  auto const firsts = ex.template scratch<index_t>(n);
  order_groups(ex, keys, n, hash, eq, order, view_of(firsts));
  return total_sync(ex, [&](auto total) {
    encode_runs_on(ex, firsts, equal_to{},
                   write_group<K, OutKeys, Lengths>{keys, firsts.data(), to_keys, to_lengths},
                   detail::total_of(total));
  });
}

/// The keys of all groups, and their values combined by `m`; returns how many there are.
template <class Ex, class K, class H, class Eq, class V, class OutKeys, class OutValues, class M>
index_t reduce_groups_sync(Ex const& ex, K const* keys, index_t n, H hash, Eq eq, V const* values,
                           OutKeys to_keys, OutValues to_values, M m) {
  auto const order = ex.template scratch<index_t>(n);
  auto const firsts = ex.template scratch<index_t>(n);
  order_groups(ex, keys, n, hash, eq, view_of(order), view_of(firsts));
  using in_order = gathered<contiguous<V>, contiguous<index_t>>;
  auto const heads = ex.template scratch<index_t>(std::min(n, to_keys.size()));
  index_t const groups = reduce_by_key_sync(
      ex, firsts, sized_source<in_order, space_of_t<Ex>>{{{values}, {order.data()}}, n}, heads,
      to_values, m);
  for_each_index(ex, std::min(groups, to_keys.size()),
                 write_key<K, OutKeys>{keys, heads.data(), to_keys});
  return groups;
}

}  // namespace ravel::inline v0::detail
