#pragma once

/// A complete executor that counts its work, with one form of its own; shown in
/// docs/guide/porting_an_executor.md.

#include <ravel/core/cpu/buffer.hpp>
#include <ravel/core/cpu/worker.hpp>
#include <ravel/core/table.hpp>
#include <ravel/core/tile.hpp>
#include <ravel/core/view.hpp>
#include <ravel/primitives/runs/call.hpp>
#include <ravel/primitives/runs/steps.hpp>

#include <algorithm>

namespace ravel::testing::counting {

/// The machine description, by which forms are chosen.
struct machine {
  index_t tile_width = 4;
};

class executor {
 public:
  using space = host_space;
  struct counts {
    int steps = 0, scratches = 0;
  };
  explicit executor(counts& done) : done_(&done) {}

  template <class T>
  static auto allocate(index_t n) {
    return cpu::buffer<T>(n);
  }
  template <class T>
  auto scratch(index_t n) const {
    ++done_->scratches;
    return cpu::buffer<T>(n);
  }
  template <class T>
  static void copy(T const* from, T* to, index_t n) {
    std::copy_n(from, n, to);
  }
  static constexpr index_t tile_count(index_t n) {
    return div_up(n, counting::machine{}.tile_width);
  }
  template <class F>
  void for_each_tile(index_t n, F f) const {
    ++done_->steps;
    for (index_t k = 0; k < tile_count(n); ++k) {
      f(cpu::worker{}, nth_tile(k, machine().tile_width, n));
    }
  }
  static void wait() {}

  counting::machine machine() const { return {}; }

 private:
  counts* done_;
};

/// Runs of the keys of one tile, by its team.
template <class Call>
struct runs_of_tile {
  Call c;
  template <class Team>
  void operator()(Team const&, tile) const {
    index_t runs = 0;
    for (index_t i = 0, begin = 0; i < c.n; begin = i, ++runs) {
      auto value = c.seed();
      do {
        value = c.m(value, static_cast<decltype(value)>(c.values(i++)));
      } while (i < c.n && c.equal(c.keys(i - 1), c.keys(i)));
      put_run(c.keys, c.out, runs, value, begin);
    }
    c.total(runs);
  }
};

struct runs_in_one_tile {
  static constexpr auto name = "one_tile";
  static constexpr auto why = "What fits in a tile is one step, and needs no scratch.";
  template <class Call>
  static auto now(Call const& c, machine const& m) {
    return needs(need{c.n <= m.tile_width, "no more keys than a tile has"});
  }
  template <class Call>
  static void run(executor const& ex, Call const& c) {
    ex.for_each_tile(1, runs_of_tile<Call>{c});
  }
};

}  // namespace ravel::testing::counting

template <>
struct ravel::form_table<ravel::runs_family, ravel::testing::counting::machine>
    : ravel::forms<ravel::testing::counting::runs_in_one_tile, ravel::runs_by_steps> {};
