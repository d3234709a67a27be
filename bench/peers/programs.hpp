#pragma once

/// Programs of ParlayLib's examples, compiled from a checkout that -DRAVEL_PEER_PARLAYLIB=PATH names.

#include <ravel/core/tile.hpp>

#include "nested/serial/types.hpp"

#include <functional>
#include <string>
#include <vector>

namespace ravel::bench::peers {

namespace serial = examples::serial;

/// A program with its inputs, and whether its last result agrees with that of a loop.
struct program {
  std::function<void()> run;
  std::function<bool(std::vector<double> const& wanted)> is_right;
};

// Each runs on so many threads, of which the first call decides.

program parlaylib_fft(serial::points const& x, int threads);
program parlaylib_spanning_forest(index_t n, serial::edges const& edges, int threads);
program parlaylib_independent_set(serial::rows const& graph, int threads);
program parlaylib_triangles(serial::rows const& graph, int threads);
program parlaylib_shortest_paths(std::vector<serial::edges> const& graph, int threads);
program parlaylib_bfs(serial::rows const& graph, int threads);
program parlaylib_suffix_array(std::string const& text, int threads);

}  // namespace ravel::bench::peers
