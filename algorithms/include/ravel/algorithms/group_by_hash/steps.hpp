#pragma once

/// @file
/// Aggregation of equal keys on any executor: a sort by hash, and a sort of the groups by their first
/// elements.

#include <ravel/algorithms/radix_sort.hpp>
#include <ravel/core/config.hpp>
#include <ravel/core/operands.hpp>
#include <ravel/core/radix_key.hpp>
#include <ravel/core/segments.hpp>
#include <ravel/core/std_algorithm.hpp>
#include <ravel/core/structure.hpp>
#include <ravel/core/view.hpp>
#include <ravel/primitives/distribute.hpp>
#include <ravel/primitives/find_first.hpp>
#include <ravel/primitives/iota.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/run_length.hpp>
#include <ravel/primitives/scan_on.hpp>
#include <ravel/primitives/segmented_reduce.hpp>

#include <concepts>
#include <cstdint>
#include <limits>
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

/// Whether keys with equal hashes are equal, whatever they are.
template <class K, class H, class Eq>
inline constexpr bool hash_is_exact =
    std::integral<K>&& std::same_as<H, radix_bits>&& std::same_as<Eq, equal_to>;

/// Whether element k of all, sorted by hash, has the hash of its predecessor, but another key.
template <class Word, class K, class I, class Eq>
struct collides_with_last {
  Word const* hashes;
  K const* keys;
  I const* order;
  Eq eq;
  RAVEL_HD bool operator()(index_t k) const {
    return k > 0 && hashes[k] == hashes[k - 1] && !eq(keys[order[k - 1]], keys[order[k]]);
  }
};

/// Of element k, the first element of its group: the first with an equal key, of those with its hash.
template <class K, class I, class Eq>
struct find_first_of_group {
  K const* keys;
  I const* order;
  I* firsts;
  Eq eq;
  RAVEL_HD void operator()(index_t k, index_t, index_t begin) const {
    while (begin < k && !eq(keys[order[begin]], keys[order[k]])) ++begin;
    firsts[k] = order[begin];
  }
};

/// Orders the elements of `keys` so that groups are adjacent, each in the order of its elements, and
/// returns body(labels), whose labels are equal for the elements of one group:
///
///     keys       7 4 7 4 7
///     order      1 3 0 2 4
///     labels     4 4 7 7 7        hashes, here the keys themselves
///
/// If keys with equal hashes differ, or if groups are wanted in the order of their first elements,
/// the labels are these:
///
///     order      0 2 4 1 3
///     labels     0 0 0 1 1
///
/// Cost     A radix sort of pairs by the bits of hashes, and for the second order a scan, for each
///          element a search of those with its hash, and a sort of pairs by the bits of n.
template <class Ex, class K, class H, class Eq, class I, class Body>
index_t with_groups_sync(Ex const& ex, K const* keys, index_t n, H hash, Eq eq,
                         view<I, space_of_t<Ex>> order, bool by_first, Body body) {
  word_of_hash<H> const word{hash};
  using Word = decltype(word(*keys));
  auto const hashes = ex.template scratch<Word>(n);
  map(ex, word, hashes, view<K const, space_of_t<Ex>>{keys, n});
  iota(ex, order);
  radix_sort_pairs(ex, hashes, order);
  if constexpr (!hash_is_exact<K, H, Eq>) {
    collides_with_last<Word, K, I, Eq> const collides{hashes.data(), keys, order.data(), eq};
    auto const find = [&](auto total) { find_first_on(ex, n, collides, total_of(total)); };
    by_first = by_first || total_sync(ex, find) < n;
  }
  if (!by_first) return body(hashes);

  auto const firsts = ex.template scratch<I>(n);
  scan_on(ex, n, begin_of_hash<Word>{hashes.data()},
          find_first_of_group<K, I, Eq>{keys, order.data(), firsts.data(), eq}, maximum<index_t>{},
          seed_identity<maximum<index_t>>{{}}, no_total{});
  radix_sort_pairs(ex, firsts, order, bits_of_numbers_below<I>(n));
  return body(firsts);
}

/// Writes the first element of each group, and where it ends in the order.
template <class I>
struct write_group {
  I const* order;
  I* firsts;
  I* ends;
  template <class Run>
  RAVEL_HD void operator()(index_t s, Run const& run) const {
    firsts[s] = order[run.second];
    ends[s] = static_cast<I>(run.second + run.first);
  }
};

/// The number of elements of group s.
template <class I>
struct length_of_group {
  I const* offsets;
  RAVEL_HD I operator[](index_t s) const { return offsets[s + 1] - offsets[s]; }
};

/// Writes the key of each group and its value, as far as there is room.
template <class K, class I, class Values, class OutKeys, class OutValues>
struct write_key_and_value {
  K const* keys;
  I const* firsts;
  Values values;
  I const* places;
  OutKeys to_keys;
  OutValues to_values;
  RAVEL_HD void operator()(index_t s) const {
    if (s < to_keys.size()) to_keys[s] = keys[firsts[s]];
    if (s < to_values.size()) {
      using Out = std::remove_reference_t<decltype(to_values[s])>;
      to_values[s] = static_cast<Out>(values[places[s]]);
    }
  }
};

/// Writes groups in the order of their first elements.
template <class Ex, class K, class I, class Values, class OutKeys, class OutValues>
void write_by_first(Ex const& ex, K const* keys, index_t n, view<I, space_of_t<Ex>> firsts,
                    Values values, OutKeys to_keys, OutValues to_values) {
  auto const places = ex.template scratch<I>(firsts.size());
  iota(ex, places);
  radix_sort_pairs(ex, firsts, places, bits_of_numbers_below<I>(n));
  for_each_index(ex, std::min(firsts.size(), std::max(to_keys.size(), to_values.size())),
                 write_key_and_value<K, I, Values, OutKeys, OutValues>{
                     keys, firsts.data(), values, places.data(), to_keys, to_values});
}

/// Groups with positions of the narrower type that has room for n.
template <class With>
index_t with_positions(index_t n, With with) {
  return n <= std::numeric_limits<std::int32_t>::max() ? with(std::int32_t{}) : with(index_t{});
}

/// Writes the stable order of elements by groups, and the length of each group; returns their number.
template <class Ex, class K, class H, class Eq, class Lengths>
index_t order_groups_sync(Ex const& ex, K const* keys, index_t n, H hash, Eq eq,
                          view<index_t, space_of_t<Ex>> order, Lengths to_lengths) {
  return with_groups_sync(ex, keys, n, hash, eq, order, true, [&](auto const& labels) {
    return run_length_encode_sync(ex, labels, view<index_t, space_of_t<Ex>>{}, to_lengths);
  });
}

/// Writes the key of each group and the number of its elements, or combines its values by `m` if there
/// are any; returns the number of groups.
template <class Ex, class K, class H, class Eq, class OutKeys, class Out, class V = void,
          class M = plus<>>
index_t write_groups_sync(Ex const& ex, K const* keys, index_t n, H hash, Eq eq, OutKeys to_keys,
                          Out to, V const* values = nullptr, M m = {}) {
  return with_positions(n, [&](auto position) {
    using I = decltype(position);
    auto const order = ex.template scratch<I>(n);
    return with_groups_sync(ex, keys, n, hash, eq, view_of(order), false, [&](auto const& labels) {
      auto const firsts = ex.template scratch<I>(n), offsets = ex.template scratch<I>(n + 1);
      distribute(ex, I(0), view_of(offsets).slice(0, 1));
      index_t const groups = total_sync(ex, [&](auto total) {
        encode_runs_on(ex, labels, equal_to{},
                       write_group<I>{order.data(), firsts.data(), offsets.data() + 1},
                       total_of(total));
      });
      auto const of_groups = view_of(firsts).slice(0, groups);
      if constexpr (std::is_void_v<V>) {
        write_by_first(ex, keys, n, of_groups, length_of_group<I>{offsets.data()}, to_keys, to);
      } else {
        using T = element_t<Out>;
        using in_order = gathered<contiguous<V>, contiguous<I>>;
        auto const sums = ex.template scratch<T>(groups);
        segmented_reduce(ex, sized_source<in_order, space_of_t<Ex>>{{{values}, {order.data()}}, n},
                         by_offsets(view_of(offsets).slice(0, groups + 1)), sums, m);
        write_by_first(ex, keys, n, of_groups, static_cast<T const*>(sums.data()), to_keys, to);
      }
      return groups;
    });
  });
}

}  // namespace ravel::inline v0::detail
