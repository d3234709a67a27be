#include "peers/sorts.hpp"

#include <ips4o.hpp>

namespace ravel::bench::peers {
namespace {

/// A pool of its threads, which stay from call to call.
auto& pool(int threads) {
  static ips4o::StdThreadPool kept(threads);
  return kept;
}

template <class T, class Less>
void sort_by(T* first, T* last, Less less, int threads) {
  ips4o::parallel::sort(first, last, less, pool(threads));
}

}  // namespace

template <class T>
void ips4o_sort(T* first, T* last, int threads) {
  sort_by(first, last, std::less<>(), threads);
}
void ips4o_sort_by_halves(std::uint32_t* first, std::uint32_t* last, int threads) {
  sort_by(first, last, by_halves(), threads);
}

template void ips4o_sort(std::uint32_t*, std::uint32_t*, int);
template void ips4o_sort(std::uint64_t*, std::uint64_t*, int);
template void ips4o_sort(keyed*, keyed*, int);

}  // namespace ravel::bench::peers
