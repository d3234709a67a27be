#pragma once

/// A sorted sequence in shared memory as a complete binary tree in breadth-first order (Eytzinger
/// layout).
///
/// Lanes that search together probe neighbours on one level of the tree.  Those probes would
/// conflict in shared-memory banks in a sorted sequence, where they are a power of two apart.

#include <ravel/core/tile.hpp>

namespace ravel::inline v0::gpu::detail {

/// A tree of (1 << levels) - 1 elements: node 1 is the root, and nodes 2 k and 2 k + 1 are the
/// children of node k.
template <class T>
struct search_tree {
  T* nodes;
  int levels;

  /// Element j of the sequence is element(j).  Every thread of the block calls this.
  template <class Of>
  __device__ void fill(Of element) const {
    for (unsigned k = 1 + threadIdx.x; k < 1u << levels; k += blockDim.x) {
      int const level = 31 - __clz(static_cast<int>(k));
      unsigned const odd = 2 * (k - (1u << level)) + 1;
      nodes[k] = element(index_t{(odd << (levels - 1 - level)) - 1});
    }
    __syncthreads();
  }

  /// The number of elements, the first ones of the sequence, for which `holds` is true.  `holds`
  /// takes the number of a node.
  template <class Is>
  __device__ unsigned partition_point(Is const& holds) const {
    unsigned k = 1;
#pragma unroll 8
    for (int level = 0; level < levels; ++level) k = 2 * k + (holds(k) ? 1 : 0);
    return k - (1u << levels);
  }
};

}  // namespace ravel::inline v0::gpu::detail
