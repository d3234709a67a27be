#pragma once

/// @file
/// A progress bar on standard error, for work that takes long.

#include <ravel/core/tile.hpp>

#include <atomic>
#include <chrono>
#include <mutex>
#include <string>

namespace ravel::examples {

/// Shows how much of `total` is done, once there is something to wait for:
///
///     reading west.mtx  [############                  ]  41 %   3 s left
///
/// On a terminal the line appears after half a second, is redrawn in place, and
/// goes when the work is done.  Elsewhere a line is written every five seconds,
/// so that short work leaves no trace in a log.
class progress {
  using clock = std::chrono::steady_clock;

  std::string what_;
  double total_;
  bool on_terminal_;
  bool drawn_ = false;
  clock::time_point begin_ = clock::now();
  std::atomic<index_t> done_ = 0;
  std::atomic<clock::duration> due_;  // since begin_, when to draw next
  std::mutex drawing_;

  void draw(double seconds);

 public:
  progress(std::string what, index_t total);
  ~progress();
  progress(progress const&) = delete;
  progress& operator=(progress const&) = delete;

  /// `n` more are done.  Any thread may say so; every few microseconds is fine.
  void advance(index_t n);
};

}  // namespace ravel::examples
