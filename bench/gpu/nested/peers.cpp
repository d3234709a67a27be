#include "gpu/nested/peers.hpp"

#include "support/nested_on_host.hpp"
#include "support/nested_programs.hpp"

#include <ravel/core/cpu/executor.hpp>

#include <memory>
#include <string>

namespace ravel::bench::nested_programs {

template <class Program>
peers peers_of(index_t n) {
  cpu::threads const ex;
  auto const parts = Program{}(ex, n);
  auto const found = std::make_shared<decltype(parts.loop())>(parts.loop());
  auto on_host = host::beside_loops(parts, found);
  on_host.contenders.resize(1);
  on_host.contenders.front().name = "peer:" + std::to_string(ex.concurrency()) + " threads";
  return {on_host, {found->begin(), found->end()}};
}
template peers peers_of<fft>(index_t);
template peers peers_of<bitonic_sort>(index_t);
template peers peers_of<closest_pair>(index_t);
template peers peers_of<nearest_k>(index_t);
template peers peers_of<barnes_hut>(index_t);
template peers peers_of<random_mate>(index_t);
template peers peers_of<awerbuch_shiloach>(index_t);
template peers peers_of<independent_set>(index_t);
template peers peers_of<maximal_cliques>(index_t);
template peers peers_of<triangles>(index_t);
template peers peers_of<shortest_paths>(index_t);
template peers peers_of<bfs>(index_t);
template peers peers_of<bfs_of_path>(index_t);
template peers peers_of<strassen>(index_t);
template peers peers_of<product>(index_t);
template peers peers_of<gauss_jordan>(index_t);
template peers peers_of<conjugate_gradients>(index_t);
template peers peers_of<minimax>(index_t);
template peers peers_of<edit_distance>(index_t);
template peers peers_of<edit_distance_in_place>(index_t);
template peers peers_of<mandelbrot>(index_t);
template peers peers_of<list_rank>(index_t);
template peers peers_of<leaffix>(index_t);
template peers peers_of<suffix_array>(index_t);
template peers peers_of<inverted_index>(index_t);

}  // namespace ravel::bench::nested_programs
