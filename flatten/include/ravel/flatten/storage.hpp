#pragma once

/// The representation of the values of all instances: cells, fields or ragged sequences.

#include <ravel/core/function_ref.hpp>
#include <ravel/core/std_memory.hpp>
#include <ravel/flatten/columns.hpp>
#include <ravel/flatten/context.hpp>
#include <ravel/flatten/expression.hpp>

#include <tuple>
#include <vector>

namespace ravel::inline v0::flattening {

/// An atom for each instance, computed by an expression on use.
template <class E>
struct cells {
  using element = typename E::value_type;
  E e;
  owners keep = {};
};

/// A record for each instance, as the values of its members.
template <class Record, class... S>
struct fields {
  using element = Record;
  std::tuple<S...> members;
};

/// A sequence for each instance: elements [begins[at(i)], ends[at(i)]) of `base` elements.
///
/// Dense sequences are contiguous from 0 to base: begins are n + 1 offsets, and ends the same from
/// the second on; base may be -1, until it is needed.  If all sequences of the base have one
/// length, it is `uniform`, and begins and ends are null.
template <class Ex>
struct descriptor {
  index_t n;
  index_t base;
  indices_held begins, ends;
  bool dense;
  spot at = {};
  owners keep = {};  // owners of what `at` points to
  index_t uniform = 0;
  index_t sum = -1;                            // of all lengths, if known
  std::weak_ptr<descriptor const> whole = {};  // the sequences that these are a part of

  // Caches: the number of elements of all instances, and
  // where those of each begin among them; the context of the elements;
  // the way to them from the base; and contiguous copies of some.
  mutable starts_held starts = {};
  mutable index_t total = -1;
  mutable std::weak_ptr<context<Ex> const> opened = {};
  mutable context_ptr<Ex> inner = {};  // owns `opened`, unless a context owns this
  mutable bool is_kept_by_context =
      false;  // the context that it was moved to; `inner` would form a cycle
  mutable way<Ex> elements = {};
  mutable std::vector<copied_elements> copies = {};

  struct branch {
    std::weak_ptr<route<Ex> const> by;
    std::weak_ptr<descriptor const> rows;
  };
  mutable std::vector<branch> branches = {};  // the parts of these in branches of conditionals

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

/// The representation of computed values of type `T`.
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
template <class S>
inline constexpr bool is_rows_of_cells = false;
template <class Ex, class E>
inline constexpr bool is_rows_of_cells<ragged<Ex, cells<E>>> = true;
template <class S>
inline constexpr bool is_rows_of_rows = false;
template <class Ex, class E>
inline constexpr bool is_rows_of_rows<ragged<Ex, ragged<Ex, cells<E>>>> = true;
/// Of records of scalars.
template <class S>
inline constexpr bool is_rows_of_fields = false;
template <class Ex, class R, class... S>
inline constexpr bool is_rows_of_fields<ragged<Ex, fields<R, S...>>> = (is_cells<S> && ...);

/// Scalars, or records of them.
template <class S>
inline constexpr bool is_of_scalars = is_cells<S>;
template <class R, class... S>
inline constexpr bool is_of_scalars<fields<R, S...>> = (is_of_scalars<S> && ...);

/// fields, with f applied to each member.
template <class R, class... S, class F>
auto map_members(fields<R, S...> const& x, F f) {
  return ravel::detail::call_with(
      [&](auto const&... s) { return fields<R, decltype(f(s))...>{{f(s)...}}; }, x.members);
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
