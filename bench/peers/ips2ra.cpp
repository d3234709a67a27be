#include "peers/sorts.hpp"

#include <ips2ra.hpp>

#include <type_traits>

namespace ravel::bench::peers {
namespace {

/// A pool of its threads, which stay from call to call.
auto& pool(int threads) {
  static ips2ra::StdThreadPool kept(threads);
  return kept;
}

}  // namespace

template <class T>
void ips2ra_sort(T* first, T* last, int threads) {
  ips2ra::parallel::sort(
      first, last,
      [](T const& x) {
        if constexpr (std::is_integral_v<T>) {
          return x;
        } else {
          return x.key;
        }
      },
      pool(threads));
}

template void ips2ra_sort(std::uint32_t*, std::uint32_t*, int);
template void ips2ra_sort(std::uint64_t*, std::uint64_t*, int);
template void ips2ra_sort(keyed*, keyed*, int);

}  // namespace ravel::bench::peers
