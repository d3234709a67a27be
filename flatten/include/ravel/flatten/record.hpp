#pragma once

/// Records: tuples of values, and access to their members.

#include <ravel/flatten/compute.hpp>
#include <ravel/flatten/each.hpp>

#include <tuple>

namespace ravel::inline v0 {
namespace flattening {

template <std::size_t I, class S>
auto const& member_of(S const& x) {
  return std::get<I>(x.members);
}

template <class Record, class... X>
auto record_of(X const&... x) {
  auto const c = resolve(x...);
  return [&](auto const&... s) {
    return lift_storage(c, fields<Record, std::remove_cvref_t<decltype(s)>...>{{s...}});
  }(storage_in(c, x)...);
}

}  // namespace flattening

/// Member I of a record; for a sequence of records, the sequence of their members I.
///
///     get<0>(from(ex, std::tuple{3, 'a'}))      3
///     auto [n, c] = from(ex, std::tuple{3, 'a'})      as get<0> and get<1>
///
/// Cost     None: members are separate columns.
template <std::size_t I, lifted_record X>
auto get(X const& x) {
  return flattening::lift_storage(x.c, flattening::member_of<I>(x.s));
}
template <std::size_t I, lifted_sequence X>
auto get(X const& x) {
  using Ex = typename X::executor_type;
  static_assert(flattening::is_fields<decltype(x.s.child)>, "get: the elements are no records");
  auto const& part = flattening::member_of<I>(x.s.child);
  return flattening::lift_storage(
      x.c, flattening::ragged<Ex, std::remove_cvref_t<decltype(part)>>{x.s.d, part});
}

/// The first member of a pair, or of each pair of a sequence.
template <operand X>
auto fst(X const& x) {
  return get<0>(x);
}
/// The second member, likewise.
template <operand X>
auto snd(X const& x) {
  return get<1>(x);
}

/// A record of x..., of which at least one is lifted; the others may be numbers of the host.
///
///     each(x, [](auto a) { return tup(a, a * a); })
template <liftable... X>
auto tup(X const&... x) {
  return flattening::record_of<std::tuple<element_of<X>...>>(x...);
}

/// A record of the struct R, which BOOST_HANA_ADAPT_STRUCT describes.
template <flattening::adapted_struct R, liftable... X>
auto make(X const&... x) {
  static_assert(sizeof...(X) == flattening::members_of<R>::count,
                "make: a value for each member of the struct is wanted");
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    static_assert(
        (std::same_as<element_of<X>, typename flattening::members_of<R>::template type<I>> && ...),
        "make: a value is not of the type of its member");
    return flattening::record_of<R>(x...);
  }
  (flattening::member_indices<R>{});
}

/// Any number of sequences of the same length as a sequence of records.
///
///     zip([1 2], "ab", [5 6], [0 1])      [(1 a 5 0) (2 b 6 1)]
///
/// Cost     None, unless sequences are slices or selections of others.
/// Errors   shape_error if lengths differ, with the first instance where they do.
template <lifted_sequence... X>
auto zip(X const&... x) {
  auto const beside = [](auto const&... element) { return tup(element...); };
  return flattening::each_of(beside, x...);
}

/// The members of a sequence of records, as a record of sequences.
///
///     unzip([(1 a) (2 b)])      ([1 2] [a b])
///
/// Cost     None.
template <lifted_sequence X>
auto unzip(X const& x) {
  static_assert(flattening::is_fields<decltype(x.s.child)>, "unzip: the elements are no records");
  return [&]<std::size_t... I>(std::index_sequence<I...>) { return tup(get<I>(x)...); }
  (std::make_index_sequence<std::tuple_size_v<decltype(x.s.child.members)>>{});
}

}  // namespace ravel::inline v0
