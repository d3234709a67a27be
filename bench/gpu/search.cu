/// Searches on the GPU, of sorted sequences and for the first match, compared with Thrust.

#include "support/gpu.cuh"
#include "support/sorted_at_random.cuh"

#include <ravel/primitives/find_first.hpp>
#include <ravel/primitives/search.hpp>

#include <thrust/binary_search.h>
#include <thrust/execution_policy.h>
#include <thrust/find.h>

#include <algorithm>
#include <cstdint>
#include <memory>
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

/// Zeros up to element `at`, and ones from there on.
struct one_from {
  index_t at;
  RAVEL_HD std::uint32_t operator()(index_t i) const { return i >= at ? 1 : 0; }
};
struct is_one {
  RAVEL_HD bool operator()(std::uint32_t x) const { return x == 1; }
};
struct place {
  index_t at;
  RAVEL_HD index_t operator()(index_t) const { return at; }
};
comparison first(gpu::executor const& ex, index_t n, index_t at) {
  auto const in = generate<std::uint32_t>(ex, n, one_from{at});
  auto const out = allocate<index_t>(ex, 1);
  auto const right = [=] { return all_equal(ex, 1, out->data(), place{at}); };
  auto const found = std::make_shared<index_t>();

  comparison c;
  c.bytes = 4.0 * double(std::max<index_t>(at, 1));
  c.poison = poison(ex, out);
  add_ours(ex, c, right,
           [=](gpu::executor const& by) { ravel::find_first(by, *in, is_one{}, *out); });
  c.contenders.push_back({"peer:thrust",
                          [=] {
                            auto const* const data = in->data();
                            *found = thrust::find_if(thrust::cuda::par.on(ex.stream()), data,
                                                     data + n, is_one{}) -
                                     data;
                          },
                          [=] { return *found == at; }});
  add_read(ex, c);
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
  auto const add_first = [&](std::string const& where, std::string const& work, auto at) {
    s.rows.push_back({"gpu.find_first.u32." + where, "first match of u32, " + work,
                      index_t{1} << 28, [=](index_t n) { return first(ex, n, at(n)); }});
  };
  add_first("1", "at 1 %", [](index_t n) { return n / 100; });
  add_first("50", "at half", [](index_t n) { return n / 2; });
  add_first("none", "of none", [](index_t n) { return n; });
  add("u64.random", many, [=](index_t m) { return search<std::uint64_t>(ex, many, m, false); });
  return s;
}

}  // namespace
}  // namespace ravel::bench::on_gpu

int main(int argc, char** argv) {
  using namespace ravel::bench::on_gpu;
  return run_suite(all, argc, argv);
}
