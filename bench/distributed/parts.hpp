#pragma once

/// Rows of calls on the processes of an MPI program: what each rank runs, and its operands.

#include "support/host.hpp"
#include "support/random.hpp"

#include <ravel/core/cpu/executor.hpp>
#include <ravel/core/view.hpp>
#include <ravel/distributed/executor.hpp>
#include <ravel/distributed/mpi.hpp>
#include <ravel/distributed/sequence.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ravel::bench {

using on_ranks = distributed::executor<cpu::threads, distributed::mpi>;
template <class T>
using elements = distributed::sequence<T, on_ranks>;

/// An implementation, as each rank runs it; or rank 0 alone.
struct part {
  std::string name;
  std::function<void()> run;
  std::function<bool()> right;
  bool is_alone = false;
};
struct ranks_row {
  std::string id, work;
  index_t n;
  double bytes_of_each;  // for each element of each rank
  std::function<std::vector<part>(on_ranks const&, index_t)> make;
};

/// Element i of all ranks.
inline std::uint32_t small_number(index_t i) {
  return static_cast<std::uint32_t>(random_below(1, i, 16));
}

/// f(i) for the elements i of all ranks, of which each has n.
template <class T, class F>
std::shared_ptr<elements<T>> piece(on_ranks const& ex, index_t n, F const& f) {
  auto x = std::make_shared<elements<T>>(ex, n * ex.ranks().size());
  for (index_t i = 0; i < n; ++i) x->data()[i] = f(x->first() + i);
  return x;
}
/// All elements on rank 0, and none on the others.
template <class T, class F>
host::shared<T> all_on_one(on_ranks const& ex, index_t n, F const& f) {
  index_t const ranks = ex.ranks().size();
  return host::generate<T>(cpu::threads(), ex.ranks().rank() == 0 ? n * ranks : 0, f);
}
inline cpu::threads one_process(on_ranks const& ex) { return cpu::threads(ex.ranks().size()); }

}  // namespace ravel::bench
