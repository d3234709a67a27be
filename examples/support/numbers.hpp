#pragma once

/// Reads and writes sequences of numbers as text, or as raw bytes.

#include "support/output.hpp"
#include "support/tokens.hpp"

#include <ravel/core/cpu/buffer.hpp>
#include <ravel/core/cpu/executor.hpp>

#include <string>
#include <string_view>

namespace ravel::examples {

// T is std::uint32_t, std::uint64_t, std::int32_t, std::int64_t, float or double.

/// Reads the numbers in `text`, in parallel, with progress if it takes long.
///
///     1.5, -2  7e3
///     4                      has the numbers 1.5, -2, 7000, 4
///
/// Numbers are separated by white space, or by one comma with optional white
/// space; if `column` has a number, only the field in that column of each line is read.  Separators
/// within double quotes separate nothing.  Empty lines are ignored.  Lines may end in CRLF, and the
/// text may begin with a byte order mark.
///
/// Cost     O(bytes) work, O(log bytes) span; with a `column`, the longest line is added to the
///          span.
/// Errors   bad_input "NAME:LINE: reason", for the first wrong field; lines count from `first_line`, and
///          `advice` follows a field that is no number.
template <class T>
cpu::buffer<T> read_numbers(cpu::threads const& ex, view<char const> text, std::string const& name,
                            column_choice column = {}, index_t first_line = 1,
                            std::string_view advice = "");

/// Reads a whole field as a number; returns the reason if it cannot, with `advice` where it is none.
///
///     "1e400" gives "'1e400' does not fit a number of 64 bits"
template <class T>
std::string read_field(std::string_view field, T& to, std::string_view advice = "");

/// Reads `bytes` as little-endian numbers.
///
/// Errors   bad_input if the last number is incomplete.
template <class T>
cpu::buffer<T> read_binary_numbers(view<char const> bytes, std::string const& name);

/// Writes numbers, one a line, each in the shortest decimal form that reads back as the same number.
template <class T>
void write_numbers(cpu::threads const& ex, view<T const> numbers, output& to);

/// Writes numbers as little-endian bytes.
template <class T>
void write_binary_numbers(view<T const> numbers, output& to) {
  to.write({reinterpret_cast<char const*>(numbers.data()),
            static_cast<std::size_t>(numbers.size()) * sizeof(T)});
}

/// Replaces the contents of a file, "-" being standard output, by `heading` and numbers.
///
/// Errors   bad_input if the file cannot be written; it then is unchanged (output.hpp).
template <class T>
void write_numbers(cpu::threads const& ex, view<T const> numbers, std::string const& path,
                   std::string const& heading = "") {
  output to(path);
  to.write(heading);
  write_numbers(ex, numbers, to);
  to.commit();
}

}  // namespace ravel::examples
