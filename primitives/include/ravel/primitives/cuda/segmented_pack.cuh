#pragma once

/// Single-pass segmented pack on a device, with ballots that are stored for later rank queries.
///
/// The pack of cuda/pack_by_votes.cuh stores its ballots, a bit for each element, each with the
/// number kept before its 32 elements.  The number kept before any element, such as the begin of a
/// segment, is that number plus a popcount of the bits before it.
///
/// Source   Jacobson, "Space-efficient Static Trees and Graphs", FOCS 1989, for ranks by words and
///          sums.

#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/cuda/warp.cuh>
#include <ravel/primitives/cuda/pack_by_votes.cuh>
#include <ravel/primitives/segmented_pack/call.hpp>
#include <ravel/primitives/segmented_pack/cuda.hpp>

namespace ravel::inline v0::gpu {
namespace detail {

/// Stores the votes, and after them one that keeps no element.  Of a single segment it stores none, and
/// passes the begins itself.
template <class Begins>
struct store_votes {
  static constexpr bool keeps = true;
  vote* votes;  // null for a single segment
  index_t words;
  Begins begins;
  __device__ void operator()(index_t word, vote const& v) const {
    if (votes) votes[word] = v;
  }
  __device__ void total(std::uint32_t kept) const {
    if (votes) {
      votes[words] = {0, kept};
    } else {
      begins(0, 0);
      begins(1, index_t{kept});
    }
  }
};

template <class Segments, class Begins>
__global__ void __launch_bounds__(256)
    pass_begins_kernel(Segments segments, Begins begins, vote const* votes) {
  index_t const s = index_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (s > segments.count()) return;
  index_t const begin = segments.begin(s);
  vote const word = votes[begin / warp_size];
  unsigned const before = word.kept & ((1u << begin % warp_size) - 1);
  begins(s, static_cast<index_t>(word.ahead) + __popc(before));
}

}  // namespace detail

template <class Call>
void launch_form(segmented_pack_by_votes, executor const& ex, Call const& c) {
  using Segments = std::remove_const_t<decltype(c.segments)>;
  using Begins = std::remove_const_t<decltype(c.begins)>;
  bool const is_single = c.segments.count() == 1;
  index_t const words = div_up(c.n, warp_size);
  auto const votes = ex.template scratch<detail::vote>(is_single ? 0 : words + 1);
  detail::launch_pack_by_votes(ex, c.n, c.keep, c.visit,
                               detail::store_votes<Begins>{votes.data(), words, c.begins});
  if (is_single) return;
  ex.launch({c.segments.count() / 256 + 1, 256}, detail::pass_begins_kernel<Segments, Begins>,
            c.segments, c.begins, votes.data());
}

}  // namespace ravel::inline v0::gpu
