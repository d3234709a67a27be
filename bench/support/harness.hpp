#pragma once

/// @file
/// Rows of a table: something of ours, timed in turn with what it is compared to.
///
/// A row becomes one Google Benchmark of one iteration, and each repetition of
/// it is one round: ours, the peers and the limits, one after the other, so that
/// a machine which slows down slows all of them.  The benchmark's time is ours;
/// the others are counters, in seconds, which is what the record keeps of every
/// repetition and what bench/report reads:
///
///     copy:<how>    a copy that moves the bytes that the row must move
///     read:<how>    a reduction that reads as many
///     peer:<whose>  somebody else's way to do the same work
///     named:<what>  an algorithm of the literature, as we have it, doing the same work
///
/// Source   The interleaving follows what Google Benchmark's random interleaving
///          is for (docs/random_interleaving.md of that project), within a row.

#include <ravel/core/tile.hpp>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace ravel::bench {

/// One of the things that a row times.
struct contender {
  std::string name;                  ///< "ours", "copy:...", "read:...", "peer:..." or "named:..."
  std::function<void()> run;         ///< what is timed
  std::function<bool()> right = {};  ///< whether what it has just written is right
  std::function<void()> prepare = {};  ///< what must come before each run, untimed
};

/// A row's contenders, ours first, with their data.
struct comparison {
  double bytes;      ///< that any way to do it must move
  double items = 0;  ///< that it works on, if that is not the size of the row
  std::vector<contender> contenders = {};
  std::function<void()> poison = {};  ///< spoils what contenders write, before each is checked
  std::map<std::string, double> counters = {};  ///< of ours, for the record, beside its time
};

struct row {
  std::string id;                           ///< of the target, if there is one
  std::string work;                         ///< in words
  index_t n;                                ///< the size to measure at
  std::function<comparison(index_t)> make;  ///< the contenders at a size
  index_t quick = 40'009;                   ///< the size at which --quick checks it, if below n
};

/// What one program measures.
struct suite {
  std::string name;     ///< as in bench.<name>
  std::string machine;  ///< a name for this machine, unless --machine gives another
  std::map<std::string, std::string> context;  ///< versions and the like, for the record
  std::function<double(std::function<void()> const&)> seconds;  ///< that a call takes
  double shortest;  ///< seconds; what is shorter is called several times for one timing
  std::vector<row> rows;
};

/// A name that may be part of a file's: "NVIDIA H200" becomes "nvidia-h200".
std::string slug(std::string const& words);

/// Runs the rows that the command line asks for, prints a line for each, and
/// keeps a record if it is to.  Returns what main() returns: 1 if a contender was
/// wrong or failed.
int run(suite const& what, int argc, char** argv);

/// What main() returns where there is nothing to run on; ctest takes it for a skip.
inline constexpr int nothing_to_run_on = 77;

}  // namespace ravel::bench
