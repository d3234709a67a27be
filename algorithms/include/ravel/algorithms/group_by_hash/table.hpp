#pragma once

/// Numbers of groups of equal keys by a table of their first elements, for keys that repeat, or are few.

#include <ravel/algorithms/radix_sort.hpp>
#include <ravel/core/atomic.hpp>
#include <ravel/core/transfer.hpp>
#include <ravel/primitives/distribute.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/pack.hpp>

namespace ravel::inline v0::detail {

/// Tables have at least two slots for each key, but at most these: so they fit the L2 cache of a device,
/// and have room for about 2^20 groups.
inline constexpr int log_most_slots = 21;
/// If the slot of a key and the next ones are taken by other groups, as many as these, the table is full.
inline constexpr int most_probes = 64;

/// A table with linear probing.  A slot has 32 bits of the hash of a group, and the first element found
/// so far, plus one; 0 if it is free.
struct slots_of_groups {
  std::int64_t* slots;
  std::int64_t* is_full;
  int log;

  RAVEL_HD index_t size() const { return index_t{1} << log; }
  RAVEL_HD index_t next(index_t slot) const { return (slot + 1) & (size() - 1); }
  RAVEL_HD index_t first_in(index_t slot) const {
    return static_cast<index_t>(static_cast<std::uint32_t>(slots[slot])) - 1;
  }
};

/// Enters element i in the slot of its group, and notes the slot.  If a hash is a key's own 32 bits,
/// the slot suffices to compare keys.
template <class K, class Word, class Eq, bool HashIsKey>
struct enter_in_table {
  K const* keys;
  Word word;
  Eq eq;
  slots_of_groups table;
  std::int32_t* slot_of;
  RAVEL_HD void operator()(index_t i) const {
    if (load_whole(table.is_full) != 0) return;
    K const key = keys[i];
    auto const hash = static_cast<std::uint64_t>(word(key));
    std::uint64_t const mixed = (hash ^ hash >> 32) * 0x9e3779b97f4a7c15u;
    std::uint64_t const tag = HashIsKey ? hash : mixed & 0xffff'ffffu;
    auto const me = static_cast<std::int64_t>(tag << 32 | static_cast<std::uint64_t>(i + 1));
    auto s = static_cast<index_t>(mixed >> (64 - table.log));
    for (int probe = 0; probe < most_probes; ++probe, s = table.next(s)) {
      std::int64_t held = load_whole(table.slots + s);
      if (held == 0) held = exchange_if(table.slots + s, 0, me);
      if (held != 0) {
        if (held >> 32 != me >> 32) continue;
        if constexpr (!HashIsKey) {
          if (!eq(keys[static_cast<std::uint32_t>(held) - 1], key)) continue;
        }
        if (held > me) keep_least(table.slots + s, me);
      }
      slot_of[i] = static_cast<std::int32_t>(s);
      return;
    }
    store_whole(table.is_full, std::int64_t{1});
  }
};

/// Whether element i is the first of its group; of none if the table is full.
struct is_first_of_group {
  slots_of_groups table;
  std::int32_t const* slot_of;
  RAVEL_HD bool operator()(index_t i) const {
    return *table.is_full == 0 && table.first_in(slot_of[i]) == i;
  }
};
/// Gives the slot of a group, whose first element is i, the number `place`, and writes the key.
template <class K, class OutKeys>
struct number_first {
  std::int32_t const* slot_of;
  K const* keys;
  OutKeys to_keys;
  std::int32_t* number_of;
  RAVEL_HD void operator()(index_t i, index_t place) const {
    number_of[slot_of[i]] = static_cast<std::int32_t>(place);
    if (place < to_keys.size()) to_keys[place] = keys[i];
  }
};

/// Packs slots that are taken, and their first elements.
struct is_taken {
  slots_of_groups table;
  RAVEL_HD bool operator()(index_t s) const { return *table.is_full == 0 && table.slots[s] != 0; }
};
struct move_taken {
  slots_of_groups table;
  std::int32_t *firsts, *taken;
  RAVEL_HD void operator()(index_t s, index_t place) const {
    firsts[place] = static_cast<std::int32_t>(table.first_in(s));
    taken[place] = static_cast<std::int32_t>(s);
  }
};
/// The number of a slot, and the key of its group.
template <class K, class OutKeys>
struct number_slot {
  std::int32_t const *firsts, *taken;
  K const* keys;
  OutKeys to_keys;
  std::int32_t* number_of;
  RAVEL_HD void operator()(index_t s) const {
    number_of[taken[s]] = static_cast<std::int32_t>(s);
    if (s < to_keys.size()) to_keys[s] = keys[firsts[s]];
  }
};
struct number_of_slot {
  std::int32_t const* number_of;
  RAVEL_HD std::int32_t operator()(std::int32_t slot) const { return number_of[slot]; }
};

/// Numbers the groups of fewer than 2^31 keys from 0 by their first elements, and writes their keys:
///
///     keys        7 4 7 4 7
///     numbers     0 1 0 1 0
///     to_keys     7 4             the result is 2
///
/// `numbers` is as large as `keys`, and may be left unwritten if only the keys are wanted.
///
/// The result is 0, and no key is written, if there are keys, and a table of 2^log_most slots has no
/// room for their groups.
///
/// Cost     O(n) work if the hash spreads the keys; each element reads a slot, and where the hash is not
///          the key, the first key of its group.  Scratch of 12 to 20 bytes for each slot.
template <bool HashIsKey, class Ex, class K, class Word, class Eq, class OutKeys>
index_t number_groups_sync(Ex const& ex, K const* keys, index_t n, Word word, Eq eq,
                           view<std::int32_t, space_of_t<Ex>> numbers, OutKeys to_keys,
                           bool only_keys = false, int log_most = log_most_slots) {
  if (n == 0) return 0;
  int const log = std::clamp(bits_below(2 * n), 1, log_most);
  index_t const slots = index_t{1} << log;
  auto const memory = ex.template scratch<std::int64_t>(slots + 1);
  distribute(ex, std::int64_t{0}, view_of(memory));
  slots_of_groups const table{memory.data(), memory.data() + slots, log};
  std::int32_t* const slot_of = numbers.data();
  for_each_index(ex, n, enter_in_table<K, Word, Eq, HashIsKey>{keys, word, eq, table, slot_of});
  auto const number_of = ex.template scratch<std::int32_t>(slots);
  index_t groups = 0;
  if (n <= slots) {
    number_first<K, OutKeys> const number{slot_of, keys, to_keys, number_of.data()};
    groups = total_sync(ex, [&](auto total) {
      pack_on(ex, n, is_first_of_group{table, slot_of}, number, total_of(total));
    });
  } else {
    auto const firsts = ex.template scratch<std::int32_t>(slots),
               taken = ex.template scratch<std::int32_t>(slots);
    groups = total_sync(ex, [&](auto total) {
      pack_on(ex, slots, is_taken{table}, move_taken{table, firsts.data(), taken.data()},
              total_of(total));
    });
    radix_sort_pairs(ex, view_of(firsts).slice(0, groups), view_of(taken).slice(0, groups),
                     bits_of_numbers_below<std::int32_t>(n));
    for_each_index(
        ex, groups,
        number_slot<K, OutKeys>{firsts.data(), taken.data(), keys, to_keys, number_of.data()});
  }
  if (groups > 0 && !only_keys) map(ex, number_of_slot{number_of.data()}, numbers, numbers);
  return groups;
}

}  // namespace ravel::inline v0::detail
