#pragma once

/// Explain: the steps of a program and the expressions that they compute.

#include <ravel/core/function_ref.hpp>
#include <ravel/core/vocabulary.hpp>
#include <ravel/flatten/archived.hpp>
#include <ravel/flatten/deferred.hpp>

#include <string>

#ifdef RAVEL_DEFINES_NESTED
#  include <ravel/flatten/explained.hpp>
#endif

namespace ravel::inline v0 {
namespace flattening {

/// The steps of a program as text: of longer arrays `values` elements, and what each step costs.
std::string explained(detail::function_ref<void()> program, std::size_t values, bool costs);

/// Runs a program, and the deferred steps that write its result.
void run_to_end(auto const& program) {
  if constexpr (std::is_void_v<decltype(program())>) {
    program();
  } else {
    [[maybe_unused]] auto const result = program();
    run_deferred_steps();
  }
}

}  // namespace flattening

/// Lets explain show the values that each step writes: of longer arrays the first and the last.
struct values_shown {
  index_t at_most = 16;
};
/// Lets explain show what each step costs: milliseconds, and the bytes that values have while it runs.
struct costs_shown {};

/// The trace of a program, a line for each step and each context, in order:
///
///     explain([&] { each(rows, [](auto row) { return sum(row * row); }); })
///
///     context: elements          5
///       segmented reduce         8   (int * int)
///
/// A line shows the number of elements of a step, its depth in lambdas by indentation,
/// and what it computed: a formula of the types of its operands, x[i] for
/// elements fetched by index.  On a device it also names the primitive, and the number of kernels
/// that it launched, including those of the following wait:
///
///       segmented reduce         8   (int * int)   segmented_reduce, 3 kernels
///
/// With values_shown, the arrays of numbers that a step wrote follow it; T and F are booleans, and _
/// what no step wrote:
///
///     explain([&] { each(from(ex, rows), [](auto row) { return sum(row * row); }); },
///             values_shown{})
///
///     input
///       -> 3 1 2 4 5
///       -> 0 2 2 5
///     context: elements          3
///       segmented reduce         8   (int * int)
///         -> 10 0 45
///
/// With costs_shown, a line has the milliseconds until the next step, the bytes that values have while
/// it runs, and whether it copies elements without computing, and the host waits for it:
///
///     explain(program, costs_shown{})
///
///       pack                   1000   (int < constant int)   0.004 ms, 16024 bytes, 1 wait
///
/// Rounds of equal steps, as of a loop, are folded after the first: `... 14 more rounds of 11 steps,
/// 1540 elements`.  A `part_of_program` shows its name and its line in the source.
///
/// The program runs, and its result is dropped.  Memory of a device is not shown, nor positions in
/// memory, which are others in each run.  Kernels run while the host continues, so that their time is
/// in the line of the next wait.
///
/// Cost     None for programs that are not explained.  Showing values takes, after each step, a pass
///          over the memory that the program holds, and as much memory again.
/// See also stats, for totals.
template <class F>
std::string explain(F const& program, values_shown values = {0}) {
  return flattening::explained([&] { flattening::run_to_end(program); },
                               static_cast<std::size_t>(values.at_most), false);
}
template <class F>
std::string explain(F const& program, costs_shown) {
  return flattening::explained([&] { flattening::run_to_end(program); }, 0, true);
}

}  // namespace ravel::inline v0
