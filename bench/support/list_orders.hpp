#pragma once

/// Linked lists for benchmarks, as functions of a rank.

#include "support/random.hpp"

#include <bit>
#include <cstdint>

namespace ravel::bench {

/// The node of each rank of one list: in memory order; with a stride, modulo n; or random.
struct list_order {
  enum kind { ordered, strided, random };
  kind what;
  index_t n;
  index_t stride = 1009;  // a prime that does not divide n

  RAVEL_HD index_t operator()(index_t rank) const {
    if (what == ordered) return rank;
    if (what == strided) return rank * stride % n;
    index_t i = rank;
    do {
      i = mixed(i);
    } while (i >= n);
    return i;
  }

 private:
  /// A permutation of the numbers with as many bits as n - 1.
  RAVEL_HD index_t mixed(index_t i) const {
    int bits = 1;
    while (index_t{1} << bits < n) ++bits;
    std::uint64_t const mask = (std::uint64_t{1} << bits) - 1;
    auto x = static_cast<std::uint64_t>(i);
    for (int round = 0; round < 4; ++round) {
      x = (x * 0x9E3779B97F4A7C15u + 0xD1B54A32D192ED03u) & mask;
      x ^= x >> (bits / 2 + 1);
    }
    return static_cast<index_t>(x);
  }
};

/// Writes the link of the node of each rank.
template <class Link>
struct write_link {
  list_order order;
  Link* next;
  RAVEL_HD void operator()(index_t rank) const {
    next[order(rank)] = static_cast<Link>(rank + 1 < order.n ? order(rank + 1) : -1);
  }
};

}  // namespace ravel::bench
