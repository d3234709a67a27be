#pragma once

/// Shared by the suites for the CPU: a stopwatch, the copy that sets the limit, data generated in
/// parallel, and checks.

#include "support/harness.hpp"
#include "support/random.hpp"

#include <ravel/core/cpu/executor.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/reduce.hpp>

#include <oneapi/tbb/version.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/partitioner.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <execution>
#include <fstream>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <thread>
#include <utility>

namespace ravel::bench::host {

using executor = ravel::cpu::threads;

/// Memory that the contenders of a row share.
template <class T>
using shared = std::shared_ptr<ravel::cpu::buffer<T>>;

template <class T, class F>
struct store_each {
  T* out;
  F f;
  void operator()(index_t i) const { out[i] = f(i); }
};

/// f(0), ..., f(n - 1), first touched by the threads that work on it later.
template <class T, class F>
shared<T> generate(executor const& ex, index_t n, F f) {
  auto out = std::make_shared<ravel::cpu::buffer<T>>(n);
  for_each_index(ex, n, store_each<T, F>{out->data(), f});
  return out;
}

template <class T>
struct zero {
  T operator()(index_t) const { return T(); }
};

template <class T>
shared<T> allocate(executor const& ex, index_t n) {
  return generate<T>(ex, n, zero<T>{});
}

template <class T>
struct element {
  T const* of;
  T operator()(index_t i) const { return of[i]; }
};

/// Whether f(i) is true for all i of [0, n), tested by all threads, so that checks do not dominate
/// the run time.
template <class F>
bool all_of(index_t n, F f) {
  using range = tbb::blocked_range<index_t>;
  return tbb::parallel_reduce(
      range(0, n), true,
      [=](range const& some, bool yes) {
        for (index_t i = some.begin(); yes && i < some.end(); ++i) yes = f(i);
        return yes;
      },
      std::logical_and<>());
}
/// Whether out[i] == f(i) throughout.
template <class T, class F>
bool all_equal(index_t n, T const* out, F f) {
  return all_of(n, [=](index_t i) { return out[i] == f(i); });
}

/// Fills memory with values that no correct result contains.
template <class... T>
std::function<void()> poison(shared<T> const&... buffers) {
  auto const spoil = [](void* memory, std::size_t bytes) {
    using range = tbb::blocked_range<std::size_t>;
    tbb::parallel_for(range(0, bytes, std::size_t{1} << 20), [=](range const& some) {
      std::memset(static_cast<char*>(memory) + some.begin(), 0xcd, some.size());
    });
  };
  return
      [=] { (spoil(buffers->data(), static_cast<std::size_t>(buffers->size()) * sizeof(T)), ...); };
}

/// Inputs of n elements each and room for their results.  There are many of few elements, of which each run
/// takes the next: so no branch predictor learns them, and runs in place follow one another as others do.
template <class T>
class inputs {
  index_t n_;
  int many_;
  shared<T> in_, out_;
  std::shared_ptr<index_t> latest_ = std::make_shared<index_t>(0);

 public:
  template <class F>
  inputs(executor const& ex, index_t n, F f)
      : n_(n),
        many_(static_cast<int>(std::max<index_t>(1, (index_t{1} << 16) / n))),
        in_(generate<T>(ex, many_ * n, f)),
        out_(allocate<T>(ex, many_ * n)) {}

  int many() const { return many_; }
  index_t latest() const { return *latest_; }
  void next() const { *latest_ = (*latest_ + 1) % many_; }

  view<T const> in(index_t k) const { return {in_->data() + k * n_, n_}; }
  view<T> out(index_t k) const { return {out_->data() + k * n_, n_}; }
  view<T const> in() const { return in(latest()); }
  view<T> out() const { return out(latest()); }

  std::function<void()> poison() const { return host::poison(out_); }
  /// Copies all inputs to where results are, for runs in place, and begins with the first.
  std::function<void()> copying() const {
    return [in = in_, out = out_, latest = latest_, last = many_ - 1] {
      std::copy_n(std::execution::par, in->data(), in->size(), out->data());
      *latest = last;
    };
  }
  /// A contender that works in place, by f(first, last).
  template <class F>
  contender in_place(std::string const& name, F f, std::function<bool()> const& right,
                     double rest = 0) const {
    auto const run = [f, of = *this] {
      of.next();
      view<T> const some = of.out();
      f(some.data(), some.data() + some.size());
    };
    return {name, run, right, copying(), rest, many_};
  }
};

/// memcpy by all threads, moving `bytes`, half read and half written.
inline void add_copy(executor const& ex, comparison& to) {
  auto const n = static_cast<index_t>(to.bytes / 2);
  auto const in = generate<char>(ex, n, reached<char>{});
  auto const out = allocate<char>(ex, n);
  index_t const threads = n < executor::serial_below ? 1 : ex.concurrency();
  to.contenders.push_back({"copy:memcpy", [=] {
                             tbb::parallel_for(
                                 index_t{0}, threads,
                                 [=](index_t k) {
                                   index_t const first = k * n / threads;
                                   index_t const last = (k + 1) * n / threads;
                                   std::memcpy(out->data() + first, in->data() + first,
                                               static_cast<std::size_t>(last - first));
                                 },
                                 tbb::static_partitioner{});
                           }});
}

/// Adds our f(ex) as the first contender, and then on fewer threads: 1, 2, 4 and so on.
template <class F>
void add_ours(executor const& ex, comparison& to, F f, std::function<bool()> const& right) {
  to.contenders.push_back({"ours", [=] { f(ex); }, right});
  for (int count = 1; count < ex.concurrency(); count *= 2) {
    to.contenders.push_back(
        {"named:" + std::to_string(count) + (count > 1 ? " threads" : " thread"),
         [=, fewer = executor(count)] { f(fewer); }, right});
  }
}

/// A row for each 2^log elements, and one for n, which has the plain name.
template <class Make>
void add_sizes(suite& s, std::string const& id, std::string const& work,
               std::initializer_list<int> logs, index_t n, Make make) {
  for (int const log : logs) {
    s.rows.push_back({id + ".2^" + std::to_string(log), work, index_t{1} << log, make});
  }
  s.rows.push_back({id, work, n, make});
}

/// A pause between two timings: idle threads of a runtime spin for a while before they sleep, and
/// would slow the next timing.
inline constexpr std::chrono::milliseconds settle{4};

/// The same, after a peer of OpenMP: libgomp's threads spin for 300,000 pauses before they sleep, 4 ms of an
/// EPYC and several times as long on a Xeon, while oneTBB's spin for 0.1 ms.
inline constexpr double openmp_rest = 25e-3;

/// The name of the processor in /proc/cpuinfo.
inline std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown processor";
}

/// The duration of a call.
inline double seconds_of(std::function<void()> const& call) {
  auto const begin = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

inline suite make_suite(std::string name, executor const& ex) {
  suite s;
  s.name = std::move(name);
  s.machine = processor() + ' ' + std::to_string(ex.concurrency()) + " threads";
  s.context = {{"device", processor()},
               {"threads", std::to_string(ex.concurrency())},
               {"compiler", "g++ " __VERSION__},
               {"libstdc++", std::to_string(_GLIBCXX_RELEASE)},
               {"oneTBB", TBB_VERSION_STRING}};
  s.seconds = [](std::function<void()> const& call) {
    std::this_thread::sleep_for(settle);
    return seconds_of(call);
  };
  s.shortest = 1e-3;
  return s;
}

/// The main() of a suite.
inline int run_suite(suite (*make)(executor const&), int argc, char** argv) try {
  return run(make(executor()), argc, argv);
} catch (std::exception const& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}

}  // namespace ravel::bench::host
