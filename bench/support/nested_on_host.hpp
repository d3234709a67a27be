#pragma once

/// Nested programs on the host beside their loops of one thread.

#include "support/harness.hpp"
#include "support/nested_programs.hpp"

#include <ravel/flatten/flatten.hpp>

#include <memory>
#include <optional>
#include <string>
#include <tuple>

namespace ravel::bench::host {

/// Adds a loop that returns a vector to the rows of c.
template <class Loop, class Wanted>
void add_loop(comparison& c, std::string const& name, Loop const& loop, Wanted const& wanted) {
  auto const looped = std::make_shared<decltype(loop())>();
  c.contenders.push_back({"peer:" + name, [=] { *looped = loop(); },
                          [=] { return nested_programs::is_close(*looped, *wanted); }});
  c.poison = [=, before = c.poison] {
    before();
    looped->clear();
  };
}

/// A nested program beside its loops, whose results are to be `wanted`.
template <class Parts, class Wanted>
comparison beside_loops(Parts const& parts, Wanted const& wanted) {
  using result = decltype(elements(parts.program()));
  auto const made = std::make_shared<std::optional<result>>();
  auto const ours = [made, program = parts.program] { made->emplace(elements(program())); };
  comparison c;
  reset_stats();
  index_t const before = stats().bytes;
  ours();
  c.counters = {{"steps", static_cast<double>(stats().steps)},
                {"most_bytes", static_cast<double>(stats().most_bytes - before)}};
  c.poison = [=] { made->reset(); };
  c.contenders.push_back(
      {"ours", ours, [=] { return nested_programs::is_close(**made, *wanted); }});
  add_loop(c, "loop, 1 thread", parts.loop, wanted);
  std::apply(
      [&](auto const&... rounds) {
        (add_loop(c, "loop of the same rounds, 1 thread", rounds, wanted), ...);
      },
      parts.rounds);
  return c;
}
template <class Parts>
comparison beside_loops(Parts const& parts) {
  return beside_loops(parts, std::make_shared<decltype(parts.loop())>(parts.loop()));
}

}  // namespace ravel::bench::host
