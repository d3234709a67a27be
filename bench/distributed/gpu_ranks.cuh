#pragma once

/// What the benchmarks on several GPUs share: ranks that are threads or processes of one host, rows that
/// all of them run, their times, and checks of results.
///
///     bench.distributed.gpus [--gpus N] [--processes] [options of the harness]
///
/// n of a row is that of each GPU, and for rows whose name has `all`, that of all together.

#include "distributed/host_ranks.hpp"
#include "support/harness.hpp"

#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/transfer.hpp>
#include <ravel/distributed/exchange.hpp>
#include <ravel/distributed/executor.hpp>
#include <ravel/distributed/nccl.cuh>
#include <ravel/distributed/sequence.hpp>
#include <ravel/primitives/map.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#if !__has_include(<nccl.h>)
#  error "the benchmarks on several GPUs need nccl.h"
#endif

namespace ravel::bench {

using ranks_on_gpus = distributed::nccl<host_ranks>;
using on_gpus = distributed::executor<gpu::executor, ranks_on_gpus>;
template <class T>
using elements = distributed::sequence<T, on_gpus>;

/// An implementation, as each rank runs it; or rank 0 alone.  A rank has finished when its stream has.
struct part {
  std::string name;
  std::function<void()> run;
  std::function<bool()> right = {};
  bool is_alone = false;
};

/// The size at which --quick checks rows: enough to be sorted in parts.
inline constexpr index_t quick_size = 3'000'017;

/// How many elements each GPU has, and how many one has alone, beside which the others are measured.
struct sizes {
  index_t each, alone;
};
struct gpus_row {
  std::string id, work;
  index_t n;
  bool of_all;           // whether n is that of all GPUs together
  double bytes_of_each;  // for each element
  std::function<std::vector<part>(on_gpus const&, sizes)> make;
};
struct gpus_rows : std::vector<gpus_row> {
  /// A row of 2^log elements, of each GPU or of all.
  template <class Make>
  void add(int log, std::string const& id, std::string const& work, double bytes, Make make,
           bool of_all = false) {
    push_back({(of_all ? "all." : "") + id + ".2^" + std::to_string(log), work, index_t{1} << log,
               of_all, bytes, make});
  }
};

// ---- data and checks ----------------------------------------------------------------------------

/// A hash of the place, whose bits all look random.
RAVEL_HD inline std::uint64_t hash_of(index_t i) {
  auto x = static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15ull;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ x >> 27) * 0x94d049bb133111ebull;
  return x ^ x >> 32;
}

template <class T, class F>
struct store_each {
  T* out;
  index_t first;
  F f;
  RAVEL_HD void operator()(index_t i) const { out[i] = f(first + i); }
};
/// f(i) for each i of n elements of each rank.
template <class T, class F>
std::shared_ptr<elements<T>> piece(on_gpus const& ex, index_t n, F f) {
  auto x = std::make_shared<elements<T>>(ex, n * ex.ranks().size());
  for_each_index(ex.local(), n, store_each<T, F>{x->data(), x->first(), f});
  return x;
}
/// f(0), ..., f(n - 1) on rank 0, and nothing on the others.
template <class T, class F>
std::shared_ptr<gpu::buffer<T>> alone(on_gpus const& ex, index_t n, F f) {
  if (ex.ranks().rank() != 0) n = 0;
  auto x = std::make_shared<gpu::buffer<T>>(ex.local().allocate<T>(n));
  for_each_index(ex.local(), n, store_each<T, F>{x->data(), 0, f});
  return x;
}
template <class T>
std::shared_ptr<gpu::buffer<T>> alone(on_gpus const& ex, index_t n) {
  return std::make_shared<gpu::buffer<T>>(
      ex.local().allocate<T>(ex.ranks().rank() == 0 ? n : index_t{0}));
}

template <class Wrong>
struct count_if_wrong {
  Wrong wrong;
  unsigned* count;
  __device__ void operator()(index_t i) const {
    if (wrong(i)) atomicAdd(count, 1u);
  }
};
/// Whether wrong(i) for no i of [0, n), on this rank.
template <class Wrong>
bool none(gpu::executor const& device, index_t n, Wrong wrong) {
  auto const count = device.allocate<unsigned>(1);
  device.clear(count);
  for_each_index(device, n, count_if_wrong<Wrong>{wrong, count.data()});
  return at_sync(device, count) == 0;
}

// ---- running ------------------------------------------------------------------------------------

/// All ranks make the parts of a row, run them and check them, as rank 0 says.
class group_of_gpus {
  struct command {
    enum { make, run, check, end } what = end;
    index_t k = 0;  // the row or the part
    index_t n = 0;
  };

  on_gpus ex_;
  std::vector<gpus_row> const& rows_;
  std::vector<part> parts_;
  double seconds_ = 0;  // of runs since seconds_of began

  host_ranks const& host() const { return ex_.ranks().host(); }

  sizes sizes_of(gpus_row const& r, index_t n) const {
    return r.of_all ? sizes{n / host().size(), n / host().size() * host().size()} : sizes{n, n};
  }
  bool obey(command const& c) {
    if (c.what == command::make) {
      parts_.clear();
      parts_ = rows_[static_cast<std::size_t>(c.k)].make(
          ex_, sizes_of(rows_[static_cast<std::size_t>(c.k)], c.n));
      ex_.wait();
    } else if (c.what == command::run) {
      part const& p = parts_[static_cast<std::size_t>(c.k)];
      host().meet();
      auto const begin = std::chrono::steady_clock::now();
      if (!p.is_alone || host().rank() == 0) {
        p.run();
        ex_.wait();
      }
      std::chrono::duration<double> const passed = std::chrono::steady_clock::now() - begin;
      auto const all = distributed::gather_values(host(), passed.count());
      seconds_ += *std::max_element(all.begin(), all.end());
    } else if (c.what == command::check) {
      part const& p = parts_[static_cast<std::size_t>(c.k)];
      bool const right = !p.right || (p.is_alone && host().rank() != 0) || p.right();
      auto const all = distributed::gather_values(host(), int{right});
      return std::find(all.begin(), all.end(), 0) == all.end();
    }
    return true;
  }
  /// On rank 0: all ranks obey.
  bool together(command const& c) {
    distributed::gather_values(host(), c);
    return obey(c);
  }

 public:
  group_of_gpus(host_ranks const& host, std::vector<gpus_row> const& rows)
      : ex_([&] {
          gpu::executor const device(host.rank());
          return on_gpus(device, ranks_on_gpus(host, host.rank()));
        }()),
        rows_(rows) {}

  void follow() {
    for (;;) {
      command const c = distributed::gather_values(host(), command{})[0];
      if (c.what == command::end) return;
      obey(c);
    }
  }
  void finish() { together({}); }

  comparison compared(index_t k, index_t n) {
    together({command::make, k, n});
    gpus_row const& r = rows_[static_cast<std::size_t>(k)];
    comparison all;
    all.bytes = r.bytes_of_each * static_cast<double>(sizes_of(r, n).each) * host().size();
    all.counters["gpus"] = host().size();
    for (index_t i = 0; i < std::ssize(parts_); ++i) {
      all.contenders.push_back({parts_[static_cast<std::size_t>(i)].name,
                                [=, this] {
                                  together({command::run, i, 0});
                                },
                                [=, this] {
                                  return together({command::check, i, 0});
                                }});
    }
    return all;
  }
  double seconds_of(std::function<void()> const& call) {
    seconds_ = 0;
    call();
    return seconds_;
  }
};

/// The number of GPUs, from a process that ends: one that has used CUDA cannot become several.
inline int count_gpus() {
  pid_t const child = fork();
  if (child == 0) {
    int n = 0;
    _exit(cudaGetDeviceCount(&n) == cudaSuccess ? n : 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}

/// Runs rows on the GPUs of this host, by a thread or a process for each.  Returns the exit status.
inline int run_on_gpus(std::string const& name, std::vector<gpus_row> const& rows, int argc,
                       char** argv) {
  setenv("NCCL_NVLS_ENABLE", "0", 1);  // no multicast
  int gpus = 0;
  bool processes = false;
  std::vector<char*> rest{argv[0]};
  for (int i = 1; i < argc; ++i) {
    std::string const a = argv[i];
    if (a == "--processes") {
      processes = true;
    } else if (a == "--gpus" && i + 1 < argc) {
      gpus = std::atoi(argv[++i]);
    } else {
      rest.push_back(argv[i]);
    }
  }
  int const there = count_gpus();
  if (gpus == 0) gpus = there;
  if (there == 0) {
    std::fprintf(stderr, "%s: no CUDA device\n", name.c_str());
    return nothing_to_run_on;
  }
  if (gpus < 1 || gpus > there) {
    std::fprintf(stderr, "%s: there are %d GPUs, and %d are wanted\n", name.c_str(), there, gpus);
    return 1;
  }
  void* const board = host_ranks::make_board(gpus);
  int status = 0;
  auto const run_rank = [&](int rank) {
    host_ranks const host(board, rank, gpus);
    try {
      group_of_gpus group(host, rows);
      if (rank > 0) return group.follow();
      cudaDeviceProp of{};
      gpu::check(cudaGetDeviceProperties(&of, 0), "bench: properties of device 0");
      suite s;
      s.name = processes ? name + "_processes" : name;
      s.machine = std::to_string(gpus) + " " + of.name;
      s.context = {{"gpus", std::to_string(gpus)},
                   {"device", of.name},
                   {"ranks", processes ? "processes" : "threads"},
                   {"NCCL", std::to_string(NCCL_VERSION_CODE)}};
      s.seconds = [&](std::function<void()> const& f) { return group.seconds_of(f); };
      s.shortest = 0;
      for (index_t k = 0; k < std::ssize(rows); ++k) {
        auto const& r = rows[static_cast<std::size_t>(k)];
        s.rows.push_back({(processes ? "gpus.processes." : "gpus.") + r.id, r.work, r.n,
                          [&group, k](index_t n) { return group.compared(k, n); }, quick_size});
      }
      status = run(s, static_cast<int>(rest.size()), rest.data());
      group.finish();
    } catch (std::exception const& e) {
      if (!host.failure()) {
        try {
          host.abort("", e.what());
          // NOLINTNEXTLINE(bugprone-empty-catch): every rank has it
        } catch (distributed::error const&) {
        }
      }
      if (rank == 0) std::fprintf(stderr, "%s: %s\n", name.c_str(), e.what());
      status = 1;
    }
  };
  if (processes) {
    std::vector<pid_t> children;
    for (int r = 1; r < gpus; ++r) {
      pid_t const child = fork();
      if (child == 0) {
        run_rank(r);
        _exit(status);
      }
      children.push_back(child);
    }
    run_rank(0);
    for (pid_t const child : children) {
      int of_child = 0;
      waitpid(child, &of_child, 0);
      if (of_child != 0) status = 1;
    }
  } else {
    std::vector<std::thread> threads;
    for (int r = 1; r < gpus; ++r) threads.emplace_back(run_rank, r);
    run_rank(0);
    for (auto& t : threads) t.join();
  }
  return status;
}

}  // namespace ravel::bench
