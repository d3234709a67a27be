#include "spill.hpp"

#include "support/command_line.hpp"
#include "support/output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace ravel::examples {
namespace {

[[noreturn]] void fail(std::string const& folder, char const* doing) {
  throw bad_input(
      fmt::format("{}: a temporary file cannot be {}: {}", folder, doing, std::strerror(errno)));
}

}  // namespace

spill::spill(std::string folder) : folder_(std::move(folder)) {
  char const* const of_system = std::getenv("TMPDIR");
  if (folder_.empty()) folder_ = of_system != nullptr && *of_system != '\0' ? of_system : "/tmp";
  std::string path = folder_ + "/ravel-sort-XXXXXX";
  fd_ = mkostemp(path.data(), O_CLOEXEC);
  if (fd_ < 0) fail(folder_, "created");
  unlink(path.c_str());
}
spill::~spill() { close(fd_); }

void spill::write(std::string_view bytes) {
  if (!write_all(fd_, bytes)) fail(folder_, "written");
  written_ += std::ssize(bytes);
}

read_function spill::reader(index_t run) const {
  index_t const begin = run == 0 ? 0 : ends_[static_cast<std::size_t>(run - 1)];
  return
      [this, at = begin, end = ends_[static_cast<std::size_t>(run)]](char* to, index_t n) mutable {
        index_t const wanted = std::min(n, end - at);
        for (index_t left = wanted; left > 0;) {
          errno = 0;  // where the file ends too early
          ssize_t const got = pread(fd_, to, static_cast<std::size_t>(left), at);
          if (got < 0 && errno == EINTR) continue;
          if (got <= 0) fail(folder_, "read");
          to += got;
          at += got;
          left -= got;
        }
        return wanted;
      };
}

}  // namespace ravel::examples
