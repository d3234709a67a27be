#pragma once

/// Programs of several ranks: errors that all ranks agree on, and files that all read or write.

#include "support/command_line.hpp"
#include "support/input.hpp"
#include "support/output.hpp"
#include "support/parallel_text.hpp"

#include <ravel/core/cpu/executor.hpp>
#include <ravel/distributed/exchange.hpp>
#include <ravel/distributed/mpi.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <iterator>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ravel::examples {

/// The first sentence of all ranks that is not empty, on each of them.
template <class Ranks>
std::string first_sentence(Ranks const& ranks, std::string_view mine) {
  struct notice {
    char sentence[1000] = {};
  } own;
  mine.copy(own.sentence, sizeof own.sentence - 1);
  for (notice const& n : distributed::gather_values(ranks, own)) {
    if (n.sentence[0] != '\0') return n.sentence;
  }
  return {};
}

/// Returns f() of each rank.
///
/// Errors   If it throws on some ranks, bad_input on all of them, with the sentence of the first; of
///          parts of a file, that of the first place.
template <class Ranks, class F>
auto agreed(Ranks const& ranks, F const& f) {
  std::optional<decltype(f())> result;
  std::string mine;
  try {
    result.emplace(f());
  } catch (std::exception const& e) {
    mine = e.what();
  }
  auto const said = first_sentence(ranks, mine);
  if (!said.empty()) throw bad_input(said);
  return *std::move(result);
}

/// Returns body(ranks) of each process that mpirun has started, an exit code.  The first rank alone
/// writes notes, and what is wrong with the input.
template <class F>
int run_processes(F const& body) {
  int status = no_answer, count = 0;
  char** none = nullptr;
  distributed::run_mpi(count, none, [&](distributed::mpi const& ranks) {
    bool const speaks = ranks.rank() == 0;
    if (!speaks) be_quiet();
    try {
      status = body(ranks);
    } catch (bad_input const& e) {
      if (speaks) warn("{}\n", e.what());
    }
  });
  return status;
}

/// The part of a file that this rank reads.
struct file_part {
  bytes text;
  index_t first_line = 1;
};

/// Reads the file at `path` on all ranks, a part on each.  Parts are whole lines, or if `record` is
/// not 0 a whole number of records of so many bytes; the first `header` lines are skipped.
///
/// Errors   bad_input on all ranks, as read_part.
template <class Ranks>
file_part read_on_ranks(Ranks const& ranks, std::string const& path, index_t record,
                        index_t header) {
  file_part part{
      agreed(ranks, [&] { return read_part(path, record, header, ranks.rank(), ranks.size()); })};
  auto const text = part.text.all();
  auto const lines =
      distributed::gather_values(ranks, std::count(text.data(), text.data() + text.size(), '\n'));
  part.first_line =
      std::accumulate(lines.begin(), lines.begin() + ranks.rank(), header + index_t{1});
  return part;
}

/// Numbers, one a line, as write_numbers writes them.
template <class T>
fmt::memory_buffer text_of_numbers(cpu::threads const& ex, view<T const> numbers) {
  fmt::memory_buffer text;
  write_texts(
      ex, numbers.size(), index_t{1} << 20,
      [&](fmt::memory_buffer& to, index_t i) {
        fmt::format_to(std::back_inserter(to), "{}\n", numbers[i]);
      },
      [&](std::string_view part) { text.append(part); });
  return text;
}

/// Replaces the file at `path` by the texts of all ranks, one after another, which each rank writes
/// to its place.
///
/// Errors   bad_input on all ranks if one cannot write, or if the file is no regular file.
template <class Ranks>
void write_on_ranks(Ranks const& ranks, std::string const& path, std::string_view text) {
  struct place {
    char path[4096] = {};
  };
  std::optional<output> whole;  // on the first rank
  auto const mine = agreed(ranks, [&] {
    place written;
    if (ranks.rank() > 0) return written;
    whole.emplace(path);
    if (whole->temporary().size() >= sizeof written.path || whole->temporary().empty()) {
      throw bad_input(path +
                      ": several ranks write a regular file alone, in a folder for new ones");
    }
    whole->temporary().copy(written.path, sizeof written.path - 1);
    return written;
  });
  auto const written = distributed::gather_values(ranks, mine)[0];
  auto const sizes = distributed::gather_values(ranks, std::ssize(text));
  index_t const begin = std::accumulate(sizes.begin(), sizes.begin() + ranks.rank(), index_t{});
  agreed(ranks, [&] {
    write_part(written.path, begin, text, path);
    return 0;
  });
  agreed(ranks, [&] {
    if (whole) whole->commit();
    return 0;
  });
}

}  // namespace ravel::examples
