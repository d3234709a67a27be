#include "peers/sorts.hpp"

#define XSS_USE_OPENMP  // tasks, from 100,000 keys on
#include <src/x86simdsort-static-incl.h>

#include <cstddef>

namespace ravel::bench::peers {

template <class T>
void x86_simd_sort(T* first, T* last, int) {
  x86simdsortStatic::qsort(first, static_cast<std::size_t>(last - first));
}

template void x86_simd_sort(std::uint32_t*, std::uint32_t*, int);
template void x86_simd_sort(std::uint64_t*, std::uint64_t*, int);

}  // namespace ravel::bench::peers
