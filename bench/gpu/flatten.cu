/// Nested programs on the GPU, beside the same work of this library's flat algorithms.

#include "support/gpu.cuh"
#include "support/matrices.hpp"

#include <ravel/algorithms/comparison_sort.hpp>
#include <ravel/algorithms/spmv.hpp>
#include <ravel/core/transfer.hpp>
#include <ravel/flatten/flatten.hpp>

#include "nested/quicksort.hpp"
#include "nested/sparse.hpp"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#include <map>
#include <memory>
#include <optional>
#include <string>

namespace ravel::bench::gpu {
namespace {

/// What a program made, which lives until it makes the next.
template <class T>
using result = std::shared_ptr<std::optional<computed_elements<T, device_space>>>;

/// What a program costs besides time.
template <class F>
std::map<std::string, double> cost_of(F const& program) {
  reset_stats();
  index_t const before = stats().bytes;
  program();
  return {{"steps", static_cast<double>(stats().steps)},
          {"most_bytes", static_cast<double>(stats().most_bytes - before)}};
}

template <class T>
comparison product(cuda::executor const& ex, index_t k) {
  stencil27 const m{k};
  index_t const n = m.rows();
  auto const lengths = generate<std::int32_t>(ex, n + 1, row_length<stencil27>{m});
  auto const offsets = allocate<std::int32_t>(ex, n + 1);
  with_scratch(ex, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(scratch, bytes, lengths->data(), offsets->data(),
                                         int(n + 1), ex.stream());
  })();
  index_t const nnz = at_sync(ex, *offsets, n);
  auto const columns = allocate<std::int32_t>(ex, nnz);
  for_each_index(ex, n, write_row<stencil27>{m, offsets->data(), columns->data()});
  auto const values = generate<T>(ex, nnz, small_integer<T>{2});
  auto const x = generate<T>(ex, n, small_integer<T>{3});
  auto const y = allocate<T>(ex, n);
  auto const by_hand = [=] {
    spmv(ex, csr{n, n, view_of(*offsets), view_of(*columns), view_of(*values)}, *x, *y);
  };
  by_hand();
  auto const wanted = generate<T>(ex, n, element<T>{y->data()});

  auto const a =
      unflatten(zip(borrow(ex, *columns), borrow(ex, *values)), take(borrow(ex, *lengths), n));
  auto const from = borrow(ex, *x);
  auto const made = std::make_shared<typename result<T>::element_type>();
  auto const program = [=] { made->emplace(elements(examples::spmv(a, from))); };

  comparison c;
  c.counters = cost_of(program);
  c.bytes = spmv_bytes<T>(n, n, nnz);
  c.items = double(nnz);
  c.poison = [=, spoil = poison(ex, y)] {
    made->reset();
    spoil();
  };
  c.contenders.push_back({"ours", program, [=] {
                            return all_equal(ex, n, (*made)->data(), element<T>{wanted->data()});
                          }});
  c.contenders.push_back({"peer:own spmv", by_hand,
                          [=] { return all_equal(ex, n, y->data(), element<T>{wanted->data()}); }});
  return c;
}

/// An order that is not known to be that of the keys' bits, as quicksort does not know it.
struct ascending {
  RAVEL_HD bool operator()(std::uint32_t a, std::uint32_t b) const { return a < b; }
};

comparison quicksort(cuda::executor const& ex, index_t n) {
  using K = std::uint32_t;
  auto const in = generate<K>(ex, n, reached<K>{});
  auto const out = allocate<K>(ex, n);
  auto const wanted = allocate<K>(ex, n);
  with_scratch(ex, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortKeys(scratch, bytes, in->data(), wanted->data(), n, 0, 32,
                                          ex.stream());
  })();
  auto const a = borrow(ex, *in);
  auto const made = std::make_shared<typename result<K>::element_type>();
  auto const program = [=] { made->emplace(elements(examples::quicksort<K>(a))); };

  comparison c;
  c.counters = cost_of(program);
  c.bytes = 2.0 * double(n) * sizeof(K);
  c.poison = [=, spoil = poison(ex, out)] {
    made->reset();
    spoil();
  };
  c.contenders.push_back({"ours", program, [=] {
                            return all_equal(ex, n, (*made)->data(), element<K>{wanted->data()});
                          }});
  c.contenders.push_back(
      {"peer:own comparison sort", [=] { comparison_sort(ex, *in, *out, ascending{}); },
       [=] { return all_equal(ex, n, out->data(), element<K>{wanted->data()}); }});
  return c;
}

suite all(cuda::executor const& ex) {
  suite s = make_suite("gpu.flatten", ex);
  s.rows.push_back({"gpu.flatten.spmv.f32", "SpMV f32 as a nested lambda, 27-point 160^3", 160,
                    [=](index_t k) { return product<float>(ex, k); }, 12});
  s.rows.push_back({"gpu.flatten.spmv.f64", "SpMV f64 as a nested lambda, 27-point 160^3", 160,
                    [=](index_t k) { return product<double>(ex, k); }, 12});
  s.rows.push_back({"gpu.flatten.quicksort", "flattened quicksort u32", index_t{1} << 24,
                    [=](index_t n) { return quicksort(ex, n); }, 1 << 12});
  return s;
}

}  // namespace
}  // namespace ravel::bench::gpu

int main(int argc, char** argv) {
  using namespace ravel::bench::gpu;
  return run_suite(all, argc, argv);
}
