/// Scan and reduce on the GPU, compared with CUB.

#include "support/scans.cuh"

#include <ravel/core/same_everywhere.hpp>
#include <ravel/core/transfer.hpp>
#include <ravel/primitives/reduce.hpp>
#include <ravel/primitives/scan.hpp>

#include <cuda_fp16.h>
#include <cub/device/device_reduce.cuh>

#include <initializer_list>
#include <string>

namespace ravel::bench::on_gpu {
namespace {

template <class T>
comparison forward_scan(gpu::executor const& ex, index_t n) {
  return prefix_sums<T>(ex, n, [=](comparison& c, auto in, auto out, auto const& right) {
    add_ours(ex, c, right, [=](auto& on) { inclusive_scan(on, *in, *out); });
    add_cub_scan(ex, c, in, out, right);
  });
}

comparison backward_scan(gpu::executor const& ex, index_t n) {
  using T = std::int32_t;
  auto const in = generate<T>(ex, n, step_back<T>{n});
  auto const forward_in = generate<T>(ex, n, step<T>{});
  auto const out = allocate<T>(ex, n);
  auto const right = [=] { return all_equal(ex, n, out->data(), reached<T>{}); };

  comparison c;
  c.bytes = 2.0 * double(n) * sizeof(T);
  c.poison = poison(ex, out);
  add_ours(ex, c, right, [=](auto& on) { inclusive_scan(on, *in, *out, plus{}, backward); });
  c.contenders.push_back(
      {"peer:forward scan", [=] { inclusive_scan(ex, *forward_in, *out); }, right});
  add_copies(ex, c);
  return c;
}

/// Increments so small that sums in any order are exact.
template <class T>
struct small_step {
  static RAVEL_HD std::int32_t reached(index_t i) {
    return static_cast<std::int32_t>(random_bits(1, i) >> 44);
  }
  RAVEL_HD T operator()(index_t i) const {
    return static_cast<T>(i == 0 ? reached(0) : reached(i) - reached(i - 1));
  }
};

/// A row of the sum of n elements: add(c, in, out, right) adds its contenders to `c`.
template <class T, class Add>
comparison total(gpu::executor const& ex, index_t n, Add const& add) {
  auto const in = generate<T>(ex, n, small_step<T>{});
  auto const out = allocate<T>(ex, 1);
  T const all = static_cast<T>(small_step<T>::reached(n - 1));
  comparison c;
  c.bytes = double(n) * sizeof(T);
  c.poison = poison(ex, out);
  add(c, in, out, [=] { return at_sync(ex, *out) == all; });
  add_copies(ex, c);
  return c;
}

template <class T>
comparison sum(gpu::executor const& ex, index_t n) {
  return total<T>(ex, n, [=](comparison& c, auto in, auto out, auto const& right) {
    c.contenders.push_back({"ours", [=] { reduce(ex, *in, *out); }, right});
    c.contenders.push_back({"peer:cub",
                            with_scratch(ex,
                                         [=](void* scratch, std::size_t& bytes) {
                                           return cub::DeviceReduce::Sum(scratch, bytes, in->data(),
                                                                         out->data(), n,
                                                                         ex.stream());
                                         }),
                            right});
  });
}

/// A scan in the order shared by all executors, compared with the device's own.
template <class T>
comparison scan_as_everywhere(gpu::executor const& ex, index_t n) {
  return prefix_sums<T>(ex, n, [=](comparison& c, auto in, auto out, auto const& right) {
    c.contenders.push_back(
        {"ours", [=, on = same_everywhere(ex)] { inclusive_scan(on, *in, *out); }, right});
    c.contenders.push_back({"named:own order", [=] { inclusive_scan(ex, *in, *out); }, right});
  });
}

template <class T>
comparison sum_as_everywhere(gpu::executor const& ex, index_t n) {
  return total<T>(ex, n, [=](comparison& c, auto in, auto out, auto const& right) {
    c.contenders.push_back(
        {"ours", [=, on = same_everywhere(ex)] { reduce(on, *in, *out); }, right});
    c.contenders.push_back({"named:own order", [=] { reduce(ex, *in, *out); }, right});
  });
}

/// Sizes that are powers of two and of ten.
template <class T>
void add_scans(suite& s, gpu::executor const& ex, std::string const& type,
               std::initializer_list<int> twos, std::initializer_list<int> tens) {
  auto const add = [&](index_t n, std::string const& size) {
    s.rows.push_back({"gpu.scan." + type + '.' + size, "inclusive scan " + type, n,
                      [ex](index_t m) { return forward_scan<T>(ex, m); }});
  };
  for (int const log : twos) add(index_t{1} << log, "2^" + std::to_string(log));
  for (int const log : tens) {
    index_t n = 1;
    for (int k = 0; k < log; ++k) n *= 10;
    add(n, "10^" + std::to_string(log));
  }
}

suite all(gpu::executor const& ex) {
  suite s = make_suite("gpu.scan", ex);
  std::initializer_list<int> const every = {10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20,
                                            21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
  std::initializer_list<int> const every_ten = {3, 4, 5, 6, 7, 8, 9};
  std::initializer_list<int> const some = {10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 31};
  std::initializer_list<int> const some_tens = {4, 6, 8, 9};
  add_scans<std::int32_t>(s, ex, "i32", every, every_ten);
  add_scans<float>(s, ex, "f32", every, every_ten);
  add_scans<std::int64_t>(s, ex, "i64", some, some_tens);
  add_scans<double>(s, ex, "f64", some, some_tens);
  add_scans<std::int16_t>(s, ex, "i16", some, some_tens);
  add_scans<__half>(s, ex, "f16", some, some_tens);
  add_scans<std::int8_t>(s, ex, "i8", some, some_tens);
  s.rows.push_back({"gpu.scan.backward.i32.2^28", "backward inclusive scan i32", index_t{1} << 28,
                    [ex](index_t n) { return backward_scan(ex, n); }});
  for (int const log : {10, 14, 17, 20, 24, 28}) {
    s.rows.push_back({"gpu.reduce.i32.2^" + std::to_string(log), "sum i32", index_t{1} << log,
                      [ex](index_t n) { return sum<std::int32_t>(ex, n); }});
  }
  s.rows.push_back({"gpu.reduce.f64.2^28", "sum f64", index_t{1} << 28,
                    [ex](index_t n) { return sum<double>(ex, n); }});
  auto const everywhere = [&](std::string const& id, std::string const& work, auto make) {
    for (int const log : {16, 20, 24, 28}) {
      s.rows.push_back({"gpu.same_everywhere." + id + ".2^" + std::to_string(log),
                        work + " in the order of all executors", index_t{1} << log, make});
    }
  };
  everywhere("scan.f32", "inclusive scan f32",
             [ex](index_t n) { return scan_as_everywhere<float>(ex, n); });
  everywhere("scan.f64", "inclusive scan f64",
             [ex](index_t n) { return scan_as_everywhere<double>(ex, n); });
  everywhere("reduce.f32", "sum f32", [ex](index_t n) { return sum_as_everywhere<float>(ex, n); });
  everywhere("reduce.f64", "sum f64", [ex](index_t n) { return sum_as_everywhere<double>(ex, n); });
  return s;
}

}  // namespace
}  // namespace ravel::bench::on_gpu

int main(int argc, char** argv) {
  using namespace ravel::bench::on_gpu;
  return run_suite(all, argc, argv);
}
