#pragma once

/// Output of programs: files that are replaced atomically, standard output, and
/// standard error.

#include <ravel/core/tile.hpp>

#include <fmt/format.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

namespace ravel::examples {

/// A file that is written beside the one at `path`, and replaces it when it is complete.
///
///     output to("sums.txt");
///     to.write("1\n");
///     to.commit();        // before: the old sums.txt, or none; from here on: the new one
///
/// Until commit() the bytes are in a temporary file in the same directory, which the destructor
/// removes, as do SIGINT, SIGTERM, SIGHUP, SIGQUIT and SIGPIPE.  The file keeps the permissions of
/// the old one, and a symbolic link is kept.
///
/// Anything but a regular file, such as /dev/null or a pipe, is written directly; so is a file in a
/// directory that admits no new ones.  "-" is standard output.
///
/// Only one at a time: signal handlers know one temporary file.
///
/// Errors   bad_input "PATH: cannot be written: reason".
class output {
  std::string path_;
  std::filesystem::path target_;     // the file to replace, with links resolved
  std::filesystem::path temporary_;  // empty if the target is written directly
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

  /// The file that is written until commit(); empty if the target is written directly.
  std::string temporary() const { return temporary_.string(); }
};

/// Writes all bytes to an open file, however many writes that takes; false, and errno, if one fails.
bool write_all(int fd, std::string_view bytes);

/// Writes bytes to their place in the file `to`, which exists; errors name it `name`.
///
/// Errors   bad_input "NAME: cannot be written: reason".
void write_part(std::string const& to, index_t begin, std::string_view bytes,
                std::string const& name);

/// Replaces the contents of a file by a text.
void write_text(std::string_view text, std::string const& path);

/// Writes to standard output, buffered.
///
/// Errors   bad_input if it cannot be written.
void print_text(std::string_view text);

/// Writes to standard error.  close_output reports failures.
void warn_text(std::string_view text) noexcept;

/// Silences note() and progress bars, for --quiet.
void be_quiet();
bool is_quiet();

template <class... Values>
void print(fmt::format_string<Values...> format, Values&&... values) {
  print_text(fmt::format(format, std::forward<Values>(values)...));
}
template <class... Values>
void warn(fmt::format_string<Values...> format, Values&&... values) {
  warn_text(fmt::format(format, std::forward<Values>(values)...));
}
/// Writes to standard error what is no error.
template <class... Values>
void note(fmt::format_string<Values...> format, Values&&... values) {
  if (!is_quiet()) warn_text(fmt::format(format, std::forward<Values>(values)...));
}

/// Prepares standard streams: a closed one is kept from being reused for a file that the program
/// opens, and exceeding the file size limit is an error instead of a signal.
void open_output();

/// Flushes standard output and standard error.  Returns the reason if one could not be written;
/// else an empty string.  For the end of a program.
std::string close_output();

}  // namespace ravel::examples
