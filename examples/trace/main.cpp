/// Runs a parallel algorithm on the device in software, and draws each step.

#include "algorithms.hpp"
#include "support/command_line.hpp"
#include "support/output.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace ravel::examples {
namespace {

struct arguments {
  trace::request what;
  std::string beside, format = "text", file = "-";
  bool counts = false;
  int warp = RAVEL_WARP_SIZE;
};

/// A program has one width of warps: for another one, that program runs, which stands beside this one.
void run_width(int lanes, char** argv) {
  std::string const name = lanes == 4 ? "ravel-trace" : "ravel-trace-" + std::to_string(lanes);
  auto const other = std::filesystem::read_symlink("/proc/self/exe").parent_path() / name;
  execv(other.c_str(), argv);
  throw bad_input("--warp " + std::to_string(lanes) + " is another program, " + name +
                  ", which is not here: cmake --build build/host --target " + name);
}

trace::picture traced(trace::request const& what) {
  try {
    return trace::trace(what);
  } catch (std::invalid_argument const& e) {
    throw bad_input(e.what());
  }
}

int draw(arguments& a) {
  if (a.what.values.empty()) {
    auto const& all = trace::algorithms();
    auto const is_meant = [&](trace::entry const& e) { return e.name == a.what.algorithm; };
    auto const& entry = *std::find_if(all.begin(), all.end(), is_meant);
    a.what.values = entry.defaults;
    if (entry.segmented && a.what.lengths.empty() && a.what.heads.empty())
      a.what.lengths = entry.default_lengths;
  }
  std::vector<trace::picture> traces{traced(a.what)};
  if (!a.beside.empty()) {
    if (!a.counts && (a.format == "svg" || a.format == "json"))
      throw bad_input("--format " + a.format + " has one algorithm; html and text have two");
    trace::request second = a.what;
    second.algorithm = a.beside;
    traces.push_back(traced(second));
  }
  std::string text;
  if (a.format == "html" && !a.counts) {
    text = html_of(traces);
  } else {
    for (trace::picture const& p : traces) {
      text += text.empty() ? "" : "\n";
      text += a.counts             ? counts_of(p)
              : a.format == "svg"  ? svg_of(p)
              : a.format == "json" ? json_of(p)
                                   : text_of(p);
    }
  }
  write_text(text, a.file);
  return success;
}

}  // namespace
}  // namespace ravel::examples

int main(int argc, char** argv) {
  using namespace ravel::examples;
  arguments a;
  std::string about =
      "Runs a parallel algorithm step by step, and draws what each step does.\n\nALGORITHM:";
  std::vector<std::string> names;
  for (auto const& each : ravel::trace::algorithms()) {
    about += fmt::format("\n  {:<27}{}", each.name, each.about);
    names.push_back(each.name);
  }
  CLI::App app(about, "ravel-trace");
  app.add_option("algorithm", a.what.algorithm, "what runs")
      ->required()
      ->check(CLI::IsMember(names));
  app.add_option(
      "values", a.what.values,
      "the input; without it the example of the paper, if there is one, or 3 1 2 4 1 5 2 3");
  auto* const flags =
      app.add_option("--flags", a.what.heads,
                     "1 where a segment begins; of compaction, where a value is kept")
          ->delimiter(',');
  app.add_option("--segments", a.what.lengths, "lengths of segments, such as 3,2,3")
      ->delimiter(',')
      ->excludes(flags);
  app.add_option("--op", a.what.op, "plus, times, max, min, or; symbols shows what was combined")
      ->check(CLI::IsMember({"plus", "times", "max", "min", "or", "symbols"}));
  app.add_option("--block", a.what.block,
                 "threads of a block, two warps or four, of naive, step_doubling, "
                 "warp_hierarchical and reduce_then_scan");
  app.add_option("--beside", a.beside, "a second algorithm of the same values, beside it in html")
      ->check(CLI::IsMember(names));
  app.add_option("--seed", a.what.seed, "of the schedule");
  app.add_flag("--counts", a.counts,
               "count accesses, memory transactions, bank conflicts and barriers instead");
  app.add_option("--format", a.format, "text, svg, html or json")
      ->check(CLI::IsMember({"text", "svg", "html", "json"}));
  app.add_option("-o,--output", a.file, "the file to write; - is standard output");
  app.add_option("--warp", a.warp, "lanes of a warp, 4 or 8, and tiles of twice as many")
      ->check(CLI::IsMember({4, 8}));
  return run_program(app, argc, argv, [&] {
    if (a.warp != RAVEL_WARP_SIZE) run_width(a.warp, argv);
    return draw(a);
  });
}
