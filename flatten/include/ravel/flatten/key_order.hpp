#pragma once

/// Keys of several parts, records and sequences, as words: their order where they are in memory.

#include <ravel/core/radix_key.hpp>
#include <ravel/flatten/columns.hpp>
#include <ravel/flatten/expression.hpp>
#include <ravel/flatten/storage.hpp>

namespace ravel::inline v0::flattening {

/// The type whose order elements have in a sequence that is a key: that of std::string for char.
template <class T>
using order_in_sequence = std::conditional_t<std::same_as<T, char>, unsigned char, T>;

/// Keys of type T in memory.  compare(a, i, b, j) is negative, 0 or positive, as key i of a is before
/// key j of b, equals it, or is after it: numbers by radix_key, records member by member, and
/// sequences element by element, where a proper prefix of a sequence precedes it.
template <class T>
struct keys_of_type {
  static_assert(radix_sortable<T>,
                "sort, equals, precedes: a key has elements or members that are no numbers, and "
                "radix_key is not specialised for their type");
  leaf<T> at;

  RAVEL_HD static int compare(keys_of_type const& a, index_t i, keys_of_type const& b, index_t j) {
    auto const x = radix_key<T>::bits(a.at(i)), y = radix_key<T>::bits(b.at(j));
    return x < y ? -1 : static_cast<int>(y < x);
  }
};
template <class T>
struct keys_of_type<nested<T>> {
  using of_elements = keys_of_type<order_in_sequence<T>>;
  extents where;
  of_elements elements;

  RAVEL_HD static int compare(keys_of_type const& a, index_t i, keys_of_type const& b, index_t j) {
    index_t p = a.where.begin(i), q = b.where.begin(j);
    index_t const last_p = a.where.end(i), last_q = b.where.end(j);
    for (; p < last_p && q < last_q; ++p, ++q) {
      if (int const order = of_elements::compare(a.elements, p, b.elements, q)) return order;
    }
    return q < last_q ? -1 : static_cast<int>(p < last_p);
  }
};

template <std::size_t I, class T>
struct keys_of_member {
  keys_of_type<T> keys;
};
template <class R, class Indices>
struct keys_of_record;
template <class R, std::size_t... I>
struct keys_of_record<R, std::index_sequence<I...>>
    : keys_of_member<I, typename members_of<R>::template type<I>>... {
  RAVEL_HD static int compare(keys_of_record const& a, index_t i, keys_of_record const& b,
                              index_t j) {
    int order = 0;
    (compare_member<I>(order, a, i, b, j), ...);
    return order;
  }

 private:
  template <std::size_t K>
  RAVEL_HD static void compare_member(int& order, keys_of_record const& a, index_t i,
                                      keys_of_record const& b, index_t j) {
    using T = typename members_of<R>::template type<K>;
    if (order != 0) return;
    keys_of_member<K, T> const &x = a, &y = b;
    order = keys_of_type<T>::compare(x.keys, i, y.keys, j);
  }
};
template <host_record R>
struct keys_of_type<R> : keys_of_record<R, member_indices<R>> {};

/// The values of a column as keys, which own nothing.
template <class T>
keys_of_type<T> keys_in(cells<leaf<T>> const& x) {
  return {x.e};
}
template <class R, class... S>
keys_of_type<R> keys_in(fields<R, S...> const& x) {
  return ravel::detail::call_with(
      [](auto const&... s) { return keys_of_type<R>{{{keys_in(s)}...}}; }, x.members);
}
template <class Ex, class S>
auto keys_in(ragged<Ex, S> const& x) {
  using keys = keys_of_type<nested<typename S::element>>;
  if constexpr (std::same_as<typename S::element, char>) {
    auto const* const text = reinterpret_cast<unsigned char const*>(x.child.e.data);
    return keys{x.d->where(), {{text, x.child.e.at}}};
  } else {
    return keys{x.d->where(), keys_in(x.child)};
  }
}

/// Whether key i is before key j.
template <class T>
struct is_before {
  keys_of_type<T> keys;
  RAVEL_HD bool operator()(index_t i, index_t j) const {
    return keys_of_type<T>::compare(keys, i, keys, j) < 0;
  }
};

}  // namespace ravel::inline v0::flattening
