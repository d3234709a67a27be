/// The programs of the collections of NESL, Futhark and Data Parallel Haskell as nested programs on the GPU,
/// beside the same by all threads of the host.

#include "support/gpu.cuh"

#include <string>

namespace ravel::bench::nested_programs {

/// Of gpu/nested/on_device.cuh, in the other files of that folder.
template <class Program>
comparison on_device(gpu::executor const& ex, index_t n);

struct fft;
struct bitonic_sort;
struct closest_pair;
struct nearest_k;
struct barnes_hut;
struct random_mate;
struct awerbuch_shiloach;
struct independent_set;
struct maximal_cliques;
struct triangles;
struct shortest_paths;
struct bfs;
struct bfs_of_path;
struct strassen;
struct product;
struct gauss_jordan;
struct conjugate_gradients;
struct minimax;
struct edit_distance;
struct edit_distance_in_place;
struct mandelbrot;
struct list_rank;
struct leaffix;
struct suffix_array;
struct inverted_index;

suite all(gpu::executor const& ex) {
  suite s = on_gpu::make_suite("gpu.nested", ex);
  auto const add = [&](std::string const& name, std::string const& work, index_t n, index_t quick,
                       comparison (*make)(gpu::executor const&, index_t)) {
    s.rows.push_back(
        {"gpu.nested." + name, work, n, [=](index_t k) { return make(ex, k); }, quick});
  };
  add("fft", "Fourier transform of 2^23 complex numbers", 1 << 23, 64, on_device<fft>);
  add("bitonic_sort", "bitonic sort of 2^22 numbers", 1 << 22, 64, on_device<bitonic_sort>);
  add("closest_pair", "closest pair of 10^7 points", 10'000'000, 300, on_device<closest_pair>);
  add("nearest_k", "8 nearest of 20,000 points for each of 5,000", 20'000, 40,
      on_device<nearest_k>);
  add("barnes_hut", "potential of 200,000 bodies at each", 200'000, 100, on_device<barnes_hut>);
  add("random_mate", "components by random mate, 10^7 edges", 5'000'000, 100,
      on_device<random_mate>);
  add("awerbuch_shiloach", "components by hooking stars, 10^7 edges", 5'000'000, 100,
      on_device<awerbuch_shiloach>);
  add("independent_set", "Luby's maximal independent set, 10^7 edges", 3'333'333, 100,
      on_device<independent_set>);
  add("maximal_cliques", "number of maximal cliques, 200,000 edges", 20'000, 60,
      on_device<maximal_cliques>);
  add("triangles", "triangles of a graph with hubs, 400,000 edges", 40'000, 100,
      on_device<triangles>);
  add("shortest_paths", "shortest paths from one vertex, 4,000,000 edges", 1'000'000, 100,
      on_device<shortest_paths>);
  add("bfs", "breadth-first search, 10^7 edges", 2'500'000, 100, on_device<bfs>);
  add("bfs_of_path", "breadth-first search of a path of 2,000", 2'000, 100, on_device<bfs_of_path>);
  add("strassen", "Strassen's product of 1024^2 f64, beside the definition", 1024, 64,
      on_device<strassen>);
  add("product", "product of two 512^2 f64, each row by each column", 512, 16, on_device<product>);
  add("gauss_jordan", "40,000 systems of 16 equations", 40'000, 4, on_device<gauss_jordan>);
  add("conjugate_gradients", "30 rounds for a grid of 1500^2", 1500, 10,
      on_device<conjugate_gradients>);
  add("minimax", "tic-tac-toe to the end, from 100 first moves", 100, 1, on_device<minimax>);
  add("edit_distance", "100,000 pairs of words of 50 to 150 letters", 100'000, 10,
      on_device<edit_distance>);
  add("edit_distance.in_place", "100,000 pairs of words of 50 to 150 letters, a thread each",
      100'000, 10, on_device<edit_distance_in_place>);
  add("mandelbrot", "Mandelbrot set, 256 rounds, 3000^2 points", 3'000, 16, on_device<mandelbrot>);
  add("list_rank", "list of 2^23 nodes in random order", 1 << 23, 100, on_device<list_rank>);
  add("leaffix", "sums of subtrees, 2^23 nodes", 1 << 23, 100, on_device<leaffix>);
  add("suffix_array", "suffix array of 2^22 letters", 1 << 22, 100, on_device<suffix_array>);
  add("inverted_index", "inverted index of 100,000 documents of 100 words", 100'000, 20,
      on_device<inverted_index>);
  return s;
}

}  // namespace ravel::bench::nested_programs

int main(int argc, char** argv) {
  using namespace ravel::bench;
  return on_gpu::run_suite(nested_programs::all, argc, argv);
}
