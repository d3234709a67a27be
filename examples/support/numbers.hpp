#pragma once

/// @file
/// Reads and writes sequences of numbers: as text, or as the bytes of memory.

#include <ravel/core/cpu/buffer.hpp>
#include <ravel/core/cpu/executor.hpp>

#include <string>

namespace ravel::examples {

// All that say T are for numbers of type std::uint32_t, std::uint64_t,
// std::int32_t, std::int64_t, float and double.

/// Reads the numbers in `text`, in parallel, with progress if it takes long.
///
///     1.5, -2  7e3
///     4                      has the numbers 1.5, -2, 7000, 4
///
/// Numbers are separated by white space or by one comma, which white space may
/// surround; of each line only the one in `column` is read, the first being 1,
/// unless `column` is 0.  Columns are separated by commas, or where a line has none
/// by white space.  Empty lines count for nothing.  Lines may end in CRLF, and the
/// text may begin with a byte order mark.
///
/// Cost     O(bytes) work, O(log bytes) span besides, with a `column`, the longest line.
/// Errors   bad_input "NAME:LINE: reason", of the first field that is wrong.
template <class T>
cpu::buffer<T> read_numbers(cpu::threads const& ex, view<char const> text, std::string const& name,
                            index_t column = 0);

/// Reads `bytes` as numbers, the lowest byte first.
///
/// Errors   bad_input if the last number is not whole.
template <class T>
cpu::buffer<T> read_binary_numbers(view<char const> bytes, std::string const& name);

/// Writes numbers to the file at `path`, "-" being standard output, one a line,
/// each in the shortest decimal form that reads back as the same number.
///
/// Errors   bad_input if the file cannot be written, which then is as it was (output.hpp).
template <class T>
void write_numbers(cpu::threads const& ex, view<T const> numbers, std::string const& path);

/// Writes numbers as their bytes, the lowest first.
template <class T>
void write_binary_numbers(view<T const> numbers, std::string const& path);

}  // namespace ravel::examples
