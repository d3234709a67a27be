#pragma once

/// Scatter: writes each element to a given index; permute.

#include <ravel/core/atomic.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/verify.hpp>

namespace ravel::inline v0 {
namespace detail {

/// Whole: each element is written at once, so that of several with one index one is there in the end.
template <class In, class At, class Out, bool Whole>
struct scatter_one {
  In const* in;
  At const* at;
  Out* out;
  index_t size;  // of out
  using element = In;
  static constexpr bool reads_ahead = few_bytes<In>;
  struct placed {
    At place;
    std::conditional_t<reads_ahead, In, In const&> x;
  };
  RAVEL_HD placed read(index_t i) const { return {at[i], in[i]}; }
  RAVEL_HD void write(index_t, placed const& p) const {
    if (!is_index_below(p.place, size)) return;
    Out* const target = out + static_cast<index_t>(p.place);
    if constexpr (Whole) {
      store_whole(target, detail::as_assigned<Out>(p.x));
    } else {
      *target = detail::as_assigned<Out>(p.x);
    }
  }
  RAVEL_HD void operator()(index_t i) const { write(i, read(i)); }
};

/// Whether threads of the host would write to the same cache lines, each of which then moves from core to
/// core: if the output is small, and a sample of the indices does not ascend.  Otherwise each thread writes to
/// lines of its own.  2^22 i8 to 2^16 random places: 10.5 ms on two threads, 3.1 on one (EPYC).
bool would_share_lines(auto const* at, index_t n, index_t bytes_for_all_threads) {
  constexpr index_t few = index_t{1} << 16, much = index_t{1} << 21, samples = 16;
  if (n < few || bytes_for_all_threads > much) return false;
  for (index_t k = 1; k < samples; ++k) {
    if (at[n / samples * k] <= at[n / samples * (k - 1)]) return true;
  }
  return false;
}

/// Calls f(i) for each i of [0, n), on one thread if several would share cache lines.
template <class Ex, class In, class At, class Out, bool Whole>
void scatter_each(Ex const& ex, index_t n, scatter_one<In, At, Out, Whole> f) {
  if constexpr (requires { ex.with_grain(n); }) {
    index_t const bytes = f.size * index_t{sizeof(Out)};
    if (would_share_lines(f.at, n, bytes * ex.concurrency()))
      return visit_each_of(ex.with_grain(n), n, f);
  }
  visit_each_of(ex, n, f);
}

}  // namespace detail

/// Writes each element of `in` to index `at`:
///
///     out[at[i]] = in[i]
///
///     in     a b c
///     at     4 0 1
///     out    b c - - a                 elements without an index are not changed
///
/// If several indices are equal, one of their elements is written; which one is unspecified and may
/// differ from call to call.  This holds for elements that are arithmetic types of at most eight
/// bytes, enumerations or pointers; for other types the indices must differ.
///
/// Shapes   in[n]; at[n] of any integer type, each in [0, size of out): an element
///          with another index is not written.  All in the memory of `ex`.  `out`
///          overlaps nothing.
/// Cost     O(n) work, O(1) span.  Moves 2 n elements and n indices, and more where adjacent
///          indices are far apart: memory moves in cache lines.  On the host one thread writes to
///          a small `out`, of 2 MiB divided by the number of threads, unless the indices ascend.
/// Errors   contract_error if `in` and `at` differ in size; on a checked executor, if
///          an index is outside of `out`, or equal to another where they must differ.
/// See also gather, the inverse for permutations; histogram, which counts elements with the same
///          index.
template <executor Ex, class In, class At, class Out>
void scatter(Ex const& ex, In const& in, At const& at, Out&& out) {
  RAVEL_EXPECT_RANGE(In, Ex, "scatter: in");
  RAVEL_EXPECT_RANGE(At, Ex, "scatter: at");
  auto const& seq = detail::sequence_of(ex, "scatter", in);
  auto const& places = detail::sequence_of(ex, "scatter", at);
  using T = element_t<decltype(seq)>;
  using I = element_t<decltype(places)>;
  static_assert(std::integral<I>, "scatter: the indices must be integers");
  RAVEL_EXPECT_WRITABLE(Out, Ex, "scatter: out");
  auto const src = view_of(seq);
  expects(size_of(places) == src.size(), "scatter: in has ", src.size(),
          " elements, and there are ", size_of(places), " indices");
  auto const dst = view_of(out);
  detail::verify_indices(ex, "scatter", places, dst.size());
  if constexpr (!written_whole<element_t<Out>>)
    detail::verify_distinct(ex, "scatter", places, dst.size());
  detail::scatter_each(ex, src.size(),
                       detail::scatter_one<T, I, element_t<Out>, written_whole<element_t<Out>>>{
                           src.data(), view_of(places).data(), dst.data(), dst.size()});
}

/// Reorders `in`:
///
///     out[at[i]] = in[i]
///
///     in     a b c d
///     at     3 0 2 1
///     out    b d c a
///
/// Shapes   in[n], out[n], and at[n] of any integer type: the numbers from 0 to
///          n - 1, each once.  An element with another index is not written.  All in
///          the memory of `ex`.  `out` overlaps nothing.
/// Cost     See scatter; for elements of any type.
/// Errors   contract_error if the sizes differ; on a checked executor, if an index is
///          outside of `out` or equal to another.
/// See also gather, which reorders by the inverse permutation.
template <local_executor Ex, class In, class At, class Out>
void permute(Ex const& ex, In const& in, At const& at, Out&& out) {
  RAVEL_EXPECT_RANGE(In, Ex, "permute: in");
  RAVEL_EXPECT_RANGE(At, Ex, "permute: at");
  auto const& seq = detail::sequence_of(ex, "permute", in);
  auto const& places = detail::sequence_of(ex, "permute", at);
  using T = element_t<decltype(seq)>;
  using I = element_t<decltype(places)>;
  static_assert(std::integral<I>, "permute: the indices must be integers");
  RAVEL_EXPECT_WRITABLE(Out, Ex, "permute: out");
  auto const src = view_of(seq);
  expects(size_of(places) == src.size(), "permute: in has ", src.size(),
          " elements, and there are ", size_of(places), " indices");
  expects(size_of(out) == src.size(), "permute: out has ", size_of(out), " elements, and in has ",
          src.size());
  detail::verify_indices(ex, "permute", places, src.size());
  detail::verify_distinct(ex, "permute", places, src.size());
  detail::scatter_each(ex, src.size(),
                       detail::scatter_one<T, I, element_t<Out>, false>{
                           src.data(), view_of(places).data(), view_of(out).data(), src.size()});
}

}  // namespace ravel::inline v0
