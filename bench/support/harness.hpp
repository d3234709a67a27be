#pragma once

/// Rows of a table: our implementation, timed in turn with its peers and limits.
///
/// A row becomes one Google Benchmark of one iteration, and each of its repetitions is one round:
/// ours, the peers and the limits in turn, so that a slowdown of the machine affects all of them.
/// The benchmark's time is ours; the others are counters, in seconds, which the record keeps for
/// every repetition and bench/report reads:
///
///     copy:<how>    a copy that moves the bytes that the row must move
///     read:<how>    a reduction that reads as many
///     peer:<name>   another library's implementation of the same work
///     named:<name>  our implementation of a published algorithm, on the same work
///
/// Source   The interleaving follows what Google Benchmark's random interleaving
///          is for (docs/random_interleaving.md of that project), within a row.

#include <ravel/core/tile.hpp>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace ravel::bench {

/// An implementation that a row times.
struct contender {
  std::string name;                  ///< "ours", "copy:...", "read:...", "peer:..." or "named:..."
  std::function<void()> run;         ///< the timed call
  std::function<bool()> right = {};  ///< whether its latest result is correct
  std::function<void()> prepare = {};  ///< untimed preparation before each `runs` runs
  double rest = 0;  ///< seconds until its idle threads sleep, if that is longer than a pause
  int runs = 1;
};

/// A row's contenders, ours first, with their data.
struct comparison {
  double bytes = 0;  ///< bytes that any implementation must move
  double items = 0;  ///< items processed, if not the size of the row
  std::vector<contender> contenders = {};
  std::function<void()> poison = {};            ///< overwrites outputs before each check
  std::map<std::string, double> counters = {};  ///< recorded besides our time
};

struct row {
  std::string id;                           ///< the id of the target, if any
  std::string work;                         ///< description
  index_t n;                                ///< the size to measure
  std::function<comparison(index_t)> make;  ///< makes the contenders for a size
  index_t quick = 40'009;                   ///< the size at which --quick checks it, if below n
};

/// The benchmarks of one program.
struct suite {
  std::string name;     ///< as in bench.<name>
  std::string machine;  ///< a name for this machine, unless --machine gives another
  std::map<std::string, std::string> context;  ///< recorded versions and similar facts
  std::function<double(std::function<void()> const&)> seconds;  ///< times a call
  double shortest;  ///< seconds; shorter calls are repeated within one timing
  std::vector<row> rows;
};

/// A name usable in file names: "NVIDIA H200" becomes "nvidia-h200".
std::string slug(std::string const& words);

/// Runs the rows selected by the command line, prints a line for each, and writes a record on
/// request.  Returns the exit status: 1 if a contender was wrong or failed.
int run(suite const& what, int argc, char** argv);

/// The exit status without a device to run on; ctest reports it as skipped.
inline constexpr int nothing_to_run_on = 77;

}  // namespace ravel::bench
