#include "algorithms.hpp"

#include <ravel/algorithms/quicksort.hpp>
#include <ravel/core/radix_key.hpp>
#include <ravel/primitives/map.hpp>

namespace ravel::examples {
namespace {

/// A number as an integer of the same order, or of the reverse, and its place.
template <class T>
struct row {
  radix_bits_t<T> key;
  std::int64_t place;
  RAVEL_HD friend bool operator<(row const& a, row const& b) { return a.key < b.key; }
};
template <class T>
struct write_row {
  T const* in;
  row<T>* rows;
  bool downward;
  RAVEL_HD void operator()(index_t i) const {
    auto const ascending = radix_key<T>::bits(in[i]);
    rows[i] = {static_cast<radix_bits_t<T>>(downward ? ~ascending : ascending), i};
  }
};
template <class T>
struct write_place {
  row<T> const* rows;
  std::int64_t* places;
  RAVEL_HD void operator()(index_t i) const { places[i] = rows[i].place; }
};

}  // namespace

template <class Backend, class T>
void quick_order(backend_executor const& ex, on_backend<T const> in, on_backend<std::int64_t> order,
                 bool downward) {
  auto const rows = ex.template allocate<row<T>>(in.size());
  for_each_index(ex, in.size(), write_row<T>{in.data(), rows.data(), downward});
  quicksort_sync(ex, rows, rows);
  for_each_index(ex, in.size(), write_place<T>{rows.data(), order.data()});
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
