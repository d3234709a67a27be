#pragma once

/// @file
/// What a program prints with --json.

#include <nlohmann/json.hpp>

#include <string>

namespace ravel::examples {

/// Prints one JSON object and the end of its line to standard output.
///
/// JSON has no numbers for NaN and the infinities: they are the strings "nan", "inf" and "-inf".
/// Bytes of a string that are not UTF-8, which names of files may have, are written `\xHH`.
///
/// Errors   bad_input if standard output cannot be written.
void print_report(nlohmann::ordered_json report);

/// `text` with each byte that is not part of well-formed UTF-8 as `\xHH`.
///
///     "a\xff" becomes "a\\xff"
std::string as_utf8(std::string const& text);

}  // namespace ravel::examples
