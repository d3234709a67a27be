/// Scans on the device in software, and counts of them.

#include "scan/named.hpp"
#include "scan/scanning.hpp"
#include "support/timing.hpp"

#include <ravel/core/transfer.hpp>
#include <ravel/primitives/cuda/named/chained_cyclic.cuh>
#include <ravel/primitives/cuda/named/decoupled_look_back.cuh>
#include <ravel/primitives/cuda/named/local_sums.cuh>
#include <ravel/primitives/cuda/named/look_ahead.cuh>
#include <ravel/primitives/scan.hpp>
#include <ravel/software_device/counts.hpp>
#include <ravel/software_device/executor.hpp>

namespace ravel::examples {

scanned scan_in_software(view<std::int64_t const> in, scan_job const& job, bool with_counts) {
  using software::traced;
  software_device const ex{1};
  auto const from = to(ex, in);
  auto const out = ex.allocate<std::int64_t>(in.size());
  auto const scan = [&](auto const& x, auto const& y, auto m, auto... by) {
    if (job.is_exclusive) {
      exclusive_scan(ex, x, y, m, by...);
    } else {
      inclusive_scan(ex, x, y, m, by...);
    }
    ex.wait();
  };
  scanned done;
  stopwatch const watch;
  software::counts c = software::counted(ex, [&] {
    with_scan<true>(job.algorithm, [&](auto... by) { scan(from, out, plus{}, by...); });
  });
  done.seconds = watch.seconds();
  done.results = to_host(ex, out);
  if (!with_counts) return done;

  std::vector<traced<std::int64_t>> chains;
  for (index_t i = 0; i < in.size(); ++i) chains.push_back({in[i], 0});
  auto const there = to(ex, chains);
  auto const sums = ex.allocate<traced<std::int64_t>>(in.size());
  software::counts const of_operations = software::counted(ex, [&] {
    with_scan<true>(job.algorithm, [&](auto... by) {
      scan(there, sums, software::counting{plus<std::int64_t>{}}, by...);
    });
  });
  done.counts = text_of(c) + "work            " + std::to_string(of_operations.work) + ", span " +
                std::to_string(of_operations.span) + "\n";
  return done;
}

}  // namespace ravel::examples
