#include "support/input.hpp"

#include "support/command_line.hpp"
#include "support/progress.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace ravel::examples {
namespace {

constexpr index_t piece = index_t{4}
                          << 20;  // what is read or decompressed between looks at the clock

[[noreturn]] void fail(std::string const& path, char const* doing, char const* why) {
  throw bad_input(fmt::format("{}: {}: {}", path == "-" ? "standard input" : path, doing, why));
}

/// An open file, closed by the destructor.
class open_file {
  int fd_;

 public:
  explicit open_file(std::string const& path)
      : fd_(path == "-" ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (fd_ < 0) fail(path, "cannot be opened", std::strerror(errno));
  }
  ~open_file() {
    if (fd_ != STDIN_FILENO) close(fd_);
  }
  open_file(open_file const&) = delete;
  open_file& operator=(open_file const&) = delete;

  /// The size of a regular file, or 0.
  index_t size() const {
    struct stat about = {};
    return fstat(fd_, &about) == 0 && S_ISREG(about.st_mode) ? about.st_size : 0;
  }
  ssize_t read(char* to, index_t n) const { return ::read(fd_, to, static_cast<std::size_t>(n)); }
};

/// Reserves memory for `n` more bytes.
void reserve(bytes& b, index_t n) {
  if (b.memory.size() - b.size >= n) return;
  cpu::buffer<char> larger(std::max(2 * b.memory.size(), b.size + n));
  std::copy_n(b.memory.data(), b.size, larger.data());
  b.memory = std::move(larger);
}

bool is_gzip(bytes const& b) {
  return b.size > 2 && b.memory[0] == '\x1f' && b.memory[1] == '\x8b';
}

/// zlib's state for reading gzip, released by the destructor.
struct inflater {
  z_stream stream = {};
  explicit inflater() {
    constexpr int gzip_only = 16;
    if (inflateInit2(&stream, gzip_only + MAX_WBITS) != Z_OK) throw std::bad_alloc();
  }
  ~inflater() { inflateEnd(&stream); }
  inflater(inflater const&) = delete;
  inflater& operator=(inflater const&) = delete;
};

/// A file may have several members, and zero padding at the end.
bytes decompressed(bytes const& from, std::string const& path) {
  progress bar("decompressing " + path, from.size);
  inflater gz;
  z_stream& z = gz.stream;
  bytes to;
  reserve(to, std::max<index_t>(4 * from.size, piece));
  index_t at = 0;
  bool member_ended = false;
  while (at < from.size || !member_ended) {
    if (member_ended) {
      auto const rest = from.memory.begin() + at;
      if (std::all_of(rest, from.memory.begin() + from.size, [](char c) { return c == 0; })) break;
      inflateReset(&z);
    }
    reserve(to, piece);
    auto const room = std::min(to.memory.size() - to.size, 64 * piece);
    auto const given = std::min(from.size - at, piece);
    z.next_in = reinterpret_cast<Bytef*>(from.memory.data() + at);
    z.avail_in = static_cast<uInt>(given);
    z.next_out = reinterpret_cast<Bytef*>(to.memory.data() + to.size);
    z.avail_out = static_cast<uInt>(room);
    int const status = inflate(&z, Z_NO_FLUSH);
    index_t const taken = given - static_cast<index_t>(z.avail_in);
    at += taken;
    to.size += room - static_cast<index_t>(z.avail_out);
    bar.advance(taken);
    member_ended = status == Z_STREAM_END;
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    if (status == Z_BUF_ERROR) fail(path, "is not whole", "the gzip data end too early");
    if (status != Z_OK && status != Z_STREAM_END) {
      fail(path, "is not valid gzip", z.msg ? z.msg : "the data are damaged");
    }
  }
  return to;
}

}  // namespace

bytes read_raw(std::string const& path) {
  open_file const file(path);
  index_t const expected = file.size();
  progress bar("reading " + path, expected);
  bytes all;
  reserve(all, expected + 1);  // one more, to detect the end without growing
  for (;;) {
    reserve(all, 1);
    auto const got =
        file.read(all.memory.data() + all.size, std::min(all.memory.size() - all.size, piece));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(path, "cannot be read", std::strerror(errno));
    if (got == 0) return all;
    all.size += got;
    bar.advance(got);
  }
}

bytes read_input(std::string const& path) {
  bytes raw = read_raw(path);
  return is_gzip(raw) ? decompressed(raw, path) : std::move(raw);
}

}  // namespace ravel::examples
