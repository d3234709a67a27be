#pragma once

/// A progress bar on standard error, for work that takes long.

#include <ravel/core/tile.hpp>

#include <atomic>
#include <chrono>
#include <mutex>
#include <string>

namespace ravel::examples {

/// Shows how much of `total` is done, if it takes long:
///
///     reading west.mtx  [############                  ]  41 %  210 MB/s  3 s left
///
/// On a terminal the line appears after half a second, is redrawn in place, and
/// is removed when the work is done.  Elsewhere a line is written every five seconds,
/// so that short work leaves no trace in a log.
class progress {
  using clock = std::chrono::steady_clock;

  std::string what_;
  char const* unit_;
  double total_;
  bool on_terminal_;
  bool drawn_ = false;
  clock::time_point begin_ = clock::now();
  std::atomic<index_t> done_ = 0;
  std::atomic<clock::duration> due_;  // time since begin_ of the next redraw
  std::mutex drawing_;

  void draw(double seconds);

 public:
  /// `unit` is that of the total, for the rate.
  progress(std::string what, index_t total, char const* unit = "B");
  ~progress();
  progress(progress const&) = delete;
  progress& operator=(progress const&) = delete;

  /// Adds `n` to the work done.  Thread-safe, and cheap enough for every few microseconds.
  void advance(index_t n);
};

}  // namespace ravel::examples
