#pragma once

/// The descriptions of aggregations by hashing.

#include <ravel/core/vocabulary.hpp>

namespace ravel::inline v0 {

struct hash_groups_family;
struct hash_order_family;

/// The sum of a group that has no values.
struct no_sum {
  no_sum operator()(no_sum, no_sum) const { return {}; }
};

/// The first key of each group to `to_keys`, and its values combined by m to `to`: if V is void, the
/// number of its keys; if it is no_sum, nothing.
template <class K, class H, class Eq, class OutKeys, class Out, class V, class M>
struct hash_groups_call {
  using family = hash_groups_family;
  K const* keys;
  index_t n;
  H hash;
  Eq eq;
  OutKeys to_keys;
  Out to;
  V const* values;
  M m;
  index_t* groups;  ///< their number, of the host, written before the call returns
};

/// The stable order of keys by groups, and the length of each.
template <class K, class H, class Eq, class Order, class Lengths>
struct hash_order_call {
  using family = hash_order_family;
  K const* keys;
  index_t n;
  H hash;
  Eq eq;
  Order order;
  Lengths lengths;
  index_t* groups;
};

}  // namespace ravel::inline v0
