#pragma once

/// Reads files and standard input: whole, or in parts that fit in memory.

#include <ravel/core/cpu/buffer.hpp>
#include <ravel/core/view.hpp>

#include <memory>
#include <string>
#include <vector>

struct z_stream_s;

namespace ravel::examples {

/// Bytes in owned memory.
struct bytes {
  cpu::buffer<char> memory;
  index_t size = 0;

  view<char const> all() const { return {memory.data(), size}; }
};

/// Whether gzip is decompressed; it is recognised by its first bytes, for any name.
enum class reading { raw, decompressed };

/// Reads a file from its begin to its end.
///
/// Errors   bad_input "NAME: reason" if it cannot be read, is damaged gzip, or is compressed by
///          bzip2, xz or Zstandard.
class input_stream {
  struct end_inflate {
    void operator()(z_stream_s* z) const;
  };

  std::string name_;
  int fd_;
  bool at_begin_;  // of what may be compressed
  index_t position_ = 0;
  std::vector<char> head_;  // read, and not yet passed or decompressed
  std::unique_ptr<z_stream_s, end_inflate> gzip_;
  bool member_ended_ = false;

  [[noreturn]] void fail(char const* doing, char const* why) const;
  index_t read_file(char* to, index_t n);
  void begin();
  bool refill();
  index_t inflate_some(char* to, index_t n);

 public:
  /// Opens the file at `path`; "-" is standard input.
  input_stream(std::string path, reading how);
  ~input_stream();
  input_stream(input_stream&&) noexcept;
  input_stream& operator=(input_stream&&) = delete;

  /// The size of a regular file, compressed if it is, or 0.
  index_t file_size() const;

  /// How much of the file was read, in bytes of the file.
  index_t position() const { return position_; }

  /// The number of bytes read, of at most `n`; 0 at the end.
  index_t read(char* to, index_t n);
};

/// Reads the whole file at `path`.  Long files show their progress.
bytes read_input(std::string const& path, reading how = reading::decompressed);

/// Reads one of `parts` parts of a file, which begin near part / parts of its bytes, at the begin of a
/// line; or of a record, if records have so many bytes and not 0.  All parts in order are the file
/// without its first `header` lines.
///
/// Errors   bad_input if it is no regular file, is compressed, or has an incomplete record.
bytes read_part(std::string const& path, index_t record, index_t header, index_t part,
                index_t parts);

/// Reads files, one after the other, in chunks of whole records: lines, the last of each file
/// completed by a newline, or a number of bytes.
class input_chunks {
 public:
  /// The part of a chunk that is from one file, and its place there.
  struct piece {
    std::string name;
    index_t begin;           // the first byte in the chunk
    index_t first_line = 1;  // its number in the file
  };
  struct chunk {
    bytes text;
    std::vector<piece> pieces;
    bool is_last = false;

    /// "NAME:LINE" of a byte.
    std::string place_of(index_t byte) const;
  };

  /// `record` is the number of bytes of a record, 0 if records are lines; the first `header` lines
  /// of each file are skipped.
  input_chunks(std::vector<std::string> paths, index_t record, index_t header);

  /// A chunk of about `most` bytes, and at least one record if there is one left.
  chunk next(index_t most);

  /// The header lines of the first file that has one.
  std::string const& header() const { return header_; }

 private:
  std::vector<std::string> paths_;
  index_t record_, header_lines_;
  std::size_t opened_ = 0;
  std::vector<input_stream> open_;  // at most one
  std::string header_;
  chunk rest_;  // what was read after the last chunk's last record

  void open_next(chunk& c);
  index_t whole_records(bytes const& text) const;
};

}  // namespace ravel::examples
