#pragma once

/// @file
/// The command line of a program, and how it ends: with 0, with 1 if a check failed, with 2 if there
/// is no answer.

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

/// What the user gave cannot be used; the sentence says what and where.
struct bad_input : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Adds an option whose value is an integer in decimal from `least` through `most`; what `to` is
/// now, is shown as the default.  Int is int, std::int64_t or std::uint64_t.
///
/// Errors   While the command line is parsed: "--top: '1e9' is not an integer from 0 to 10".
template <class Int>
CLI::Option* add_integer(CLI::App& app, std::string const& name, Int& to, std::string const& about,
                         Int least, Int most);

/// Parses the command line and runs `body`, whose value is the exit code.
///
/// For arguments that are wrong, bad input, output that cannot be written, and memory or a device
/// that fails, it writes a sentence to standard error, and returns `no_answer`.
int run_program(CLI::App& app, int argc, char** argv, std::function<int()> const& body);

/// The same for a program that takes no arguments but --help, which says `about`.
int run_program(std::string const& name, std::string const& about, int argc, char** argv,
                std::function<int()> const& body);

}  // namespace ravel::examples
