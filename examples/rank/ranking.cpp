#include "ranking.hpp"

#include "support/backend.hpp"
#include "support/timing.hpp"
#include "tree_depths.hpp"

#include <ravel/algorithms/list_ranking.hpp>
#include <ravel/core/transfer.hpp>

namespace ravel::examples {

template <class Backend>
ranked rank_nodes(view<std::int64_t const> next, view<std::int64_t const> values,
                  rank_job const& job) {
  auto const ex = Backend::executor(job.threads);
  auto const links = to(ex, next);
  auto const of_nodes = to(ex, values);
  auto const out = ex.template allocate<std::int64_t>(next.size());
  auto const fault = ex.template allocate<list_fault>(1);
  double const seconds = median_seconds(ex, job.repeats, [&] {
    switch (job.what) {
      case along::rank:
        return list_rank(ex, links, out, fault_to(fault));
      case along::sum:
        return inclusive_list_scan(ex, links, of_nodes, out, plus{}, fault_to(fault));
      case along::max:
        return inclusive_list_scan(ex, links, of_nodes, out, maximum{}, fault_to(fault));
      case along::depth:
        return tree_depths(ex, links, out, fault);
    }
  });
  return {to_host(ex, out), to_host(ex, fault)[0], seconds};
}

template ranked rank_nodes<backend>(view<std::int64_t const>, view<std::int64_t const>,
                                    rank_job const&);

}  // namespace ravel::examples
