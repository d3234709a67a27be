/// Prefix sums, by any algorithm of the literature, on the CPU, a GPU, or a device in software.

#include "named.hpp"
#include "scanning.hpp"
#include "support/command_line.hpp"
#include "support/copy_bandwidth.hpp"
#include "support/device.hpp"
#include "support/input.hpp"
#include "support/numbers.hpp"
#include "support/report.hpp"

#include <ravel/core/cpu/buffer.hpp>
#include <ravel/core/cpu/executor.hpp>

#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <utility>

namespace ravel::examples {
namespace {

struct arguments : tool_options {
  std::string file = "-", algorithm;
  index_t n = 0;  // of generated numbers
  bool is_exclusive = false, counts = false, trace = false;
};

cpu::buffer<std::int64_t> input_of(arguments const& a) {
  if (a.n == 0) {
    auto const text = read_input(a.file);
    return read_numbers<std::int64_t>(cpu::threads(a.where.threads), text.all(), a.file);
  }
  cpu::buffer<std::int64_t> numbers(a.n);
  for (index_t i = 0; i < a.n; ++i) numbers[i] = 1 + i * 7 % 10;
  return numbers;
}

/// Replaces this program by ravel-trace, for the first values.
[[noreturn]] void trace(arguments const& a, cpu::buffer<std::int64_t> const& in) {
  if (a.algorithm.empty()) throw bad_input("--trace draws named scans: --algorithm says which");
  if (in.size() == 0) throw bad_input("there are no numbers to trace");
  auto const program =
      std::filesystem::read_symlink("/proc/self/exe").replace_filename("ravel-trace").string();
  std::vector<std::string> words{program, a.algorithm};
  for (index_t i = 0; i < std::min<index_t>(in.size(), 16); ++i) {
    if (!std::in_range<std::int32_t>(in[i]))
      throw bad_input(fmt::format("--trace draws numbers of 32 bits, and {} is none", in[i]));
    words.push_back(std::to_string(in[i]));
  }
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  execv(program.c_str(), pointers.data());
  throw bad_input("there is no program " + program);
}

std::string what_is_wrong(arguments const& a, cpu::buffer<std::int64_t> const& in,
                          std::vector<std::int64_t> const& results) {
  std::uint64_t sum = 0;  // wraps around
  for (index_t i = 0; i < in.size(); ++i) {
    std::uint64_t const before = sum;
    sum += static_cast<std::uint64_t>(in[i]);
    auto const should = static_cast<std::int64_t>(a.is_exclusive ? before : sum);
    auto const is = results[static_cast<std::size_t>(i)];
    if (is != should) return fmt::format("sum {} is {}, and should be {}", i, is, should);
  }
  return {};
}

int run(arguments const& a) {
  auto const in = input_of(a);
  if (a.trace) trace(a, in);
  view<std::int64_t const> const numbers(in.data(), in.size());
  scan_job const job{a.algorithm, a.is_exclusive, a.where.threads, a.repeats};
  bool const in_software = a.where.name == "software" || a.counts;
  scanned result;
  std::string where, name = "software";
  double of_copy = 0;
  if (in_software) {
#ifdef RAVEL_SCAN_SOFTWARE
    result = scan_in_software(numbers, job, a.counts);
    where = "a device in software";
#else
    throw bad_input("this program was built without a device in software");
#endif
  } else {
    auto const d = chosen_device(a.where);
    name = name_of(d);
    where = description_of(d, a.where.threads);
    with_backend(d, [&]<class B>(std::type_identity<B>) {
      result = scan_numbers<B>(numbers, job);
      double const bytes = 16 * static_cast<double>(in.size());
      if (a.repeats > 0)
        of_copy = bytes / result.seconds / copy_bandwidth<B>(a.where.threads, bytes);
    });
  }
  std::string const wrong = a.check ? what_is_wrong(a, in, result.results) : std::string();
  if (a.writes_results() && !a.counts) {
    write_numbers(cpu::threads(a.where.threads),
                  view<std::int64_t const>(result.results.data(), std::ssize(result.results)),
                  a.target());
  }
  if (a.counts) write_text(result.counts, a.target());

  named_scan const own{"the executor's own scan", "ravel", "as fast as a copy"};
  named_scan const& by = a.algorithm.empty() ? own : scan_named(a.algorithm);
  double const rate = static_cast<double>(in.size()) / result.seconds;
  bool const checked = a.check && wrong.empty();
  auto text =
      fmt::format("{}: {} numbers, by {}\n{:.3g} ms on {}: {:.4g} million a second{}{}\n{}: {}\n",
                  a.n > 0 ? "generated" : a.file, in.size(), by.name, 1e3 * result.seconds, where,
                  rate / 1e6, of_copy > 0 ? fmt::format(", {:.2f} of copy speed", of_copy) : "",
                  checked ? ", checked" : "", by.source, by.figure);
  nlohmann::ordered_json values{
      {"file", a.n > 0 ? "generated" : a.file},
      {"numbers", in.size()},
      {"algorithm", by.name},
      {"source", by.source},
      {"paper", by.figure},
      {"seconds", result.seconds},
      {"numbers_per_s", rate},
  };
  if (of_copy > 0) values["of_copy"] = of_copy;
  values["device"] = name;
  values["checked"] = checked;
  return finish("ravel-scan", a, {std::move(values), std::move(text), wrong});
}

}  // namespace
}  // namespace ravel::examples

int main(int argc, char** argv) {
  using namespace ravel::examples;
  using ravel::index_t;
  std::string about =
      "Computes prefix sums, by the fastest form or by an algorithm of the literature, whose "
      "paper\n"
      "it names beside the time.\n\nALGORITHM:";
  std::vector<std::string> names;
  for (auto const& each : named_scans) {
    about += fmt::format("\n  {:<25}{}: {}{}", each.name, each.source, each.figure,
                         each.needs_device ? " (on a device)" : "");
    names.emplace_back(each.name);
  }
  CLI::App app(about, "ravel-scan");
  arguments a;
  auto* const file = app.add_option(
      "FILE", a.file, "numbers, separated by spaces or lines; standard input if absent");
  add_integer(app, "--generate", a.n, "so many numbers from 1 to 10", index_t{1}, index_t{1} << 40)
      ->default_str("")
      ->excludes(file);
  app.add_option("--algorithm", a.algorithm, "the algorithm, by name")
      ->option_text("ALGORITHM")
      ->check(CLI::IsMember(names).description(""));
  auto* const exclusive =
      app.add_flag("--exclusive", a.is_exclusive, "the sums of what is before each number");
  app.add_flag("--count", a.counts,
               "count what the algorithm does on a device in software: work, span, memory "
               "transactions, bank conflicts and barriers, instead of the sums");
  app.add_flag("--trace", a.trace, "draw the steps for the first 16 numbers, by ravel-trace")
      ->excludes(exclusive);
  add_output_options(app, a, "a sum for each number");
  a.where.has_software = true;
  add_work_options(app, a, "add the numbers one by one");
  return run_program(app, argc, argv, [&] { return run(a); });
}
