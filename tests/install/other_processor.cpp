/// What goes in vectors on the CPU, to be compiled for a processor that is not here.

#include <ravel/primitives/pack.hpp>
#include <ravel/primitives/reduce.hpp>
#include <ravel/primitives/scan.hpp>
#include <ravel/primitives/segmented_scan.hpp>

#include <ravel/core/cpu/executor.hpp>

#include <cstdint>
#include <vector>

int main() {
  using namespace ravel;
  std::vector<float> const in(1000, 1);
  std::vector<std::uint64_t> const heads(16);
  std::vector<index_t> const in_order(1000, 1);
  std::vector<float> out(1000);
  std::vector<index_t> sums(1000);
  cpu::threads const ex;

  inclusive_scan(ex, in, out);
  inclusive_scan(ex, in_order, sums, plus{}, of_order<2>);
  segmented_inclusive_scan(ex, in, by_head_bits(heads, 1000), out);
  filter(
      ex, in, [](float x) { return x > 0; }, out);
  return reduce_sync(ex, in_order) == 1000 ? 0 : 1;
}
