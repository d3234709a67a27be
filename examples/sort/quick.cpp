#include "algorithms.hpp"
#include "quicksort.hpp"

#include <ravel/core/radix_key.hpp>
#include <ravel/flatten/flatten.hpp>
#include <ravel/primitives/iota.hpp>
#include <ravel/primitives/map.hpp>

namespace ravel::examples {
namespace {

/// A number as an integer of the same order, or of the reverse.
template <class T>
struct write_bits {
  T const* in;
  radix_bits_t<T>* bits;
  bool downward;
  RAVEL_HD void operator()(index_t i) const {
    auto const ascending = radix_key<T>::bits(in[i]);
    bits[i] = static_cast<radix_bits_t<T>>(downward ? ~ascending : ascending);
  }
};

}  // namespace

template <class Backend, class T>
void quick_order(backend_executor const& ex, on_backend<T const> in, on_backend<std::int64_t> order,
                 bool downward) {
  using U = radix_bits_t<T>;
  auto const bits = ex.template allocate<U>(in.size());
  auto const places = ex.template allocate<std::int64_t>(in.size());
  for_each_index(ex, in.size(), write_bits<T>{in.data(), bits.data(), downward});
  iota(ex, places);
  auto const sorted = quicksort_rows<U, std::int64_t>(zip(borrow(ex, bits), borrow(ex, places)));
  auto const found = elements(get<1>(sorted));
  ex.copy(found.data(), order.data(), order.size());
}

#define RAVEL_QUICK_ORDER(T)                                                       \
  template void quick_order<backend>(backend_executor const&, on_backend<T const>, \
                                     on_backend<std::int64_t>, bool);
RAVEL_QUICK_ORDER(std::uint32_t)
RAVEL_QUICK_ORDER(std::uint64_t)
RAVEL_QUICK_ORDER(std::int32_t)
RAVEL_QUICK_ORDER(std::int64_t)
RAVEL_QUICK_ORDER(float)
RAVEL_QUICK_ORDER(double)

}  // namespace ravel::examples
