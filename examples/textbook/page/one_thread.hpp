#pragma once

/// What the C++ library of WASI leaves out: threads, and locks, which nothing here waits for.
/// scripts/textbook_page includes it first in each file.

#include <condition_variable>
#include <mutex>
#include <thread>

namespace std {

struct mutex {
  void lock() {}
  void unlock() {}
};
template <class... Mutexes>
struct scoped_lock {
  explicit scoped_lock(Mutexes&...) {}
};

struct thread {
  template <class F>
  explicit thread(F f) {
    f();
  }
  static unsigned hardware_concurrency() { return 1; }
};
using jthread = thread;
namespace this_thread {
inline void yield() {}
}  // namespace this_thread

}  // namespace std
