#pragma once

/// Ranks lists on a backend, and measures the time.

#include <ravel/algorithms/list_options.hpp>
#include <ravel/core/view.hpp>

#include <cstdint>
#include <vector>

namespace ravel::examples {

enum class along { rank, sum, max, depth };

struct rank_job {
  along what = along::rank;
  int threads = 0;
  int repeats = 1;
};

/// The result for each node; unspecified for nodes after a fault.
struct ranked {
  std::vector<std::int64_t> results;
  list_fault fault;
  double seconds;  // in the backend's memory: the median of the repeats
};

/// The rank of each node, or the sum or the maximum of the values along its list up to
/// it; for `depth`, `next` is the parent of each node of a forest.
///
/// `next` and `values` are on the host; values are only read for `sum` and `max`.
template <class Backend>
ranked rank_nodes(view<std::int64_t const> next, view<std::int64_t const> values,
                  rank_job const& job);

}  // namespace ravel::examples
