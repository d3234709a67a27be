/// Pipelines on the GPU, compared with a sequence of CUB's algorithms, and those of one and two
/// stages with the equivalent primitive.

#include "support/fusions.hpp"
#include "support/gpu.cuh"

#include <ravel/pipelines/pipelines.hpp>

#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>

#include <concepts>
#include <memory>
#include <optional>
#include <string>

namespace ravel::bench::on_gpu {
namespace {

using fusions::divisible_by_3;
using fusions::T;
using fusions::twice_and_one;

struct add {
  RAVEL_HD T operator()(T x, T y) const { return x + y; }
};

/// map, inclusive scan, and a filter that keeps a third.
comparison map_scan_filter(gpu::executor const& ex, index_t n) {
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
  auto const found = std::make_shared<std::optional<deferred<gpu::executor, index_t>>>();

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

/// Compares a pipeline with the equivalent primitive: ours(in, out) returns a number, a deferred
/// result or a value; by_hand(in, out, count) writes it first.
template <class Ours, class ByHand>
comparison beside_primitive(gpu::executor const& ex, index_t n, Ours ours, ByHand by_hand) {
  auto const in = generate<T>(ex, n, reached<T>{});
  auto const out = allocate<T>(ex, n);
  auto const expected = allocate<T>(ex, n);
  auto const count = allocate<index_t>(ex, 1);
  using Made = decltype(ours(view_of(*in), view_of(*out)));
  auto const found = std::make_shared<std::optional<Made>>();
  auto const run_ours = [=] { found->emplace(ours(view_of(*in), view_of(*out))); };
  auto const run_by_hand = [=](shared<T> const& to) {
    by_hand(view_of(*in), view_of(*to), view_of(*count));
  };
  run_by_hand(expected);
  run_ours();
  index_t made = 1;
  if constexpr (std::integral<Made>) {
    made = **found;
  } else if constexpr (std::same_as<Made, deferred<gpu::executor, index_t>>) {
    made = at_sync(ex, *count);
  }
  auto const right = [=] { return all_equal(ex, made, out->data(), element<T>{expected->data()}); };
  comparison c;
  c.bytes = 4.0 * double(n + made);
  c.poison = poison(ex, out);
  c.contenders.push_back({"ours", run_ours, [=] {
                            if constexpr (std::same_as<Made, deferred<gpu::executor, T>>) {
                              return (*found)->get() == at_sync(ex, *expected);
                            } else if constexpr (std::integral<Made>) {
                              return **found == made && right();
                            } else {
                              return (*found)->get() == made && right();
                            }
                          }});
  c.contenders.push_back({"peer:the primitive", [=] { run_by_hand(out); }, right});
  add_copies(ex, c);
  return c;
}

suite all(gpu::executor const& ex) {
  suite s = make_suite("gpu.pipeline", ex);
  index_t const n = index_t{1} << 28;
  s.rows.push_back({"gpu.pipeline.map_scan_filter", "map, scan, filter u32, a third kept", n,
                    [=](index_t m) { return map_scan_filter(ex, m); }});
  auto const add = [&](char const* name, auto ours, auto by_hand) {
    s.rows.push_back({std::string("gpu.pipeline.") + name, std::string(name) + " u32", n,
                      [=](index_t m) { return beside_primitive(ex, m, ours, by_hand); }});
  };
  fusions::each_of_one_stage(ex, add);
  fusions::each_of_two_stages(ex, add);
  return s;
}

}  // namespace
}  // namespace ravel::bench::on_gpu

int main(int argc, char** argv) {
  using namespace ravel::bench::on_gpu;
  return run_suite(all, argc, argv);
}
