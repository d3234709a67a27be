#pragma once

/// Histogram of a distributed sequence: local counts, added over all ranks.

#include <ravel/distributed/executor.hpp>
#include <ravel/distributed/operands.hpp>
#include <ravel/distributed/routes.hpp>
#include <ravel/distributed/sequence.hpp>
#include <ravel/primitives/histogram.hpp>

namespace ravel::inline v0 {
namespace distributed::detail {

/// The bins of a call on one rank: replicated edges are in its memory.
template <class Bin>
Bin bin_of_rank(Bin const& bin) {
  return bin;
}
template <class T, class Space>
edge_bins<T, Space> bin_of_rank(edge_bins<T, across<Space>> const& bin) {
  return {{bin.edges.data(), bin.edges.size()}};
}

}  // namespace distributed::detail

/// Counts the elements of all ranks in each bin, and writes all counts on every rank:
///
///     ranks      0      1    2
///     in         3 1 0 | 3 | 3 7
///     counts     1 1 0 3               on each rank
///
///     auto const counts = ex.replicate<int>(4);
///     histogram(ex, in, counts);
///
/// Shapes   in[n] on all ranks, or a source (distributed/operands.hpp); counts, one for each bin,
///          replicated, of any integer type of 32 or 64 bits.  bin is by_width, by_edges with edges that are
///          replicated, or any function from elements to integers.
/// Cost     A local histogram; each rank adds the counts of bins / p bins.
/// Volume   2 (p - 1) / p times the bins, from each rank.
/// Errors   As histogram on one machine.
// By the parts of its executor, so that the reference distinguishes it from the call of one rank.
template <class Local, class C, distributed::operand_of<distributed::executor<Local, C>> In,
          class Counts, class Bin = by_value>
void histogram(distributed::executor<Local, C> const& ex, In const& in, Counts&& counts,
               Bin bin = {}) {
  using namespace distributed::detail;
  static_assert(is_replica<std::remove_cvref_t<Counts>>,
                "histogram: on several ranks the counts are replicated: ex.replicate<int>(bins)");
  together(ex, "histogram", [&] {
    auto const local_bin = bin_of_rank(bin);
    if constexpr (distributed::is_sequence<In>) {
      histogram(ex.local(), in.local(), counts.local(), local_bin);
    } else {
      using Here = std::remove_const_t<decltype(local_bin)>;
      histogram_on(ex.local(), in.n, mapped<source_t<In>, Here>{source_of(in), local_bin},
                   counts.local());
    }
    all_reduce(ex, counts.local(), plus<element_t<Counts>>{});
  });
}

}  // namespace ravel::inline v0
