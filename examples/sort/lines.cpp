#include "lines.hpp"

#include "support/backend.hpp"
#include "support/timing.hpp"

#include <ravel/algorithms/string_sort.hpp>
#include <ravel/core/transfer.hpp>

#include <type_traits>

namespace ravel::examples {

template <class Backend>
string_order sort_strings(view<char const> text, view<index_t const> begins,
                          view<index_t const> ends, sort_job const& job) {
  auto const ex = Backend::executor(job.threads);
  auto const sort = [&](auto const& there, auto const& first, auto const& last, auto& order) {
    return median_seconds(ex, job.repeats, [&] {
      if (job.downward) {
        string_argsort_sync(ex, there, first, last, order, descending);
      } else {
        string_argsort_sync(ex, there, first, last, order);
      }
    });
  };
  string_order sorted;
  if constexpr (std::is_same_v<space_of_t<decltype(ex)>, host_space>) {
    sorted.order.resize(static_cast<std::size_t>(ends.size()));
    sorted.seconds = sort(text, begins, ends, sorted.order);
  } else {
    auto const order = ex.template allocate<index_t>(ends.size());
    sorted.seconds = sort(to(ex, text), to(ex, begins), to(ex, ends), order);
    sorted.order = to_host(ex, order);
  }
  return sorted;
}

template string_order sort_strings<backend>(view<char const>, view<index_t const>,
                                            view<index_t const>, sort_job const&);

}  // namespace ravel::examples
