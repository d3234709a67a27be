#pragma once

/// Files of raw elements, of which each rank reads or writes its piece.
///
///     auto x = from_file<float>(ex, "in.bin");      // all elements, in even pieces
///     from_file(ex, "in.bin", y, 64);               // the pieces of y, after 64 bytes
///     to_file(ex, x, "out.bin");
///
/// All ranks see the same files.  On mpi they are read and written by MPI-IO, otherwise by POSIX.
///
/// Errors   What fails on any rank is one call_error on all of them, that of the first; the group may
///          go on with other calls.

#include <ravel/distributed/communicator.hpp>
#include <ravel/distributed/exchange.hpp>
#include <ravel/distributed/executor.hpp>
#include <ravel/distributed/sequence.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace ravel::inline v0::distributed {
namespace detail {

[[noreturn]] inline void fail_by_errno() {
  throw std::system_error(errno, std::generic_category());
}

/// A file that a rank reads or writes at any place, by POSIX.
class posix_file {
  int fd_;

  /// Calls transfer(done), which reads or writes some bytes, until all are; an end is an error.
  static void repeat(std::size_t bytes, auto const& transfer) {
    for (std::size_t done = 0; done < bytes;) {
      auto const n = transfer(done);
      if (n > 0) {
        done += static_cast<std::size_t>(n);
      } else if (n == 0) {
        throw call_error(ravel::detail::sentence("it ends ", bytes - done, " bytes too early"));
      } else if (errno != EINTR) {
        fail_by_errno();
      }
    }
  }

 public:
  posix_file(std::string const& path, bool writes)
      : fd_(open(path.c_str(), (writes ? O_WRONLY : O_RDONLY) | O_CLOEXEC)) {
    if (fd_ < 0) fail_by_errno();
  }
  posix_file(posix_file&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  posix_file& operator=(posix_file&&) = delete;
  ~posix_file() {
    if (fd_ >= 0) ::close(fd_);
  }

  index_t size() const {
    struct stat about {};
    if (fstat(fd_, &about) != 0) fail_by_errno();
    if (!S_ISREG(about.st_mode)) throw call_error("it is no regular file");
    return about.st_size;
  }
  void read(index_t begin, std::byte* dst, std::size_t bytes) const {
    repeat(bytes, [&](std::size_t done) {
      return pread(fd_, dst + done, bytes - done, begin + static_cast<index_t>(done));
    });
  }
  void write(index_t begin, std::byte const* src, std::size_t bytes) const {
    repeat(bytes, [&](std::size_t done) {
      return pwrite(fd_, src + done, bytes - done, begin + static_cast<index_t>(done));
    });
  }
  /// Ends writing; some file systems report a full disk only now.
  void close() {
    if (::close(std::exchange(fd_, -1)) != 0) fail_by_errno();
  }
};

/// The file at `path`, which exists, as the communicator reads and writes files.
auto open_file(communicator auto const& ranks, std::string const& path, bool writes) {
  if constexpr (requires { ranks.open_file(path, writes); }) {
    return ranks.open_file(path, writes);
  } else {
    return posix_file(path, writes);
  }
}

/// Ends a step on a file on all ranks alike: agree(f) is f() of each rank.
///
/// Errors   If f throws on some ranks, call_error on all of them, with the sentence of the first.
template <communicator C>
struct agreement {
  C const& ranks;
  char const* call;
  std::string const& path;

  auto operator()(auto const& f) const {
    struct notice {
      bool failed = false;
      char sentence[500] = {};
    } outcome;
    std::optional<decltype(f())> result;
    try {
      result.emplace(f());
    } catch (std::exception const& e) {
      outcome.failed = true;
      std::string_view(e.what()).copy(outcome.sentence, sizeof outcome.sentence - 1);
    }
    auto const outcomes = gather_values(ranks, outcome);
    for (std::size_t r = 0; r < outcomes.size(); ++r) {
      if (outcomes[r].failed) {
        throw call_error(
            ravel::detail::sentence(call, ": ", path, ": rank ", r, ": ", outcomes[r].sentence));
      }
    }
    return *std::move(result);
  }
};

/// Passes the elements of a piece to f on the host, and what f made of them back if `to_piece`.
template <bool ToPiece, class Ex, class X, class F>
void with_elements_on_host(Ex const& ex, X& x, F const& f) {
  auto const bytes = static_cast<std::size_t>(x.size()) * sizeof(*x.data());
  if constexpr (std::same_as<typename Ex::space::local, host_space>) {
    f(x.data(), bytes);
  } else {
    std::vector<typename std::remove_const_t<X>::value_type> staged(
        static_cast<std::size_t>(x.size()));
    if constexpr (!ToPiece) {
      ex.copy(x.data(), staged.data(), x.size());
      ex.local().wait();
    }
    f(staged.data(), bytes);
    if constexpr (ToPiece) {
      ex.copy(staged.data(), x.data(), x.size());
      ex.local().wait();
    }
  }
}

/// Reads the elements from `first_byte` on to the pieces of x.
template <class Ex, class Agree, class File, class T>
void read_pieces(Ex const& ex, Agree const& agree, File const& file, sequence<T, Ex>& x,
                 index_t first_byte) {
  agree([&] {
    with_elements_on_host<true>(ex, x, [&](T* data, std::size_t bytes) {
      file.read(first_byte + x.first() * index_t{sizeof(T)}, reinterpret_cast<std::byte*>(data),
                bytes);
    });
    return true;
  });
}

}  // namespace detail

/// The elements of a file, in even pieces, of which each rank reads its own:
///
///     auto const x = from_file<float>(ex, "numbers.bin");
///
/// Shapes   A file of any size that is a multiple of sizeof(T); T is trivially copyable, and in the
///          order of bytes of the machine.
/// Volume   8 bytes, and a sentence of 501 for each of four steps, to each other rank.
/// Errors   call_error on all ranks, which names the file, a rank and the reason, if that cannot open or
///          read it; or if the file has an incomplete element.
template <class T, some_executor Ex>
auto from_file(Ex const& ex, std::string const& path) {
  static_assert(can_be_sent<T>, "from_file: elements of files are trivially copyable");
  constexpr index_t width = sizeof(T);
  detail::agreement const agree{ex.ranks(), "from_file", path};
  auto const file = agree([&] { return detail::open_file(ex.ranks(), path, false); });
  index_t const n = agree([&] {
    expects(file.size() % width == 0, "it has ", file.size(), " bytes, and elements have ", width);
    return file.size() / width;
  });
  index_t const total = gather_values(ex.ranks(), n)[0];
  auto x = agree([&] { return sequence<T, Ex>(ex, total); });
  detail::read_pieces(ex, agree, file, x, 0);
  return x;
}

/// Reads the elements of x, in its pieces, from the bytes of a file after the first `first_byte`.
///
/// Shapes   The file may be longer than the elements.
/// Errors   As above, or if it is shorter; contract_error if first_byte is negative.
template <some_executor Ex, class T>
void from_file(Ex const& ex, std::string const& path, sequence<T, Ex>& x, index_t first_byte = 0) {
  static_assert(can_be_sent<T>, "from_file: elements of files are trivially copyable");
  expects(first_byte >= 0, "from_file: the first byte is ", first_byte);
  detail::agreement const agree{ex.ranks(), "from_file", path};
  auto const file = agree([&] { return detail::open_file(ex.ranks(), path, false); });
  agree([&] {
    index_t const last_byte = first_byte + x.total_size() * index_t{sizeof(T)};
    expects(last_byte <= file.size(), "it has ", file.size(), " bytes, and not ", last_byte);
    return true;
  });
  detail::read_pieces(ex, agree, file, x, first_byte);
}

/// Replaces a file by the elements of x, of which each rank writes its piece to its place.
///
/// They are written to the file `path`.part, which the first rank renames when all have written: until
/// then, and after an error, the old file stays.
///
/// Errors   call_error on all ranks, which names the file, a rank and the reason, if that cannot write,
///          such as to a full disk.
template <some_executor Ex, class T>
void to_file(Ex const& ex, sequence<T, Ex> const& x, std::string const& path) {
  static_assert(can_be_sent<T>, "to_file: elements of files are trivially copyable");
  detail::agreement const agree{ex.ranks(), "to_file", path};
  std::string const part = path + ".part";
  bool const is_first = ex.ranks().rank() == 0;
  agree([&] {
    ex.wait();
    if (!is_first) return true;
    int const fd = open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0 || close(fd) != 0) detail::fail_by_errno();
    return true;
  });
  try {
    auto file = agree([&] { return detail::open_file(ex.ranks(), part, true); });
    agree([&] {
      detail::with_elements_on_host<false>(ex, x, [&](T const* data, std::size_t bytes) {
        file.write(x.first() * index_t{sizeof(T)}, reinterpret_cast<std::byte const*>(data), bytes);
      });
      return true;
    });
    agree([&] {
      file.close();
      return true;
    });
  } catch (...) {
    if (is_first) std::remove(part.c_str());
    throw;
  }
  agree([&] {
    if (is_first && std::rename(part.c_str(), path.c_str()) != 0) detail::fail_by_errno();
    return true;
  });
}

}  // namespace ravel::inline v0::distributed
