// must fail: from: the initial value is in a temporary
// must fail: total_to: the total goes to a temporary
// must fail: by_offsets: the offsets are a temporary
// must fail: offsets_to: the offsets go to a temporary
// must fail: parts: an output is a temporary
// must fail: counts_to: the counts go to a temporary
#include <ravel/core/segments.hpp>
#include <ravel/primitives/options.hpp>
#include <ravel/primitives/split.hpp>
#include <ravel/primitives/split_parts.hpp>

#include <vector>

int main() {
  using one = std::vector<int>;
  static_cast<void>(ravel::from(one(1)));
  static_cast<void>(ravel::total_to(one(1)));
  static_cast<void>(ravel::by_offsets(one(1)));
  static_cast<void>(ravel::offsets_to(one(1)));
  static_cast<void>(ravel::parts(one(1), one(1)));
  static_cast<void>(ravel::counts_to(one(1)));
}
