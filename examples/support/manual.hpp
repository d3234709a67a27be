#pragma once

/// What the shell and `man` know of a program, generated from its options.

#include <string>

namespace CLI {
class App;
}

namespace ravel::examples {

/// A script for bash, and for zsh with bashcompinit, that completes options, their values where
/// they are few, and file names.
std::string completion_script(CLI::App const& app);

/// A manual page in the man macros.
std::string manual_page(CLI::App const& app);

}  // namespace ravel::examples
