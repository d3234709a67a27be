#pragma once

/// @file
/// Radix sort on a device: one pass over memory for each digit, or one launch for few keys.

#include <ravel/algorithms/cuda/bucket_sort.cuh>
#include <ravel/algorithms/cuda/counting_sort.cuh>
#include <ravel/algorithms/cuda/integers_together.cuh>
#include <ravel/algorithms/cuda/pair_buckets.cuh>
#include <ravel/algorithms/cuda/sampled_values.cuh>
#include <ravel/algorithms/sort_options.hpp>
#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/vocabulary.hpp>
#include <ravel/primitives/cuda/digit_passes.cuh>
#include <ravel/primitives/cuda/digits_together.cuh>

#include <optional>

namespace ravel::inline v0::gpu {
namespace detail {

/// The order-preserving bits of an element's key.
template <class Key>
struct bits_of_key {
  Key key;
  template <class K>
  RAVEL_HD auto operator()(K const& x) const {
    return radix_key<ravel::detail::sort_key_t<Key, K>>::bits(key(x));
  }
};

/// The type as which values are moved: trivially copyable types of one size and alignment share
/// kernels.
template <std::size_t Size, std::size_t Alignment>
struct alignas(Alignment) bytes_of_value {
  unsigned char bytes[Size];
};
template <class V>
using moved_t = std::conditional_t<
    std::same_as<V, no_value>, no_value,
    std::conditional_t<
        sizeof(V) == alignof(V) && sizeof(V) <= 8,
        typename ravel::detail::unsigned_of<
            sizeof(V) <= 8 && sizeof(V) == alignof(V) ? static_cast<int>(sizeof(V)) : 1>::type,
        bytes_of_value<sizeof(V), alignof(V)>>>;

/// Whether keys are integers sorted by their own value.  Those of one size share kernels: they are
/// sorted as unsigned integers, with the sign bit of signed ones flipped (integer_order).
template <class K, class Key>
inline constexpr bool are_integers = std::same_as<Key, ravel::detail::the_element> &&
                                     (std::is_integral_v<K> || std::is_enum_v<K>);
template <class K, class V, class Bits>
void sort_on_device(executor const& ex, index_t n, rows<K const, V const> in, rows<K, V> out,
                    rows<K, V> spare, digits<Bits> by) {
  if (sort_together(ex, n, in, out, by)) return;
  sort_of_few_values<std::remove_cvref_t<decltype(by.bits(*in.keys))>> few(ex, n);
  few.rows_by(by, in, out, spare);
  launch_digit_passes<false>(ex, n, in, out, by, few.rest(), spare);
}

/// Sorts keys without values by all of their bits.  Equal integers are identical, and so are most
/// equal floating-point numbers, so an unstable sort yields the same result.
template <class U, class Order, class K, class Bits>
void sort_keys(executor const& ex, index_t n, K const* in, K* out, K* spare, Order order,
               digits<Bits> by) {
  auto const* const from = reinterpret_cast<U const*>(in);
  auto* const to = reinterpret_cast<U*>(out);
  rows<K const, no_value const> const rows_in{in, nullptr};
  rows<K, no_value> const rows_out{out, nullptr}, rows_spare{spare, nullptr};
  if constexpr (sizeof(U) <= 2) {
    if (!sort_together(ex, n, rows_in, rows_out, by)) counting_sort(ex, n, from, to, order.flip);
  } else {
    if constexpr (std::same_as<Order, integer_order<U>>) {
      if (sort_integers_together(ex, n, from, to, order)) return;
    } else {
      if (sort_together(ex, n, rows_in, rows_out, by)) return;
    }
    int const bits = bucket_bits(n);
    if (n < ex.tuned().bucketed || (n >> bits) > large_bucket<U>::most / 2) {
      sort_by_digits(ex, n, rows_in, rows_out, by, rows_spare);
      return;
    }
    auto const failed = ex.scratch<unsigned>(1);
    sort_of_few_values<U> few(ex, n);
    few.keys(from, to, order);
    bucket_sort(ex, n, from, to, reinterpret_cast<U*>(spare), order, bits, failed.data(),
                few.rest());
    if (!counts_large_buckets<U, Order>(ex, n, bits)) {
      sort_by_digits_if(ex, failed.data(), n, rows_in, rows_out, by, rows_spare);
    }
  }
}

/// Whether keys are floating-point numbers sorted by their own value.
template <class K, class Key>
inline constexpr bool are_numbers =
    std::same_as<Key, ravel::detail::the_element>&& std::is_floating_point_v<K>;

}  // namespace detail

/// Overload of sort_rows_on for a device.  By several keys it sorts by the last one first, stably.
template <class K, class V, class Key, class... Lower>
void sort_rows_on(executor const& ex, index_t n, rows<K const, V const> in, rows<K, V> out,
                  rows<K, V> spare, bool down, std::optional<bit_range> range, Key key,
                  Lower... lower) {
  if constexpr (sizeof...(Lower) > 0) {
    sort_rows_on(ex, n, in, out, spare, down, range, lower...);
    in = out.read();
  }
  auto const [begin, end] =
      range.value_or(bit_range{0, radix_width<ravel::detail::sort_key_t<Key, K>>});
  using M = detail::moved_t<V>;
  auto* const values_in = reinterpret_cast<M const*>(in.values);
  auto* const values_out = reinterpret_cast<M*>(out.values);
  auto* const spare_values = reinterpret_cast<M*>(spare.values);
  bool const whole = begin == 0 && end == radix_width<ravel::detail::sort_key_t<Key, K>>;
  if constexpr (detail::are_integers<K, Key>) {
    using U = ravel::detail::unsigned_of_t<K>;
    using order = detail::integer_order<U>;
    order const up{radix_key<K>::bits(static_cast<K>(0))};
    rows<U const, M const> const from{reinterpret_cast<U const*>(in.keys), values_in};
    rows<U, M> const to{reinterpret_cast<U*>(out.keys), values_out};
    rows<U, M> const by_way_of{reinterpret_cast<U*>(spare.keys), spare_values};
    order const it{static_cast<U>(down ? ~up.flip : up.flip)};
    if constexpr (std::same_as<V, no_value>) {
      if (whole) {
        return detail::sort_keys<U>(ex, n, from.keys, to.keys, by_way_of.keys, it,
                                    digits<order>{it, begin, end, false});
      }
    } else if constexpr (sizeof(U) == 4 && sizeof(M) <= 8) {
      if (whole && sort_pairs_in_buckets(ex, n, from, to, by_way_of, it)) return;
    }
    detail::sort_on_device(ex, n, from, to, by_way_of, digits<order>{up, begin, end, down});
  } else {
    rows<K const, M const> const from{in.keys, values_in};
    rows<K, M> const to{out.keys, values_out};
    digits<detail::bits_of_key<Key>> const by{{key}, begin, end, down};
    if constexpr (detail::are_numbers<K, Key> && std::same_as<V, no_value>) {
      using U = ravel::detail::unsigned_of_t<K>;
      if (whole) {
        detail::number_order<U> const it{radix_key<K>::infinity, static_cast<U>(down ? ~U{0} : 0)};
        return detail::sort_keys<U>(ex, n, in.keys, out.keys, spare.keys, it, by);
      }
    }
    detail::sort_on_device(ex, n, from, to, rows<K, M>{spare.keys, spare_values}, by);
  }
}

}  // namespace ravel::inline v0::gpu
