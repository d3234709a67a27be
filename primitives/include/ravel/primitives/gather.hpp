#pragma once

/// Gather: the elements with given indices.

#include <ravel/primitives/map.hpp>
#include <ravel/primitives/verify.hpp>

namespace ravel::inline v0 {
namespace detail {

template <class In, class At, class Out>
struct gather_one {
  In const* in;
  At const* at;
  Out* out;
  using element = In;
  static constexpr bool reads_ahead = few_bytes<In>;
  RAVEL_HD In const& read(index_t i) const { return in[static_cast<index_t>(at[i])]; }
  RAVEL_HD void write(index_t i, In const& x) const { out[i] = detail::as_assigned<Out>(x); }
  RAVEL_HD void operator()(index_t i) const { write(i, read(i)); }
};

}  // namespace detail

/// Takes the elements of `in` with the indices `at`:
///
///     out[i] = in[at[i]]
///
///     in     a b c d
///     at     3 0 0 2 1
///     out    d a a c b
///
/// Shapes   at[n] of any integer type, each in [0, size of in): with any other index the behaviour
///          is undefined, since it would be read.  out[n]; all in the memory of `ex`.  `out` may be
///          `at`, and may overlap nothing else.
/// Cost     O(n) work, O(1) span.  Moves 2 n elements and n indices, and more where adjacent
///          indices are far apart: memory moves in cache lines.
/// Errors   contract_error if `at` and `out` differ in size; on a checked executor, if
///          an index is outside of `in`.
/// See also scatter, its inverse where `at` is a permutation.
template <executor Ex, class In, class At, class Out>
void gather(Ex const& ex, In const& in, At const& at, Out&& out) {
  RAVEL_EXPECT_RANGE(In, Ex, "gather: in");
  RAVEL_EXPECT_RANGE(At, Ex, "gather: at");
  auto const& seq = detail::sequence_of(ex, "gather", in);
  auto const& places = detail::sequence_of(ex, "gather", at);
  using T = element_t<decltype(seq)>;
  using I = element_t<decltype(places)>;
  static_assert(std::integral<I>, "gather: the indices must be integers");
  RAVEL_EXPECT_WRITABLE(Out, Ex, "gather: out");
  // Before the check: otherwise g++ loads both pointers as a vector, and extracts them again.
  auto const src = view_of(seq);
  auto const dst = view_of(out);
  expects(size_of(places) == dst.size(), "gather: out has ", dst.size(),
          " elements, and there are ", size_of(places), " indices");
  detail::verify_indices(ex, "gather", places, src.size());
  detail::visit_each_of(
      ex, dst.size(),
      detail::gather_one<T, I, element_t<Out>>{src.data(), view_of(places).data(), dst.data()});
}

}  // namespace ravel::inline v0
