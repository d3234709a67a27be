/// Pipelines on the GPU, beside CUB's algorithms one after the other, and beside the
/// primitives that they are calls of.

#include "support/gpu.cuh"

#include <ravel/pipelines/pipelines.hpp>

#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>

#include <memory>
#include <optional>

namespace ravel::bench::gpu {
namespace {

using T = std::uint32_t;

struct twice_and_one {
  RAVEL_HD T operator()(T x) const { return 2 * x + 1; }
};
struct divisible_by_3 {
  RAVEL_HD bool operator()(T x) const { return x % 3 == 0; }
};
struct add {
  RAVEL_HD T operator()(T x, T y) const { return x + y; }
};

/// map, inclusive scan, and a filter that keeps a third.
comparison map_scan_filter(cuda::executor const& ex, index_t n) {
  auto const in = generate<T>(ex, n, reached<T>{});
  auto const scanned = allocate<T>(ex, n);
  auto const out = allocate<T>(ex, n);
  auto const expected = allocate<T>(ex, n);
  auto const count = allocate<index_t>(ex, 1);
  auto const mapped = thrust::make_transform_iterator(in->data(), twice_and_one{});
  auto const scan = with_scratch(ex, [=](void* scratch, std::size_t& bytes) {
    return cub::DeviceScan::InclusiveScan(scratch, bytes, mapped, scanned->data(), add{}, n,
                                          ex.stream());
  });
  auto const filter_to = [=](shared<T> const& to) {
    return with_scratch(ex, [=](void* scratch, std::size_t& bytes) {
      return cub::DeviceSelect::If(scratch, bytes, scanned->data(), to->data(), count->data(), n,
                                   divisible_by_3{}, ex.stream());
    });
  };
  scan();
  filter_to(expected)();
  index_t const kept = at_sync(ex, *count);
  auto const right = [=] {
    return at_sync(ex, *count) == kept &&
           all_equal(ex, kept, out->data(), element<T>{expected->data()});
  };
  auto const found = std::make_shared<std::optional<deferred<cuda::executor, index_t>>>();

  comparison c;
  c.bytes = 4.0 * double(n + kept);
  c.poison = poison(ex, out, count);
  auto const stages = map(twice_and_one{}) | inclusive_scan(plus{}) | filter(divisible_by_3{});
  c.contenders.push_back({"ours", [=] { found->emplace(on(ex, *in) | stages | into(*out)); },
                          [=] {
                            return (*found)->get() == kept &&
                                   all_equal(ex, kept, out->data(), element<T>{expected->data()});
                          }});
  auto const select = filter_to(out);
  c.contenders.push_back({"peer:cub",
                          [=] {
                            scan();
                            select();
                          },
                          right});
  add_copies(ex, c);
  return c;
}

/// One stage, beside the call of the primitive that it is.
comparison one_stage(cuda::executor const& ex, index_t n) {
  auto const in = generate<T>(ex, n, step<T>{});
  auto const out = allocate<T>(ex, n);
  auto const right = [=] { return all_equal(ex, n, out->data(), reached<T>{}); };
  comparison c;
  c.bytes = 8.0 * double(n);
  c.poison = poison(ex, out);
  c.contenders.push_back(
      {"ours", [=] { on(ex, *in) | inclusive_scan(plus{}) | into(*out); }, right});
  c.contenders.push_back({"peer:the primitive", [=] { inclusive_scan(ex, *in, *out); }, right});
  add_copies(ex, c);
  return c;
}

struct read_mapped {
  T const* from;
  RAVEL_HD T operator()(index_t i) const { return twice_and_one{}(from[i]); }
};
struct zero {
  RAVEL_HD T operator()() const { return 0; }
};
struct write_sum {
  static constexpr bool only_through = true;
  T* to;
  RAVEL_HD void operator()(index_t i, T, T through) const { to[i] = through; }
};

struct write_mapped_sum {
  static constexpr bool only_through = true;
  T* to;
  RAVEL_HD void operator()(index_t i, T, T through) const { to[i] = twice_and_one{}(through); }
};

/// Two stages, beside the primitive with one of them written by hand into its load or visit:
/// by_hand(in, out).
template <class Stages, class ByHand>
comparison two_stages(cuda::executor const& ex, index_t n, Stages stages, ByHand by_hand) {
  auto const in = generate<T>(ex, n, reached<T>{});
  auto const out = allocate<T>(ex, n);
  auto const expected = allocate<T>(ex, n);
  by_hand(in->data(), expected->data());
  auto const right = [=] { return all_equal(ex, n, out->data(), element<T>{expected->data()}); };
  comparison c;
  c.bytes = 8.0 * double(n);
  c.poison = poison(ex, out);
  c.contenders.push_back({"ours", [=] { on(ex, *in) | stages | into(*out); }, right});
  c.contenders.push_back({"peer:the primitive", [=] { by_hand(in->data(), out->data()); }, right});
  add_copies(ex, c);
  return c;
}

comparison map_scan(cuda::executor const& ex, index_t n) {
  return two_stages(ex, n, map(twice_and_one{}) | inclusive_scan(plus{}), [=](T const* in, T* out) {
    scan_on(ex, n, read_mapped{in}, write_sum{out}, plus<T>{}, zero{}, detail::no_total{});
  });
}
comparison scan_map(cuda::executor const& ex, index_t n) {
  return two_stages(ex, n, inclusive_scan(plus{}) | map(twice_and_one{}), [=](T const* in, T* out) {
    scan_on(ex, n, element<T>{in}, write_mapped_sum{out}, plus<T>{}, zero{}, detail::no_total{});
  });
}

suite all(cuda::executor const& ex) {
  suite s = make_suite("gpu.pipeline", ex);
  index_t const n = index_t{1} << 28;
  s.rows.push_back({"gpu.pipeline.map_scan_filter", "map, scan, filter u32, a third kept", n,
                    [=](index_t m) { return map_scan_filter(ex, m); }});
  s.rows.push_back(
      {"gpu.pipeline.scan", "scan u32", n, [=](index_t m) { return one_stage(ex, m); }});
  s.rows.push_back(
      {"gpu.pipeline.map_scan", "map, scan u32", n, [=](index_t m) { return map_scan(ex, m); }});
  s.rows.push_back(
      {"gpu.pipeline.scan_map", "scan, map u32", n, [=](index_t m) { return scan_map(ex, m); }});
  return s;
}

}  // namespace
}  // namespace ravel::bench::gpu

int main(int argc, char** argv) {
  using namespace ravel::bench::gpu;
  return run_suite(all, argc, argv);
}
