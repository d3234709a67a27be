/// Calls on the processes of an MPI program, beside the same call of one process with as many
/// threads; sorts beside a sample sort of std::sort and MPI_Alltoallv, and sparse products beside
/// those of PETSc and, on a square number of processes, of CombBLAS, if CMake has found them.
///
///     mpirun -np 2 --bind-to none bench.distributed.ranks --record bench/record
///
/// Rank 0 runs the rows; the others follow its commands.  n of a row is that of each rank.

#include "distributed/parts.hpp"
#include "distributed/product_rows.hpp"
#include "distributed/same_calls.hpp"
#include "distributed/sort_rows.hpp"
#include "support/host.hpp"

#include <ravel/core/cpu/executor.hpp>
#include <ravel/core/view.hpp>
#include <ravel/distributed/exchange.hpp>
#include <ravel/distributed/mpi.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#if !__has_include(<mpi.h>)
#  error "bench/distributed/ranks.cpp needs mpi.h"
#endif

namespace ravel::bench {
namespace {

std::vector<ranks_row> rows() {
  std::vector<ranks_row> all;
  auto const add = [&](int log, std::string const& id, std::string const& work, double bytes,
                       auto make) {
    all.push_back(
        {"ranks." + id + ".2^" + std::to_string(log), work, index_t{1} << log, bytes, make});
  };
  add_maps(add);
  add_scans(add);
  add_runs_and_searches(add);
  add_moves_and_orders(add);
  for (int const log : {20, 22}) {
    add(log, "spmv.f64", "spmv, a 5-point stencil", 5 * 12 + 20, products);
  }
  add(22, "spmm.f64", "spmm of 4 vectors, a 5-point stencil", 5 * 12 + 4 + 4 * 16,
      products_of_vectors);
  add(22, "transpose.f64", "transpose, a 5-point stencil", 2 * (5 * 12 + 4), transposes);
  add(22, "nested_spmv.f64", "each, a 5-point stencil", 5 * 12 + 20, nested_products);
  for (int const log : {22, 24, 26}) {
    add(log, "radix_sort.u32", "radix_sort", 8, sorts<std::uint32_t, keys::random>);
  }
  add(26, "radix_sort.u64", "radix_sort of 64 bits", 16, sorts<std::uint64_t, keys::random>);
  add(26, "radix_sort.zipf", "radix_sort, Zipf", 8, sorts<std::uint32_t, keys::zipf>);
  add(26, "radix_sort.equal", "radix_sort, equal keys", 8, sorts<std::uint32_t, keys::equal>);
  return all;
}

// ---- ranks --------------------------------------------------------------------------------------

/// What all ranks do next.
struct command {
  enum { make, run, check, end } what = end;
  index_t k = 0;  // the row or the part
  index_t n = 0;
};

class group {
  on_ranks ex_;
  std::vector<ranks_row> rows_ = rows();
  std::vector<part> parts_;

  bool obey(command const& c) {
    if (c.what == command::end) {
      parts_.clear();
    } else if (c.what == command::make) {
      parts_.clear();
      parts_ = rows_[c.k].make(ex_, c.n);
    } else if (c.what == command::run) {
      parts_[c.k].run();
      distributed::gather_values(ex_.ranks(), 0);
    } else if (c.what == command::check) {
      auto const all = distributed::gather_values(ex_.ranks(), int{parts_[c.k].right()});
      return std::find(all.begin(), all.end(), 0) == all.end();
    }
    return true;
  }

 public:
  explicit group(distributed::mpi const& ranks) : ex_(cpu::threads(1), ranks) {}

  /// On rank 0: all ranks obey.
  bool together(command const& c) {
    distributed::gather_values(ex_.ranks(), c);
    return obey(c);
  }
  /// On the others.
  void follow() {
    for (;;) {
      command const c = distributed::gather_values(ex_.ranks(), command{})[0];
      obey(c);
      if (c.what == command::end) return;
    }
  }

  comparison compared(index_t k, index_t n) {
    together({command::make, k, n});
    comparison all;
    all.bytes = rows_[k].bytes_of_each * static_cast<double>(n) * ex_.ranks().size();
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      part const& p = parts_[i];
      auto const at = static_cast<index_t>(i);
      if (p.is_alone) {
        all.contenders.push_back({p.name, p.run, p.right});
      } else {
        all.contenders.push_back({p.name,
                                  [=, this] {
                                    together({command::run, at, 0});
                                  },
                                  [=, this] {
                                    return together({command::check, at, 0});
                                  }});
      }
    }
    return all;
  }

  suite rows_of_harness() {
    suite s = host::make_suite("distributed", one_process(ex_));
    s.context["ranks"] = std::to_string(ex_.ranks().size());
    for (index_t k = 0; k < std::ssize(rows_); ++k) {
      auto const& r = rows_[static_cast<std::size_t>(k)];
      s.rows.push_back({r.id, r.work, r.n, [=, this](index_t n) { return compared(k, n); }});
    }
    return s;
  }
};

}  // namespace
}  // namespace ravel::bench

int main(int argc, char** argv) {
  using namespace ravel;
  int status = 0;
  distributed::run_mpi(argc, argv,
                       [&](distributed::mpi const& ranks) {
#ifdef RAVEL_BENCH_PETSC
                         PetscInitializeNoArguments();
#endif
                         bench::group all(ranks);
                         if (ranks.rank() > 0) {
                           all.follow();
                         } else {
                           status = bench::run(all.rows_of_harness(), argc, argv);
                           all.together({});
                         }
#ifdef RAVEL_BENCH_PETSC
                         PetscFinalize();
#endif
                       },
                       {.limit = std::chrono::hours(1)});
  return status;
}
