#pragma once

/// Outputs between guard zones, which detect writes outside of them; and a time limit for tests.

#include <ravel/core/tile.hpp>
#include <ravel/core/view.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

namespace ravel::testing {

/// n elements in the memory of an executor, between zones that hold a pattern.
template <class Fixture, class T>
class guarded {
  static constexpr index_t zone = 256;
  static constexpr T pattern = T(0x5a);
  using buffer = decltype(std::declval<Fixture const&>().there(std::vector<T>()));
  Fixture const& on_;
  index_t n_;
  buffer all_;

 public:
  using value_type = T;

  guarded(Fixture const& on, index_t n)
      : on_(on),
        n_(n),
        all_(on.there(std::vector<T>(static_cast<std::size_t>(n + 2 * zone), pattern))) {}

  auto elements() const { return view_of(all_).slice(zone, n_); }

  /// The elements; expects that nothing was written outside of them.
  std::vector<T> expect_untouched_outside() const {
    auto const all = on_.here(all_);
    for (index_t i = 0; i < zone; ++i) {
      EXPECT_EQ(all[static_cast<std::size_t>(i)], pattern) << "element " << i - zone;
      EXPECT_EQ(all[static_cast<std::size_t>(zone + n_ + i)], pattern) << "element " << n_ + i;
    }
    return {all.begin() + zone, all.begin() + zone + n_};
  }
  void expect_unwritten() const {
    for (T const& x : expect_untouched_outside()) EXPECT_EQ(x, pattern);
  }
};

/// Ends the program if a test has not ended after so many seconds.
class time_bound {
  std::mutex mutex_;
  std::condition_variable ended_;
  bool has_ended_ = false;
  std::thread watch_;

 public:
  explicit time_bound(std::chrono::seconds most)
      : watch_([this, most] {
          std::unique_lock lock(mutex_);
          if (ended_.wait_for(lock, most, [this] { return has_ended_; })) return;
          std::fprintf(stderr, "a test has not ended within %d s\n",
                       static_cast<int>(most.count()));
          std::abort();
        }) {}
  ~time_bound() {
    {
      std::scoped_lock const lock(mutex_);
      has_ended_ = true;
    }
    ended_.notify_one();
    watch_.join();
  }
  time_bound(time_bound const&) = delete;
  time_bound& operator=(time_bound const&) = delete;
};

}  // namespace ravel::testing
