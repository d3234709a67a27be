#pragma once

/// Groups of ranks for tests: threads with cpu::sequential, by numbers of ranks and by where the
/// elements are.

#include <ravel/core/cpu/executor.hpp>
#include <ravel/distributed/executor.hpp>
#include <ravel/distributed/in_process.hpp>
#include <ravel/distributed/sequence.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace ravel::testing {

using on_ranks = distributed::executor<cpu::sequential, distributed::in_process>;

inline constexpr int numbers_of_ranks[] = {1, 2, 3, 8};

/// Calls f(ex) on each rank of groups of 1, 2, 3 and 8, which reach each call in a random order.
template <class F>
void on_groups(F const& f) {
  for (int const ranks : numbers_of_ranks) {
    distributed::run_ranks(ranks, [&](auto const& mine) { f(on_ranks(cpu::sequential(), mine)); },
                           {.longest_delay = std::chrono::microseconds(50)});
  }
}

/// Where n elements are: in even pieces, all on the first or the last rank, on every other rank, or
/// in pieces of growing sizes.
inline std::vector<std::vector<index_t>> placements(index_t n, int ranks) {
  std::vector<std::vector<index_t>> all{distributed::even_begins(n, ranks)};
  if (ranks == 1) return all;
  std::vector<index_t> first(ranks + 1, n), last(ranks + 1, 0), every_other{0}, growing;
  first[0] = 0;
  last[ranks] = n;
  auto const even = distributed::even_begins(n, (ranks + 1) / 2);
  for (int r = 0; r < ranks; ++r) {
    every_other.push_back(r % 2 == 0 ? even[r / 2 + 1] : every_other.back());
  }
  for (int r = 0; r <= ranks; ++r) growing.push_back(n * r * r / (ranks * ranks));
  all.insert(all.end(), {first, last, every_other, growing});
  return all;
}

/// `all` in pieces that begin at `begins`.
template <class Ex, class T>
auto placed(Ex const& ex, std::vector<T> const& all, std::vector<index_t> const& begins) {
  int const r = ex.ranks().rank();
  return from_pieces(ex, std::vector<T>(all.begin() + begins[r], all.begin() + begins[r + 1]));
}

/// All elements, on each rank.
template <class Ex, class T>
std::vector<T> everywhere(Ex const& ex, distributed::sequence<T, Ex> const& x) {
  std::vector<T> all;
  for (int r = 0; r < ex.ranks().size(); ++r) {
    auto const there = gather_to(ex, x, r);
    if (r == ex.ranks().rank()) all = there;
  }
  return all;
}

/// The message of the `distributed::error` that f throws.
template <class F>
std::string error_of(F const& f) {
  try {
    f();
  } catch (distributed::error const& e) {
    return e.what();
  }
  return "no error";
}

}  // namespace ravel::testing
