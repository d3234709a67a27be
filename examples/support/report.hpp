#pragma once

/// What a program reports of its work.

#include "support/command_line.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace ravel::examples {

/// A report: for programs, for people, and why the check failed, empty if it did not.
struct report {
  nlohmann::ordered_json values;
  std::string text;
  std::string wrong = "";
};

/// Writes the report of the program `name` as --json specifies, or for people to standard error, and
/// returns the exit code.
int finish(std::string const& name, tool_options const& options, report const& r);

/// Writes one JSON object and a line end to the file at `path`, "-" being standard output.
///
/// JSON has no NaN and infinities: they are the strings "nan", "inf" and "-inf".
/// Bytes of strings that are not UTF-8, as in file names, are written `\xHH`.
///
/// Errors   bad_input if it cannot be written.
void write_json(nlohmann::ordered_json values, std::string const& path);

/// `text` with each byte that is not part of well-formed UTF-8 as `\xHH`.
///
///     "a\xff" becomes "a\\xff"
std::string as_utf8(std::string const& text);

}  // namespace ravel::examples
