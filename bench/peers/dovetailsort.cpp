#include "peers/sorts.hpp"

// DovetailSort has a changed copy of ParlayLib, beside which it is to be linked.
#define parlay dovetail
#include <parlay/integer_sort.h>
#include <parlay/slice.h>
#undef parlay

#include <cstdlib>
#include <string>
#include <type_traits>

namespace ravel::bench::peers {

template <class T>
void dovetail_sort(T* first, T* last, int threads) {
  setenv("PARLAY_NUM_THREADS", std::to_string(threads).c_str(), 0);  // read at the first call
  dovetail::integer_sort_inplace2(dovetail::make_slice(first, last), [](T const& x) {
    if constexpr (std::is_integral_v<T>) {
      return x;
    } else {
      return x.key;
    }
  });
}

template void dovetail_sort(std::uint32_t*, std::uint32_t*, int);
template void dovetail_sort(std::uint64_t*, std::uint64_t*, int);
template void dovetail_sort(keyed*, keyed*, int);

}  // namespace ravel::bench::peers
