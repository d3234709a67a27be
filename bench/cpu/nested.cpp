/// The programs of the collections of NESL, Futhark and Data Parallel Haskell as nested programs,
/// beside loops of one thread that do the same.

#include "peers/programs.hpp"
#include "peers/sorts.hpp"
#include "support/host.hpp"
#include "support/nested_on_host.hpp"
#include "support/nested_programs.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ravel::bench::host {
namespace {

/// Adds the program of `fewer`, which has fewer threads, to a row.
void add_on(executor const& ex, comparison& c, comparison const& fewer) {
  index_t const count = ex.concurrency();
  auto const& ours = fewer.contenders.front();
  c.contenders.push_back({"named:" + std::to_string(count) + (count > 1 ? " threads" : " thread"),
                          ours.run, ours.right});
  c.poison = [before = c.poison, poison = fewer.poison] {
    before();
    poison();
  };
}

#ifdef RAVEL_PEER_PARLAYLIB

// The example of ParlayLib that does the same as a program.

peers::program of_parlaylib(nested_programs::fft const& p, index_t n, int threads) {
  return peers::parlaylib_fft(p.input(n), threads);
}
peers::program of_parlaylib(nested_programs::random_mate const& p, index_t n, int threads) {
  return peers::parlaylib_spanning_forest(n, p.input(n), threads);
}
peers::program of_parlaylib(nested_programs::independent_set const& p, index_t n, int threads) {
  return peers::parlaylib_independent_set(p.input(n), threads);
}
peers::program of_parlaylib(nested_programs::triangles const& p, index_t n, int threads) {
  return peers::parlaylib_triangles(p.input(n), threads);
}
peers::program of_parlaylib(nested_programs::shortest_paths const& p, index_t n, int threads) {
  return peers::parlaylib_shortest_paths(p.input(n), threads);
}
peers::program of_parlaylib(nested_programs::bfs const& p, index_t n, int threads) {
  return peers::parlaylib_bfs(p.input(n), threads);
}
peers::program of_parlaylib(nested_programs::bfs_of_path const& p, index_t n, int threads) {
  return peers::parlaylib_bfs(p.input(n), threads);
}
peers::program of_parlaylib(nested_programs::suffix_array const& p, index_t n, int threads) {
  return peers::parlaylib_suffix_array(p.input(n), threads);
}

#endif

/// The program for k elements beside its loops, and the example of ParlayLib, if there is one.
template <class Program>
comparison beside_peers(executor const& ex, Program const& program, index_t k) {
  auto const parts = program(ex, k);
  auto const wanted = std::make_shared<decltype(parts.loop())>(parts.loop());
  auto c = beside_loops(parts, wanted);
  if constexpr (requires { of_parlaylib(program, k, 1); }) {
    auto const peer = of_parlaylib(program, k, ex.concurrency());
    c.contenders.push_back(
        {"peer:ParlayLib",
         peer.run,
         [=] { return peer.is_right(std::vector<double>(wanted->begin(), wanted->end())); },
         {},
         peers::parlay_rest});
  }
  return c;
}

suite all(executor const& ex) {
  suite s = make_suite("cpu.nested", ex);
#ifdef RAVEL_PEER_PARLAYLIB
  s.context["ParlayLib"] = RAVEL_PEER_PARLAYLIB;
#endif
  auto const add = [&](std::string const& name, std::string const& work, index_t n, index_t quick,
                       auto const& program) {
    auto const make_all = [=](index_t k) {
      auto c = beside_peers(ex, program, k);
      for (int const count : {1, 4}) {
        executor const fewer(count);
        if (count < ex.concurrency()) add_on(fewer, c, beside_loops(program(fewer, k)));
      }
      return c;
    };
    s.rows.push_back({"cpu.nested." + name, work, n, make_all, quick});
  };
  add("fft", "Fourier transform of 2^17 complex numbers", 1 << 17, 64, nested_programs::fft{});
  add("bitonic_sort", "bitonic sort of 2^16 numbers", 1 << 16, 64, nested_programs::bitonic_sort{});
  add("closest_pair", "closest pair of 200,000 points", 200'000, 300,
      nested_programs::closest_pair{});
  add("nearest_k", "8 nearest of 2,000 points for each of 500", 2'000, 40,
      nested_programs::nearest_k{});
  add("barnes_hut", "potential of 10,000 bodies at each", 10'000, 100,
      nested_programs::barnes_hut{});
  add("random_mate", "components by random mate, 200,000 edges", 100'000, 100,
      nested_programs::random_mate{});
  add("awerbuch_shiloach", "components by hooking stars, 200,000 edges", 100'000, 100,
      nested_programs::awerbuch_shiloach{});
  add("independent_set", "Luby's maximal independent set, 300,000 edges", 100'000, 100,
      nested_programs::independent_set{});
  add("maximal_cliques", "number of maximal cliques, 20,000 edges", 2'000, 60,
      nested_programs::maximal_cliques{});
  add("triangles", "triangles of a graph with hubs, 200,000 edges", 20'000, 100,
      nested_programs::triangles{});
  add("shortest_paths", "shortest paths from one vertex, 200,000 edges", 50'000, 100,
      nested_programs::shortest_paths{});
  add("bfs", "breadth-first search, 400,000 edges", 100'000, 100, nested_programs::bfs{});
  add("bfs_of_path", "breadth-first search of a path of 16,000", 16'000, 100,
      nested_programs::bfs_of_path{});
  add("strassen", "Strassen's product of 256^2 f64, beside the definition", 256, 64,
      nested_programs::strassen{});
  add("product", "product of two 256^2 f64, each row by each column", 256, 16,
      nested_programs::product{});
  add("gauss_jordan", "2,000 systems of 16 equations", 2'000, 4, nested_programs::gauss_jordan{});
  add("conjugate_gradients", "30 rounds for a grid of 300^2", 300, 10,
      nested_programs::conjugate_gradients{});
  add("minimax", "tic-tac-toe to the end, from each first move", 9, 1, nested_programs::minimax{});
  add("edit_distance", "2,000 pairs of words of 50 to 150 letters", 2'000, 10,
      nested_programs::edit_distance{});
  add("mandelbrot", "Mandelbrot set, 256 rounds, 256^2 points", 256, 16,
      nested_programs::mandelbrot{});
  add("list_rank", "list of 2^19 nodes in random order", 1 << 19, 100,
      nested_programs::list_rank{});
  add("leaffix", "sums of subtrees, 2^18 nodes", 1 << 18, 100, nested_programs::leaffix{});
  add("suffix_array", "suffix array of 2^16 letters", 1 << 16, 100,
      nested_programs::suffix_array{});
  add("inverted_index", "inverted index of 10,000 documents of 100 words", 10'000, 20,
      nested_programs::inverted_index{});
  return s;
}

}  // namespace
}  // namespace ravel::bench::host

int main(int argc, char** argv) {
  using namespace ravel::bench::host;
  return run_suite(all, argc, argv);
}
