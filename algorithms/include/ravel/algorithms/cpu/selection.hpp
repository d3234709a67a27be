#pragma once

/// @file
/// Selection on the host: a sample bounds the keys of the selected rows, and only the rows within
/// the bounds are sorted.
///
/// Source   Floyd and Rivest, "Expected Time Bounds for Selection", CACM 18(3), 1975.

#include <ravel/algorithms/selection.hpp>
#include <ravel/core/cpu/executor.hpp>
#include <ravel/primitives/pack.hpp>
#include <ravel/primitives/reduce.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

namespace ravel::inline v0::cpu {
namespace detail {

/// Keys with bits in [least, greatest].
template <class K>
struct key_between {
  ravel::detail::selection_key<K> key;
  radix_bits_t<K> least, greatest;
  RAVEL_HD bool operator()(K const& x) const {
    auto const bits = key(x);
    return least <= bits && bits <= greatest;
  }
};
template <class K>
struct key_below {
  ravel::detail::selection_key<K> key;
  radix_bits_t<K> bound;
  RAVEL_HD bool operator()(K const& x) const { return key(x) < bound; }
};

/// Keeps candidates as long as the scratch has room for them.
template <class K, class V>
struct keep_candidate {
  rows<K const, V const> from;
  rows<K, V> to;
  index_t room;
  RAVEL_HD void operator()(index_t i, index_t place) const {
    if (place < room) to.set(place, from, i);
  }
};

}  // namespace detail

/// Overload of ravel::detail::select_rows: scratch for a part of the rows, and selection by digits
/// where that is too small, as where many keys are equal.
template <class Ex, class K, class V>
requires(std::same_as<Ex, sequential> ||
         std::same_as<Ex, threads>) void select_rows(Ex const& ex, index_t n,
                                                     rows<K const, V const> in, rows<K, V> out,
                                                     index_t first, index_t count, bool down) {
  using Bits = radix_bits_t<K>;
  constexpr index_t looks = 1 << 10, few = 1 << 14;
  constexpr index_t margin = 64;  // four standard deviations of the rank of a sampled key
  ravel::detail::selection_key<K> const key{down};

  Bits least = 0, greatest = static_cast<Bits>(~Bits(0));
  if (n > few) {
    std::array<Bits, looks> seen;
    std::uint64_t random = 1;
    for (index_t k = 0; k < looks; ++k) {  // a random place in each part of the rows
      random = random * 6364136223846793005u + 1442695040888963407u;
      index_t const begin = n / looks * k;
      auto const step = static_cast<index_t>(random >> 33) % (n / looks);
      seen[static_cast<std::size_t>(k)] = key(in.keys[begin + step]);
    }
    std::sort(seen.begin(), seen.end());
    auto const share = static_cast<double>(looks) / static_cast<double>(n);
    auto const low = static_cast<index_t>(share * static_cast<double>(first)) - margin;
    auto const high = static_cast<index_t>(share * static_cast<double>(first + count)) + margin;
    if (low >= 0) least = seen[static_cast<std::size_t>(low)];
    if (high < looks) greatest = seen[static_cast<std::size_t>(high)];
  }

  index_t ahead = 0;
  if (least > 0) {
    using Below = ravel::detail::keeps_element<K, detail::key_below<K>>;
    reduce_on(ex, n, ravel::detail::count_kept<Below>{{in.keys, {key, least}}}, plus<index_t>{},
              ravel::detail::seed_value<index_t>{0}, ravel::detail::store_total<index_t>{&ahead});
  }
  index_t const room = n <= few ? n : n / 4;
  auto const keys = ex.template scratch<K>(room);
  auto const values = ex.template scratch<V>(rows<K, V>::has_values ? room : 0);
  rows<K, V> const candidates{keys.data(), values.data()};
  ravel::detail::keeps_element<K, detail::key_between<K>> const keep{in.keys,
                                                                     {key, least, greatest}};
  index_t const found = ravel::detail::total_sync(ex, [&](auto total) {
    if constexpr (rows<K, V>::has_values) {
      pack_on(ex, n, keep, detail::keep_candidate<K, V>{in, candidates, room},
              ravel::detail::total_of(total));
    } else {
      pack_on(ex, n, keep, write_packed<K, K>{in.keys, keys.data(), room},
              ravel::detail::total_of(total));
    }
  });
  if (found > room || first < ahead || first + count > ahead + found) {
    return ravel::detail::select_rows<Ex>(ex, n, in, out, first, count, down);
  }
  sort_rows_on(ex, found, candidates.read(), candidates, rows<K, V>{nullptr, nullptr}, down,
               std::optional<bit_range>{}, ravel::detail::the_element{});
  index_t const begin = first - ahead;
  rows<K const, V const> const chosen{keys.data() + begin,
                                      values.data() + (rows<K, V>::has_values ? begin : 0)};
  for_each_index(ex, count, ravel::detail::move_row<K, V>{chosen, out});
}

}  // namespace ravel::inline v0::cpu
