#pragma once

/// Aggregation by hashing: groups of equal keys anywhere in a sequence, in the order in which they first
/// appear.

#include <ravel/algorithms/group_by_hash/call.hpp>
#include <ravel/algorithms/group_by_hash/cpu.hpp>
#include <ravel/algorithms/group_by_hash/steps.hpp>
#include <ravel/primitives/options.hpp>

#include <cstring>
#include <functional>
#include <string_view>

namespace ravel::inline v0 {

/// A hash of bytes, for tables in one process: it differs between machines of different byte order.
///
///     hash_bytes("fig") == hash_bytes(std::string("fig"))
///
/// Cost     O(length).
inline std::uint64_t hash_bytes(std::string_view bytes) {
  std::size_t const n = bytes.size();
  char const* const at = bytes.data();
  auto const word = [](char const* first, std::size_t length) {
    std::uint64_t w = 0;
    std::memcpy(&w, first, length);
    return w;
  };
  std::uint64_t h = n * 0x9e3779b97f4a7c15u;
  if (n >= 8) {
    for (std::size_t i = 0; i + 8 < n; i += 8) {
      h = (h ^ word(at + i, 8)) * 0xbf58476d1ce4e5b9u;
      h ^= h >> 31;
    }
    return (h ^ word(at + n - 8, 8)) * 0xbf58476d1ce4e5b9u;
  }
  if (n >= 4) return h ^ (word(at, 4) | word(at + n - 4, 4) << 32);
  if (n == 0) return h;
  return h ^ (word(at, 1) | word(at + n / 2, 1) << 8 | word(at + n - 1, 1) << 16);
}

/// The hash of a key where no other is given: hash_bytes of what is a string, else std::hash.
struct default_hash {
  template <class K>
  std::uint64_t operator()(K const& key) const {
    constexpr bool has_hash = std::default_initializable<std::hash<K>>;
    if constexpr (std::convertible_to<K const&, std::string_view>) {
      return hash_bytes(key);
    } else if constexpr (!has_hash) {
      static_assert(has_hash,
                    "std::hash does not know the keys: hash_by(...) gives a hash of them");
      return 0;
    } else {
      return static_cast<std::uint64_t>(std::hash<K>{}(key));
    }
  }
};

namespace detail::option {
struct hash {};
}  // namespace detail::option

/// The result of `hash_by`.
template <class H>
struct hashing {
  using kind = detail::option::hash;
  H hash;
};

/// Hash keys by `hash`, a function from keys to integers, which must be equal for equal keys.
template <class H>
hashing<H> hash_by(H hash) {
  return {hash};
}

namespace detail {

/// Whether groups are found in tables of a host; elsewhere by sorts.
template <class Ex>
inline constexpr bool groups_in_tables = cpu::host_executor<own_t<Ex>>;

/// What hashes keys: the option, or, by tables, default_hash, and by sorts the bits of numbers.
template <class Ex, class... Options>
auto hash_of_keys(Options const&... options) {
  using otherwise = std::conditional_t<groups_in_tables<Ex>, default_hash, radix_bits>;
  return option_or<option::hash>(hashing<otherwise>{}, options...).hash;
}

template <class Ex, class K, class... Options>
void expect_groupable() {
  static_assert(
      are_options<takes<option::hash, option::equal>, Options...>,
      "aggregation by hashing: the options are hash_by(...) and equal_by(...), each once");
  using H = decltype(hash_of_keys<Ex>(std::declval<Options const&>()...));
  static_assert(
      requires(H const& h, K const& k) { static_cast<std::uint64_t>(h(k)); },
      "aggregation by hashing: the keys cannot be hashed; give hash_by(...), a function "
      "from keys to integers");
}

/// Aggregates keys, and returns the number of groups.
template <class Ex, class K, class OutKeys, class Out, class V, class M, class... Options>
index_t groups_sync(Ex const& ex, view<K, space_of_t<Ex>> keys, OutKeys to_keys, Out to_values,
                    V const* values, M m, Options const&... options) {
  auto const hash = hash_of_keys<Ex>(options...);
  auto const eq = equality_of(options...);
  index_t groups = 0;
  run_call(own(ex),
           hash_groups_call<std::remove_const_t<K>, std::remove_const_t<decltype(hash)>,
                            std::remove_const_t<decltype(eq)>, OutKeys, Out, V, M>{
               keys.data(), keys.size(), hash, eq, to_keys, to_values, values, m, &groups});
  return groups;
}

}  // namespace detail

/// The groups of keys that a function finds, for what is no sequence of keys, as words of a text:
///
///     visit(tile, add)        calls add(key, value) for the keys of a tile of [0, n), in order
///     groups.size()           the number of distinct keys
///     groups.write(ex, sink)  calls sink(s, key, value) for each group s, from several threads
///
///     visit of text "b a b", which adds each word with 1, and plus: b 2, a 1
///
/// Keys of up to 16 bytes that are trivially copyable are kept by value, as string_view is.
///
/// Order and cost are those of reduce_by_hash_sync; tiles are of any size, and together [0, n).
template <class K, class T, executor Ex, class Visit, class M, class... Options>
auto group_by_hash_on(Ex const& ex, index_t n, Visit const& visit, M m, Options const&... options) {
  static_assert(detail::is_kept_by_value<K>,
                "group_by_hash_on: keys are trivially copyable and of at most 16 bytes, such as "
                "string_view");
  static_assert(detail::groups_in_tables<Ex>,
                "group_by_hash_on runs on cpu::sequential and cpu::threads");
  detail::expect_groupable<Ex, K, Options...>();
  return cpu::detail::groups_by_hash<K, T>(detail::own(ex), n, visit, m, nullptr,
                                           detail::hash_of_keys<Ex>(options...),
                                           detail::equality_of(options...));
}

/// Combines the values of all equal keys, wherever they are, in the order of the input:
///
///     out_keys[s]   = the first key of group s
///     out_values[s] = the values of the keys equal to it, combined by `m`
///
///     keys          7 4 7 4 7
///     values        3 4 1 1 2
///     out_keys      7 4
///     out_values    6 5                   with plus; the result is 2
///
/// Groups are in the order of their first keys.  Returns their number.  Keys are equal if x == y,
/// or as the option `equal_by` defines, and are hashed by default_hash or as the option `hash_by`
/// defines; a struct of the user needs `hash_by`.
///
/// Shapes   keys[n] of any type, values[n]; `out_keys` and `out_values` of any sizes: groups that
///          they have no room for are counted and not written, and elements after the last are not
///          changed.  They overlap nothing.  n may be 0.
/// Order    `m` is associative and need not commute.  The result depends on how many threads `ex`
///          has only where rounding makes `m` not associative; on one executor it is always the same.
/// Cost     O(n) work if the hash spreads the keys; O(n / threads) span, and that of the most equal
///          hashes.  Peak memory, for each distinct key of each thread: key and value, padded
///          to words, and 28 to 48 bytes; and 64 KiB for each thread, or 576 KiB where keys are integers
///          that lie close together, whose groups then need no search.
///          On devices a table, in which each key reads and perhaps writes a slot, and a radix sort of
///          values by the numbers of groups; for more than about 2^20 groups, or 2^31 keys, a radix sort
///          of pairs by the bits of hashes, one of the groups by the bits of n, and, if keys with equal
///          hashes differ, another of all.  Scratch there of up to 40 MiB, and of 12 bytes and two
///          values for each key; without a table of two hashes and 20 bytes for each key, of a value
///          and 12 bytes for each group; twice as many bytes from 2^31 keys on.  Keys other than
///          numbers need `hash_by` there, which kernels can call.
/// Errors   contract_error if there are not as many values as keys.
/// See also reduce_by_key, for keys that are sorted, and reduce_by_index, for small integers.  Of more than
/// about 2^20 groups on a device, radix_sort_pairs and reduce_by_key take less time: they give them
/// in the order of keys.
template <local_executor Ex, class Keys, class Values, class OutKeys, class OutValues,
          class M = plus<>, class... Options>
index_t reduce_by_hash_sync(Ex const& ex, Keys const& keys, Values const& values,
                            OutKeys&& out_keys, OutValues&& out_values, M m = {},
                            Options... options) {
  RAVEL_EXPECT_RANGE(Keys, Ex, "reduce_by_hash_sync: keys");
  RAVEL_EXPECT_RANGE(Values, Ex, "reduce_by_hash_sync: values");
  RAVEL_EXPECT_WRITABLE(OutKeys, Ex, "reduce_by_hash_sync: out_keys");
  RAVEL_EXPECT_WRITABLE(OutValues, Ex, "reduce_by_hash_sync: out_values");
  auto const& keys_in = detail::sequence_of(ex, "reduce_by_hash_sync", keys);
  auto const& beside = detail::sequence_of(ex, "reduce_by_hash_sync", values);
  using K = element_t<decltype(keys_in)>;
  detail::expect_groupable<Ex, K, Options...>();
  index_t const n = size_of(keys_in);
  expects(size_of(beside) == n, "reduce_by_hash_sync: there are ", n, " keys and ", size_of(beside),
          " values");
  return detail::groups_sync(ex, view_of(keys_in), view_of(out_keys), view_of(out_values),
                             view_of(beside).data(), m, options...);
}

/// Counts how often each distinct key occurs:
///
///     keys          fig pear fig
///     out_keys      fig pear
///     counts        2 1                   the result is 2
///
/// Shapes, order and cost are those of reduce_by_hash_sync with ones as values; counts are of any
/// arithmetic type.
template <local_executor Ex, class Keys, class OutKeys, class Counts, class... Options>
index_t histogram_by_key_sync(Ex const& ex, Keys const& keys, OutKeys&& out_keys, Counts&& counts,
                              Options... options) {
  RAVEL_EXPECT_RANGE(Keys, Ex, "histogram_by_key_sync: keys");
  RAVEL_EXPECT_WRITABLE(OutKeys, Ex, "histogram_by_key_sync: out_keys");
  RAVEL_EXPECT_WRITABLE(Counts, Ex, "histogram_by_key_sync: counts");
  auto const& keys_in = detail::sequence_of(ex, "histogram_by_key_sync", keys);
  using K = element_t<decltype(keys_in)>;
  detail::expect_groupable<Ex, K, Options...>();
  return detail::groups_sync(ex, view_of(keys_in), view_of(out_keys), view_of(counts),
                             static_cast<void const*>(nullptr), plus<element_t<Counts>>{},
                             options...);
}

/// The first of each group of equal keys, in the order of the input:
///
///     keys          3 1 3 2 1
///     out           3 1 2                 the result is 3
///
/// Shapes, order and cost are those of reduce_by_hash_sync without values.
/// See also unique, which removes only what equals its predecessor.
template <local_executor Ex, class Keys, class Out, class... Options>
index_t remove_duplicates_sync(Ex const& ex, Keys const& keys, Out&& out, Options... options) {
  RAVEL_EXPECT_RANGE(Keys, Ex, "remove_duplicates_sync: keys");
  RAVEL_EXPECT_WRITABLE(Out, Ex, "remove_duplicates_sync: out");
  auto const& keys_in = detail::sequence_of(ex, "remove_duplicates_sync", keys);
  using K = element_t<decltype(keys_in)>;
  detail::expect_groupable<Ex, K, Options...>();
  return detail::groups_sync(ex, view_of(keys_in), view_of(out), view<no_sum, space_of_t<Ex>>{},
                             static_cast<no_sum const*>(nullptr), no_sum{}, options...);
}

/// The stable permutation that makes equal keys adjacent, groups in the order of their first
/// keys, and the length of each group:
///
///     keys          7 4 7 4 7
///     order         0 2 4 1 3
///     lengths       3 2                   the result is 2
///
/// Values gathered by `order` are segments by_lengths(lengths).
///
/// Shapes   keys[n]; order[n] of index_t; `lengths` of any arithmetic type and any size: groups
///          that it has no room for are counted and not written.
/// Order and errors are those of reduce_by_hash_sync; contract_error also if order has not n
/// elements.
/// Cost     That of reduce_by_hash_sync, and of a radix sort of the numbers of the groups; on the host scratch for 3
///          integers of each key, and memory for one of each distinct key of each thread.
template <local_executor Ex, class Keys, class Order, class Lengths, class... Options>
index_t group_by_key_sync(Ex const& ex, Keys const& keys, Order&& order, Lengths&& lengths,
                          Options... options) {
  RAVEL_EXPECT_RANGE(Keys, Ex, "group_by_key_sync: keys");
  static_assert(
      writable_on<Order, Ex> && writable_on<Lengths, Ex> && std::same_as<element_t<Order>, index_t>,
      "group_by_key_sync: order or lengths is no writable sequence in the executor's "
      "memory, or order is not of index_t");
  auto const& keys_in = detail::sequence_of(ex, "group_by_key_sync", keys);
  using K = element_t<decltype(keys_in)>;
  detail::expect_groupable<Ex, K, Options...>();
  index_t const n = size_of(keys_in);
  expects(size_of(order) == n, "group_by_key_sync: there are ", n, " keys, and order has room for ",
          size_of(order));
  auto const hash = detail::hash_of_keys<Ex>(options...);
  auto const eq = detail::equality_of(options...);
  auto const to_order = view_of(order);
  auto const to_lengths = view_of(lengths);
  index_t groups = 0;
  run_call(
      detail::own(ex),
      hash_order_call<K, std::remove_const_t<decltype(hash)>, std::remove_const_t<decltype(eq)>,
                      std::remove_const_t<decltype(to_order)>,
                      std::remove_const_t<decltype(to_lengths)>>{
          view_of(keys_in).data(), n, hash, eq, to_order, to_lengths, &groups});
  return groups;
}

}  // namespace ravel::inline v0
