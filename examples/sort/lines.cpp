#include "lines.hpp"

#include "support/backend.hpp"
#include "support/timing.hpp"

#include <ravel/algorithms/string_sort.hpp>
#include <ravel/core/transfer.hpp>
#include <ravel/pipelines/pipelines.hpp>

namespace ravel::examples {
namespace {

struct is_end_of_line {
  char const* text;
  index_t n;
  RAVEL_HD bool operator()(index_t i) const {
    return i < n ? text[i] == '\n' : n > 0 && text[n - 1] != '\n';
  }
};
struct begin_of_line {
  index_t const* ends;
  RAVEL_HD index_t operator()(index_t line) const { return line == 0 ? 0 : ends[line - 1] + 1; }
};

}  // namespace

template <class Backend>
sorted_lines sort_lines(view<char const> text, sort_job const& job) {
  auto const ex = Backend::executor(job.threads);
  auto const there = to(ex, text);
  auto const found = on(ex, iota(text.size() + 1)) |
                     filter(is_end_of_line{there.data(), text.size()}) | to_buffer();
  auto const ends = found.view_sync();
  auto const begins = on(ex, iota(ends.size())) | map(begin_of_line{ends.data()}) | to_buffer();
  auto const order = ex.template allocate<index_t>(ends.size());
  double const seconds = median_seconds(ex, job.repeats, [&] {
    if (job.downward) {
      string_argsort_sync(ex, there, begins, ends, order, descending);
    } else {
      string_argsort_sync(ex, there, begins, ends, order);
    }
  });
  return {to_host(ex, begins), to_host(ex, ends), to_host(ex, order), seconds};
}

template sorted_lines sort_lines<backend>(view<char const>, sort_job const&);

}  // namespace ravel::examples
