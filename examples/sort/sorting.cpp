#include "sorting.hpp"

#include "support/backend.hpp"
#include "support/timing.hpp"

#include <ravel/algorithms/radix_sort.hpp>
#include <ravel/core/transfer.hpp>

#include <cstdint>

namespace ravel::examples {

template <class Backend, class T>
sorted<T> sort_numbers(view<T const> in, sort_job const& job) {
  auto const ex = Backend::executor(job.threads);
  auto const there = to(ex, in);
  sorted<T> result;
  auto const time = [&](auto const& sort) {
    result.seconds = median_seconds(ex, job.repeats, [&] {
      if (job.downward) {
        sort(descending);
      } else {
        sort();
      }
    });
  };
  if (job.permutation) {
    auto const order = ex.template allocate<index_t>(in.size());
    time([&](auto... options) { radix_argsort(ex, there, order, options...); });
    result.order = to_host(ex, order);
  } else {
    auto const out = ex.template allocate<T>(in.size());
    time([&](auto... options) { radix_sort(ex, there, out, options...); });
    result.numbers = to_host(ex, out);
  }
  return result;
}

template sorted<std::uint32_t> sort_numbers<backend>(view<std::uint32_t const>, sort_job const&);
template sorted<std::uint64_t> sort_numbers<backend>(view<std::uint64_t const>, sort_job const&);
template sorted<std::int32_t> sort_numbers<backend>(view<std::int32_t const>, sort_job const&);
template sorted<std::int64_t> sort_numbers<backend>(view<std::int64_t const>, sort_job const&);
template sorted<float> sort_numbers<backend>(view<float const>, sort_job const&);
template sorted<double> sort_numbers<backend>(view<double const>, sort_job const&);

}  // namespace ravel::examples
