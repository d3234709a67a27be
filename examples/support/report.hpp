#pragma once

/// @file
/// The output of --json.

#include <nlohmann/json.hpp>

#include <string>

namespace ravel::examples {

/// Prints one JSON object and a line end to standard output.
///
/// JSON has no NaN and infinities: they are the strings "nan", "inf" and "-inf".
/// Bytes of strings that are not UTF-8, as in file names, are written `\xHH`.
///
/// Errors   bad_input if standard output cannot be written.
void print_report(nlohmann::ordered_json report);

/// `text` with each byte that is not part of well-formed UTF-8 as `\xHH`.
///
///     "a\xff" becomes "a\\xff"
std::string as_utf8(std::string const& text);

}  // namespace ravel::examples
