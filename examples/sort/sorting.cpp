#include "sorting.hpp"

#include "algorithms.hpp"
#include "support/timing.hpp"

#include <ravel/algorithms/radix_sort.hpp>
#include <ravel/core/transfer.hpp>
#include <ravel/primitives/gather.hpp>
#include <ravel/primitives/iota.hpp>

namespace ravel::examples {
namespace {

template <class F>
void with_direction(bool downward, F const& sort) {
  if (downward) {
    sort(descending);
  } else {
    sort();
  }
}

/// The numbers in the backend's memory, and the output.
template <class T>
struct columns {
  on_backend<T const> in;
  on_backend<std::int64_t const> values;
  on_backend<T> out;
  on_backend<std::int64_t> values_out;
};

template <class T>
void sort_alone(backend_executor const& ex, sort_job const& job, columns<T> const& c) {
  switch (job.algorithm) {
    case sort_algorithm::radix:
      return with_direction(job.downward,
                            [&](auto... options) { radix_sort(ex, c.in, c.out, options...); });
    case sort_algorithm::merge:
      return merge_numbers<backend>(ex, c.in, c.out, job.downward);
    case sort_algorithm::sample:
      return sample_numbers<backend>(ex, c.in, c.out, job.downward);
    case sort_algorithm::quick:
      quick_order<backend>(ex, c.in, c.values_out, job.downward);
      return gather(ex, c.in, c.values_out, c.out);
  }
}

template <class T>
void sort_with_values(backend_executor const& ex, sort_job const& job, columns<T> const& c) {
  switch (job.algorithm) {
    case sort_algorithm::radix:
      return with_direction(job.downward, [&](auto... options) {
        radix_sort_pairs(ex, c.in, c.values, c.out, c.values_out, options...);
      });
    case sort_algorithm::merge:
      return merge_pairs<backend>(ex, c.in, c.values, c.out, c.values_out, job.downward);
    case sort_algorithm::sample:
      return sample_pairs<backend>(ex, c.in, c.values, c.out, c.values_out, job.downward);
    case sort_algorithm::quick: {
      auto const order = ex.template scratch<std::int64_t>(c.in.size());
      quick_order<backend>(ex, c.in, view_of(order), job.downward);
      gather(ex, c.in, order, c.out);
      return gather(ex, c.values, order, c.values_out);
    }
  }
}

/// As sort_with_values, with indices as `values`.
template <class T>
void order_of(backend_executor const& ex, sort_job const& job, columns<T> const& c) {
  switch (job.algorithm) {
    case sort_algorithm::radix:
      return with_direction(job.downward, [&](auto... options) {
        radix_argsort(ex, c.in, c.values_out, options...);
      });
    case sort_algorithm::quick:
      return quick_order<backend>(ex, c.in, c.values_out, job.downward);
    default:
      return sort_with_values(ex, job, c);
  }
}

}  // namespace

template <class Backend, class T>
sorted<T> sort_numbers(view<T const> in, view<std::int64_t const> values, sort_job const& job) {
  auto const ex = Backend::executor(job.threads);
  bool const alone = job.wanted == sort_result::numbers;
  bool const places = job.wanted == sort_result::order;
  index_t const n = in.size();

  auto const there = to(ex, in);
  auto const given = to(ex, values);
  auto const numbered = ex.template allocate<std::int64_t>(places ? n : 0);
  iota(ex, numbered);
  auto const out = ex.template allocate<T>(n);
  auto const values_out = ex.template allocate<std::int64_t>(n);
  columns<T> const all{view_of(there), places ? view_of(numbered) : view_of(given), view_of(out),
                       view_of(values_out)};

  sorted<T> result;
  result.seconds = median_seconds(ex, job.repeats, [&] {
    if (alone) {
      sort_alone(ex, job, all);
    } else if (places) {
      order_of(ex, job, all);
    } else {
      sort_with_values(ex, job, all);
    }
  });
  if (!places) result.numbers = to_host(ex, out);
  if (!alone) result.values = to_host(ex, values_out);
  return result;
}

#define RAVEL_SORT_NUMBERS(T)                                                       \
  template sorted<T> sort_numbers<backend>(view<T const>, view<std::int64_t const>, \
                                           sort_job const&);
RAVEL_SORT_NUMBERS(std::uint32_t)
RAVEL_SORT_NUMBERS(std::uint64_t)
RAVEL_SORT_NUMBERS(std::int32_t)
RAVEL_SORT_NUMBERS(std::int64_t)
RAVEL_SORT_NUMBERS(float)
RAVEL_SORT_NUMBERS(double)

}  // namespace ravel::examples
