#pragma once

/// The command line of ravel-sort.

#include "sorting.hpp"
#include "support/command_line.hpp"
#include "support/device.hpp"
#include "support/tokens.hpp"

#include <string>
#include <vector>

namespace ravel::examples {

struct arguments : tool_options {
  std::vector<std::string> files = {"-"};
  std::string type = "f64";
  std::string algorithm = "auto";
  bool pairs = false;
  bool binary = false;
  index_t column = 0;          // numbers of this column
  index_t key = 0;             // lines by this column
  std::string separator = "";  // of columns: a character, or \t
  index_t header = 0;          // lines
  bool descending = false;
  bool argsort = false;
  bool unique = false;
  bool merge = false;
  bool is_sorted = false;
  index_t memory = 0;  // 0: half of the machine's
  std::string temporary = "";
  index_t generate = -1;
  std::uint64_t seed = 1;
  bool mpi = false;

  /// A column with what separates it from others.
  column_choice column_at(index_t number) const {
    return {number, separator.empty() ? '\0' : separator == "\\t" ? '\t' : separator[0]};
  }

  sort_job job(sort_result wanted) const;

  /// The bytes of input to sort at once: indices and scratch take up to eleven times as many.
  index_t chunk_size() const;
};

/// What was sorted: for the report.
struct sort_measure {
  char const* things;  // "numbers", "pairs" or "lines"
  index_t n = 0;
  double bytes = 0;  // the least traffic: each element read once, and it or its index written once
  double seconds = 0;  // of sorting alone
  index_t runs = 0;    // on disk
  std::string wrong = "";
  int ranks = 0;  // of --mpi

  sort_measure& operator+=(sort_measure const& other) {
    n += other.n;
    bytes += other.bytes;
    seconds += other.seconds;
    return *this;
  }
};

/// Refuses what takes the whole input in memory.
void refuse_beyond_memory(arguments const& a);

/// Reports, and returns the exit code.
int report_sort(arguments const& a, device d, sort_measure const& m);

/// Sorts, merges or checks lines.
int run_lines(arguments const& a);

/// Sorts numbers on the processes that mpirun has started.
int run_on_ranks(arguments const& a);

}  // namespace ravel::examples
