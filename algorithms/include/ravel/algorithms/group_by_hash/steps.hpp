#pragma once

/// Aggregation of equal keys on any executor: by numbers of the groups from a table, or, if it has no room
/// for them, by a sort by hash, and a sort of the groups by their first elements.

#include <ravel/algorithms/group_by_hash/call.hpp>
#include <ravel/algorithms/group_by_hash/table.hpp>
#include <ravel/algorithms/radix_sort.hpp>
#include <ravel/core/radix_key.hpp>
#include <ravel/primitives/distribute.hpp>
#include <ravel/primitives/find_first.hpp>
#include <ravel/primitives/gather.hpp>
#include <ravel/primitives/histogram.hpp>
#include <ravel/primitives/iota.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/run_length.hpp>
#include <ravel/primitives/scan.hpp>
#include <ravel/primitives/scan_on.hpp>
#include <ravel/primitives/segment_forms.hpp>
#include <ravel/primitives/segmented_reduce.hpp>

namespace ravel::inline v0 {
namespace detail {

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
  constexpr bool exact = hash_is_exact<K, H, Eq>;
  using Word = std::conditional_t<exact, K, std::remove_const_t<decltype(word(*keys))>>;
  auto const hashes = ex.template scratch<Word>(n);
  view<K const, space_of_t<Ex>> const keys_in{keys, n};
  if constexpr (exact) {
    auto const positions = ex.template scratch<I>(n);
    iota(ex, positions);
    radix_sort_pairs(ex, keys_in, positions, hashes, order);
  } else {
    map(ex, word, hashes, keys_in);
    iota(ex, order);
    radix_sort_pairs(ex, hashes, order);
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

/// Writes keys and values where no key occurs twice, as far as there is room.
template <class K, class V, class OutKeys, class Out>
struct write_distinct {
  K const* keys;
  V const* values;
  OutKeys to_keys;
  Out to;
  RAVEL_HD void operator()(index_t s) const {
    if (s < to_keys.size()) to_keys[s] = keys[s];
    if (s >= to.size()) return;
    using T = element_t<Out>;
    if constexpr (std::is_void_v<V>) {
      to[s] = T(1);
    } else {
      to[s] = static_cast<T>(values[s]);
    }
  }
};

template <class Ex, class R>
view<element_t<R>, space_of_t<Ex>> no_elements_like(R const&) {
  return {};
}

/// Writes groups by a sort.
template <class I, class Ex, class K, class H, class Eq, class OutKeys, class Out, class V, class M>
index_t write_sorted_groups_sync(Ex const& ex, K const* keys, index_t n, H hash, Eq eq,
                                 OutKeys to_keys, Out to_values, V const* values, M m) {
  auto const order = ex.template scratch<I>(n);
  return with_groups_sync(ex, keys, n, hash, eq, view_of(order), false, [&](auto const& labels) {
    auto const lengths = ex.template scratch<I>(n);
    index_t const groups =
        run_length_encode_sync(ex, labels, no_elements_like<Ex>(labels), lengths);
    if (groups == n) {
      for_each_index(ex, n, write_distinct<K, V, OutKeys, Out>{keys, values, to_keys, to_values});
      return groups;
    }
    auto const offsets = ex.template scratch<I>(groups + 1),
               firsts = ex.template scratch<I>(groups);
    distribute(ex, I(0), view_of(offsets).slice(0, 1));
    inclusive_scan(ex, view_of(lengths).slice(0, groups), view_of(offsets).slice(1, groups));
    gather(ex, order, view_of(offsets).slice(0, groups), firsts);
    if constexpr (std::is_void_v<V>) {
      write_by_first(ex, keys, n, view_of(firsts), length_of_group<I>{offsets.data()}, to_keys,
                     to_values);
    } else {
      using T = element_t<Out>;
      using in_order = gathered<contiguous<V>, contiguous<I>>;
      auto const sums = ex.template scratch<T>(groups);
      segmented_reduce(ex, sized_source<in_order, space_of_t<Ex>>{{{values}, {order.data()}}, n},
                       by_offsets(view_of(offsets)), sums, m);
      write_by_first(ex, keys, n, view_of(firsts), static_cast<T const*>(sums.data()), to_keys,
                     to_values);
    }
    return groups;
  });
}

/// Writes how many of the numbers are s to to_counts[s], for each s as far as there is room.
template <class Ex, class Counts>
void count_numbered(Ex const& ex, view<std::int32_t, space_of_t<Ex>> numbers, index_t groups,
                    Counts to_counts) {
  auto const counts = ex.template scratch<std::int32_t>(groups);
  histogram(ex, numbers, counts);
  auto const count = std::min(groups, to_counts.size());
  map(ex, identity_function{}, to_counts.slice(0, count), view_of(counts).slice(0, count));
}

/// The offsets of segments with sorted numbers, of which each has an element.
struct write_offset {
  std::int32_t const* numbers;
  index_t n;
  std::int32_t* offsets;
  RAVEL_HD void operator()(index_t k) const {
    std::int32_t const s = numbers[k];
    if (k == 0 || numbers[k - 1] != s) offsets[s] = static_cast<std::int32_t>(k);
    if (k == n - 1) offsets[s + 1] = static_cast<std::int32_t>(n);
  }
};

/// Combines the values of each number s to `to`, as far as there is room.
template <class Ex, class V, class Out, class M>
void combine_numbered(Ex const& ex, view<std::int32_t, space_of_t<Ex>> numbers, index_t groups,
                      V const* values, Out to_values, M m) {
  index_t const n = numbers.size();
  auto const sorted = ex.template scratch<std::int32_t>(n),
             offsets = ex.template scratch<std::int32_t>(groups + 1);
  auto const beside = ex.template scratch<V>(n);
  radix_sort_pairs(ex, numbers, view<V const, space_of_t<Ex>>{values, n}, sorted, beside,
                   bits_of_numbers_below<std::int32_t>(groups));
  if (groups < n / 64) {
    offsets_of_segment_ids(ex, sorted, offsets);
  } else {
    for_each_index(ex, n, write_offset{sorted.data(), n, offsets.data()});
  }
  using T = element_t<Out>;
  auto const monoid = monoid_on<T>(m);
  segmented_reduce_on(ex, n, contiguous<V>{beside.data()}, by_offsets(offsets), monoid,
                      seed_of<carrier_t<decltype(monoid)>>(monoid),
                      write_segment<T>{to_values.data(), to_values.size()});
}

/// number_groups_sync, of fewer than 2^31 keys; of more there are no numbers.
template <class Ex, class K, class H, class Eq, class OutKeys, class Use>
bool with_numbers_sync(Ex const& ex, K const* keys, index_t n, H hash, Eq eq, OutKeys to_keys,
                       bool only_keys, Use use) {
  if (n > std::numeric_limits<std::int32_t>::max()) return false;
  using Word = word_of_hash<H>;
  constexpr bool hash_is_key =
      hash_is_exact<K, H, Eq> && sizeof(decltype(Word{hash}(*keys))) <= sizeof(std::int32_t);
  auto const numbers = ex.template scratch<std::int32_t>(n);
  index_t const groups = number_groups_sync<hash_is_key>(ex, keys, n, Word{hash}, eq,
                                                         view_of(numbers), to_keys, only_keys);
  if (groups > 0) use(view_of(numbers), groups);
  return groups > 0 || n == 0;
}

/// Writes the stable order of elements by groups, and the length of each group; returns their number.
template <class Ex, class K, class H, class Eq, class Lengths>
index_t order_groups_sync(Ex const& ex, K const* keys, index_t n, H hash, Eq eq,
                          view<index_t, space_of_t<Ex>> order, Lengths to_lengths) {
  index_t found = 0;
  auto const order_numbered = [&](auto numbers, index_t groups) {
    found = groups;
    count_numbered(ex, numbers, groups, to_lengths);
    iota(ex, order);
    radix_sort_pairs(ex, numbers, order, bits_of_numbers_below<std::int32_t>(groups));
  };
  view<K, space_of_t<Ex>> const no_keys;
  if (with_numbers_sync(ex, keys, n, hash, eq, no_keys, false, order_numbered)) return found;
  return with_groups_sync(ex, keys, n, hash, eq, order, true, [&](auto const& labels) {
    return run_length_encode_sync(ex, labels, no_elements_like<Ex>(labels), to_lengths);
  });
}

/// Writes the key of each group and the number of its elements, or combines its values by `m` if there
/// are any; returns the number of groups.
template <class Ex, class K, class H, class Eq, class OutKeys, class Out, class V = void,
          class M = plus<>>
index_t write_groups_sync(Ex const& ex, K const* keys, index_t n, H hash, Eq eq, OutKeys to_keys,
                          Out to_values, V const* values = nullptr, M m = {}) {
  index_t found = 0;
  auto const write_numbered = [&](auto numbers, index_t groups) {
    found = groups;
    if (to_values.size() == 0) return;
    if (groups == n) {
      for_each_index(ex, n, write_distinct<K, V, OutKeys, Out>{keys, values, to_keys, to_values});
    } else if constexpr (std::is_void_v<V>) {
      count_numbered(ex, numbers, groups, to_values);
    } else {
      combine_numbered(ex, numbers, groups, values, to_values, m);
    }
  };
  if (with_numbers_sync(ex, keys, n, hash, eq, to_keys, to_values.size() == 0, write_numbered))
    return found;
  return n <= std::numeric_limits<std::int32_t>::max()
             ? write_sorted_groups_sync<std::int32_t>(ex, keys, n, hash, eq, to_keys, to_values,
                                                      values, m)
             : write_sorted_groups_sync<index_t>(ex, keys, n, hash, eq, to_keys, to_values, values,
                                                 m);
}

}  // namespace detail

struct hash_groups_by_steps {
  static constexpr auto name = "by_steps";
  static constexpr auto why =
      "Any executor: a table of the first elements of groups, for fewer than 2^31 keys of at most "
      "about 2^20 groups; what is combined is then sorted by their numbers.  Else a sort by hash, "
      "among whose equals those of other keys are parted, and a sort of the groups by their first "
      "elements.";
  template <class Ex, class K, class H, class Eq, class OutKeys, class Out, class V, class M>
  static void run(Ex const& ex, hash_groups_call<K, H, Eq, OutKeys, Out, V, M> const& c) {
    if constexpr (std::same_as<V, no_sum>) {
      view<index_t, space_of_t<Ex>> const no_counts;
      *c.groups = detail::write_groups_sync(ex, c.keys, c.n, c.hash, c.eq, c.to_keys, no_counts);
    } else {
      *c.groups =
          detail::write_groups_sync(ex, c.keys, c.n, c.hash, c.eq, c.to_keys, c.to, c.values, c.m);
    }
  }
};

/// The family of aggregations by hashing.
struct hash_groups_family : call_family<hash_groups_by_steps> {};

struct hash_order_by_steps {
  static constexpr auto name = "by_steps";
  static constexpr auto why = "Any executor: the same table and sorts.";
  static void run(auto const& ex, auto const& c) {
    *c.groups = detail::order_groups_sync(ex, c.keys, c.n, c.hash, c.eq, c.order, c.lengths);
  }
};

/// The family of orders by groups.
struct hash_order_family : call_family<hash_order_by_steps> {};

}  // namespace ravel::inline v0
