#pragma once

/// Aggregation by hashing on the host: the tables of forms, and the forms.

#include <ravel/algorithms/cpu/hash_groups.hpp>
#include <ravel/algorithms/group_by_hash/call.hpp>
#include <ravel/algorithms/group_by_hash/steps.hpp>
#include <ravel/algorithms/radix_sort.hpp>
#include <ravel/core/cpu/host.hpp>
#include <ravel/primitives/iota.hpp>

namespace ravel::inline v0 {
namespace detail {

/// What a group keeps of its first key: small keys themselves, others by their address.
template <class K>
inline constexpr bool is_kept_by_value = std::is_trivially_copyable_v<K> && sizeof(K) <= 16;
template <class K>
using kept_key = std::conditional_t<is_kept_by_value<K>, K, K const*>;
template <class K>
kept_key<K> keep_key(K const& key) {
  if constexpr (is_kept_by_value<K>) {
    return key;
  } else {
    return &key;
  }
}
template <class K>
K const& key_of(kept_key<K> const& kept) {
  if constexpr (is_kept_by_value<K>) {
    return kept;
  } else {
    return *kept;
  }
}
template <class K, class H>
struct hash_of_kept {
  H hash;
  std::uint64_t operator()(kept_key<K> const& x) const {
    return static_cast<std::uint64_t>(hash(key_of<K>(x)));
  }
};
template <class K, class Eq>
struct equality_of_kept {
  static constexpr bool is_of_integers =
      std::integral<K> && sizeof(K) <= sizeof(std::uint64_t) && std::same_as<Eq, equal_to>;
  Eq eq;
  bool operator()(kept_key<K> const& x, kept_key<K> const& y) const {
    return static_cast<bool>(eq(key_of<K>(x), key_of<K>(y)));
  }
};

}  // namespace detail

namespace cpu {
namespace detail {

using ravel::detail::keep_key;
using ravel::detail::key_of;

/// The groups of n keys of type K that `visit` adds.
template <class K, class T, class Ex, class Visit, class M, class H, class Eq>
auto groups_by_hash(Ex const& ex, index_t n, Visit const& visit, M m, index_t* numbers, H hash,
                    Eq eq) {
  using hash_of = ravel::detail::hash_of_kept<K, H>;
  using equal = ravel::detail::equality_of_kept<K, Eq>;
  return hash_groups<ravel::detail::kept_key<K>, T, hash_of, equal, M>(ex, n, visit, {hash}, {eq},
                                                                       m, numbers);
}

/// The groups of the keys of a call, with value(i) as the value of key i.
template <class T, class Ex, class Call, class Value, class M>
auto groups_of_keys(Ex const& ex, Call const& c, Value const& value, M m, index_t* numbers) {
  using K = std::remove_const_t<std::remove_pointer_t<decltype(c.keys)>>;
  auto const visit = [&](tile t, auto& add) {
    for (index_t i = t.begin; i < t.end; ++i) add(keep_key(c.keys[i]), value(i));
  };
  return groups_by_hash<K, T>(ex, c.n, visit, m, numbers, c.hash, c.eq);
}

}  // namespace detail

struct hash_groups_in_tables {
  static constexpr auto name = "in_tables";
  static constexpr auto why =
      "Each thread has a table of an interval of the input; tables are then merged by buckets of "
      "the hash.";
  template <class Ex, class K, class H, class Eq, class OutKeys, class Out, class V, class M>
  static void run(Ex const& ex, hash_groups_call<K, H, Eq, OutKeys, Out, V, M> const& c) {
    using T = element_t<Out>;
    [[maybe_unused]] auto* const values = c.values;
    auto const value = [=](index_t i) {
      if constexpr (std::is_void_v<V>) {
        return T(1);
      } else if constexpr (std::same_as<V, no_sum>) {
        return no_sum{};
      } else {
        return static_cast<T>(values[i]);
      }
    };
    auto const combine = [&] {
      if constexpr (std::same_as<V, no_sum>) {
        return c.m;
      } else {
        return monoid_on<T>(c.m);
      }
    }();
    auto const groups = detail::groups_of_keys<T>(ex, c, value, combine, nullptr);
    groups.write(ex,
                 [to_keys = c.to_keys, to_values = c.to](index_t s, auto const& key, T const& sum) {
                   if (s < to_keys.size()) to_keys.data()[s] = detail::key_of<K>(key);
                   if (s < to_values.size()) to_values.data()[s] = sum;
                 });
    *c.groups = groups.size();
  }
};

struct hash_order_in_tables {
  static constexpr auto name = "in_tables";
  static constexpr auto why =
      "The same tables number the groups, and a radix sort orders the keys by these numbers.";
  static void run(auto const& ex, auto const& c) {
    using C = element_t<decltype(c.lengths)>;
    auto const numbers = ex.template scratch<index_t>(c.n);
    auto groups = detail::groups_of_keys<C>(
        ex, c, [](index_t) { return C(1); }, plus<C>{}, numbers.data());
    groups.write(ex, [to_lengths = c.lengths](index_t s, auto const&, C length) {
      if (s < to_lengths.size()) to_lengths.data()[s] = length;
    });
    groups.renumber(ex, numbers.data());
    iota(ex, c.order);
    radix_sort_pairs(ex, numbers, c.order);
    *c.groups = groups.size();
  }
};

}  // namespace cpu

template <>
struct form_table<hash_groups_family, cpu::host> : forms<cpu::hash_groups_in_tables> {};
template <>
struct form_table<hash_order_family, cpu::host> : forms<cpu::hash_order_in_tables> {};

}  // namespace ravel::inline v0
