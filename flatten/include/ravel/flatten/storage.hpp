#pragma once

/// @file
/// How the values of all instances are kept: cells, fields or ragged sequences.

#include <ravel/flatten/columns.hpp>
#include <ravel/flatten/context.hpp>
#include <ravel/flatten/expression.hpp>

#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace ravel::inline v0::flattening {

/// An atom for each, computed by an expression when it is wanted.
template <class E>
struct cells {
  using element = typename E::value_type;
  E e;
  owners keep = {};
};

/// A record for each, as values of its members.
template <class Record, class... S>
struct fields {
  using element = Record;
  std::tuple<S...> members;
};

/// A sequence for each: elements [begins[at(i)], ends[at(i)]) of `base` elements.
///
/// Where they are dense, one behind the other from 0 to base, begins are the
/// offsets, one more than there are sequences, and ends the same from the second on;
/// base may be -1, if nobody has asked for it yet.  If all sequences of the base are of one
/// length, it is `uniform`, and there are neither begins nor ends.
template <class Ex>
struct descriptor {
  index_t n;
  index_t base;
  indices_held begins, ends;
  bool dense;
  spot at = {};
  owners keep = {};  // what `at` points to
  index_t uniform = 0;
  index_t sum = -1;                            // of all lengths, if it is known
  std::weak_ptr<descriptor const> whole = {};  // that these are some of

  // What has been found out: how many elements all instances have together, and
  // where those of each begin among them; the context that they are the instances
  // of; which of the base they are; and some of them, in that order.
  mutable starts_held starts = {};
  mutable index_t total = -1;
  mutable std::weak_ptr<context<Ex> const> opened = {};
  mutable context_ptr<Ex> inner = {};  // the same, unless a context keeps this
  mutable bool is_kept_by_context =
      false;  // the one that it was moved to, which `inner` would keep
  mutable way<Ex> elements = {};
  mutable std::vector<copied_elements> copies = {};

  struct branch {
    std::weak_ptr<route<Ex> const> by;
    std::weak_ptr<descriptor const> rows;
  };
  mutable std::vector<branch> branches = {};  // what branches of conditionals have of these

  bool is_uniform() const { return begins.data == nullptr; }
  extents where() const { return {begins.data, ends.data, uniform, at}; }
};
template <class Ex>
using descriptor_ptr = std::shared_ptr<descriptor<Ex> const>;

template <class Ex, class S>
struct ragged {
  using element = nested<typename S::element>;
  descriptor_ptr<Ex> d;
  S child;
};

/// How values of type `T` are kept once they are computed.
template <class Ex, class T>
struct column_of : std::type_identity<cells<leaf<T>>> {};
template <class Ex, class T>
struct column_of<Ex, nested<T>> : std::type_identity<ragged<Ex, typename column_of<Ex, T>::type>> {
};
template <class Ex, class R, class Indices>
struct columns_of_members;
template <class Ex, class R, std::size_t... I>
struct columns_of_members<Ex, R, std::index_sequence<I...>>
    : std::type_identity<
          fields<R, typename column_of<Ex, typename members_of<R>::template type<I>>::type...>> {};
template <class Ex, host_record R>
struct column_of<Ex, R> : columns_of_members<Ex, R, member_indices<R>> {};
template <class Ex, class T>
using column_t = typename column_of<Ex, T>::type;

template <class S>
inline constexpr bool is_cells = false;
template <class E>
inline constexpr bool is_cells<cells<E>> = true;
template <class S>
inline constexpr bool is_rows = false;
template <class Ex, class S>
inline constexpr bool is_rows<ragged<Ex, S>> = true;
template <class S>
inline constexpr bool is_fields = false;
template <class R, class... S>
inline constexpr bool is_fields<fields<R, S...>> = true;

/// fields, with f applied to each member.
template <class R, class... S, class F>
auto map_members(fields<R, S...> const& x, F f) {
  return std::apply([&](auto const&... s) { return fields<R, decltype(f(s))...>{{f(s)...}}; },
                    x.members);
}

template <class T>
inline constexpr bool never = false;

template <class T>
struct nested_type;
template <class T>
struct nested_type<nested<T>> {
  using of = T;
};

}  // namespace ravel::inline v0::flattening
