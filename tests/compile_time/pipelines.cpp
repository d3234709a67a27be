/// Pipelines of one to eight stages, by how much a compiler does for them.

#include <ravel/core/cpu/executor.hpp>
#include <ravel/pipelines/pipelines.hpp>

#include <vector>

namespace {

struct square {
  int operator()(int x) const { return x * x; }
};
struct is_even {
  bool operator()(int x) const { return x % 2 == 0; }
};
struct is_small {
  bool operator()(int x) const { return x < 100; }
};

template <class Pipeline>
ravel::index_t kept(Pipeline const& p) {
  return std::ssize(p | ravel::to_vector());
}

}  // namespace

ravel::index_t kept_by_all(ravel::cpu::threads const& ex, std::vector<int> const& in) {
  using namespace ravel;
  auto const p1 = on(ex, in) | map(square{});
  auto const p2 = p1 | inclusive_scan(plus{});
  auto const p3 = p2 | filter(is_even{});
  auto const p4 = p3 | map(square{});
  auto const p5 = p4 | drop(1);
  auto const p6 = p5 | map(square{});
  auto const p7 = p6 | exclusive_scan(maximum{});
  auto const p8 = p7 | filter(is_small{});
  return kept(p1) + kept(p2) + kept(p3) + kept(p4) + kept(p5) + kept(p6) + kept(p7) + kept(p8);
}
