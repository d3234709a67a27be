#pragma once

/// @file
/// How a program ends: with 0, with 1 if a check failed, with 2 if there is no answer.

#include <functional>
#include <stdexcept>

namespace CLI {
class App;
}

namespace ravel::examples {

enum exit_code { success = 0, check_failed = 1, no_answer = 2 };

/// What the user gave cannot be used; the sentence says what and where.
struct bad_input : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Parses the command line and runs `body`, whose value is the exit code.
///
/// Arguments that are wrong, input that is bad, and memory or a device that
/// fails, are told in a sentence on standard error, and the code is `no_answer`.
int run_program(CLI::App& app, int argc, char** argv, std::function<int()> const& body);

}  // namespace ravel::examples
