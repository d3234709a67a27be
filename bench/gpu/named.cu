/// Every named scan on the GPU, compared with the default one and CUB.

#include "support/scans.cuh"
#include "support/segments.cuh"

#include <ravel/primitives/scan_algorithm.hpp>

#include <cuda_fp16.h>
#include <cub/device/device_scan.cuh>
#include <cuda/std/functional>

#include <string>

namespace ravel::bench::on_gpu {
namespace {

template <class T>
comparison scan_by_each(gpu::executor const& ex, index_t n) {
  return prefix_sums<T>(ex, n, [=](comparison& c, auto in, auto out, auto const& right) {
    auto const add = [&](std::string const& name, auto... by) {
      c.contenders.push_back({name, [=] { inclusive_scan(ex, *in, *out, plus{}, by...); }, right});
    };
    add("ours");
    add("named:step_doubling", scan_algorithm::step_doubling);
    add("named:work_efficient", scan_algorithm::work_efficient);
    add("named:work_efficient_unpadded", scan_algorithm::work_efficient_unpadded);
    add("named:brent_kung", scan_algorithm::brent_kung);
    add("named:warp_hierarchical", scan_algorithm::warp_hierarchical);
    add("named:reduce_then_scan", scan_algorithm::reduce_then_scan);
    add("named:chained_cyclic", scan_algorithm::chained_cyclic);
    add("named:lightscan", scan_algorithm::lightscan);
    add("named:decoupled_look_back", scan_algorithm::decoupled_look_back);
    add("named:local_sums", scan_algorithm::local_sums);
    add("named:look_ahead", scan_algorithm::look_ahead);
    add_cub_scan(ex, c, in, out, right);
  });
}

comparison segmented_scan_by_each(gpu::executor const& ex, index_t n) {
  using T = std::int32_t;
  auto const s = std::make_shared<segments>(make_segments(ex, n, {lengths::about, 33, "len33"}));
  auto const in = generate<T>(ex, n, step_in_segment<T>{s->heads->data()});
  auto const out = allocate<T>(ex, n);
  auto const right = [=] { return all_equal(ex, n, out->data(), reached<T>{}); };
  auto const scan = [=](auto... by) {
    segmented_inclusive_scan(ex, *in, by_head_bits(*s->bits, s->n), *out, plus{}, by...);
  };

  comparison c;
  c.bytes = 8.0 * double(n) + double(n) / 8;
  c.poison = poison(ex, out);
  c.contenders.push_back({"ours", [=] { scan(); }, right});
  c.contenders.push_back(
      {"named:operator_transform", [=] { scan(segmented_algorithm::operator_transform); }, right});
  c.contenders.push_back({"named:mindex", [=] { scan(segmented_algorithm::mindex); }, right});
  c.contenders.push_back({"peer:cub by key",
                          with_scratch(ex,
                                       [=](void* scratch, std::size_t& bytes) {
                                         return cub::DeviceScan::InclusiveSumByKey(
                                             scratch, bytes, s->keys->data(), in->data(),
                                             out->data(), n, ::cuda::std::equal_to<>{},
                                             ex.stream());
                                       }),
                          right});
  add_copies(ex, c);
  return c;
}

/// Sizes that are powers of two and of ten.
template <class T>
void add_scans(suite& s, gpu::executor const& ex, std::string const& type,
               std::string const& of_type = {}) {
  auto const add = [&](index_t n, std::string const& size) {
    s.rows.push_back({"gpu.named.scan" + of_type + '.' + size, "inclusive scan " + type, n,
                      [ex](index_t m) { return scan_by_each<T>(ex, m); }});
  };
  for (int const log : {10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 31}) {
    add(index_t{1} << log, "2^" + std::to_string(log));
  }
  index_t n = 1000;
  for (int log = 3; log <= 9; ++log, n *= 10) add(n, "10^" + std::to_string(log));
}

suite all(gpu::executor const& ex) {
  suite s = make_suite("gpu.named", ex);
  add_scans<std::int32_t>(s, ex, "i32");
#ifdef RAVEL_BENCH_ALL
  add_scans<std::int8_t>(s, ex, "i8", ".i8");
  add_scans<std::int16_t>(s, ex, "i16", ".i16");
  add_scans<std::int64_t>(s, ex, "i64", ".i64");
  add_scans<__half>(s, ex, "f16", ".f16");
  add_scans<float>(s, ex, "f32", ".f32");
  add_scans<double>(s, ex, "f64", ".f64");
#endif
  for (int const log : {12, 14, 16, 18, 20, 22, 24, 26, 28}) {
    s.rows.push_back({"gpu.named.segmented_scan.2^" + std::to_string(log),
                      "segmented scan i32 by bits, mean length 33", index_t{1} << log,
                      [ex](index_t n) { return segmented_scan_by_each(ex, n); }});
  }
  return s;
}

}  // namespace
}  // namespace ravel::bench::on_gpu

// At this scope to show that it compiles beside CUB: nvcc's own code says `cuda::` unqualified.
using namespace ravel;

int main(int argc, char** argv) {
  using namespace ravel::bench::on_gpu;
  return run_suite(all, argc, argv);
}
