/// A program outside of the project, for a C++ compiler alone: a call of each family of ravel::device, on the
/// device if there is one.

#include <ravel/device/calls.hpp>

#include <cstdio>
#include <stdexcept>
#include <vector>

int main() try {
  using namespace ravel;
  using row = std::vector<float>;
  gpu::compiled_executor const ex;
  auto const in = to(ex, row{3, 1, 2, 4, 1, 5});
  auto const offsets = to(ex, std::vector{0, 3, 5, 5, 6});
  auto const columns = to(ex, std::vector{0, 1, 2, 0, 1, 2});
  auto const out = ex.allocate<float>(6), sums = ex.allocate<float>(4);

  inclusive_scan(ex, in, out, maximum{});
  bool right = to_host(ex, out) == row{3, 3, 3, 4, 4, 5};
  segmented_reduce(ex, in, by_offsets(offsets), sums);
  right &= to_host(ex, sums) == row{6, 5, 0, 5};
  radix_sort(ex, in, out);
  right &= to_host(ex, out) == row{1, 1, 2, 3, 4, 5};
  spmv(ex, csr{4, 6, view_of(offsets), view_of(columns), view_of(in)}, in, sums);
  right &= to_host(ex, sums) == row{14, 13, 0, 10};
  return right ? 0 : 1;
} catch (std::runtime_error const& e) {
  std::printf("there is no device, so this program only had to link: %s\n", e.what());
}
