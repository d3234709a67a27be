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

/// What a program computes, its result, and its steps with what each wrote, if wanted.
struct outcome {
  std::string what, result, steps;
};

std::vector<outcome> all_programs(cpu::threads const& ex, bool with_steps) {
  std::vector<outcome> all;
  auto const say = [&](std::string const& what, auto const& program) {
    outcome o{what, {}, {}};
    auto const run = [&] { o.result = show(program()); };
    if (with_steps) {
      o.steps = explain(run, values_shown{});
    } else {
      run();
    }
    all.push_back(o);
  };

  say("histogram of each segment", [&] {
    return histograms(from(ex, std::vector<numbers>{{0, 1, 1, 3}, {}, {2, 2, 2}, {3}}), 4);
  });

  auto const text = [&] { return from(ex, std::string("the quick  brown\n\nfox jumps\nover")); };
  say("words of each line", [&] { return each(lines(text()), words); });
  say("words per line", [&] { return words_per_line(text()); });
  say("where 'o' is", [&] { return string_search(from(ex, std::string("o")), text()); });

  using matrix = std::vector<std::vector<std::pair<index_t, double>>>;
  auto const tridiagonal = [&] {
    return from(ex, matrix{{{0, 2}, {1, -1}},
                           {{0, -1}, {1, 2}, {2, -1}},
                           {{1, -1}, {2, 2}, {3, -1}},
                           {{2, -1}, {3, 2}}});
  };
  say("sparse matrix times dense vector", [&] {
    return spmv(tridiagonal(), from(ex, std::vector<double>{1, 2, 3, 4}));
  });
  say("sparse matrix times sparse vector", [&] {
    return spmspv(tridiagonal(), from(ex, matrix::value_type{{1, 10}, {3, 1}}));
  });

  say("nearest other point in each cluster", [&] {
    return nearest(from(ex, std::vector<std::vector<point>>{
                                {{0, 0}, {1, 0}, {5, 5}, {5, 6}}, {}, {{2, 2}, {9, 9}, {3, 3}}}));
  });

  auto const graph = [&] {
    return from(ex, std::vector<numbers>{
                        {1, 2}, {0, 3, 5}, {0, 3}, {1, 2, 4, 5, 6}, {3, 6}, {1, 3, 6}, {3, 4, 5}});
  };
  say("greatest neighbour", [&] {
    auto const g = graph();
    return neighbour_max(g, indices(g));
  });
  say("levels from three vertices at once", [&] {
    auto const g = graph();
    return each(from(ex, numbers{0, 6, 3}), [&](auto v) { return bfs(g, v); });
  });
  say("components of three graphs at once", [&] {
    return each(
        from(ex, std::vector<std::vector<numbers>>{{{1}, {0, 2}, {1}, {4}, {3}, {}}, {}, {{}}}),
        components);
  });

  using edges = std::vector<std::tuple<index_t, index_t, int>>;
  say("edges of a minimum spanning tree", [&] {
    return spanning_forest(
        index_t{5},
        from(ex,
             edges{{0, 1, 7}, {0, 3, 5}, {1, 2, 8}, {1, 3, 9}, {1, 4, 7}, {2, 4, 5}, {3, 4, 15}}));
  });
  say("quicksort of all rows at once", [&] {
    return each(from(ex, std::vector<numbers>{{3, 1, 2}, {}, {5}, {9, 8, 7, 6, 5}}),
                quicksort<index_t, 2>);
  });
  say("every k-th smallest", [&] {
    auto const seven = from(ex, numbers{4, 8, 2, 3, 1, 7, 2});
    return each(indices(seven), [&](auto k) { return kth_smallest<index_t>(seven, k); });
  });
  say("primes below each", [&] { return each(from(ex, numbers{2, 10, 20}), primes); });
  say("convex hull", [&] {
    return quickhull(
        from(ex, std::vector<point>{
                     {0, 0}, {4, 0}, {4, 4}, {0, 4}, {2, 2}, {1, 1}, {3, 1}, {2, 5}, {-1, 2}}));
  });
  say("ways to place 1 to 8 queens", [&] { return each(range(1, from(ex, index_t{9})), queens); });
  return all;
}

int run(tool_options const& a, bool with_steps) {
  report r;
  std::string text;
  for (auto const& [what, result, steps] : all_programs(cpu::threads(), with_steps)) {
    text += what + "\n    " + result + '\n';
    if (with_steps) text += '\n' + steps + '\n';
    r.values[what] = result;
  }
  if (a.writes_results()) write_text(text, a.target());
  return finish("ravel-nested", a, r);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Runs nested programs, each on a few rows.", "ravel-nested"};
  tool_options a;
  bool with_steps = false;
  app.add_flag("--steps", with_steps,
               "also show the flat steps of each program, and what they write");
  add_output_options(app, a, "the results");
  return run_program(app, argc, argv, [&] { return run(a, with_steps); });
}
