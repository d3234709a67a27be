/// Nested programs, from regular to irregular, each on a few rows.

#include "nested/clusters.hpp"
#include "nested/graph.hpp"
#include "nested/kth_smallest.hpp"
#include "nested/primes.hpp"
#include "nested/queens.hpp"
#include "nested/quickhull.hpp"
#include "nested/quicksort.hpp"
#include "nested/spanning_forest.hpp"
#include "nested/sparse.hpp"
#include "nested/text.hpp"

#include "support/command_line.hpp"
#include "support/output.hpp"
#include "support/report.hpp"

#include <ravel/core/cpu/executor.hpp>
#include <ravel/flatten/flatten.hpp>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace {

using namespace ravel;
using namespace ravel::examples;
using numbers = std::vector<index_t>;

/// What each program computes, and its result.
using results = std::vector<std::pair<std::string, std::string>>;

results all_programs(cpu::threads const& ex) {
  results all;
  auto const say = [&](std::string const& what, auto const& result) {
    all.emplace_back(what, show(result));
  };

  auto const segments = from(ex, std::vector<numbers>{{0, 1, 1, 3}, {}, {2, 2, 2}, {3}});
  say("histogram of each segment", histograms(segments, 4));

  auto const text = from(ex, std::string("the quick  brown\n\nfox jumps\nover"));
  say("words of each line", each(lines(text), words));
  say("words per line", words_per_line(text));
  say("where 'o' is", string_search(from(ex, std::string("o")), text));

  using matrix = std::vector<std::vector<std::pair<index_t, double>>>;
  auto const tridiagonal = from(ex, matrix{{{0, 2}, {1, -1}},
                                           {{0, -1}, {1, 2}, {2, -1}},
                                           {{1, -1}, {2, 2}, {3, -1}},
                                           {{2, -1}, {3, 2}}});
  say("sparse matrix times dense vector",
      spmv(tridiagonal, from(ex, std::vector<double>{1, 2, 3, 4})));
  say("sparse matrix times sparse vector",
      spmspv(tridiagonal, from(ex, matrix::value_type{{1, 10}, {3, 1}})));

  auto const points = from(ex, std::vector<std::vector<point>>{
                                   {{0, 0}, {1, 0}, {5, 5}, {5, 6}}, {}, {{2, 2}, {9, 9}, {3, 3}}});
  say("nearest other point in each cluster", nearest(points));

  auto const graph =
      from(ex, std::vector<numbers>{
                   {1, 2}, {0, 3, 5}, {0, 3}, {1, 2, 4, 5, 6}, {3, 6}, {1, 3, 6}, {3, 4, 5}});
  say("greatest neighbour", neighbour_max(graph, indices(graph)));
  say("levels from three vertices at once",
      each(from(ex, numbers{0, 6, 3}), [&](auto v) { return bfs(graph, v); }));
  auto const graphs =
      from(ex, std::vector<std::vector<numbers>>{{{1}, {0, 2}, {1}, {4}, {3}, {}}, {}, {{}}});
  say("components of three graphs at once", each(graphs, components));

  using edges = std::vector<std::tuple<index_t, index_t, int>>;
  auto const roads =
      from(ex, edges{{0, 1, 7}, {0, 3, 5}, {1, 2, 8}, {1, 3, 9}, {1, 4, 7}, {2, 4, 5}, {3, 4, 15}});
  say("edges of a minimum spanning tree", spanning_forest(index_t{5}, roads));
  auto const rows = from(ex, std::vector<numbers>{{3, 1, 2}, {}, {5}, {9, 8, 7, 6, 5}});
  say("quicksort of all rows at once", each(rows, quicksort<index_t>));
  auto const seven = from(ex, numbers{4, 8, 2, 3, 1, 7, 2});
  say("every k-th smallest",
      each(indices(seven), [&](auto k) { return kth_smallest<index_t>(seven, k); }));
  say("primes below each", each(from(ex, numbers{2, 10, 20}), primes));
  auto const cloud = from(
      ex,
      std::vector<point>{{0, 0}, {4, 0}, {4, 4}, {0, 4}, {2, 2}, {1, 1}, {3, 1}, {2, 5}, {-1, 2}});
  say("convex hull", quickhull(cloud));
  say("ways to place 1 to 8 queens", each(range(1, from(ex, index_t{9})), queens));
  return all;
}

int run(tool_options const& a) {
  report r;
  std::string text;
  for (auto const& [what, result] : all_programs(cpu::threads())) {
    text += what + "\n    " + result + '\n';
    r.values[what] = result;
  }
  if (a.writes_results()) write_text(text, a.target());
  return finish("ravel-nested", a, r);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Runs nested programs, each on a few rows.", "ravel-nested"};
  tool_options a;
  add_output_options(app, a, "the results");
  return run_program(app, argc, argv, [&] { return run(a); });
}
