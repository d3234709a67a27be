#pragma once

/// The primes below n: a sieve with the primes below its square root, found recursively.

#include <ravel/flatten/flatten.hpp>

#include <cmath>

namespace ravel::examples {

/// The least r with r r >= n.
struct ceil_sqrt {
  RAVEL_HD index_t operator()(index_t n) const {
    auto r = static_cast<index_t>(std::sqrt(static_cast<double>(n)));
    while (r * r > n) --r;
    while (r * r < n) ++r;
    return r;
  }
};

inline auto const primes = rec<nested<index_t>(index_t)>([](auto self, auto n) {
  return if_(
      n <= 2, [&] { return iota(n * 0); },
      [&] {
        auto const multiples =
            flat_each(self(lift(ceil_sqrt{})(n)), [&](auto p) { return range(2 * p, n, p); });
        auto const is_prime = write(dist(true, n), multiples, dist(false, len(multiples)));
        return drop(pack(iota(n), is_prime), 2);
      });
});

}  // namespace ravel::examples
