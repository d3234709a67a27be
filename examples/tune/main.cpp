/// Measures the sizes at which a device's calls should change their form, and writes them to a
/// file.

#include "measuring.hpp"
#include "support/command_line.hpp"
#include "support/device.hpp"
#include "support/output.hpp"
#include "tuning_file.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

namespace ravel::examples {
namespace {

/// Shows the contents of a file, with the built-in sizes.
int show(std::string const& path) {
  auto const file = read_tuning(path);
  print("{}: {}, compute capability {}, {}\n", path, file.device, file.compute_capability,
        file.measured ? "measured" : "not measured");
  if (!file.note.empty()) print("  {}\n", file.note);
  gpu::tuning const built_in;
  gpu::for_each_size(file.sizes, [&](char const* name, index_t size) {
    index_t other = 0;
    gpu::for_each_size(built_in, [&](std::string_view its, index_t its_size) {
      if (its == name) other = its_size;
    });
    print("  {:<15} {:>10}{}\n", name, size,
          size == other ? "" : fmt::format("   {} is built in", other));
  });
  if (int const rows = best_rows(file); rows > 0)
    print("  local_sums      of_rows<{}>, {:.1f} us\n", rows, file.local_sums.at(rows));
  return success;
}

int tune(std::string const& out, int repeats) {
  auto const device = chosen_device({"auto"});
  if (device != device::cuda) {
    throw bad_input(
        "ravel-tune: no CUDA device is here to be measured, or none that this program "
        "was built for");
  }
  auto const measured =
      with_backend(device, [&]<class B>(std::type_identity<B>) { return measure<B>(repeats); });
  tuning_file file{measured.name, measured.compute_capability, true};
  std::set<std::string> seen;  // of several measurements of one size the largest counts
  for (auto const& each : measured.sizes) {
    warn("{}: {}\n", each.name, each.work);
    for (auto const& at : each.times) {
      warn("  {:>10}  short {:8.2f} us   long {:8.2f} us{}\n", at.size, 1e6 * at.as_short,
           1e6 * at.as_long, at.size == each.best ? "   from here on" : "");
    }
    gpu::for_each_size(file.sizes, [&](std::string_view name, index_t& size) {
      if (name != each.name) return;
      size = seen.contains(each.name) ? std::max(size, each.best) : each.best;
    });
    seen.insert(each.name);
  }
  warn("local_sums: scan of 2^24 u32\n");
  for (auto const& at : measured.local_sums) {
    warn("  of_rows<{}> {:8.2f} us\n", at.rows, 1e6 * at.seconds);
    file.local_sums[at.rows] = 1e6 * at.seconds;
  }
  write_text(json_of(file), out);
  return success;
}

}  // namespace
}  // namespace ravel::examples

int main(int argc, char** argv) {
  using namespace ravel::examples;
  CLI::App app{
      "Measures the sizes at which the current CUDA device's calls should change their form, and\n"
      "writes them to a file; or shows the contents of a file.",
      "ravel-tune"};
  std::string shown, out = "-";
  int repeats = 21;
  auto* const file =
      app.add_option("FILE", shown, "show the contents of this file and the built-in sizes");
  app.add_option("-o,--output", out, "where to write the measurements; - is standard output")
      ->capture_default_str()
      ->excludes(file);
  add_integer(app, "--repeat", repeats,
              "timings of each form at each size, of which the median counts", 1, 10000)
      ->excludes(file);
  return run_program(app, argc, argv,
                     [&] { return shown.empty() ? tune(out, repeats) : show(shown); });
}
