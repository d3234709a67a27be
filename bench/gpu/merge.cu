/// Merge of two sorted sequences on the GPU, compared with CUB's.

#include "support/gpu.cuh"
#include "support/sorted_at_random.cuh"

#include <ravel/primitives/merge.hpp>

#include <cub/device/device_merge.cuh>

#include <cstdint>
#include <string>

namespace ravel::bench::on_gpu {
namespace {

struct before {
  template <class T>
  RAVEL_HD bool operator()(T x, T y) const {
    return x < y;
  }
};

/// The i-th element of a sorted sequence: first + i / length * step.
template <class T>
struct stepping {
  index_t first, step, length;
  RAVEL_HD T operator()(index_t i) const { return static_cast<T>(first + i / length * step); }
};

/// Two sorted sequences.
template <class T>
struct inputs {
  shared<T> a, b;
};
template <class T>
inputs<T> make_inputs(gpu::executor const& ex, index_t n, std::string const& kind) {
  index_t const half = n / 2;
  auto const steps = [&](index_t size, stepping<T> f) { return generate<T>(ex, size, f); };
  if (kind == "disjoint") return {steps(half, {0, 1, 1}), steps(n - half, {half, 1, 1})};
  if (kind == "interleaved") return {steps(half, {0, 2, 1}), steps(n - half, {1, 2, 1})};
  if (kind == "runs1000") return {steps(half, {0, 1, 1000}), steps(n - half, {0, 1, 1000})};
  if (kind == "equal") return {steps(half, {7, 0, 1}), steps(n - half, {7, 0, 1})};
  if (kind == "one_empty") return {steps(n, {0, 1, 1}), steps(0, {0, 1, 1})};
  return {sorted_at_random<T>(ex, half, 1), sorted_at_random<T>(ex, n - half, 2)};
}

template <class T>
comparison merge_keys(gpu::executor const& ex, index_t n, std::string const& kind) {
  auto const [a, b] = make_inputs<T>(ex, n, kind);
  auto const out = allocate<T>(ex, n), expected = allocate<T>(ex, n);
  auto const by_cub = [=](shared<T> const& to) {
    return with_scratch(ex, [=](void* scratch, std::size_t& bytes) {
      return cub::DeviceMerge::MergeKeys(scratch, bytes, a->data(), a->size(), b->data(), b->size(),
                                         to->data(), before{}, ex.stream());
    });
  };
  by_cub(expected)();
  auto const right = [=] { return all_equal(ex, n, out->data(), element<T>{expected->data()}); };

  comparison c;
  c.bytes = 2.0 * sizeof(T) * double(n);
  c.poison = poison(ex, out);
  add_ours(ex, c, right,
           [=](gpu::executor const& by) { ravel::merge(by, *a, *b, *out, before{}); });
  c.contenders.push_back({"peer:cub merge", by_cub(out), right});
  add_copies(ex, c);
  return c;
}

template <class K, class V>
comparison merge_rows(gpu::executor const& ex, index_t n, std::string const& kind) {
  auto const [a, b] = make_inputs<K>(ex, n, kind);
  auto const values_a = generate<V>(ex, a->size(), stepping<V>{0, 1, 1});
  auto const values_b = generate<V>(ex, b->size(), stepping<V>{a->size(), 1, 1});
  auto const keys = allocate<K>(ex, n), expected_keys = allocate<K>(ex, n);
  auto const values = allocate<V>(ex, n), expected_values = allocate<V>(ex, n);
  auto const by_cub = [=](shared<K> const& to_keys, shared<V> const& to_values) {
    return with_scratch(ex, [=](void* scratch, std::size_t& bytes) {
      return cub::DeviceMerge::MergePairs(scratch, bytes, a->data(), values_a->data(), a->size(),
                                          b->data(), values_b->data(), b->size(), to_keys->data(),
                                          to_values->data(), before{}, ex.stream());
    });
  };
  by_cub(expected_keys, expected_values)();
  auto const right = [=] {
    return all_equal(ex, n, keys->data(), element<K>{expected_keys->data()}) &&
           all_equal(ex, n, values->data(), element<V>{expected_values->data()});
  };

  comparison c;
  c.bytes = 2.0 * (sizeof(K) + sizeof(V)) * double(n);
  c.poison = poison(ex, keys, values);
  add_ours(ex, c, right, [=](gpu::executor const& by) {
    merge_pairs(by, *a, *values_a, *b, *values_b, *keys, *values, before{});
  });
  c.contenders.push_back({"peer:cub merge", by_cub(keys, values), right});
  add_copies(ex, c);
  return c;
}

suite all(gpu::executor const& ex) {
  suite s = make_suite("gpu.merge", ex);
  constexpr index_t whole = index_t{1} << 28;
  auto const add = [&](std::string const& name, char const* kind, index_t n, auto make) {
    s.rows.push_back({"gpu." + name + "." + kind,
                      "merge of two sorted sequences " + name + ", " + kind, n,
                      [=](index_t size) { return make(ex, size, std::string(kind)); }});
  };
  for (char const* kind :
       {"uniform", "disjoint", "equal", "interleaved", "runs1000", "one_empty"}) {
    add("merge.u32", kind, whole, merge_keys<std::uint32_t>);
  }
  for (char const* kind : {"uniform", "disjoint"}) {
    add("merge.u64", kind, whole / 2, merge_keys<std::uint64_t>);
    add("merge.f64", kind, whole / 2, merge_keys<double>);
    add("merge_pairs.u32u32", kind, whole / 2, merge_rows<std::uint32_t, std::uint32_t>);
  }
  add("merge.u32", "uniform.2^20", index_t{1} << 20, merge_keys<std::uint32_t>);
  return s;
}

}  // namespace
}  // namespace ravel::bench::on_gpu

int main(int argc, char** argv) {
  using namespace ravel::bench::on_gpu;
  return run_suite(all, argc, argv);
}
