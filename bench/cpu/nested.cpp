/// The programs of the collections of NESL, Futhark and Data Parallel Haskell as nested programs,
/// beside loops of one thread that do the same.

#include "support/host.hpp"

#include <ravel/flatten/flatten.hpp>
#include <ravel/flatten/serial_body.hpp>

#include "nested/components.hpp"
#include "nested/games_and_words.hpp"
#include "nested/geometry.hpp"
#include "nested/graph.hpp"
#include "nested/lists_and_indices.hpp"
#include "nested/matrices.hpp"
#include "nested/serial/games_and_words.hpp"
#include "nested/serial/geometry.hpp"
#include "nested/serial/graphs.hpp"
#include "nested/serial/lists_and_indices.hpp"
#include "nested/serial/matrices.hpp"
#include "nested/serial/same_rounds.hpp"
#include "nested/serial/transforms.hpp"
#include "nested/transforms.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ravel::bench::host {
namespace {

namespace serial = examples::serial;
using examples::serial::numbers;
using examples::serial::of;
using examples::serial::rows;

/// Whether x has the numbers of `wanted`, but for rounding.
template <class X, class T>
bool is_close(X const& x, std::vector<T> const& wanted) {
  auto const close = [](T a, T b) {
    auto const most = std::max(1.0, std::abs(static_cast<double>(b)));
    return a == b || std::abs(static_cast<double>(a) - static_cast<double>(b)) <= 1e-6 * most;
  };
  return std::equal(x.begin(), x.end(), wanted.begin(), wanted.end(), close);
}
/// Adds a loop that returns a vector to the rows of c.
template <class Loop, class Wanted>
void add_loop(comparison& c, std::string const& name, Loop const& loop, Wanted const& wanted) {
  auto const looped = std::make_shared<decltype(loop())>();
  c.contenders.push_back(
      {"peer:" + name, [=] { *looped = loop(); }, [=] { return is_close(*looped, *wanted); }});
  c.poison = [=, before = c.poison] {
    before();
    looped->clear();
  };
}

/// A nested program, which returns a sequence of numbers, beside a loop that returns a vector; and,
/// if it is given, another loop, which makes the rounds of the program.
template <class Program, class Loop, class... Rounds>
comparison beside_loop(Program const& program, Loop const& loop, Rounds const&... rounds) {
  using result = decltype(elements(program()));
  auto const wanted = std::make_shared<decltype(loop())>(loop());
  auto const made = std::make_shared<std::optional<result>>();
  auto const ours = [=] { made->emplace(elements(program())); };
  comparison c;
  reset_stats();
  index_t const before = stats().bytes;
  ours();
  c.counters = {{"steps", static_cast<double>(stats().steps)},
                {"most_bytes", static_cast<double>(stats().most_bytes - before)}};
  c.poison = [=] { made->reset(); };
  c.contenders.push_back({"ours", ours, [=] { return is_close(**made, *wanted); }});
  add_loop(c, "loop, 1 thread", loop, wanted);
  (add_loop(c, "loop of the same rounds, 1 thread", rounds, wanted), ...);
  return c;
}

index_t below(index_t i, index_t n) { return random_below(7, i, static_cast<std::uint64_t>(n)); }
double in_square(index_t i) { return static_cast<double>(below(i, 2'000'000)) / 1e6 - 1; }
template <class F>
auto vector_of(index_t n, F const& f) {
  std::vector<decltype(f(index_t{}))> all;
  for (index_t i = 0; i < n; ++i) all.push_back(f(i));
  return all;
}
serial::points some_points(index_t n) {
  return vector_of(n, [](index_t i) { return std::pair{in_square(2 * i), in_square(2 * i + 1)}; });
}
serial::edges some_edges(index_t vertices, index_t n) {
  return vector_of(n, [=](index_t i) {
    return std::pair{below(2 * i, vertices), below(2 * i + 1, vertices)};
  });
}
/// Undirected, without loops, neighbours ascending.
rows some_graph(index_t vertices, index_t n) {
  rows graph(static_cast<std::size_t>(vertices));
  for (auto const& [v, w] : some_edges(vertices, n)) {
    if (v == w) continue;
    of(graph, v).push_back(w);
    of(graph, w).push_back(v);
  }
  for (auto& around : graph) {
    std::sort(around.begin(), around.end());
    around.erase(std::unique(around.begin(), around.end()), around.end());
  }
  return graph;
}

comparison fft(executor const& ex, index_t n) {
  auto const x = some_points(n);
  return beside_loop([in = from(ex, x)] { return keep(fst(serially(examples::fft, 3)(in))); },
                     [=] {
                       serial::reals re;
                       for (auto const& z : serial::fft(x)) re.push_back(z.first);
                       return re;
                     });
}
comparison bitonic_sort(executor const& ex, index_t n) {
  auto const x = vector_of(n, [](index_t i) { return below(i, index_t{1} << 40); });
  return beside_loop([in = from(ex, x)] { return examples::bitonic_sort(in); },
                     [=] { return serial::bitonic_sort(x); });
}
comparison closest_pair(executor const& ex, index_t n) {
  auto const x = some_points(n);
  return beside_loop([in = from(ex, x)] { return list(serially(examples::closest_pair)(in)); },
                     [=] { return serial::reals{serial::closest_pair(x)}; });
}
comparison nearest_k(executor const& ex, index_t n) {
  auto const x = some_points(n);
  serial::points const queries(x.begin(), x.begin() + n / 4);
  return beside_loop(
      [in = from(ex, x), q = from(ex, queries)] {
        return flatten(serially(examples::nearest_k)(q, in, index_t{8}));
      },
      [=] { return serial::nearest_k(queries, x, 8); });
}
comparison barnes_hut(executor const& ex, index_t n) {
  auto const bodies = vector_of(n, [](index_t i) {
    return serial::body{in_square(2 * i), in_square(2 * i + 1), 1.0 + static_cast<double>(i % 3)};
  });
  return beside_loop([in = from(ex, bodies)] { return serially(examples::barnes_hut)(in); },
                     [=] { return serial::barnes_hut(bodies); });
}
comparison random_mate(executor const& ex, index_t n) {
  auto const edges = some_edges(n, 2 * n);
  return beside_loop(
      [in = from(ex, edges), k = from(ex, n)] { return serially(examples::random_mate, 1)(k, in); },
      [=] { return serial::components(n, edges); },
      [=] {
        return serial::random_mate(n, edges, [](index_t round, index_t v) {
          return flattening::mixed_bits{}(round, v) % 2u == 0u;
        });
      });
}
comparison awerbuch_shiloach(executor const& ex, index_t n) {
  auto const edges = some_edges(n, 2 * n);
  return beside_loop(
      [in = from(ex, edges), k = from(ex, n)] { return examples::awerbuch_shiloach(k, in); },
      [=] { return serial::components(n, edges); },
      [=] { return serial::awerbuch_shiloach(n, edges); });
}
comparison independent_set(executor const& ex, index_t n) {
  auto const graph = some_graph(n, 3 * n);
  return beside_loop(
      [in = from(ex, graph)] {
        return each(examples::independent_set(in), [](auto x) { return cast<int>(x); });
      },
      [=] {
        auto const set = serial::independent_set(
            graph, [](index_t v) { return flattening::mixed_bits{}(1, v); });
        return std::vector<int>(set.begin(), set.end());
      });
}
comparison maximal_cliques(executor const& ex, index_t n) {
  auto const graph = some_graph(n, 10 * n);
  return beside_loop(
      [in = from(ex, graph)] { return list(serially(examples::maximal_cliques, 2)(in)); },
      [=] { return numbers{serial::maximal_cliques(graph)}; });
}
/// Vertex v has an edge to each multiple of v + 1.
comparison triangles(executor const& ex, index_t n) {
  auto const graph = vector_of(n, [=](index_t v) {
    numbers ends;
    for (index_t k = 2 * v + 1; k < n; k += v + 1) ends.push_back(k);
    return ends;
  });
  return beside_loop([in = from(ex, graph)] { return list(examples::triangles(in)); },
                     [=] { return numbers{serial::triangles(graph)}; });
}
comparison shortest_paths(executor const& ex, index_t n) {
  std::vector<serial::edges> graph(static_cast<std::size_t>(n));
  index_t i = 0;
  for (auto const& [v, w] : some_edges(n, 4 * n)) of(graph, v).emplace_back(w, below(++i, 100));
  return beside_loop([in = from(ex, graph),
                      start = from(ex, index_t{0})] { return examples::shortest_paths(in, start); },
                     [=] { return serial::shortest_paths(graph, 0); });
}
comparison bfs(executor const& ex, index_t n) {
  auto const graph = some_graph(n, 4 * n);
  return beside_loop(
      [in = from(ex, graph), start = from(ex, index_t{0})] { return examples::bfs(in, start); },
      [=] { return serial::bfs(graph, 0); });
}
comparison bfs_of_path(executor const& ex, index_t n) {
  auto const graph = vector_of(n, [=](index_t v) {
    return v == 0 ? numbers{1} : v + 1 == n ? numbers{v - 1} : numbers{v - 1, v + 1};
  });
  return beside_loop([in = from(ex, graph),
                      start = from(ex, index_t{0})] { return serially(examples::bfs)(in, start); },
                     [=] { return serial::bfs(graph, 0); },
                     [=] { return serial::bfs_by_rounds(graph, 0); });
}
serial::matrix some_matrix(index_t first, index_t n, index_t width) {
  return vector_of(n, [=](index_t i) {
    return vector_of(width, [=](index_t k) { return in_square(first + i * width + k); });
  });
}
serial::reals elements_of_rows(serial::matrix const& rows) {
  serial::reals all;
  for (auto const& row : rows) all.insert(all.end(), row.begin(), row.end());
  return all;
}
comparison strassen(executor const& ex, index_t n) {
  auto const a = some_matrix(0, n, n), b = some_matrix(n * n, n, n);
  return beside_loop(
      [x = from(ex, a), y = from(ex, b)] { return flatten(serially(examples::strassen)(x, y)); },
      [=] { return elements_of_rows(serial::product(a, b)); },
      [=] { return elements_of_rows(serial::strassen(a, b)); });
}
comparison product(executor const& ex, index_t n) {
  auto const a = some_matrix(0, n, n), b = some_matrix(n * n, n, n);
  return beside_loop(
      [x = from(ex, a), y = from(ex, b)] { return flatten(examples::product_of_rows(x, y)); },
      [=] { return elements_of_rows(serial::product(a, b)); });
}
comparison gauss_jordan(executor const& ex, index_t n) {
  auto const systems = vector_of(n, [](index_t i) { return some_matrix(i * 16 * 17, 16, 17); });
  return beside_loop(
      [in = from(ex, systems)] { return flatten(each(in, serially(examples::gauss_jordan))); },
      [=] {
        serial::reals all;
        for (auto const& system : systems) {
          auto const x = serial::gauss_jordan(system);
          all.insert(all.end(), x.begin(), x.end());
        }
        return all;
      });
}
comparison conjugate_gradients(executor const& ex, index_t width) {
  index_t const n = width * width, rounds = 30;
  auto const a = vector_of(n, [=](index_t i) {
    std::vector<std::pair<index_t, double>> row;
    index_t const x = i % width;
    if (i >= width) row.emplace_back(i - width, -1);
    if (x > 0) row.emplace_back(i - 1, -1);
    row.emplace_back(i, 5);
    if (x + 1 < width) row.emplace_back(i + 1, -1);
    if (i + width < n) row.emplace_back(i + width, -1);
    return row;
  });
  auto const b = vector_of(n, in_square);
  return beside_loop([m = from(ex, a), y = from(ex, b),
                      k = from(ex, rounds)] { return examples::conjugate_gradients(m, y, k); },
                     [=] { return serial::conjugate_gradients(a, b, rounds); });
}
/// The whole game from so many first moves.
comparison minimax(executor const& ex, index_t n) {
  auto const first = vector_of(n, [](index_t i) { return 1 << i % 9; });
  return beside_loop(
      [in = from(ex, first)] {
        return each(in, [](auto other) { return serially(examples::minimax)(other * 0, other); });
      },
      [=] {
        std::vector<int> all;
        for (int const other : first) all.push_back(serial::minimax(0, other));
        return all;
      });
}
comparison edit_distance(executor const& ex, index_t n) {
  auto const word = [](index_t i) {
    std::string all;
    for (index_t k = 0; k < 50 + below(i, 100); ++k)
      all += static_cast<char>('a' + below(i + k, 4));
    return all;
  };
  auto const a = vector_of(n, word), b = vector_of(n, [&](index_t i) { return word(i + n); });
  return beside_loop(
      [x = from(ex, a), y = from(ex, b)] { return each(x, y, serially(examples::edit_distance)); },
      [=] {
        numbers all;
        for (std::size_t i = 0; i < a.size(); ++i) all.push_back(serial::edit_distance(a[i], b[i]));
        return all;
      });
}
comparison mandelbrot(executor const& ex, index_t width) {
  index_t const n = width * width;
  double const step = 3.0 / double(width);
  auto const x = vector_of(n, [=](index_t i) { return -2 + step * double(i % width); });
  auto const y = vector_of(n, [=](index_t i) { return -1.5 + step * double(i / width); });
  return beside_loop(
      [re = from(ex, x), im = from(ex, y)] {
        return each(re, im, [](auto a, auto b) { return examples::mandelbrot(a, b, 256); });
      },
      [=] {
        std::vector<int> all;
        for (std::size_t i = 0; i < x.size(); ++i)
          all.push_back(serial::mandelbrot(x[i], y[i], 256));
        return all;
      });
}
/// One list in random order.
comparison list_rank(executor const& ex, index_t n) {
  auto order = vector_of(n, [](index_t i) { return i; });
  for (index_t i = n - 1; i > 0; --i) std::swap(of(order, i), of(order, below(i, i + 1)));
  numbers next(order.size());
  for (index_t i = 0; i < n; ++i) of(next, of(order, i)) = of(order, std::min(i + 1, n - 1));
  return beside_loop([in = from(ex, next)] { return examples::list_rank(in); },
                     [=] { return serial::list_rank(next); },
                     [=] { return serial::list_rank_by_doubling(next); });
}
comparison leaffix(executor const& ex, index_t n) {
  auto const parent = vector_of(n, [](index_t i) { return i == 0 ? 0 : below(i, i); });
  auto const values = vector_of(n, [](index_t i) { return i % 10; });
  return beside_loop([up = from(ex, parent),
                      x = from(ex, values)] { return serially(examples::leaffix, 1)(up, x); },
                     [=] { return serial::leaffix(parent, values); },
                     [=] { return serial::leaffix_by_doubling(parent, values); });
}
comparison suffix_array(executor const& ex, index_t n) {
  std::string text;
  for (index_t i = 0; i < n; ++i) text += static_cast<char>('a' + below(i, 4));
  return beside_loop([in = from(ex, text)] { return examples::suffix_array(in); },
                     [=] { return serial::suffix_array(text); });
}
comparison inverted_index(executor const& ex, index_t n) {
  auto const documents = vector_of(n, [](index_t d) {
    return vector_of(100, [=](index_t i) {
      index_t const k = below(d * 100 + i, 100);
      return k * k * 10 + below(d + 7 * i, 20);  // few words are frequent
    });
  });
  return beside_loop(
      [in = from(ex, documents)] { return flatten(snd(examples::inverted_index(in))); },
      [=] {
        numbers all;
        for (auto const& [word, where] : serial::inverted_index(documents)) {
          all.insert(all.end(), where.begin(), where.end());
        }
        return all;
      });
}

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

suite all(executor const& ex) {
  suite s = make_suite("cpu.nested", ex);
  auto const add = [&](std::string const& name, std::string const& work, index_t n, index_t quick,
                       comparison (*make)(executor const&, index_t)) {
    auto const make_all = [=](index_t k) {
      auto c = make(ex, k);
      for (int const count : {1, 4}) {
        if (count < ex.concurrency()) add_on(executor(count), c, make(executor(count), k));
      }
      return c;
    };
    s.rows.push_back({"cpu.nested." + name, work, n, make_all, quick});
  };
  add("fft", "Fourier transform of 2^17 complex numbers", 1 << 17, 64, fft);
  add("bitonic_sort", "bitonic sort of 2^16 numbers", 1 << 16, 64, bitonic_sort);
  add("closest_pair", "closest pair of 200,000 points", 200'000, 300, closest_pair);
  add("nearest_k", "8 nearest of 2,000 points for each of 500", 2'000, 40, nearest_k);
  add("barnes_hut", "potential of 10,000 bodies at each", 10'000, 100, barnes_hut);
  add("random_mate", "components by random mate, 200,000 edges", 100'000, 100, random_mate);
  add("awerbuch_shiloach", "components by hooking stars, 200,000 edges", 100'000, 100,
      awerbuch_shiloach);
  add("independent_set", "Luby's maximal independent set, 300,000 edges", 100'000, 100,
      independent_set);
  add("maximal_cliques", "number of maximal cliques, 20,000 edges", 2'000, 60, maximal_cliques);
  add("triangles", "triangles of a graph with hubs, 200,000 edges", 20'000, 100, triangles);
  add("shortest_paths", "shortest paths from one vertex, 200,000 edges", 50'000, 100,
      shortest_paths);
  add("bfs", "breadth-first search, 400,000 edges", 100'000, 100, bfs);
  add("bfs_of_path", "breadth-first search of a path of 16,000", 16'000, 100, bfs_of_path);
  add("strassen", "Strassen's product of 256^2 f64, beside the definition", 256, 64, strassen);
  add("product", "product of two 256^2 f64, each row by each column", 256, 16, product);
  add("gauss_jordan", "2,000 systems of 16 equations", 2'000, 4, gauss_jordan);
  add("conjugate_gradients", "30 rounds for a grid of 300^2", 300, 10, conjugate_gradients);
  add("minimax", "tic-tac-toe to the end, from each first move", 9, 1, minimax);
  add("edit_distance", "2,000 pairs of words of 50 to 150 letters", 2'000, 10, edit_distance);
  add("mandelbrot", "Mandelbrot set, 256 rounds, 256^2 points", 256, 16, mandelbrot);
  add("list_rank", "list of 2^19 nodes in random order", 1 << 19, 100, list_rank);
  add("leaffix", "sums of subtrees, 2^18 nodes", 1 << 18, 100, leaffix);
  add("suffix_array", "suffix array of 2^16 letters", 1 << 16, 100, suffix_array);
  add("inverted_index", "inverted index of 10,000 documents of 100 words", 10'000, 20,
      inverted_index);
  return s;
}

}  // namespace
}  // namespace ravel::bench::host

int main(int argc, char** argv) {
  using namespace ravel::bench::host;
  return run_suite(all, argc, argv);
}
