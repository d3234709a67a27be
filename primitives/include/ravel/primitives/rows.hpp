#pragma once

/// Rows: keys, and optionally a value with each, that move together.

#include <ravel/core/vocabulary.hpp>

namespace ravel::inline v0 {

/// The value type of rows without values.
struct no_value {};

/// Keys, and a value with each unless V is no_value.
template <class K, class V>
struct rows {
  static constexpr bool has_values = !std::same_as<V const, no_value const>;
  K* keys;
  V* values;

  RAVEL_HD rows<K const, V const> read() const { return {keys, values}; }
  /// The rows from row i on.
  RAVEL_HD rows from(index_t i) const {
    if constexpr (has_values) return {keys + i, values + i};
    return {keys + i, values};
  }
  RAVEL_MAY_CALL_HOST
  RAVEL_HD void set(index_t place, rows<K const, V const> const& src, index_t i) const {
    keys[place] = src.keys[i];
    if constexpr (has_values) values[place] = src.values[i];
  }
};

/// Whether both share the memory of a column.
template <class K, class V>
bool share_memory(rows<K const, V const> const& a, rows<K, V> const& b) {
  return a.keys == b.keys || (rows<K, V>::has_values && a.values == b.values);
}

}  // namespace ravel::inline v0
