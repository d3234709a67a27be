#pragma once

/// The programs of the collections of NESL, Futhark and Data Parallel Haskell with their inputs, and loops of
/// one thread that do the same.

#include "support/random.hpp"

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
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ravel::bench::nested_programs {

namespace serial = examples::serial;
using examples::serial::numbers;
using examples::serial::of;
using examples::serial::rows;

/// A nested program, which returns a sequence of numbers; a loop that returns a vector; and, if there is one,
/// another loop, which makes the rounds of the program.
template <class Program, class Loop, class... Rounds>
struct with_loops {
  Program program;
  Loop loop;
  std::tuple<Rounds...> rounds;

  with_loops(Program p, Loop l, Rounds... r) : program(p), loop(l), rounds(r...) {}
};

/// Whether x has the numbers of `wanted`, but for rounding.
template <class X, class T>
bool is_close(X const& x, std::vector<T> const& wanted) {
  auto const close = [](T a, T b) {
    auto const most = std::max(1.0, std::abs(static_cast<double>(b)));
    return a == b || std::abs(static_cast<double>(a) - static_cast<double>(b)) <= 1e-6 * most;
  };
  return std::equal(x.begin(), x.end(), wanted.begin(), wanted.end(), close);
}

inline index_t below(index_t i, index_t n) {
  return random_below(7, i, static_cast<std::uint64_t>(n));
}
inline double in_square(index_t i) { return static_cast<double>(below(i, 2'000'000)) / 1e6 - 1; }
template <class F>
auto vector_of(index_t n, F const& f) {
  std::vector<decltype(f(index_t{}))> all;
  for (index_t i = 0; i < n; ++i) all.push_back(f(i));
  return all;
}
inline serial::points some_points(index_t n) {
  return vector_of(n, [](index_t i) { return std::pair{in_square(2 * i), in_square(2 * i + 1)}; });
}
inline serial::edges some_edges(index_t vertices, index_t n) {
  return vector_of(n, [=](index_t i) {
    return std::pair{below(2 * i, vertices), below(2 * i + 1, vertices)};
  });
}
/// Undirected, without loops, neighbours ascending.
inline rows some_graph(index_t vertices, index_t n) {
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

struct fft {
  static auto input(index_t n) { return some_points(n); }

  template <class Ex>
  auto operator()(Ex const& ex, index_t n) const {
    auto const x = input(n);
    return with_loops(
        [=, in = from(ex, x)] {
          if constexpr (requires { ex.concurrency(); }) {
            if (ex.concurrency() < 4) return keep(fst(serially(examples::fft)(in)));
            return keep(fst(examples::fft_by_columns(in)));
          } else {
            return keep(fst(examples::fft(in)));
          }
        },
        [=] {
          serial::reals re;
          for (auto const& z : serial::fft(x)) re.push_back(z.first);
          return re;
        });
  }
};
struct bitonic_sort {
  template <class Ex>
  auto operator()(Ex const& ex, index_t n) const {
    auto const x = vector_of(n, [](index_t i) { return below(i, index_t{1} << 40); });
    return with_loops([in = from(ex, x)] { return examples::bitonic_sort(in); },
                      [=] { return serial::bitonic_sort(x); });
  }
};
struct closest_pair {
  template <class Ex>
  auto operator()(Ex const& ex, index_t n) const {
    auto const x = some_points(n);
    return with_loops([in = from(ex, x)] { return list(serially(examples::closest_pair)(in)); },
                      [=] { return serial::reals{serial::closest_pair(x)}; });
  }
};
struct nearest_k {
  template <class Ex>
  auto operator()(Ex const& ex, index_t n) const {
    auto const x = some_points(n);
    serial::points const queries(x.begin(), x.begin() + n / 4);
    return with_loops(
        [in = from(ex, x), q = from(ex, queries)] {
          return flatten(serially(examples::nearest_k)(q, in, index_t{8}));
        },
        [=] { return serial::nearest_k(queries, x, 8); });
  }
};
struct barnes_hut {
  template <class Ex>
  auto operator()(Ex const& ex, index_t n) const {
    auto const bodies = vector_of(n, [](index_t i) {
      return serial::body{in_square(2 * i), in_square(2 * i + 1), 1.0 + static_cast<double>(i % 3)};
    });
    return with_loops([in = from(ex, bodies)] { return examples::barnes_hut(in); },
                      [=] { return serial::barnes_hut(bodies); });
  }
};
struct random_mate {
  static auto input(index_t n) { return some_edges(n, 2 * n); }

  template <class Ex>
  auto operator()(Ex const& ex, index_t n) const {
    auto const edges = input(n);
    return with_loops(
        [in = from(ex, edges), k = from(ex, n)] { return examples::random_mate(k, in); },
        [=] { return serial::components(n, edges); },
        [=] {
          return serial::random_mate(n, edges, [](index_t round, index_t v) {
            return flattening::mixed_bits{}(round, v) % 2u == 0u;
          });
        });
  }
};
struct awerbuch_shiloach {
  template <class Ex>
  auto operator()(Ex const& ex, index_t n) const {
    auto const edges = some_edges(n, 2 * n);
    return with_loops(
        [in = from(ex, edges), k = from(ex, n)] { return examples::awerbuch_shiloach(k, in); },
        [=] { return serial::components(n, edges); },
        [=] { return serial::awerbuch_shiloach(n, edges); });
  }
};
struct independent_set {
  static auto input(index_t n) { return some_graph(n, 3 * n); }

  template <class Ex>
  auto operator()(Ex const& ex, index_t n) const {
    auto const graph = input(n);
    return with_loops(
        [in = from(ex, graph)] {
          return each(examples::independent_set(in), [](auto x) { return cast<int>(x); });
        },
        [=] {
          auto const set = serial::independent_set(
              graph, [](index_t v) { return flattening::mixed_bits{}(1, v); });
          return std::vector<int>(set.begin(), set.end());
        });
  }
};
struct maximal_cliques {
  template <class Ex>
  auto operator()(Ex const& ex, index_t n) const {
    auto const graph = some_graph(n, 10 * n);
    return with_loops(
        [in = from(ex, graph)] { return list(serially(examples::maximal_cliques, 2)(in)); },
        [=] { return numbers{serial::maximal_cliques(graph)}; });
  }
};
/// Vertex v has an edge to each multiple of v + 1.
struct triangles {
  static rows input(index_t n) {
    return vector_of(n, [=](index_t v) {
      numbers ends;
      for (index_t k = 2 * v + 1; k < n; k += v + 1) ends.push_back(k);
      return ends;
    });
  }

  template <class Ex>
  auto operator()(Ex const& ex, index_t n) const {
    auto const graph = input(n);
    return with_loops([in = from(ex, graph)] { return list(examples::triangles(in)); },
                      [=] { return numbers{serial::triangles(graph)}; });
  }
};
struct shortest_paths {
  static std::vector<serial::edges> input(index_t n) {
    std::vector<serial::edges> graph(static_cast<std::size_t>(n));
    index_t i = 0;
    for (auto const& [v, w] : some_edges(n, 4 * n)) of(graph, v).emplace_back(w, below(++i, 100));
    return graph;
  }

  template <class Ex>
  auto operator()(Ex const& ex, index_t n) const {
    auto const graph = input(n);
    return with_loops(
        [in = from(ex, graph), start = from(ex, index_t{0})] {
          return examples::shortest_paths(in, start);
        },
        [=] { return serial::shortest_paths(graph, 0); });
  }
};
struct bfs {
  static auto input(index_t n) { return some_graph(n, 4 * n); }

  template <class Ex>
  auto operator()(Ex const& ex, index_t n) const {
    auto const graph = input(n);
    return with_loops(
        [in = from(ex, graph), start = from(ex, index_t{0})] { return examples::bfs(in, start); },
        [=] { return serial::bfs(graph, 0); });
  }
};
struct bfs_of_path {
  static rows input(index_t n) {
    return vector_of(n, [=](index_t v) {
      return v == 0 ? numbers{1} : v + 1 == n ? numbers{v - 1} : numbers{v - 1, v + 1};
    });
  }

  template <class Ex>
  auto operator()(Ex const& ex, index_t n) const {
    auto const graph = input(n);
    return with_loops([in = from(ex, graph),
                       start = from(ex, index_t{0})] { return serially(examples::bfs)(in, start); },
                      [=] { return serial::bfs(graph, 0); },
                      [=] { return serial::bfs_by_rounds(graph, 0); });
  }
};
inline serial::matrix some_matrix(index_t first, index_t n, index_t width) {
  return vector_of(n, [=](index_t i) {
    return vector_of(width, [=](index_t k) { return in_square(first + i * width + k); });
  });
}
inline serial::reals elements_of_rows(serial::matrix const& rows) {
  serial::reals all;
  for (auto const& row : rows) all.insert(all.end(), row.begin(), row.end());
  return all;
}
struct strassen {
  template <class Ex>
  auto operator()(Ex const& ex, index_t n) const {
    auto const a = some_matrix(0, n, n), b = some_matrix(n * n, n, n);
    return with_loops(
        [x = from(ex, a), y = from(ex, b)] { return flatten(serially(examples::strassen)(x, y)); },
        [=] { return elements_of_rows(serial::product(a, b)); },
        [=] { return elements_of_rows(serial::strassen(a, b)); });
  }
};
struct product {
  template <class Ex>
  auto operator()(Ex const& ex, index_t n) const {
    auto const a = some_matrix(0, n, n), b = some_matrix(n * n, n, n);
    return with_loops(
        [x = from(ex, a), y = from(ex, b)] { return flatten(examples::product_of_rows(x, y)); },
        [=] { return elements_of_rows(serial::product(a, b)); });
  }
};
struct gauss_jordan {
  template <class Ex>
  auto operator()(Ex const& ex, index_t n) const {
    auto const systems = vector_of(n, [](index_t i) { return some_matrix(i * 16 * 17, 16, 17); });
    return with_loops(
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
};
struct conjugate_gradients {
  template <class Ex>
  auto operator()(Ex const& ex, index_t width) const {
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
    return with_loops([m = from(ex, a), y = from(ex, b),
                       k = from(ex, rounds)] { return examples::conjugate_gradients(m, y, k); },
                      [=] { return serial::conjugate_gradients(a, b, rounds); });
  }
};
/// The whole game from so many first moves.
struct minimax {
  template <class Ex>
  auto operator()(Ex const& ex, index_t n) const {
    auto const first = vector_of(n, [](index_t i) { return 1 << i % 9; });
    return with_loops(
        [in = from(ex, first)] {
          return each(in, [](auto other) { return serially(examples::minimax)(other * 0, other); });
        },
        [=] {
          std::vector<int> all;
          for (int const other : first) all.push_back(serial::minimax(0, other));
          return all;
        });
  }
};
template <class Ex, class F>
auto of_pairs_of_words(Ex const& ex, index_t n, F const& f) {
  auto const word = [](index_t i) {
    std::string all;
    for (index_t k = 0; k < 50 + below(i, 100); ++k) {
      all += static_cast<char>('a' + below(i + k, 4));
    }
    return all;
  };
  auto const a = vector_of(n, word), b = vector_of(n, [&](index_t i) { return word(i + n); });
  return with_loops([=, x = from(ex, a), y = from(ex, b)] { return each(x, y, f); },
                    [=] {
                      numbers all;
                      for (std::size_t i = 0; i < a.size(); ++i)
                        all.push_back(serial::edit_distance(a[i], b[i]));
                      return all;
                    });
}
struct edit_distance {
  template <class Ex>
  auto operator()(Ex const& ex, index_t n) const {
    return of_pairs_of_words(ex, n, serially(examples::edit_distance));
  }
};
struct edit_distance_in_place {
  template <class Ex>
  auto operator()(Ex const& ex, index_t n) const {
    return of_pairs_of_words(ex, n, examples::edit_distance_in_place);
  }
};
struct mandelbrot {
  template <class Ex>
  auto operator()(Ex const& ex, index_t width) const {
    index_t const n = width * width;
    double const step = 3.0 / double(width);
    auto const x = vector_of(n, [=](index_t i) { return -2 + step * double(i % width); });
    auto const y = vector_of(n, [=](index_t i) { return -1.5 + step * double(i / width); });
    return with_loops(
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
};
/// One list in random order.
struct list_rank {
  template <class Ex>
  auto operator()(Ex const& ex, index_t n) const {
    auto order = vector_of(n, [](index_t i) { return i; });
    for (index_t i = n - 1; i > 0; --i) std::swap(of(order, i), of(order, below(i, i + 1)));
    numbers next(order.size());
    for (index_t i = 0; i < n; ++i) of(next, of(order, i)) = of(order, std::min(i + 1, n - 1));
    return with_loops([in = from(ex, next)] { return examples::list_rank(in); },
                      [=] { return serial::list_rank(next); },
                      [=] { return serial::list_rank_by_doubling(next); });
  }
};
struct leaffix {
  template <class Ex>
  auto operator()(Ex const& ex, index_t n) const {
    auto const parent = vector_of(n, [](index_t i) { return i == 0 ? 0 : below(i, i); });
    auto const values = vector_of(n, [](index_t i) { return i % 10; });
    return with_loops([up = from(ex, parent),
                       x = from(ex, values)] { return serially(examples::leaffix, 1)(up, x); },
                      [=] { return serial::leaffix(parent, values); },
                      [=] { return serial::leaffix_by_doubling(parent, values); });
  }
};
struct suffix_array {
  static std::string input(index_t n) {
    std::string text;
    for (index_t i = 0; i < n; ++i) text += static_cast<char>('a' + below(i, 4));
    return text;
  }

  template <class Ex>
  auto operator()(Ex const& ex, index_t n) const {
    auto const text = input(n);
    return with_loops([in = from(ex, text)] { return examples::suffix_array(in); },
                      [=] { return serial::suffix_array(text); });
  }
};
struct inverted_index {
  template <class Ex>
  auto operator()(Ex const& ex, index_t n) const {
    auto const documents = vector_of(n, [](index_t d) {
      return vector_of(100, [=](index_t i) {
        index_t const k = below(d * 100 + i, 100);
        return k * k * 10 + below(d + 7 * i, 20);  // few words are frequent
      });
    });
    return with_loops(
        [in = from(ex, documents)] { return flatten(snd(examples::inverted_index(in))); },
        [=] {
          numbers all;
          for (auto const& [word, where] : serial::inverted_index(documents)) {
            all.insert(all.end(), where.begin(), where.end());
          }
          return all;
        });
  }
};

}  // namespace ravel::bench::nested_programs
