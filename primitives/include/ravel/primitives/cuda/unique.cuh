#pragma once

/// Unique of a long contiguous sequence on a device: a streamed pack of the elements that differ
/// from the preceding one.

#include <ravel/primitives/cuda/pack.cuh>
#include <ravel/primitives/pack/call.hpp>
#include <ravel/primitives/pack/cuda.hpp>

#include <cstddef>
#include <cstring>

namespace ravel::inline v0::gpu {
namespace detail {

/// Keeps values that differ from the preceding one; the stage also holds the value before the tile.
template <class In, class Eq, int Items, int Count>
struct kept_by_own_changes {
  static constexpr bool can = Count <= 32;
  static constexpr std::size_t bytes = bulk_alignment;
  ravel::detail::key_changes<In, Eq> changes;

  __device__ unsigned load(char* stage, index_t begin, int, barrier& landed) const {
    if (begin == 0) return 0;
    landed.copy(stage, changes.keys + begin - bulk_alignment / static_cast<int>(sizeof(In)),
                bulk_alignment);
    return bulk_alignment;
  }
  /// Element `first` of the sequence is kept, if it is not negative: it is compared with none.
  template <class Values>
  __device__ unsigned read(Values const& x, char const* staged, int k, int rest, int first) const {
    constexpr int width = static_cast<int>(sizeof(In));
    char const* const values = staged - bulk_alignment - Items * width;
    In before = x.get(0);
    if (first < 0) {
      std::memcpy(static_cast<void*>(&before),
                  (k > 0 ? values + k * Count * width : staged + bulk_alignment) - width, width);
    }
    unsigned kept = 0;
    auto const compare = [&](auto exists) {
#pragma unroll
      for (int i = 0; i < Count; ++i) {
        In const key = x.get(i);
        if (exists(i) && !changes.eq(before, key)) kept |= 1u << i;
        before = key;
      }
    };
    if (rest >= Count) {
      compare([](int) { return true; });
    } else {
      compare([&](int i) { return i < rest; });
    }
    return first < 0 ? kept : kept | 1u << first;
  }
};
template <scan_policy::shape Shape, class In, class Eq>
using changes_by_shape = kept_by_own_changes<In, Eq, Shape.threads * packed_by_thread<Shape, In>,
                                             packed_by_thread<Shape, In>>;

}  // namespace detail

template <class Call>
void launch_form(stream_pack_by_changes, executor const& ex, Call const& c) {
  using In = typename ravel::detail::visit_traits<decltype(c.visit)>::in;
  auto changes = c.keep.segments.begins;
  changes.keys -= detail::elements_before(changes.keys);
  constexpr auto shape = scan_policy::packed_by_size(sizeof(In));
  using kept = detail::changes_by_shape<shape, In, decltype(changes.eq)>;
  detail::stream_pack<kept, shape>(ex, c.n, c.visit, kept{changes}, c.total);
}

}  // namespace ravel::inline v0::gpu
