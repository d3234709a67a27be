/// Radix sorts of keys of RAVEL_DEVICE_TYPE.

#include "archive.hpp"

#include <ravel/algorithms/radix_sort.hpp>

#include <cstdint>

namespace ravel::inline v0::detail::archive {

template <class K>
void sorts<K>::keys(gpu::executor const& ex, bool down, in<K> from, out<K> to) {
  if (down) {
    radix_sort(ex, from, to, descending);
  } else {
    radix_sort(ex, from, to);
  }
}
template <class K>
template <class V>
void sorts<K>::pairs(gpu::executor const& ex, bool down, in<K> keys, in<V> values, out<K> keys_to,
                     out<V> values_to) {
  if (down) {
    radix_sort_pairs(ex, keys, values, keys_to, values_to, descending);
  } else {
    radix_sort_pairs(ex, keys, values, keys_to, values_to);
  }
}

using key = RAVEL_DEVICE_TYPE;
template struct sorts<key>;
template void sorts<key>::pairs(gpu::executor const&, bool, in<key>, in<std::uint32_t>, out<key>,
                                out<std::uint32_t>);
template void sorts<key>::pairs(gpu::executor const&, bool, in<key>, in<std::uint64_t>, out<key>,
                                out<std::uint64_t>);

}  // namespace ravel::inline v0::detail::archive
