#include "lines.hpp"

#include "support/backend.hpp"
#include "support/timing.hpp"

#include <ravel/algorithms/string_sort.hpp>
#include <ravel/core/transfer.hpp>

#include <type_traits>

namespace ravel::examples {
namespace {

/// In the memory of the backend: the host's itself if it is that.
template <class Ex, class T>
auto there_of(Ex const& ex, view<T const> host) {
  if constexpr (std::is_same_v<space_of_t<Ex>, host_space>) {
    return host;
  } else {
    return to(ex, host);
  }
}

}  // namespace

template <class Backend>
string_order sort_strings(view<char const> text, view<index_t const> begins,
                          view<index_t const> ends, sort_job const& job) {
  auto const ex = Backend::executor(job.threads);
  auto const there = there_of(ex, text);
  auto const first = there_of(ex, begins), last = there_of(ex, ends);
  auto const order = ex.template allocate<index_t>(ends.size());
  double const seconds = median_seconds(ex, job.repeats, [&] {
    if (job.downward) {
      string_argsort_sync(ex, there, first, last, order, descending);
    } else {
      string_argsort_sync(ex, there, first, last, order);
    }
  });
  return {to_host(ex, order), seconds};
}

template string_order sort_strings<backend>(view<char const>, view<index_t const>,
                                            view<index_t const>, sort_job const&);

}  // namespace ravel::examples
