#pragma once

/// What the command lines of all programs have in common (README.md): their options, counts, and
/// exit codes.

#include "support/device.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace CLI {
class App;
class Option;
}

namespace ravel::examples {

/// No result is 2; 1 if a check failed.
enum exit_code { success = 0, check_failed = 1, no_answer = 2 };

/// The user's input is invalid; the sentence says what and where.
struct bad_input : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The values of the options that programs share.
struct tool_options {
  std::string output;  // of -o: the file for the results; empty if absent
  std::string json;    // of --json: the file for the report, "-" being standard output
  bool check = false;
  int repeats = 0;  // timed runs after one to warm up; 0: run once
  device_options where;

  /// Whether results are wanted: with --bench, and with --json on standard output, only in a file.
  bool writes_results() const { return !output.empty() || (json != "-" && repeats == 0); }
  std::string target() const { return output.empty() ? "-" : output; }
};

/// Adds -o FILE, for `results`, and --json[=FILE].
void add_output_options(CLI::App& app, tool_options& options, std::string const& results);

/// Adds --check, --bench, --repeat R, --device and --threads; `check` describes the check.
void add_work_options(CLI::App& app, tool_options& options, std::string const& check);

/// The value of a count: decimal, with a unit k, M, G or T, in powers of 1000, or Ki, Mi, Gi or Ti,
/// of 1024; or in scientific notation.  None if it is no integer, or has more than 64 bits.
///
///     10M, 1e7 and 0.01G are 10000000, 2Ki is 2048, and 1.5 is no count
std::optional<std::uint64_t> read_count(std::string_view word);

/// Adds an option whose value is a count in [least, most]; the current value of `to` is the
/// default.  Int is int, std::int64_t or std::uint64_t.
///
/// Errors   During parsing: "--top: '1.5' is not an integer from 0 to 10".
template <class Int>
CLI::Option* add_integer(CLI::App& app, std::string const& name, Int& to, std::string const& about,
                         Int least, Int most);

/// Adds --version, --quiet, --completion and --man, parses the command line, and runs `body`, whose
/// value is the exit code.
///
/// For wrong arguments, bad input, output that cannot be written, and failures of memory or a
/// device it writes a sentence to standard error, and returns `no_answer`.
int run_program(CLI::App& app, int argc, char** argv, std::function<int()> const& body);

/// The same for a program without other options; --help prints `about`.
int run_program(std::string const& name, std::string const& about, int argc, char** argv,
                std::function<int()> const& body);

}  // namespace ravel::examples
