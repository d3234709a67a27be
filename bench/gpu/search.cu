/// Sorted search on the GPU, compared with Thrust.

#include "support/gpu.cuh"
#include "support/sorted_at_random.cuh"

#include <ravel/primitives/search.hpp>

#include <thrust/binary_search.h>
#include <thrust/execution_policy.h>

#include <cstdint>
#include <string>

namespace ravel::bench::on_gpu {
namespace {

/// Lower bounds of m random needles, sorted or not, in n random elements.
template <class T>
comparison search(gpu::executor const& ex, index_t n, index_t m, bool sorted) {
  using place = std::uint32_t;
  auto const haystack = sorted_at_random<T>(ex, n, 1);
  auto const needles = sorted ? sorted_at_random<T>(ex, m, 2) : generate<T>(ex, m, bits_of<T>{2});
  auto const out = allocate<place>(ex, m), expected = allocate<place>(ex, m);
  auto const by_thrust = [=](shared<place> const& to) {
    return [=] {
      thrust::lower_bound(thrust::cuda::par_nosync.on(ex.stream()), haystack->data(),
                          haystack->data() + n, needles->data(), needles->data() + m, to->data());
    };
  };
  by_thrust(expected)();
  auto const right = [=] {
    return all_equal(ex, m, out->data(), element<place>{expected->data()});
  };

  comparison c;
  c.bytes = double(m) * (sizeof(T) + sizeof(place));
  c.poison = poison(ex, out);
  add_ours(ex, c, right,
           [=](gpu::executor const& by) { ravel::lower_bound(by, *needles, *haystack, *out); });
  c.contenders.push_back({"peer:thrust", by_thrust(out), right});
  add_copies(ex, c);
  return c;
}

suite all(gpu::executor const& ex) {
  suite s = make_suite("gpu.search", ex);
  constexpr index_t many = index_t{1} << 26;
  auto const add = [&](std::string const& name, index_t m, auto make) {
    s.rows.push_back({"gpu.lower_bound." + name, "lower bounds of " + name, m, make});
  };
  auto const among = [=](index_t n, bool sorted) {
    return [=](index_t m) { return search<std::uint32_t>(ex, n, m, sorted); };
  };
  add("u32.random", many, among(many, false));
  add("u32.sorted", many, among(many, true));
  add("u32.random.in2^20", many, among(index_t{1} << 20, false));
  add("u32.random.2^20", index_t{1} << 20, among(index_t{1} << 20, false));
  add("u64.random", many, [=](index_t m) { return search<std::uint64_t>(ex, many, m, false); });
  return s;
}

}  // namespace
}  // namespace ravel::bench::on_gpu

int main(int argc, char** argv) {
  using namespace ravel::bench::on_gpu;
  return run_suite(all, argc, argv);
}
