#pragma once

/// String sort on any executor: a segmented radix sort by seven bytes of each string at a time,
/// then a comparison sort.

#include <ravel/algorithms/comparison_sort.hpp>
#include <ravel/algorithms/segmented_sort.hpp>
#include <ravel/algorithms/string_sort/call.hpp>
#include <ravel/algorithms/strings.hpp>
#include <ravel/primitives/distribute.hpp>
#include <ravel/primitives/iota.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/pack.hpp>
#include <ravel/primitives/scan.hpp>

namespace ravel::inline v0 {
namespace detail {

/// The sort key: the seven bytes of a string from `from` on, and in the lowest byte how many of
/// them it has, or 8 if it goes on after them.
template <class Strings>
struct string_key {
  static constexpr index_t bytes = 7;
  static constexpr std::uint64_t and_more = bytes + 1;

  Strings strings;
  index_t from;

  RAVEL_HD std::uint64_t operator()(index_t s) const {
    index_t const left = strings.length(s) - from;
    std::uint64_t key = 0;
    for (index_t i = 0; i < bytes; ++i) {
      key = key << 8 | (i < left ? strings.byte(s, from + i) : 0u);
    }
    return key << 8 | (left > bytes ? and_more : static_cast<std::uint64_t>(left));
  }
};

/// Groups of strings that are equal in all bytes sorted so far.  A group has consecutive places in
/// the order; its number is the first of these.
struct string_groups {
  std::uint64_t const* keys;
  index_t* strings;
  index_t* places;
  index_t* groups;

  /// Whether a new group begins at k, in an old group that is now sorted by the keys.
  RAVEL_HD bool begins(index_t k) const {
    return k == 0 || groups[k] != groups[k - 1] || keys[k] != keys[k - 1];
  }
};

struct first_place {
  string_groups old;
  RAVEL_HD index_t operator()(index_t k) const { return old.begins(k) ? old.places[k] : 0; }
};

/// Writes the strings to their places in the order so far.
template <class Out>
struct place_string {
  string_groups old;
  Out* order;
  index_t* groups;
  RAVEL_HD void operator()(index_t k, index_t, index_t group) const {
    order[old.places[k]] = static_cast<Out>(old.strings[k]);
    groups[k] = group;
  }
};

/// Whether a string has more bytes and its group has other strings: only these are sorted further.
struct is_undecided {
  string_groups now;
  std::uint64_t and_more;
  index_t n;
  RAVEL_HD bool begins(index_t k) const { return k == n || now.groups[k] == now.places[k]; }
  RAVEL_HD bool operator()(index_t k) const {
    return (now.keys[k] & 0xff) == and_more && !(begins(k) && begins(k + 1));
  }
};
struct keep_string {
  string_groups from, to;
  RAVEL_HD void operator()(index_t k, index_t place) const {
    to.strings[place] = from.strings[k];
    to.places[place] = from.places[k];
    to.groups[place] = from.groups[k];
  }
};

/// A string that is still equal to others of its group after the bytes that are radix sorted, and
/// the group.
struct string_of_group {
  index_t group, string;
};
struct pair_with_group {
  string_groups from;
  string_of_group* to;
  RAVEL_HD void operator()(index_t k) const { to[k] = {from.groups[k], from.strings[k]}; }
};
template <class Strings, bool Downward>
struct is_ahead_in_group {
  Strings strings;
  index_t from;
  RAVEL_HD bool operator()(string_of_group const& x, string_of_group const& y) const {
    if (x.group != y.group) return x.group < y.group;
    return Downward ? string_less(strings, y.string, x.string, from)
                    : string_less(strings, x.string, y.string, from);
  }
};
template <class Out>
struct place_compared {
  string_of_group const* sorted;
  index_t const* places;
  Out* order;
  RAVEL_HD void operator()(index_t k) const {
    order[places[k]] = static_cast<Out>(sorted[k].string);
  }
};

/// The number of bytes that are radix sorted.  Strings that are equal in them are compared instead.
inline constexpr index_t bytes_by_digits = 10 * string_key<int>::bytes;

template <class Ex, class Strings, class Out, class... Options>
void order_strings_sync(Ex const& ex, string_sort_call<Strings, Out, Options...> const& c) {
  auto const strings = c.strings;
  Out* const order = c.order;
  index_t n = c.n;
  using key = string_key<Strings>;
  auto const keys = ex.template scratch<std::uint64_t>(n);
  auto const memory = ex.template scratch<index_t>(6 * n);
  index_t* const at = memory.data();
  string_groups current{keys.data(), at, at + n, at + 2 * n};
  string_groups spare{keys.data(), at + 3 * n, at + 4 * n, at + 5 * n};
  auto const first = [&](auto* data, index_t many) {
    return view<std::remove_pointer_t<decltype(data)>, space_of_t<Ex>>{data, many};
  };
  iota(ex, first(current.strings, n));
  iota(ex, first(current.places, n));
  distribute(ex, index_t{0}, first(current.groups, n));

  index_t offset = 0;
  for (; n > 0 && offset < bytes_by_digits; offset += key::bytes) {
    auto const keys_left = first(keys.data(), n);
    auto const sorted = first(current.strings, n);
    map(ex, key{strings, offset}, keys_left, sorted);
    segmented_sort_pairs(ex, keys_left, sorted, by_keys(first(current.groups, n)), keys_left,
                         sorted, Options{}...);
    scan_on(ex, n, first_place{current}, place_string<Out>{current, order, spare.groups},
            maximum<index_t>{}, seed_identity<maximum<index_t>>{{}}, no_total{});
    string_groups const placed{keys.data(), current.strings, current.places, spare.groups};
    string_groups const next{keys.data(), spare.strings, spare.places, current.groups};
    n = total_sync(ex, [&, n](auto total) {
      pack_on(ex, n, is_undecided{placed, key::and_more, n}, keep_string{placed, next},
              total_of(total));
    });
    current = next;
    spare = {keys.data(), placed.strings, placed.places, placed.groups};
  }
  if (n == 0) return;
  auto const pairs = ex.template scratch<string_of_group>(n);
  for_each_index(ex, n, pair_with_group{current, pairs.data()});
  comparison_sort(ex, pairs, is_ahead_in_group<Strings, (sizeof...(Options) > 0)>{strings, offset});
  for_each_index(ex, n, place_compared<Out>{pairs.data(), current.places, order});
}

}  // namespace detail

struct string_sort_by_steps {
  static constexpr auto name = "by_steps";
  static constexpr auto why =
      "Any executor: segmented radix sorts by seven bytes at a time, then a comparison sort.";
  static void run(auto const& ex, auto const& c) { detail::order_strings_sync(ex, c); }
};

/// The family of sorts of strings.
struct string_sort_family : call_family<string_sort_by_steps> {};

}  // namespace ravel::inline v0
