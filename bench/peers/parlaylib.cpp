#include "peers/best_sum.hpp"
#include "peers/sorts.hpp"

#include <parlay/primitives.h>
#include <parlay/slice.h>

#include <cstdlib>
#include <string>
#include <type_traits>

namespace ravel::bench::peers {
namespace {

/// ParlayLib makes its threads at its first call.
void set_threads(int threads) { setenv("PARLAY_NUM_THREADS", std::to_string(threads).c_str(), 0); }

}  // namespace

template <class T>
void parlaylib_sort(T* first, T* last, int threads) {
  set_threads(threads);
  if constexpr (std::is_integral_v<T>) {
    parlay::integer_sort_inplace(parlay::make_slice(first, last));
  } else {
    parlay::integer_sort_inplace(parlay::make_slice(first, last), [](T const& x) { return x.key; });
  }
}
void parlaylib_sort_by_halves(std::uint32_t* first, std::uint32_t* last, int threads) {
  set_threads(threads);
  parlay::sort_inplace(parlay::make_slice(first, last), by_halves());
}

best_sum parlaylib_best_sum(best_sum const* first, best_sum const* last, int threads) {
  set_threads(threads);
  return parlay::reduce(parlay::make_slice(first, last),
                        parlay::make_monoid(join_best_sums{}, join_best_sums::identity()));
}

template void parlaylib_sort(std::uint32_t*, std::uint32_t*, int);
template void parlaylib_sort(std::uint64_t*, std::uint64_t*, int);
template void parlaylib_sort(keyed*, keyed*, int);

}  // namespace ravel::bench::peers
