/// Scans that carry several values on the GPU: higher-order sums, tuples, and linear recurrences;
/// compared with CUB, which needs several scans or structs, and with SAM.

#include "support/gpu.cuh"

#include <ravel/primitives/linear_recurrence.hpp>
#include <ravel/primitives/scan_algorithm.hpp>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <cub/device/device_scan.cuh>

#include <string>
#include <type_traits>
#include <utility>

namespace ravel::bench::on_gpu {
namespace {

/// Sums of order q, compared with q calls of CUB.
template <class T, int Order>
comparison sums_of_order(gpu::executor const& ex, index_t n) {
  auto const in = generate<T>(ex, n, reached<T>{});
  auto const out = allocate<T>(ex, n);
  auto const expected = allocate<T>(ex, n);
  inclusive_scan(ex, *in, *expected);
  for (int k = 1; k < Order; ++k) inclusive_scan(ex, *expected, *expected);
  auto const right = [=] { return all_equal(ex, n, out->data(), element<T>{expected->data()}); };

  comparison c;
  c.bytes = 2.0 * double(n) * sizeof(T);
  c.poison = poison(ex, out);
  add_ours(ex, c, right, [=](auto& on) { inclusive_scan(on, *in, *out, plus{}, of_order<Order>); });
  auto const by = scan_algorithm::local_sums.of_order(Order);
  c.contenders.push_back(
      {"named:local_sums", [=] { inclusive_scan(ex, *in, *out, plus{}, by); }, right});
  auto const once = [=](T const* from) {
    return with_scratch(ex, [=](void* scratch, std::size_t& bytes) {
      return cub::DeviceScan::InclusiveSum(scratch, bytes, from, out->data(), n, ex.stream());
    });
  };
  c.contenders.push_back({"peer:cub iterated",
                          [first = once(in->data()), next = once(out->data())] {
                            first();
                            for (int k = 1; k < Order; ++k) next();
                          },
                          right});
  add_copies(ex, c);
  return c;
}

template <class T, int Size>
struct tuple {
  T x[Size];
};
template <class T, int Size>
struct add_tuples {
  RAVEL_HD tuple<T, Size> operator()(tuple<T, Size> const& a, tuple<T, Size> const& b) const {
    using wide = std::make_unsigned_t<T>;
    tuple<T, Size> sum;
    for (int k = 0; k < Size; ++k) sum.x[k] = static_cast<T>(wide(a.x[k]) + wide(b.x[k]));
    return sum;
  }
};

/// The increment at element i, which is in tuple i / Size.
template <class T, int Size>
struct step_of_tuple {
  RAVEL_HD T operator()(index_t i) const {
    return i < Size ? reached<T>{}(i) : step_between<T>(i - Size, i);
  }
};

/// Sums of tuples, compared with CUB's scan of structs.
template <class T, int Size>
comparison sums_of_tuples(gpu::executor const& ex, index_t words) {
  index_t const tuples = div_up(words, Size);
  index_t const n = tuples * Size;
  auto const in = generate<T>(ex, n, step_of_tuple<T, Size>{});
  auto const out = allocate<T>(ex, n);
  auto const right = [=] { return all_equal(ex, n, out->data(), reached<T>{}); };

  comparison c;
  c.bytes = 2.0 * double(n) * sizeof(T);
  c.poison = poison(ex, out);
  add_ours(ex, c, right, [=](auto& on) { inclusive_scan(on, *in, *out, plus{}, of_tuples<Size>); });
  auto const by = scan_algorithm::local_sums.of_tuples<Size>();
  c.contenders.push_back(
      {"named:local_sums", [=] { inclusive_scan(ex, *in, *out, plus{}, by); }, right});
  c.contenders.push_back({"peer:cub structs",
                          with_scratch(ex,
                                       [=](void* scratch, std::size_t& bytes) {
                                         using of = tuple<T, Size>;
                                         return cub::DeviceScan::InclusiveScan(
                                             scratch, bytes,
                                             reinterpret_cast<of const*>(in->data()),
                                             reinterpret_cast<of*>(out->data()),
                                             add_tuples<T, Size>{}, tuples, ex.stream());
                                       }),
                          right});
  add_copies(ex, c);
  return c;
}

/// The expected results of recurrences: small integers.
struct result {
  RAVEL_HD float operator()(index_t i) const {
    return i < 0 ? 0 : static_cast<float>(random_bits(1, i) >> 58);
  }
};

/// The inputs of recurrences that give exactly these results.
template <int Order>
struct given {
  coefficients<float, Order> a;
  RAVEL_HD float operator()(index_t i) const {
    float x = result{}(i);
    for (int k = 0; k < Order; ++k) x -= a.of[k] * result{}(i - 1 - k);
    return x;
  }
};

/// The coefficient of an element: 1/4, 2/4 or 3/4.
struct quarters {
  RAVEL_HD float operator()(index_t i) const {
    return static_cast<float>(1 + random_below(2, i, 3)) / 4;
  }
};
struct given_with_quarters {
  RAVEL_HD float operator()(index_t i) const { return result{}(i)-quarters{}(i)*result{}(i - 1); }
};

struct is_far_from_result {
  float const* out;
  __device__ bool operator()(index_t i) const {
    float const off = out[i] - result{}(i);
    return !(-0.01f < off && off < 0.01f);
  }
};

template <int Order>
comparison constant(gpu::executor const& ex, index_t n, coefficients<float, Order> a) {
  auto const in = generate<float>(ex, n, given<Order>{a});
  auto const out = allocate<float>(ex, n);
  comparison c;
  c.bytes = 8.0 * double(n);
  c.poison = poison(ex, out);
  c.contenders.push_back({"ours", [=] { linear_recurrence(ex, *in, a, *out); },
                          [=] { return none(ex, n, is_far_from_result{out->data()}); }});
  add_copies(ex, c);
  return c;
}

struct map_at {
  float const* a;
  float const* in;
  __device__ float2 operator()(index_t i) const { return {a[i], in[i]}; }
};
struct compose {
  __device__ float2 operator()(float2 const& f, float2 const& g) const {
    return {f.x * g.x, f.y * g.x + g.y};
  }
};
struct image {
  __device__ float operator()(float2 const& f) const { return f.y; }
};

/// With a coefficient for each element, compared with CUB's scan of affine maps from iterators.
comparison variable(gpu::executor const& ex, index_t n) {
  auto const in = generate<float>(ex, n, given_with_quarters{});
  auto const a = generate<float>(ex, n, quarters{});
  auto const out = allocate<float>(ex, n);
  auto const right = [=] { return none(ex, n, is_far_from_result{out->data()}); };
  comparison c;
  c.bytes = 12.0 * double(n);
  c.poison = poison(ex, out);
  add_ours(ex, c, right, [=](auto& on) { linear_recurrence(on, *in, *a, *out); });
  c.contenders.push_back(
      {"peer:cub pair scan",
       with_scratch(ex,
                    [=](void* scratch, std::size_t& bytes) {
                      return cub::DeviceScan::InclusiveScan(
                          scratch, bytes,
                          thrust::make_transform_iterator(thrust::counting_iterator<index_t>(0),
                                                          map_at{a->data(), in->data()}),
                          thrust::make_transform_output_iterator(out->data(), image{}), compose{},
                          n, ex.stream());
                    }),
       right});
  add_copies(ex, c);
  return c;
}

template <class T, int Order>
void add_order(suite& s, gpu::executor const& ex, std::string const& type, index_t n) {
  auto const order = std::to_string(Order);
  s.rows.push_back({"gpu.order" + order + '.' + type, "prefix sum of order " + order, n,
                    [ex](index_t size) { return sums_of_order<T, Order>(ex, size); }});
}
template <class T, int Size>
void add_tuple(suite& s, gpu::executor const& ex, std::string const& type, index_t n) {
  auto const size = std::to_string(Size);
  s.rows.push_back({"gpu.tuple" + size + '.' + type, "prefix sum of " + size + "-tuples", n,
                    [ex](index_t words) { return sums_of_tuples<T, Size>(ex, words); }});
}
template <class T>
void add_sums(suite& s, gpu::executor const& ex, std::string const& type, index_t n) {
  auto const orders = [&]<int... Order>(std::integer_sequence<int, Order...>) {
    (add_order<T, Order>(s, ex, type, n), ...);
  };
  auto const tuples = [&]<int... Size>(std::integer_sequence<int, Size...>) {
    (add_tuple<T, Size>(s, ex, type, n), ...);
  };
#ifdef RAVEL_BENCH_ALL
  orders(std::integer_sequence<int, 1, 2, 3, 4, 5, 6, 7, 8>{});
  tuples(std::integer_sequence<int, 1, 2, 3, 4, 5, 6, 7, 8>{});
#else
  orders(std::integer_sequence<int, 2, 5, 8>{});
  tuples(std::integer_sequence<int, 2, 3, 5, 8>{});
#endif
}
template <int Order>
void add_constant(suite& s, gpu::executor const& ex, coefficients<float, Order> a) {
  auto const order = std::to_string(Order);
  s.rows.push_back({"gpu.recurrence" + order + ".f32", "linear recurrence of order " + order,
                    index_t{1} << 28, [=](index_t n) { return constant(ex, n, a); }});
}

suite all(gpu::executor const& ex) {
  suite s = make_suite("gpu.recurrence", ex);
  add_sums<std::int32_t>(s, ex, "i32", index_t{1} << 28);
  add_sums<std::int64_t>(s, ex, "i64", index_t{1} << 27);
  add_constant(s, ex, coefficients{0.5f});
  add_constant(s, ex, coefficients{1.5f, -0.75f});
  add_constant(s, ex, coefficients{1.5f, -0.75f, 0.125f});
  s.rows.push_back({"gpu.recurrence_variable.f32", "x[i] = a[i] x[i-1] + b[i]", index_t{1} << 28,
                    [ex](index_t n) { return variable(ex, n); }});
  return s;
}

}  // namespace
}  // namespace ravel::bench::on_gpu

int main(int argc, char** argv) {
  using namespace ravel::bench::on_gpu;
  return run_suite(all, argc, argv);
}
