#pragma once

/// Expand: each element becomes a segment.

#include <ravel/primitives/balance.hpp>
#include <ravel/primitives/verify.hpp>

namespace ravel::inline v0 {
namespace detail {

struct the_value {
  template <class T>
  RAVEL_HD T const& operator()(T const& value, index_t) const {
    return value;
  }
};

template <class Out, class In, class F>
struct write_expanded {
  F f;
  Out* out;
  In const* in;
  RAVEL_HD void operator()(index_t i, index_t s, index_t rank) const {
    out[i] = detail::as_assigned<Out>(f(in[s], rank));
  }
  /// Fills a segment at once, on the host: results do not alias inputs, which compilers cannot
  /// prove.
  void run(index_t i, index_t end, [[maybe_unused]] index_t last, index_t s,
           [[maybe_unused]] index_t rank) const {
    using element = std::conditional_t<std::is_trivially_copyable_v<In>, In const, In const&>;
    element x = in[s];
    if constexpr (std::is_same_v<F, the_value>) {
      fill_run(out, i, end, last, x);
    } else {
      for (; i < end; ++i) out[i] = detail::as_assigned<Out>(f(x, rank++));
    }
  }
};

template <class Out>
struct write_rank {
  Out* out;
  RAVEL_HD void operator()(index_t i, index_t, index_t rank) const {
    out[i] = static_cast<Out>(rank);
  }
};

/// expand, whose errors name `call`.  Segments by reference, as in segmented_reduce_for.
template <class Ex, class F, class In, class S, class Out>
void expand_for(Ex const& ex, char const* call, F f, In const& in, S const& segments, Out&& out) {
  auto const src = view_of(in);
  auto const dst = view_of(out);
  if constexpr (requires { segments.count(); }) {
    expects(src.size() == segments.count(), call, ": in has ", src.size(),
            " elements, and there are ", segments.count(), " segments");
  } else {
    verify_heads(ex, call, segments, src.size());
  }
  for_each_in_segments_for(
      ex, call, dst.size(), segments,
      write_expanded<element_t<Out>, element_t<In const&>, F>{f, dst.data(), src.data()},
      no_total{});
}

}  // namespace detail

/// Makes a segment of each element:
///
///     out[begin(s) + r] = f(in[s], r)
///
///     in         3     8  5      f(x, r) = 10 x + r
///     lengths    2     0  3                                by_lengths(lengths)
///     out       30 31    50 51 52
///
/// Shapes   in[k] and k segments of n elements in any form of core/segments.hpp, out[n], all in the
///          memory of `ex`.  By heads, head bits and keys there may be fewer segments than elements
///          of `in`, and not more: otherwise the behaviour is undefined, since elements past the
///          end of `in` would be read; a checked executor counts them.  An element whose segment is
///          empty is left out.  `out` overlaps nothing.  n may be 0.
/// Cost     As for_each_in_segments, and n elements read and written.
/// Errors   contract_error if the sizes do not fit.  Issued, not awaited.
/// Source   Futhark's `expand` (Henriksen et al., github.com/diku-dk/segmented).
/// See also replicate, for f(x, r) = x, and segmented_iota, for f(x, r) = r.
template <local_executor Ex, class F, class In, class S, class Out>
void expand(Ex const& ex, F f, In const& in, S segments, Out&& out) {
  RAVEL_EXPECT_RANGE(In, Ex, "expand: in");
  RAVEL_EXPECT_SEGMENTS(S, Ex, "expand");
  RAVEL_EXPECT_WRITABLE(Out, Ex, "expand: out");
  detail::expand_for(ex, "expand", f, detail::sequence_of(ex, "expand", in), segments, out);
}

/// Writes each element as many times as its segment has elements:
///
///     out[begin(s) + r] = in[s]
///
///     in         7        8  9
///     lengths    3        0  2                             by_lengths(lengths)
///     out        7  7  7     9  9
///
/// All else is as for expand.
template <executor Ex, class In, class S, class Out>
void replicate(Ex const& ex, In const& in, S segments, Out&& out) {
  RAVEL_EXPECT_RANGE(In, Ex, "replicate: in");
  RAVEL_EXPECT_SEGMENTS(S, Ex, "replicate");
  RAVEL_EXPECT_WRITABLE(Out, Ex, "replicate: out");
  detail::expand_for(ex, "replicate", detail::the_value{}, detail::sequence_of(ex, "replicate", in),
                     segments, out);
}

/// Counts from 0 in each segment:
///
///     out[begin(s) + r] = r
///
///     lengths    3        0  2                             by_lengths(lengths)
///     out        0  1  2     0  1
///
/// Shapes   out[n] for segments of n elements, of an integer type that holds the
///          longest.
/// Cost     As for_each_in_segments, and n elements written.
/// Errors   contract_error if the sizes do not fit.  Issued, not awaited.
template <local_executor Ex, class S, class Out>
void segmented_iota(Ex const& ex, S segments, Out&& out) {
  RAVEL_EXPECT_SEGMENTS(S, Ex, "segmented_iota");
  RAVEL_EXPECT_WRITABLE(Out, Ex, "segmented_iota: out");
  auto const dst = view_of(out);
  detail::for_each_in_segments_for(ex, "segmented_iota", dst.size(), segments,
                                   detail::write_rank<element_t<Out>>{dst.data()},
                                   detail::no_total{});
}

}  // namespace ravel::inline v0
