#pragma once

/// The greatest sum of consecutive elements, as a reduction of structs, and of another project.

#include <algorithm>
#include <cstdint>

namespace ravel::bench {

/// Of a sequence: its sum, and the greatest of a prefix, of a suffix and of any consecutive elements.
struct best_sum {
  std::int32_t all, prefix, suffix, best;
  friend bool operator==(best_sum const&, best_sum const&) = default;
};
struct join_best_sums {
  static constexpr best_sum identity() { return {0, 0, 0, 0}; }
  constexpr best_sum operator()(best_sum const& a, best_sum const& b) const {
    return {a.all + b.all, std::max(a.prefix, a.all + b.prefix),
            std::max(b.suffix, a.suffix + b.all),
            std::max(std::max(a.best, b.best), a.suffix + b.prefix)};
  }
};

namespace peers {

best_sum parlaylib_best_sum(best_sum const* first, best_sum const* last, int threads);

}  // namespace peers
}  // namespace ravel::bench
