/// Draws the program that the file RAVEL_TRACE_OWN defines; scripts/trace_program compiles this.

#include "algorithms.hpp"
#ifdef RAVEL_TRACE_PIPELINE
#  include "pipelined.hpp"
#else
#  include "nested.hpp"

#  include <ravel/core/cpu/executor.hpp>
#  include <ravel/flatten/flatten.hpp>
#endif

#include <cstdint>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

using namespace ravel;
using namespace ravel::trace;

#include RAVEL_TRACE_OWN

namespace {

#ifdef RAVEL_TRACE_PIPELINE
picture traced(request const& r) {
  op = [](std::int32_t a, std::int32_t b) { return a + b; };
  picture p = trace_pipeline(r, stages);
  p.observed = "calls of the library on the device in software, warps of " +
               std::to_string(p.warp) + ", tiles of " + std::to_string(p.block);
  p.counts = text_of(trace::counted);
  return p;
}
#else
picture traced(request const& r) {
  auto const run = [&](auto input) {
    std::vector<std::vector<number>> rows;
    auto at = r.values.begin();
    for (int const n : r.lengths) {
      auto& row = rows.emplace_back();
      for (int i = 0; i < n; ++i) row.push_back(input(*at++));
    }
    return program(from(cpu::sequential(), rows));
  };
  to_host(run(as_input));  // throws what fails, which a picture of steps would not
  return trace_program(r.algorithm, run);
}
#endif

}  // namespace

/// FORMAT TITLE, the lengths of the segments, a dash, and the values, which the lengths add up to.
int main(int argc, char** argv) {
  std::string const format = argv[1];
  request r{argv[2]};
  int k = 3;
  for (; k < argc && argv[k] != std::string("-"); ++k) r.lengths.push_back(std::stoi(argv[k]));
  for (++k; k < argc; ++k) r.values.push_back(std::stoi(argv[k]));
  try {
    picture p = traced(r);
    p.title = r.algorithm;
    p.op = "plus";
    p.is_decided = true;
    std::cout << (format == "svg"    ? svg_of(p)
                  : format == "html" ? html_of({p})
                  : format == "json" ? json_of(p)
                                     : text_of(p));
  } catch (std::exception const& e) {
    std::cerr << e.what() << '\n';
    return 1;
  }
}
