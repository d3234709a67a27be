#pragma once

/// @file
/// The bytes of a file, of standard input, or of what gzip made of them.

#include <ravel/core/cpu/buffer.hpp>
#include <ravel/core/view.hpp>

#include <string>

namespace ravel::examples {

/// Bytes, and the memory they are in.
struct bytes {
  cpu::buffer<char> memory;
  index_t size = 0;

  view<char const> all() const { return {memory.data(), size}; }
};

/// Everything in the file at `path`; "-" is standard input.  What begins like a
/// gzip file is decompressed, whatever its name.  Long files show their progress.
///
/// Errors   bad_input if it cannot be read, or is broken gzip.
bytes read_input(std::string const& path);

/// As `read_input`, without decompressing.
bytes read_raw(std::string const& path);

}  // namespace ravel::examples
