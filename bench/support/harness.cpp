#include "support/harness.hpp"

#include <benchmark/benchmark.h>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <thread>

namespace ravel::bench {
namespace {

double median(std::vector<double> values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  auto const middle = values.begin() + std::ssize(values) / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// How a contender is timed; determined while warming up.
struct plan {
  int batch = 1;                                // calls per timing
  int turns = std::numeric_limits<int>::max();  // rounds in which it takes part
};

/// The time that each peer may take in a row, in seconds per round: slower ones take part in the
/// first rounds only.
constexpr double patience = 0.27;

/// More than any cache holds, in bytes.
constexpr double caches = 1 << 28;

/// A row while it is measured: its contenders live from its first repetition to its last.
class running_row {
  comparison contenders_;
  std::vector<plan> plans_;
  int times_ = 1;  // timings of each contender per round
  int round_ = 0;
  suite const& suite_;

  /// If the data fits in caches, a contender runs once untimed, so that it finds its own data
  /// there.
  double time(contender const& c, int batch) const {
    if (c.prepare) {
      c.prepare();
    } else if (contenders_.bytes < caches) {
      suite_.seconds(c.run);
    }
    auto const rest = [&] { std::this_thread::sleep_for(std::chrono::duration<double>(c.rest)); };
    rest();
    int const runs = c.prepare ? c.runs : batch;
    double const seconds = suite_.seconds([&] {
      for (int k = 0; k < runs; ++k) c.run();
    });
    rest();
    return seconds / runs;
  }

 public:
  running_row(suite const& s, row const& r, index_t n, bool quick, int rounds)
      : contenders_(r.make(n)), suite_(s) {
    double all = 0;
    for (auto const& c : contenders_.contenders) {
      if (contenders_.poison) contenders_.poison();
      if (c.prepare) c.prepare();
      double once = suite_.seconds(c.run);
      if (c.right && !c.right()) throw std::runtime_error(c.name + " is wrong");
      if (quick) {
        plans_.push_back({1, c.name == "ours"});
        continue;
      }
      if (once < patience) once = std::min(time(c, 1), time(c, 1));
      plan p;
      // more than once: the first few calls, outside of caches, take much longer than thousands
      for (int tries = 0; tries < 3 && !c.prepare && once * p.batch < suite_.shortest; ++tries) {
        p.batch = int(std::ceil(suite_.shortest / once));
        once = time(c, p.batch);
      }
      if (c.name != "ours" && once > patience) {
        p.turns = std::max(1, int(rounds * patience / once));
      }
      plans_.push_back(p);
      all += once * (c.prepare ? c.runs : p.batch);
    }
    if (!quick) times_ = std::clamp(int(200e-6 / all), 1, 8);
  }

  void round(benchmark::State& state) {
    auto const& all = contenders_.contenders;
    std::vector<double> sums(all.size(), 0);
    for (int k = 0; k < times_; ++k) {
      for (std::size_t i = 0; i < all.size(); ++i) {
        if (round_ < plans_[i].turns) sums[i] += time(all[i], plans_[i].batch);
      }
    }
    state.SetIterationTime(sums[0] / times_);
    for (std::size_t i = 1; i < all.size(); ++i) {
      if (round_ < plans_[i].turns) state.counters[all[i].name] = sums[i] / times_;
    }
    ++round_;
  }

  double bytes() const { return contenders_.bytes; }
  double items() const { return contenders_.items; }
  std::map<std::string, double> const& counters() const { return contenders_.counters; }
};

/// A benchmark for a row.  Only one row has its data in memory at a time.
class row_benchmark {
  struct state {
    suite const* of;
    row const* what;
    index_t n;
    bool quick;
    int rounds;
    std::string progress;
    std::string error;
  };
  std::shared_ptr<state> state_;

  static std::unique_ptr<running_row>& now() {
    static std::unique_ptr<running_row> it;
    return it;
  }
  static row const*& whose() {
    static row const* it = nullptr;
    return it;
  }

 public:
  row_benchmark(suite const& s, row const& r, bool quick, int rounds, std::string progress)
      : state_(std::make_shared<state>(state{&s,
                                             &r,
                                             quick ? std::min(r.n, r.quick) : r.n,
                                             quick,
                                             rounds,
                                             std::move(progress),
                                             {}})) {}

  static void finish() { now().reset(); }

  void operator()(benchmark::State& state) const {
    try {
      if (whose() != state_->what) {
        now().reset();
        whose() = state_->what;
        fmt::print(stderr, "{} {}\n", state_->progress, state_->what->id);
        now() = std::make_unique<running_row>(*state_->of, *state_->what, state_->n, state_->quick,
                                              state_->rounds);
      }
      if (!state_->error.empty()) throw std::runtime_error(state_->error);
      for (auto _ : state) now()->round(state);
      state.counters["n"] = now()->items() > 0 ? now()->items() : double(state_->n);
      state.counters["bytes"] = now()->bytes();
      for (auto const& [name, value] : now()->counters()) state.counters[name] = value;
      state.SetLabel(state_->what->work);
    } catch (std::exception const& e) {
      state_->error = e.what();
      fmt::print(stderr, "{}: {}\n", state_->what->id, e.what());
      state.SkipWithError(e.what());
    }
  }
};

/// The error of a failed run, in the API of Google Benchmark 1.8 or of earlier versions.
template <class Run>
std::optional<std::string> failure(Run const& run) {
  if constexpr (requires { run.skipped; }) {
    if (static_cast<bool>(run.skipped)) return run.skip_message;
  } else {
    if (run.error_occurred) return run.error_message;
  }
  return std::nullopt;
}

/// One line for each row: our time and bandwidth, and the ratios.
class line_reporter : public benchmark::BenchmarkReporter {
  bool failed_ = false;

 public:
  bool failed() const { return failed_; }

  bool ReportContext(Context const&) override { return true; }

  void ReportRuns(std::vector<Run> const& runs) override {
    std::map<std::string, std::vector<double>> values;
    std::string id;
    for (auto const& run : runs) {
      if (run.run_type != Run::RT_Iteration) continue;
      id = run.run_name.function_name;
      if (auto const why = failure(run)) {
        failed_ = true;
        fmt::print("{:<40} FAILED: {}\n", id, *why);
        std::fflush(stdout);
        return;
      }
      values["ours"].push_back(run.GetAdjustedRealTime() /
                               benchmark::GetTimeUnitMultiplier(run.time_unit));
      for (auto const& [name, value] : run.counters) values[name].push_back(value.value);
    }
    if (values.empty()) return;  // aggregates are reported separately
    double const ours = median(values["ours"]);
    std::string line = fmt::format("{:<40} {:>12.2f} us {:>8.1f} GB/s", id, ours * 1e6,
                                   median(values["bytes"]) / ours * 1e-9);
    for (auto const& [name, all] : values) {
      if (name.find(':') != name.npos) {
        line += fmt::format("  {} x{:.3f}", name, median(all) / ours);
      }
    }
    fmt::print("{}\n", line);
    std::fflush(stdout);
  }
};

std::string from_environment(char const* name, std::string otherwise) {
  char const* const value = std::getenv(name);
  return value ? value : otherwise;
}

}  // namespace

std::string slug(std::string const& words) {
  std::string name;
  for (unsigned char const c : words) {
    if (std::isalnum(c)) {
      name += char(std::tolower(c));
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  while (!name.empty() && name.back() == '-') name.pop_back();
  return name;
}

int run(suite const& what, int argc, char** argv) {
  CLI::App app("Benchmarks of ravel: " + what.name);
  std::string machine = from_environment("RAVEL_MACHINE", what.machine);
  std::string commit = from_environment("RAVEL_COMMIT", "unknown");
  std::string record;
  bool quick = false;
  int repetitions = 15;
  app.add_option("--record", record, "Folder for the record, MACHINE-SUITE.json");
  app.add_option("--machine", machine, "Name of this machine (RAVEL_MACHINE)")
      ->capture_default_str();
  app.add_option("--commit", commit, "Commit that was built (RAVEL_COMMIT)")->capture_default_str();
  app.add_option("--repetitions", repetitions, "Rounds of each row")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  app.add_flag("--quick", quick, "Only check each row, once, at a small size");
  app.footer("Google Benchmark's own options follow, such as --benchmark_filter=REGEX.");
  app.allow_extras();
  CLI11_PARSE(app, argc, argv);

  std::vector<std::string> arguments{argv[0]};
  for (auto& rest : app.remaining()) arguments.push_back(rest);
  if (!record.empty()) {
    std::filesystem::create_directories(record);
    auto const file = std::filesystem::path(record) / (slug(machine + '-' + what.name) + ".json");
    arguments.push_back("--benchmark_out=" + file.string());
    arguments.push_back("--benchmark_out_format=json");
  }
  std::vector<char*> pointers;
  for (auto& argument : arguments) pointers.push_back(argument.data());
  int count = int(pointers.size());
  benchmark::Initialize(&count, pointers.data());
  if (benchmark::ReportUnrecognizedArguments(count, pointers.data())) return 2;

  benchmark::AddCustomContext("suite", what.name);
  benchmark::AddCustomContext("machine", slug(machine));
  benchmark::AddCustomContext("commit", commit);
  for (auto const& [key, value] : what.context) benchmark::AddCustomContext(key, value);

  for (std::size_t k = 0; k < what.rows.size(); ++k) {
    auto const& r = what.rows[k];
    row_benchmark const body(what, r, quick, repetitions,
                             fmt::format("[{}/{}]", k + 1, what.rows.size()));
    benchmark::RegisterBenchmark(r.id.c_str(), body)
        ->Iterations(1)
        ->Repetitions(quick ? 1 : repetitions)
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond);
  }
  line_reporter lines;
  benchmark::RunSpecifiedBenchmarks(&lines);
  row_benchmark::finish();
  benchmark::Shutdown();
  return lines.failed() ? 1 : 0;
}

}  // namespace ravel::bench
