#pragma once

/// Rows on the host: a key and its value, interleaved while they are sorted.

#include <ravel/algorithms/sort_options.hpp>
#include <ravel/core/radix_key.hpp>
#include <ravel/primitives/rows.hpp>

namespace ravel::inline v0::cpu::detail {

template <class K, class V>
struct row {
  K key;
  V value;
};
template <class K>
struct row<K, no_value> {
  K key;
};

/// Reads row i of a column of keys and a column of values.
template <class K, class V>
struct read_row {
  rows<K const, V const> from;
  [[gnu::always_inline]] row<K, V> operator()(index_t i) const {
    if constexpr (std::same_as<V, no_value>) {
      return {from.keys[i]};
    } else {
      return {from.keys[i], from.values[i]};
    }
  }
};

/// Writes rows to columns, beginning at row `first`.
template <class K, class V>
struct write_row {
  rows<K, V> to;
  index_t first;
  [[gnu::always_inline]] void operator()(index_t i, row<K, V> const& x) const {
    to.keys[first + i] = x.key;
    if constexpr (!std::same_as<V, no_value>) to.values[first + i] = x.value;
  }
  [[gnu::always_inline]] row<K, V> operator()(index_t i) const {
    return read_row<K, V>{{to.keys, to.values}}(first + i);
  }
  write_row after(index_t i) const { return {to, first + i}; }
};

/// The bits by which a row is sorted: those of its key that are set in `keep`.  For descending
/// order `flip` has all bits set, and inverts them.
template <class K, class Key>
struct sorted_bits {
  using key_type = ravel::detail::sort_key_t<Key, K>;
  using bits = radix_bits_t<key_type>;
  Key key;
  bits flip, keep;

  template <class V>
  [[gnu::always_inline]] bits operator()(row<K, V> const& x) const {
    return static_cast<bits>((radix_key<key_type>::bits(key(x.key)) ^ flip) & keep);
  }
};

}  // namespace ravel::inline v0::cpu::detail
