#include "scan/scanning.hpp"

#include "scan/named.hpp"
#include "support/backend.hpp"
#include "support/command_line.hpp"
#include "support/timing.hpp"

#include <ravel/core/transfer.hpp>
#include <ravel/primitives/scan.hpp>

#include <concepts>

namespace ravel::examples {

template <class Backend>
scanned scan_numbers(view<std::int64_t const> in, scan_job const& job) {
  auto const ex = Backend::executor(job.threads);
  auto const from = to(ex, in);
  auto const out = ex.template allocate<std::int64_t>(in.size());
  constexpr bool on_device = !std::same_as<space_of_t<decltype(ex)>, host_space>;
  auto const time = [&](auto... by) {
    return median_seconds(ex, job.repeats, [&] {
      if (job.is_exclusive) {
        exclusive_scan(ex, from, out, plus{}, by...);
      } else {
        inclusive_scan(ex, from, out, plus{}, by...);
      }
    });
  };
  try {
    double const seconds = with_scan<on_device>(job.algorithm, time);
    return {to_host(ex, out), seconds};
  } catch (std::invalid_argument const& e) {
    throw bad_input(e.what());
  }
}

template scanned scan_numbers<backend>(view<std::int64_t const>, scan_job const&);

}  // namespace ravel::examples
