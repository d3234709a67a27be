#pragma once

/// @file
/// The command line and the exit code of a program: 0, 1 if a check failed, 2 if there
/// is no result.

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>

namespace CLI {
class App;
class Option;
}

namespace ravel::examples {

enum exit_code { success = 0, check_failed = 1, no_answer = 2 };

/// The user's input is invalid; the sentence says what and where.
struct bad_input : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Adds an option whose value is a decimal integer in [least, most]; the current value of `to`
/// is the default.  Int is int, std::int64_t or std::uint64_t.
///
/// Errors   During parsing: "--top: '1e9' is not an integer from 0 to 10".
template <class Int>
CLI::Option* add_integer(CLI::App& app, std::string const& name, Int& to, std::string const& about,
                         Int least, Int most);

/// Parses the command line and runs `body`, whose value is the exit code.
///
/// For wrong arguments, bad input, output that cannot be written, and failures of memory or a
/// device it writes a sentence to standard error, and returns `no_answer`.
int run_program(CLI::App& app, int argc, char** argv, std::function<int()> const& body);

/// The same for a program that takes no arguments but --help, which prints `about`.
int run_program(std::string const& name, std::string const& about, int argc, char** argv,
                std::function<int()> const& body);

}  // namespace ravel::examples
