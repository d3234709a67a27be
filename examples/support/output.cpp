#include "support/output.hpp"

#include "support/command_line.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

namespace ravel::examples {
namespace {

/// The path of the temporary file; null if there is none.
std::atomic<char const*> to_remove = nullptr;
static_assert(std::atomic<char const*>::is_always_lock_free, "a signal handler reads it");

extern "C" void remove_and_end(int signal) {
  if (char const* const path = to_remove.load()) unlink(path);
  raise(signal);  // with the default action restored, it ends the program
}

/// Installs handlers that remove the temporary file for signals that end the program; ignored ones
/// stay ignored.
void handle_signals() {
  static bool const done = [] {
    for (int const signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE}) {
      struct sigaction action = {};
      if (sigaction(signal, nullptr, &action) != 0 || action.sa_handler != SIG_DFL) continue;
      action.sa_handler = remove_and_end;
      action.sa_flags = static_cast<int>(SA_RESETHAND | SA_NODEFER);
      sigaction(signal, &action, nullptr);
    }
    return true;
  }();
  (void)done;
}

bool is_same_file(struct stat const& a, struct stat const& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/// The target of a path of symbolic links, whether it exists or not.
std::filesystem::path followed(std::filesystem::path path) {
  constexpr int most_links = 40;  // as in the kernel
  std::error_code failed;
  for (int k = 0; k < most_links && is_symlink(path, failed); ++k) {
    path = path.parent_path() / read_symlink(path, failed);
  }
  return path;
}

std::string reason(std::string const& name, int error) {
  return fmt::format("{}: cannot be written: {}", name, std::strerror(error));
}

}  // namespace

void output::fail() {
  int const error = errno;
  throw bad_input(reason(path_ == "-" ? "standard output" : path_, error));
}

output::output(std::string path) : path_(std::move(path)), fd_(STDOUT_FILENO) {
  struct stat old = {}, out = {};
  bool const exists = path_ != "-" && stat(path_.c_str(), &old) == 0;
  bool const is_regular = exists && S_ISREG(old.st_mode);
  // /dev/stdout may refer to a file that other programs write to.
  if (path_ == "-" || (is_regular && fstat(STDOUT_FILENO, &out) == 0 && is_same_file(old, out))) {
    if (std::fflush(stdout) != 0) fail();
    return;
  }
  fd_ = -1;
  if (!exists || is_regular) open_temporary(exists, old);
  if (fd_ < 0) {
    fd_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd_ < 0) fail();
  }
}

/// Leaves `temporary_` empty if the directory admits no new file.
void output::open_temporary(bool exists, struct stat const& old) {
  target_ = followed(path_);
  if (exists && access(target_.c_str(), W_OK) != 0) fail();
  handle_signals();
  mode_t const mode = exists ? old.st_mode & 0777 : 0666;
  for (int k = 0; fd_ < 0; ++k) {
    temporary_ = target_.parent_path() / fmt::format(".ravel-{}-{}.tmp", getpid(), k);
    to_remove = temporary_.c_str();
    fd_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (fd_ >= 0 || errno == EEXIST) continue;
    to_remove = nullptr;
    if (!exists || (errno != EACCES && errno != EPERM && errno != EROFS)) fail();
    return temporary_.clear();
  }
  if (!exists) return;
  // If the file system and the user's rights allow it.
  [[maybe_unused]] int status = fchown(fd_, old.st_uid, old.st_gid);
  status = fchmod(fd_, mode);
}

output::~output() {
  if (fd_ != STDOUT_FILENO && fd_ >= 0) close(fd_);
  if (temporary_.empty()) return;
  unlink(temporary_.c_str());
  to_remove = nullptr;
}

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t const written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

void output::write(std::string_view bytes) {
  if (!write_all(fd_, bytes)) fail();
}

void output::commit() {
  if (fd_ == STDOUT_FILENO) return;
  if (close(std::exchange(fd_, -1)) != 0) fail();
  if (temporary_.empty()) return;
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) fail();
  to_remove = nullptr;
  temporary_.clear();
}

void write_part(std::string const& to, index_t begin, std::string_view bytes,
                std::string const& name) {
  int const fd = open(to.c_str(), O_WRONLY | O_CLOEXEC);
  bool done = fd >= 0 && lseek(fd, begin, SEEK_SET) == begin && write_all(fd, bytes);
  int error = errno;
  if (fd >= 0 && close(fd) != 0 && done) {
    done = false;
    error = errno;
  }
  if (!done) throw bad_input(reason(name, error));
}

void write_text(std::string_view text, std::string const& path) {
  output to(path);
  to.write(text);
  to.commit();
}

void print_text(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) {
    throw bad_input(reason("standard output", errno));
  }
}

void warn_text(std::string_view text) noexcept { std::fwrite(text.data(), 1, text.size(), stderr); }

namespace {
std::atomic<bool> quiet = false;
}
void be_quiet() { quiet = true; }
bool is_quiet() { return quiet; }

void open_output() {
  // Opened in the wrong mode, so that use is an error, as for a closed descriptor.
  for (int const fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(fd, F_GETFD) < 0) open("/dev/null", fd == STDOUT_FILENO ? O_RDONLY : O_WRONLY);
  }
  signal(SIGXFSZ, SIG_IGN);
}

std::string close_output() {
  // Closing a copy reports deferred errors of the file system, and keeps the stream usable.
  bool const failed = std::ferror(stdout) != 0;
  if (std::fflush(stdout) != 0 || close(dup(STDOUT_FILENO)) != 0) {
    return reason("standard output", errno);
  }
  if (failed) return "standard output: cannot be written";
  if (std::ferror(stderr) != 0) return "standard error: cannot be written";
  return {};
}

}  // namespace ravel::examples
