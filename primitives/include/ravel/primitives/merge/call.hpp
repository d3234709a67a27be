#pragma once

/// The description of a call that merges two sorted sequences: merge and merge_pairs.

#include <ravel/core/vocabulary.hpp>

namespace ravel::inline v0 {

struct merge_family;

/// Calls out(d, from_b, k) for each d of [0, a.size() + b.size()), in any order: the d-th element of
/// the merge is a[k], or b[k] if `from_b`.  If `a` and `b` are not sorted by a strict weak order, it
/// may do so twice: the last calls for all d take each element once.
template <class A, class B, class Before, class Out>
struct merge_call {
  using family = merge_family;
  view<A const> a;  ///< in the executor's memory
  view<B const> b;
  Before before;
  Out out;  ///< write_merged, write_merged_pair, or a function
};

/// The destinations of a merge: out[d] = a[k], or b[k].
template <class Out, class A, class B>
struct write_merged {
  Out* out;
  A const* a;
  B const* b;
  RAVEL_HD void operator()(index_t d, bool from_b, index_t k) const {
    if constexpr (few_bytes<Out>) {  // chosen in registers
      out[d] = from_b ? static_cast<Out>(b[k]) : static_cast<Out>(a[k]);
    } else if (from_b) {
      out[d] = detail::as_assigned<Out>(b[k]);
    } else {
      out[d] = detail::as_assigned<Out>(a[k]);
    }
  }
};

/// Writes a key and its value, each by its own visit.
template <class Keys, class Values>
struct write_merged_pair {
  Keys keys;
  Values values;
  RAVEL_HD void operator()(index_t d, bool from_b, index_t k) const {
    keys(d, from_b, k);
    values(d, from_b, k);
  }
};

namespace detail {

/// The visit that writes the merge of `a` and `b` to `out`.
template <class A, class B, class Out>
auto merged_to(char const* call, char const* what, A const& a, B const& b, Out&& out) {
  auto const dst = view_of(out);
  expects(dst.size() == size_of(a) + size_of(b), call, ": ", what, " has ", dst.size(),
          " elements, and what is merged has ", size_of(a), " and ", size_of(b));
  return write_merged<element_t<Out>, std::remove_const_t<element_t<A const&>>,
                      std::remove_const_t<element_t<B const&>>>{dst.data(), view_of(a).data(),
                                                                view_of(b).data()};
}

template <class A, class B, class Before, class Out>
auto make_merge_call(A const& a, B const& b, Before before, Out out) {
  using X = std::remove_const_t<element_t<A const&>>;
  using Y = std::remove_const_t<element_t<B const&>>;
  return merge_call<X, Y, Before, Out>{
      {view_of(a).data(), size_of(a)}, {view_of(b).data(), size_of(b)}, before, out};
}

}  // namespace detail

/// The call of merge with the same arguments.
///
/// Errors   contract_error if `out` has another size than both inputs together.
template <class A, class B, class Out, class Before>
auto describe_merge(A const& a, B const& b, Out&& out, Before before) {
  return detail::make_merge_call(a, b, before, detail::merged_to("merge", "out", a, b, out));
}

/// The call of merge_pairs with the same arguments.
///
/// Errors   contract_error if the sizes do not fit.
template <class KeysA, class ValuesA, class KeysB, class ValuesB, class KeysOut, class ValuesOut,
          class Before>
auto describe_merge_pairs(KeysA const& keys_a, ValuesA const& values_a, KeysB const& keys_b,
                          ValuesB const& values_b, KeysOut&& keys_out, ValuesOut&& values_out,
                          Before before) {
  expects(size_of(values_a) == size_of(keys_a), "merge_pairs: there are ", size_of(keys_a),
          " keys of a, and ", size_of(values_a), " values");
  expects(size_of(values_b) == size_of(keys_b), "merge_pairs: there are ", size_of(keys_b),
          " keys of b, and ", size_of(values_b), " values");
  auto const keys = detail::merged_to("merge_pairs", "keys_out", keys_a, keys_b, keys_out);
  auto const values =
      detail::merged_to("merge_pairs", "values_out", values_a, values_b, values_out);
  using Keys = std::remove_const_t<decltype(keys)>;
  using Values = std::remove_const_t<decltype(values)>;
  return detail::make_merge_call(keys_a, keys_b, before,
                                 write_merged_pair<Keys, Values>{keys, values});
}

}  // namespace ravel::inline v0
