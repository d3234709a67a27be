#pragma once

/// @file
/// Where programs write: files that are replaced whole or not at all, standard output, and
/// standard error.

#include <fmt/format.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

namespace ravel::examples {

/// A file that is written beside the one at `path`, and takes its place when it is whole.
///
///     output to("sums.txt");
///     to.write("1\n");
///     to.commit();        // before: the old sums.txt, or none; from here on: the new one
///
/// Until commit() the bytes are in a temporary file of the same folder, which the destructor
/// removes, as do SIGINT, SIGTERM, SIGHUP, SIGQUIT and SIGPIPE.  The file keeps the permissions of
/// the old one, and a symbolic link stays one.
///
/// What is no regular file, such as /dev/null or a pipe, is written directly; so is a file in a
/// folder that admits no new ones.  "-" is standard output.
///
/// One at a time: signals know of one temporary file.
///
/// Errors   bad_input "PATH: cannot be written: reason".
class output {
  std::string path_;
  std::filesystem::path target_;     // what is replaced: links are followed
  std::filesystem::path temporary_;  // empty where the target is written directly
  int fd_;

  void open_temporary(bool exists, struct stat const& old);
  [[noreturn]] void fail();

 public:
  explicit output(std::string path);
  ~output();
  output(output const&) = delete;
  output& operator=(output const&) = delete;

  void write(std::string_view bytes);
  void commit();
};

/// Writes a text as the whole of a file.
void write_text(std::string_view text, std::string const& path);

/// Writes to standard output, buffered.
///
/// Errors   bad_input if it cannot be written.
void print_text(std::string_view text);

/// Writes to standard error.  A failure is seen by close_output.
void warn_text(std::string_view text) noexcept;

template <class... Values>
void print(fmt::format_string<Values...> format, Values&&... values) {
  print_text(fmt::format(format, std::forward<Values>(values)...));
}
template <class... Values>
void warn(fmt::format_string<Values...> format, Values&&... values) {
  warn_text(fmt::format(format, std::forward<Values>(values)...));
}

/// Prepares a program to write: a standard stream that is closed stays so for what the program
/// opens, which would get its number, and a file that grows too large is an error, no signal.
void open_output();

/// Writes what is buffered.  The reason if standard output or standard error could not be written;
/// else nothing.  For the end of a program.
std::string close_output();

}  // namespace ravel::examples
