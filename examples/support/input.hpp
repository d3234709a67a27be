#pragma once

/// @file
/// Reads the bytes of a file or of standard input, decompressed if gzipped.

#include <ravel/core/cpu/buffer.hpp>
#include <ravel/core/view.hpp>

#include <string>

namespace ravel::examples {

/// Bytes in owned memory.
struct bytes {
  cpu::buffer<char> memory;
  index_t size = 0;

  view<char const> all() const { return {memory.data(), size}; }
};

/// Reads the file at `path`; "-" is standard input.  Contents that begin with gzip's magic number
/// are decompressed, for any name.  Long files show their progress.
///
/// Errors   bad_input if it cannot be read, or is malformed gzip.
bytes read_input(std::string const& path);

/// As `read_input`, without decompressing.
bytes read_raw(std::string const& path);

}  // namespace ravel::examples
