#pragma once

/// Radix sort on a device, the forms of radix_sort/cuda.hpp: one pass over memory for each digit, or
/// one launch for few keys.

#include <ravel/algorithms/cuda/bucket_sort.cuh>
#include <ravel/algorithms/cuda/counting_sort.cuh>
#include <ravel/algorithms/cuda/integers_together.cuh>
#include <ravel/algorithms/cuda/pair_buckets.cuh>
#include <ravel/algorithms/cuda/sampled_values.cuh>
#include <ravel/algorithms/radix_sort/cuda.hpp>
#include <ravel/algorithms/sort_options.hpp>
#include <ravel/core/cuda/executor.cuh>
#include <ravel/primitives/cuda/digit_passes.cuh>
#include <ravel/primitives/cuda/digits_together.cuh>

#include <tuple>

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

/// Calls f(in, out, spare, digits) with the rows of a call by one key, the values as bytes, and
/// integers as unsigned ones.
template <class K, class V, class Key, class F>
void with_digits(radix_sort_call<K, V, Key> const& c, F const& f) {
  using M = moved_t<V>;
  auto const range = c.range.value_or(bit_range{0, radix_width<ravel::detail::sort_key_t<Key, K>>});
  auto const call = [&]<class U, class Bits>(std::type_identity<U>, Bits bits) {
    auto const moved = [](rows<K, V> const& x) {
      return rows<U, M>{reinterpret_cast<U*>(x.keys), reinterpret_cast<M*>(x.values)};
    };
    f(rows<U const, M const>{reinterpret_cast<U const*>(c.in.keys),
                             reinterpret_cast<M const*>(c.in.values)},
      moved(c.out), moved(c.spare), digits<Bits>{bits, range.begin, range.end, c.descending});
  };
  if constexpr (are_integers<K, Key>) {
    using U = ravel::detail::unsigned_of_t<K>;
    call(std::type_identity<U>{}, integer_order<U>{radix_key<K>::bits(static_cast<K>(0))});
  } else {
    call(std::type_identity<K>{}, bits_of_key<Key>{std::get<0>(c.keys)});
  }
}

/// The order of numbers by all of their bits.
template <class K>
auto order_of_words(bool descending) {
  using U = ravel::detail::unsigned_of_t<K>;
  U const flip = static_cast<U>(descending ? ~U{0} : 0);
  if constexpr (std::is_floating_point_v<K>) {
    return number_order<U>{radix_key<K>::infinity, flip};
  } else {
    return integer_order<U>{static_cast<U>(radix_key<K>::bits(static_cast<K>(0)) ^ flip)};
  }
}

}  // namespace detail

template <class K, class V, class Key>
void launch_form(radix_sort_pairs_in_buckets, executor const& ex,
                 radix_sort_call<K, V, Key> const& c) {
  detail::with_digits(c, [&](auto const& in, auto const& out, auto const& spare, auto const&) {
    sort_pairs_in_buckets(ex, c.n, in, out, spare, detail::order_of_words<K>(c.descending));
  });
}

template <class K, class Key>
void launch_form(radix_sort_integers_together, executor const& ex,
                 radix_sort_call<K, no_value, Key> const& c) {
  using U = ravel::detail::unsigned_of_t<K>;
  sort_integers_together(ex, c.n, reinterpret_cast<U const*>(c.in.keys),
                         reinterpret_cast<U*>(c.out.keys), detail::order_of_words<K>(c.descending));
}

template <class Call>
void launch_form(radix_sort_together, executor const& ex, Call const& c) {
  detail::with_digits(c, [&](auto const& in, auto const& out, auto const&, auto const& key) {
    sort_together(ex, c.n, in, out, key);
  });
}

template <class K, class Key>
void launch_form(radix_sort_by_counts, executor const& ex,
                 radix_sort_call<K, no_value, Key> const& c) {
  using U = ravel::detail::unsigned_of_t<K>;
  counting_sort(ex, c.n, reinterpret_cast<U const*>(c.in.keys), reinterpret_cast<U*>(c.out.keys),
                detail::order_of_words<K>(c.descending).flip);
}

template <class K, class Key>
void launch_form(radix_sort_in_buckets, executor const& ex,
                 radix_sort_call<K, no_value, Key> const& c) {
  using U = ravel::detail::unsigned_of_t<K>;
  auto const order = detail::order_of_words<K>(c.descending);
  auto const* const keys = reinterpret_cast<U const*>(c.in.keys);
  auto* const dst = reinterpret_cast<U*>(c.out.keys);
  int const bits = detail::bucket_bits(c.n, detail::bucket_plan::digit_bits);
  auto const plan = ex.scratch<detail::bucket_plan>(1);
  bucket_sort(ex, c.n, keys, dst, reinterpret_cast<U*>(c.spare.keys), order, bits, plan.data());
  if (counts_large_buckets<U, std::remove_const_t<decltype(order)>>(ex, c.n, bits)) return;
  detail::with_digits(c, [&](auto const& in, auto const& out, auto const& spare, auto const& key) {
    // An unwanted launch takes 2 us.  Keys of 8 bytes, which seldom want their 8 passes, have one for all;
    // a launch for each pass makes wanted ones a fifth faster.
    detail::launch_digit_passes<sizeof(K) == 8>(ex, c.n, in, out, key, &plan.data()->too_large,
                                                spare);
  });
}

template <class Call>
void launch_form(radix_sort_by_passes, executor const& ex, Call const& c) {
  detail::with_digits(c, [&](auto const& in, auto const& out, auto const& spare, auto const& key) {
    using of = detail::sorted_rows<Call>;
    // Numbers alone by all bits come here if they are too many for buckets, or too few for a sample.
    bool const unsampled = of::numbers && of::alone && of::all_bits(c.range);
    sort_of_few_values<std::remove_cvref_t<decltype(key.bits(*in.keys))>> few(ex,
                                                                              unsampled ? 0 : c.n);
    few.rows_by(key, in, out, spare);
    detail::launch_digit_passes<false>(ex, c.n, in, out, key, few.rest(), spare);
  });
}

}  // namespace ravel::inline v0::gpu
