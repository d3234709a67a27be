#include "peers/programs.hpp"

#include <parlay/primitives.h>
#include <parlay/sequence.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "examples/BFS.h"
#include "examples/bellman_ford.h"
#include "examples/fast_fourier_transform.h"
#include "examples/maximal_independent_set.h"
#include "examples/spanning_tree.h"
#include "examples/suffix_array.h"
#include "examples/triangle_count.h"

namespace ravel::bench::peers {
namespace {

using vertex = int;
template <class T>
using rows_of = parlay::sequence<parlay::sequence<T>>;

/// ParlayLib makes its threads at its first call.
void set_threads(int threads) { setenv("PARLAY_NUM_THREADS", std::to_string(threads).c_str(), 0); }

/// A function of no arguments, and a test of its result.
template <class F, class IsRight>
program program_of(F const& f, IsRight const& is_right) {
  auto const result = std::make_shared<decltype(f())>();
  return {[=] { *result = f(); },
          [=](std::vector<double> const& wanted) { return is_right(*result, wanted); }};
}

rows_of<vertex> graph_of(serial::rows const& graph) {
  return parlay::map(graph, [](auto const& ends) {
    return parlay::tabulate(ends.size(), [&](std::size_t k) { return vertex(ends[k]); });
  });
}

}  // namespace

/// Its cache-friendly form, by columns: element j + k * columns of the result is element k of row j.
program parlaylib_fft(serial::points const& x, int threads) {
  set_threads(threads);
  using complex = std::complex<double>;
  std::size_t const n = x.size(), columns = std::size_t{1} << int(std::log2(double(n))) / 2;
  auto const in = parlay::tabulate(columns, [&](std::size_t i) {
    return parlay::tabulate(n / columns, [&](std::size_t j) {
      return complex(x[j * columns + i].first, x[j * columns + i].second);
    });
  });
  return program_of([=] { return complex_fft_transpose(in); },
                    [=](auto const& result, std::vector<double> const& wanted) {
                      for (std::size_t i = 0; i < n; ++i) {
                        double const found = result[i % result.size()][i / result.size()].real();
                        if (std::abs(found - wanted[i]) > 1e-6 * std::max(1.0, std::abs(wanted[i])))
                          return false;
                      }
                      return true;
                    });
}
/// The edges of a forest, which are as many as vertices that are not the least of their component.
program parlaylib_spanning_forest(index_t n, serial::edges const& edges, int threads) {
  set_threads(threads);
  auto const in = parlay::map(edges, [](auto const& e) {
    return std::pair{vertex(e.first), vertex(e.second)};
  });
  return program_of([=] { return spanning_forest(in, vertex(n)); },
                    [](auto const& result, std::vector<double> const& wanted) {
                      std::size_t in_forest = 0;
                      for (std::size_t v = 0; v < wanted.size(); ++v)
                        in_forest += wanted[v] != double(v);
                      return result.size() == in_forest;
                    });
}
/// The first set in the order of vertices, not Luby's.
program parlaylib_independent_set(serial::rows const& graph, int threads) {
  set_threads(threads);
  auto const in = graph_of(graph);
  return program_of([=] { return MIS(in); },
                    [=](auto const& result, std::vector<double> const&) {
                      for (std::size_t v = 0; v < in.size(); ++v) {
                        bool const beside = std::any_of(in[v].begin(), in[v].end(), [&](vertex w) {
                          return bool(result[std::size_t(w)]);
                        });
                        if (bool(result[v]) == beside) return false;
                      }
                      return true;
                    });
}
/// Of edges in both directions.  It counts a triangle by two of its edges.
program parlaylib_triangles(serial::rows const& graph, int threads) {
  set_threads(threads);
  serial::rows both = graph;
  for (std::size_t v = 0; v < graph.size(); ++v) {
    for (auto const w : graph[v]) both[std::size_t(w)].push_back(index_t(v));
  }
  for (auto& ends : both) std::sort(ends.begin(), ends.end());
  auto const in = graph_of(both);
  return program_of([=] { return triangle_count(in); },
                    [](long result, std::vector<double> const& wanted) {
                      return double(result) == 2 * wanted[0];
                    });
}
/// Bellman and Ford's from the vertices that became nearer, with edges in both directions.
program parlaylib_shortest_paths(std::vector<serial::edges> const& graph, int threads) {
  set_threads(threads);
  using edge = std::pair<vertex, double>;
  rows_of<edge> out(graph.size()), in(graph.size());
  for (std::size_t v = 0; v < graph.size(); ++v) {
    for (auto const& [w, length] : graph[v]) {
      out[v].push_back({vertex(w), double(length)});
      in[std::size_t(w)].push_back({vertex(v), double(length)});
    }
  }
  return program_of(
      [=] { return *bellman_ford_lazy<double>(vertex{0}, out, in); },
      [](auto const& result, std::vector<double> const& wanted) {
        return std::equal(
            result.begin(), result.end(), wanted.begin(), wanted.end(), [](double far, double w) {
              return far == w || (far == std::numeric_limits<double>::max() && w > 1e18);
            });
      });
}
program parlaylib_bfs(serial::rows const& graph, int threads) {
  set_threads(threads);
  auto const in = graph_of(graph);
  return program_of([=] { return BFS(vertex{0}, in); },
                    [](auto const& result, std::vector<double> const& wanted) {
                      std::size_t reached = 0;
                      for (std::size_t level = 0; level < result.size(); ++level) {
                        reached += result[level].size();
                        for (auto const v : result[level]) {
                          if (wanted[std::size_t(v)] != double(level)) return false;
                        }
                      }
                      return reached == std::size_t(std::count_if(wanted.begin(), wanted.end(),
                                                                  [](double x) { return x >= 0; }));
                    });
}
program parlaylib_suffix_array(std::string const& text, int threads) {
  set_threads(threads);
  auto const in = parlay::tabulate(text.size(), [&](std::size_t i) { return text[i]; });
  return program_of([=] { return suffix_array(in); },
                    [](auto const& result, std::vector<double> const& wanted) {
                      return std::equal(result.begin(), result.end(), wanted.begin(), wanted.end());
                    });
}

}  // namespace ravel::bench::peers
