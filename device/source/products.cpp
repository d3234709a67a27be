/// Products of sparse matrices of RAVEL_DEVICE_TYPE.

#include "archive.hpp"

#include <ravel/algorithms/spmv.hpp>

#include <cstdint>

namespace ravel::inline v0::detail::archive {

template <class T, class I>
void products<T, I>::spmv(gpu::executor const& ex, csr<in<I>, in<std::int32_t>, in<T>> const& a,
                          in<T> x, out<T> y) {
  ravel::spmv(ex, a, x, y);
}

template struct products<RAVEL_DEVICE_TYPE, std::int32_t>;
template struct products<RAVEL_DEVICE_TYPE, std::int64_t>;

}  // namespace ravel::inline v0::detail::archive
