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
#include <string_view>
#include <utility>

namespace ravel::examples {
namespace {

constexpr index_t block = index_t{4} << 20;  // what is read between looks at the clock

/// Reserves memory for `n` more bytes.
void reserve(bytes& b, index_t n) {
  if (b.memory.size() - b.size >= n) return;
  cpu::buffer<char> larger(std::max({2 * b.memory.size(), b.size + n, index_t{1} << 16}));
  std::copy_n(b.memory.data(), b.size, larger.data());
  b.memory = std::move(larger);
}

/// Appends what one read gives, of at most `n` bytes; returns whether it was something.
bool append(bytes& b, input_stream& from, index_t n) {
  reserve(b, n);
  index_t const got = from.read(b.memory.data() + b.size, n);
  b.size += got;
  return got > 0;
}

/// The program that decompresses what begins like this; null if none is needed.
char const* other_compression(std::string_view begin) {
  using namespace std::string_view_literals;
  if (begin.starts_with("BZh"sv) && begin.substr(4).starts_with("\x31\x41\x59\x26\x53\x59"sv)) {
    return "bzip2";
  }
  if (begin.starts_with("\xfd\x37\x7a\x58\x5a\0"sv)) return "xz";
  if (begin.starts_with("\x28\xb5\x2f\xfd"sv)) return "zstd";
  return nullptr;
}

}  // namespace

void input_stream::end_inflate::operator()(z_stream_s* z) const {
  inflateEnd(z);
  delete z;
}

input_stream::input_stream(std::string path, reading how)
    : name_(std::move(path)),
      fd_(name_ == "-" ? dup(STDIN_FILENO) : open(name_.c_str(), O_RDONLY | O_CLOEXEC)),
      at_begin_(how == reading::decompressed) {
  if (fd_ < 0) fail(name_ == "-" ? "cannot be read" : "cannot be opened", std::strerror(errno));
}
input_stream::~input_stream() {
  if (fd_ >= 0) close(fd_);
}
input_stream::input_stream(input_stream&& from) noexcept
    : name_(std::move(from.name_)),
      fd_(std::exchange(from.fd_, -1)),
      at_begin_(from.at_begin_),
      position_(from.position_),
      head_(std::move(from.head_)),
      gzip_(std::move(from.gzip_)),
      member_ended_(from.member_ended_) {}

void input_stream::fail(char const* doing, char const* why) const {
  throw bad_input(fmt::format("{}: {}: {}", name_ == "-" ? "standard input" : name_, doing, why));
}

index_t input_stream::file_size() const {
  struct stat about = {};
  return fstat(fd_, &about) == 0 && S_ISREG(about.st_mode) ? about.st_size : 0;
}

index_t input_stream::read_file(char* to, index_t n) {
  for (;;) {
    ssize_t const got = ::read(fd_, to, static_cast<std::size_t>(n));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("cannot be read", std::strerror(errno));
    position_ += got;
    return got;
  }
}

/// Reads enough to recognise a compression.
void input_stream::begin() {
  at_begin_ = false;
  head_.resize(10);
  index_t length = 0;
  while (length < std::ssize(head_)) {
    index_t const got = read_file(head_.data() + length, std::ssize(head_) - length);
    if (got == 0) break;
    length += got;
  }
  head_.resize(static_cast<std::size_t>(length));
  std::string_view const magic(head_.data(), head_.size());
  if (char const* const program = other_compression(magic)) {
    fail("is compressed",
         fmt::format("gzip alone is read; decompress it by {} -dc", program).c_str());
  }
  if (head_.size() < 3 || !magic.starts_with("\x1f\x8b")) return;
  gzip_.reset(new z_stream{});
  constexpr int gzip_only = 16;
  if (inflateInit2(gzip_.get(), gzip_only + MAX_WBITS) != Z_OK) throw std::bad_alloc();
  gzip_->next_in = reinterpret_cast<Bytef*>(head_.data());
  gzip_->avail_in = static_cast<uInt>(head_.size());
}

/// Reads more to decompress; returns whether there is some.
bool input_stream::refill() {
  head_.resize(1 << 18);
  gzip_->next_in = reinterpret_cast<Bytef*>(head_.data());
  gzip_->avail_in = static_cast<uInt>(read_file(head_.data(), std::ssize(head_)));
  return gzip_->avail_in > 0;
}

/// A file may have several members, and zero padding at the end.
index_t input_stream::inflate_some(char* to, index_t n) {
  auto& z = *gzip_;
  z.next_out = reinterpret_cast<Bytef*>(to);
  auto const room = static_cast<uInt>(std::min(n, index_t{1} << 30));
  for (z.avail_out = room; z.avail_out == room;) {
    if (z.avail_in == 0 && !refill()) {
      if (member_ended_) return 0;
      fail("is not whole", "the gzip data end too early");
    }
    if (member_ended_) {
      for (; z.avail_in > 0 && *z.next_in == 0; --z.avail_in) ++z.next_in;
      if (z.avail_in == 0) continue;
      inflateReset(&z);
    }
    int const status = inflate(&z, Z_NO_FLUSH);
    member_ended_ = status == Z_STREAM_END;
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    if (status != Z_OK && status != Z_STREAM_END) {
      fail("is not valid gzip", z.msg ? z.msg : "the data are damaged");
    }
  }
  return index_t{room} - index_t{z.avail_out};
}

index_t input_stream::read(char* to, index_t n) {
  if (at_begin_) begin();
  if (gzip_) return inflate_some(to, n);
  if (head_.empty()) return read_file(to, n);
  index_t const count = std::min(n, std::ssize(head_));
  std::copy_n(head_.begin(), count, to);
  head_.erase(head_.begin(), head_.begin() + count);
  return count;
}

bytes read_input(std::string const& path, reading how) {
  input_stream from(path, how);
  index_t const expected = from.file_size();
  progress bar("reading " + path, expected);
  bytes all;
  reserve(all, expected + 1);  // one more, to detect the end without growing
  for (index_t before = 0;; before = from.position()) {
    bar.advance(from.position() - before);
    index_t const room = all.memory.size() - all.size;
    if (!append(all, from, std::clamp<index_t>(room, 1, block))) return all;
  }
}

namespace {

/// A file that is read at any place.
class random_file {
  std::string const& name_;
  int fd_;
  index_t size_ = 0;

  [[noreturn]] void fail(std::string const& why) const {
    throw bad_input(fmt::format("{}: {}", name_, why));
  }

 public:
  explicit random_file(std::string const& name)
      : name_(name), fd_(open(name.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (fd_ < 0) fail(fmt::format("cannot be opened: {}", std::strerror(errno)));
    struct stat about = {};
    if (fstat(fd_, &about) == 0 && S_ISREG(about.st_mode)) {
      size_ = about.st_size;
      return;
    }
    close(fd_);
    fail("is no regular file, which can be read in parts");
  }
  ~random_file() { close(fd_); }
  random_file(random_file const&) = delete;
  random_file& operator=(random_file const&) = delete;

  index_t size() const { return size_; }

  void read(index_t begin, char* to, index_t n) const {
    while (n > 0) {
      ssize_t const got = pread(fd_, to, static_cast<std::size_t>(n), begin);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) fail(fmt::format("cannot be read: {}", std::strerror(errno)));
      if (got == 0) fail("has become shorter while it was read");
      begin += got, to += got, n -= got;
    }
  }

  /// The first place from `at` on where a line begins: after a newline, or at the end.
  index_t line_from(index_t at) const {
    char text[1 << 12] = {};
    for (index_t i = at - 1; at > 0 && i < size_;) {
      index_t const n = std::min<index_t>(sizeof text, size_ - i);
      read(i, text, n);
      auto const* const found = std::find(text, text + n, '\n');
      i += found - text;
      if (found < text + n) return i + 1;
    }
    return at == 0 ? 0 : size_;
  }
};

}  // namespace

bytes read_part(std::string const& path, index_t record, index_t header, index_t part,
                index_t parts) {
  random_file const file(path);
  char magic[10] = {};
  file.read(0, magic, std::min<index_t>(sizeof magic, file.size()));
  std::string_view const begins(magic, sizeof magic);
  if (record == 0 && (begins.starts_with("\x1f\x8b") || other_compression(begins))) {
    throw bad_input(path + ": is compressed, and cannot be read in parts");
  }
  if (record > 0 && file.size() % record != 0) {
    throw bad_input(fmt::format("{}: has {} bytes, and numbers of {}", path, file.size(), record));
  }
  index_t first = 0;
  for (; header > 0 && first < file.size(); --header) first = file.line_from(first + 1);
  auto const cut = [&](index_t k) {
    index_t const n = file.size() - first;
    index_t const at = first + n / parts * k + std::min(k, n % parts);
    if (record > 0) return at - at % record;
    return k == 0 ? first : file.line_from(at);
  };
  index_t const begin = cut(part), size = cut(part + 1) - begin;
  bytes text{cpu::buffer<char>(size), size};
  file.read(begin, text.memory.data(), size);
  return text;
}

std::string input_chunks::chunk::place_of(index_t byte) const {
  auto const at =
      std::find_if(pieces.rbegin(), pieces.rend(), [&](piece const& p) { return p.begin <= byte; });
  auto const* const data = text.memory.data();
  return fmt::format("{}:{}", at->name,
                     at->first_line + std::count(data + at->begin, data + byte, '\n'));
}

input_chunks::input_chunks(std::vector<std::string> paths, index_t record, index_t header)
    : paths_(std::move(paths)), record_(record), header_lines_(header) {}

void input_chunks::open_next(chunk& c) {
  open_.emplace_back(paths_[opened_], record_ > 0 ? reading::raw : reading::decompressed);
  c.pieces.push_back({paths_[opened_], c.text.size, header_lines_ + 1});
  index_t const begin = c.text.size;
  index_t end = begin;
  for (index_t left = header_lines_; left > 0;) {
    if (end == c.text.size && !append(c.text, open_[0], 1 << 16)) break;
    left -= c.text.memory[end++] == '\n';
  }
  auto const data = c.text.memory.begin();
  ++opened_;
  if (header_.empty() && begin < end) {
    header_.assign(data + begin, data + end);
    if (header_.back() != '\n') header_ += '\n';
  }
  std::copy(data + end, data + c.text.size, data + begin);
  c.text.size -= end - begin;
}

index_t input_chunks::whole_records(bytes const& text) const {
  if (record_ > 0) return text.size - text.size % record_;
  std::string_view const all(text.memory.data(), static_cast<std::size_t>(text.size));
  return static_cast<index_t>(all.rfind('\n') + 1);
}

input_chunks::chunk input_chunks::next(index_t most) {
  chunk c = std::exchange(rest_, {});
  index_t end = 0;
  for (;;) {
    if (open_.empty()) {
      if (opened_ == paths_.size()) break;
      open_next(c);
      index_t const expected = std::min(open_[0].file_size(), most);
      reserve(c.text, expected + 2);  // a newline, and one more to detect the end without growing
    }
    index_t const room = c.text.memory.size() - c.text.size;
    if (append(c.text, open_[0],
               std::clamp<index_t>(std::min(room - 1, most - c.text.size), 1, block))) {
      if (c.text.size < most) continue;
      end = whole_records(c.text);
      if (end > 0) break;
      most *= 2;
    } else {
      open_.clear();
      bool const ends_in_line = c.text.size > c.pieces.back().begin && record_ == 0 &&
                                c.text.memory[c.text.size - 1] != '\n';
      if (!ends_in_line) continue;
      reserve(c.text, 1);
      c.text.memory[c.text.size++] = '\n';
    }
  }
  c.is_last = open_.empty() && opened_ == paths_.size();
  if (c.is_last) return c;
  auto const& last = c.pieces.back();
  auto const* const data = c.text.memory.data();
  rest_.pieces = {
      {last.name, 0, last.first_line + std::count(data + last.begin, data + end, '\n')}};
  reserve(rest_.text, c.text.size - end);
  std::copy(data + end, data + c.text.size, rest_.text.memory.data());
  rest_.text.size = c.text.size - end;
  c.text.size = end;
  return c;
}

}  // namespace ravel::examples
