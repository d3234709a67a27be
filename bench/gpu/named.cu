/// Every named scan on the GPU, compared with the default one and CUB.

#include "support/multiprocessors.cuh"
#include "support/scans.cuh"
#include "support/segments.cuh"

#include <ravel/primitives/scan_algorithm.hpp>

#include <cuda_fp16.h>
#include <cub/device/device_scan.cuh>
#include <cuda/std/functional>

#include <functional>
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
    if (n <= index_t{1} << 20) add("named:naive", scan_algorithm::naive);
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

/// The three kernels of `warp_hierarchical`, on some of the multiprocessors.
comparison scan_by_multiprocessors(gpu::executor const& ex, index_t n) {
  using T = std::int32_t;
  return prefix_sums<T>(ex, n, [=](comparison& c, auto in, auto out, auto const& right) {
    auto const scan = [=](gpu::executor const& on, auto... by) {
      inclusive_scan(on, *in, *out, plus{}, by...);
    };
    c.contenders.push_back({"ours", [=] { scan(ex); }, right});
    auto const named = [=](auto const& on) { scan(on, scan_algorithm::warp_hierarchical); };
    c.contenders.push_back({"named:warp_hierarchical", [=] { named(ex); }, right});
    add_scaling(ex, c, right, named);
  });
}

/// The inputs of segmented scans: values of which each prefix within a segment is known.
struct scanned_segments {
  std::shared_ptr<segments> s;
  shared<std::int32_t> in, out;
  comparison c;
  std::function<bool()> right;

  scanned_segments(gpu::executor const& ex, index_t n, lengths const& l)
      : s(std::make_shared<segments>(make_segments(ex, n, l))),
        in(generate<std::int32_t>(ex, n, step_in_segment<std::int32_t>{s->heads->data()})),
        out(allocate<std::int32_t>(ex, n)),
        c{8.0 * double(n) + double(n) / 8, 0, {}, poison(ex, out)},
        right([ex, n, out = out] {
          return all_equal(ex, n, out->data(), reached<std::int32_t>{});
        }) {}
  auto scan() const {
    return [s = s, in = in, out = out](gpu::executor const& on, auto... by) {
      segmented_inclusive_scan(on, *in, by_head_bits(*s->bits, s->n), *out, plus{}, by...);
    };
  }
};

comparison segmented_scan_by_multiprocessors(gpu::executor const& ex, index_t n) {
  scanned_segments x(ex, n, {lengths::about, 33, "len33"});
  auto const scan = x.scan();
  auto const named = [=](auto const& on) { scan(on, segmented_algorithm::mindex); };
  x.c.contenders.push_back({"ours", [=] { scan(ex); }, x.right});
  x.c.contenders.push_back({"named:mindex", [=] { named(ex); }, x.right});
  add_scaling(ex, x.c, x.right, named);
  add_copies(ex, x.c);
  return x.c;
}

comparison segmented_scan_by_each(gpu::executor const& ex, index_t n, lengths const& l) {
  scanned_segments x(ex, n, l);
  auto const scan = x.scan();
  auto& c = x.c;
  c.contenders.push_back({"ours", [=] { scan(ex); }, x.right});
  c.contenders.push_back({"named:operator_transform",
                          [=] { scan(ex, segmented_algorithm::operator_transform); }, x.right});
  c.contenders.push_back({"named:mindex", [=] { scan(ex, segmented_algorithm::mindex); }, x.right});
  c.contenders.push_back(
      {"peer:cub by key",
       with_scratch(ex,
                    [=, s = x.s, in = x.in, out = x.out](void* scratch, std::size_t& bytes) {
                      return cub::DeviceScan::InclusiveSumByKey(
                          scratch, bytes, s->keys->data(), in->data(), out->data(), n,
                          ::cuda::std::equal_to<>{}, ex.stream());
                    }),
       x.right});
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
                      [ex](index_t n) {
                        return segmented_scan_by_each(ex, n, {lengths::about, 33, "len33"});
                      }});
  }
  // The rows of matrices of classes that products are measured by.
  for (lengths const& l : {lengths{lengths::equal, 2000, "dense"},
                           {lengths::about, 2632, "linear_program"},
                           {lengths::about, 119, "protein"},
                           {lengths::about, 65, "cantilever"},
                           {lengths::equal, 39, "lattice"},
                           {lengths::about, 6, "economics"},
                           {lengths::equal, 4, "epidemiology"},
                           {lengths::power_law, 0, "web"},
                           {lengths::giant, 0, "arrow"}}) {
    s.rows.push_back({"gpu.named.segmented_scan." + l.name,
                      "segmented scan i32 by bits, rows as of a matrix: " + l.name,
                      index_t{1} << 24,
                      [ex, l](index_t n) { return segmented_scan_by_each(ex, n, l); }});
  }
  s.rows.push_back({"gpu.named.scaling.scan", "inclusive scan i32, multiprocessors",
                    index_t{1} << 26, [ex](index_t n) { return scan_by_multiprocessors(ex, n); }});
  s.rows.push_back({"gpu.named.scaling.segmented_scan", "segmented scan i32, multiprocessors",
                    index_t{1} << 26,
                    [ex](index_t n) { return segmented_scan_by_multiprocessors(ex, n); }});
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
