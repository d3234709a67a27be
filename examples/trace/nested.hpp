#pragma once

/// Pictures of nested programs: the arrays that each flat step writes, from nested to flat.

#include "number.hpp"
#include "picture.hpp"

#include <ravel/flatten/compute.hpp>
#include <ravel/flatten/explain.hpp>
#include <ravel/flatten/explained.hpp>

#include <string>
#include <utility>
#include <vector>

namespace ravel::trace {

/// The picture of what a program did.
picture picture_of(std::vector<flattening::step_taken> const& steps, std::string title);
/// Begins a program: values with an id in it are its input.
void begin_program();
/// The number as an input of the program.
number as_input(std::int32_t);

/// Runs a program on an executor of the host, and draws its flat steps.  `program(input)` is a program
/// of `each` that makes its sequences of `input(x)`, for a number x, and returns the result.
///
///     trace_program("sums", [](auto input) {
///       std::vector<std::vector<number>> const rows{{input(3), input(1)}, {}, {input(2)}};
///       return each(from(cpu::sequential(), rows), [](auto row) { return sum(row); });
///     })
///
/// Where a number is made of others, lines lead from them.  Offsets, flags, indices, and numbers of
/// other types are drawn as they are.  Steps that compute only where slices begin are not drawn.
template <class F>
picture trace_program(std::string title, F const& program) {
  begin_program();
  auto const run = [&] { flattening::run_to_end([&] { return keep(program(as_input)); }); };
  auto steps = flattening::steps_of(run, true);
  steps.pop_back();  // the end
  return picture_of(steps, std::move(title));
}

}  // namespace ravel::trace
