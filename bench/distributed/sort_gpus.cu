/// Radix sort, top-k and products of a stencil matrix on the GPUs of one host, one thread a GPU, with
/// NCCL between them.
///
///     sort_gpus [GPUS [KEYS OF EACH [SIDE OF THE GRID OF EACH]]]
///
/// prints for each call the time on one GPU and on all, each with as many elements as before: the
/// fraction of linear is the ratio of both.  For a sort it prints its parts too, measured alone, and
/// ncclAlltoAll of as many bytes as its exchange.  Every result is checked.

#include <ravel/algorithms/csr.hpp>
#include <ravel/algorithms/merge_segments.hpp>
#include <ravel/algorithms/radix_sort.hpp>
#include <ravel/algorithms/selection.hpp>
#include <ravel/algorithms/spmv.hpp>
#include <ravel/algorithms/spmv_plan.hpp>
#include <ravel/core/segments.hpp>
#include <ravel/core/transfer.hpp>
#include <ravel/distributed/sequence.hpp>
#include <ravel/distributed/sort.hpp>
#include <ravel/distributed/spmv.hpp>
#include <ravel/primitives/reduce.hpp>
#include <ravel/primitives/scan.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "measure.cuh"

namespace {

using namespace ravel;
using namespace ravel::bench;

/// A hash of the place, whose bits all look random.
RAVEL_HD std::uint64_t hash(std::uint64_t x) {
  x *= 0x9e3779b97f4a7c15ull;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ x >> 27) * 0x94d049bb133111ebull;
  return x ^ x >> 32;
}
template <class T>
struct write_key {
  T* keys;
  index_t first;
  RAVEL_HD void operator()(index_t i) const {
    keys[i] = static_cast<T>(hash(static_cast<std::uint64_t>(first + i)));
  }
};
/// Ranks by Zipf's law with exponent 1, of 2^20 words: the logarithm of a rank is uniform.
template <class T>
struct write_zipf_key {
  T* keys;
  index_t first;
  RAVEL_HD void operator()(index_t i) const {
    auto const u = static_cast<double>(hash(static_cast<std::uint64_t>(first + i)) >> 11) * 0x1p-53;
    keys[i] = static_cast<T>(exp2(20 * u));
  }
};
template <class T>
struct count_descents {
  T const* keys;
  unsigned* wrong;
  __device__ void operator()(index_t i) const {
    if (i > 0 && keys[i] < keys[i - 1]) atomicAdd(wrong, 1u);
  }
};
struct to_sum {
  template <class T>
  RAVEL_HD std::uint64_t operator()(T x) const {
    return x;
  }
};

template <class Ex, class X>
std::uint64_t sum_on(Ex const& device, X const& x) {
  auto const sum = device.template allocate<std::uint64_t>(1);
  reduce(device, map_source(x, to_sum{}), sum);
  return at_sync(device, sum);
}

void row(int rank, char const* name, double one, double all, double work) {
  if (rank != 0) return;
  std::printf("%-24s %9.3f %9.3f %9.2f %12.2f\n", name, one, all, one / all, 1e-6 * work / all);
}
void part(int rank, char const* name, double all) {
  if (rank == 0) std::printf("  %-22s %9s %9.3f\n", name, "", all);
}

/// The pieces are those of the keys in order, and the keys are those of the input.
template <class T>
void expect_sorted(on_gpus const& ex, distributed::sequence<T, on_gpus> const& x,
                   distributed::sequence<T, on_gpus> const& y) {
  auto const& device = ex.local();
  int const rank = ex.ranks().rank();
  expect(wrong_on(device, y.size(), count_descents<T>{y.data(), nullptr}) == 0, "a piece", rank);
  std::uint64_t sum_in = 0, sum_out = 0;
  for (auto const s : distributed::gather_values(ex.ranks(), sum_on(device, x.local())))
    sum_in += s;
  for (auto const s : distributed::gather_values(ex.ranks(), sum_on(device, y.local())))
    sum_out += s;
  expect(sum_in == sum_out, "the sum of keys", rank);
  auto const firsts = distributed::gather_values(ex.ranks(), at_sync(device, y.local()));
  auto const lasts =
      distributed::gather_values(ex.ranks(), at_sync(device, y.local(), y.size() - 1));
  for (int r = 1; r < ex.ranks().size(); ++r) expect(lasts[r - 1] <= firsts[r], "a border", rank);
}

/// The time of f() on all GPUs.
template <class F>
double time_together(distributed::in_process const& threads, on_gpus const& ex, F const& f) {
  return time_of(threads, [&] {
    f();
    ex.wait();
  });
}
/// The time of f() on the first GPU alone.
template <class F>
double time_alone(distributed::in_process const& threads, on_gpus const& ex, F const& f) {
  return time_of(threads, [&] {
    if (threads.rank() == 0) f();
    ex.local().wait();
  });
}

/// The time of ncclAlltoAll of `bytes` from each GPU, by a communicator whose calls block.
double time_of_nccl(distributed::in_process const& threads, on_gpus const& ex,
                    std::byte const* from, std::byte* to, std::size_t bytes) {
  gpu::on_device const here(ex.local().device());
  ncclUniqueId id{};
  if (threads.rank() == 0) ncclGetUniqueId(&id);
  auto const ids = distributed::gather_values(threads, std::to_array(id.internal));
  std::copy(ids[0].begin(), ids[0].end(), id.internal);
  ncclComm_t comm = nullptr;
  expect(ncclCommInitRank(&comm, threads.size(), id, threads.rank()) == ncclSuccess, "NCCL",
         threads.rank());
  double const ms = time_of(threads, [&] {
    ncclAlltoAll(from, to, bytes / threads.size(), ncclInt8, comm, ex.local().stream());
    ex.local().wait();
  });
  ncclCommDestroy(comm);
  return ms;
}

template <class T, class Write = write_key<T>>
void measure_sort(distributed::in_process const& threads, on_gpus const& ex, index_t n,
                  char const* name) {
  gpu::executor const& device = ex.local();
  int const rank = threads.rank(), gpus = threads.size();
  auto x = ex.allocate<T>(gpus * n);
  distributed::sequence<T, on_gpus> y(ex, x);
  for_each_index(device, n, Write{x.data(), x.first()});
  ex.wait();
  auto const together = [&](auto const& call) { return time_together(threads, ex, call); };

  double const one = time_alone(threads, ex, [&] { radix_sort(device, x.local(), y.local()); });
  double const all = together([&] { radix_sort(ex, x, y); });
  expect_sorted(ex, x, y);
  row(rank, name, one, all, double(gpus) * double(n));

  // The parts, of pieces that are sorted.
  auto const order = distributed::detail::radix_order<T>("radix_sort");
  auto const sort = [&](auto const& keys) { radix_sort(device, keys); };
  part(rank, "sort", together([&] { radix_sort(device, x.local(), y.local()); }));
  std::vector<index_t> cuts;
  part(rank, "find cuts", together([&] {
         cuts = distributed::detail::cuts_of_sorted(ex, std::as_const(y).local(), y.total_size(),
                                                    y.begins(), sort, order.before);
       }));
  auto const along = distributed::detail::route_by(ex, cuts);
  auto const received = device.allocate<T>(along.total_received());
  part(rank, "exchange",
       together([&] { distributed::detail::send_along(ex, along, y.local(), received); }));
  part(rank, "ncclAlltoAll",
       time_of_nccl(threads, ex, reinterpret_cast<std::byte const*>(x.data()),
                    reinterpret_cast<std::byte*>(y.data()),
                    static_cast<std::size_t>(n) * sizeof(T)));
  part(rank, "merge", together([&] {
         distributed::detail::merge_runs(device, along.received,
                                         rows<T const, no_value const>{received.data(), nullptr},
                                         rows<T, no_value>{y.data(), nullptr}, order);
       }));
  expect_sorted(ex, x, y);
}

/// Sorts keys with their places among all elements.
void measure_sort_pairs(distributed::in_process const& threads, on_gpus const& ex, index_t n) {
  using T = std::uint32_t;
  gpu::executor const& device = ex.local();
  int const gpus = threads.size();
  auto keys = ex.allocate<T>(gpus * n);
  distributed::sequence<T, on_gpus> values(ex, keys), keys_out(ex, keys), values_out(ex, keys);
  for_each_index(device, n, write_key<T>{keys.data(), keys.first()});
  for_each_index(device, n, write_key<T>{values.data(), keys.first()});
  ex.wait();
  double const one = time_alone(threads, ex, [&] {
    radix_sort_pairs(device, keys.local(), values.local(), keys_out.local(), values_out.local());
  });
  double const all =
      time_together(threads, ex, [&] { radix_sort_pairs(ex, keys, values, keys_out, values_out); });
  expect_sorted(ex, keys, keys_out);
  expect_sorted(ex, values, values_out);  // each value is its key
  row(threads.rank(), "radix_sort u32 u32", one, all, double(gpus) * double(n));
}

/// The 1000 greatest keys on each GPU.
void measure_top_k(distributed::in_process const& threads, on_gpus const& ex, index_t n) {
  using T = std::uint32_t;
  gpu::executor const& device = ex.local();
  int const gpus = threads.size();
  auto x = ex.allocate<T>(gpus * n);
  auto best = ex.allocate<T>(1000);
  auto const best_alone = device.allocate<T>(1000);
  for_each_index(device, n, write_key<T>{x.data(), x.first()});
  ex.wait();
  double const one =
      time_alone(threads, ex, [&] { top_k(device, x.local(), best_alone, descending); });
  double const all = time_together(threads, ex, [&] { top_k(ex, x, best, descending); });
  auto const greatest = gather_to(ex, best, 0);
  if (threads.rank() == 0) {
    expect(std::is_sorted(greatest.rbegin(), greatest.rend()), "top_k", 0);
  }
  row(threads.rank(), "top_k u32, k = 1000", one, all, double(gpus) * double(n));
}

/// A cube of side^3 cells for each GPU, one after another along z, and the 7-point stencil.
struct grid {
  index_t side, depth;  // depth: of all cubes
  RAVEL_HD index_t plane() const { return side * side; }
  /// Calls f(cell) for each neighbour, and the cell itself, in order.
  template <class F>
  RAVEL_HD void for_each_neighbour(index_t cell, F f) const {
    index_t const x = cell % side, y = cell / side % side, z = cell / plane();
    if (z > 0) f(cell - plane());
    if (y > 0) f(cell - side);
    if (x > 0) f(cell - 1);
    f(cell);
    if (x + 1 < side) f(cell + 1);
    if (y + 1 < side) f(cell + side);
    if (z + 1 < depth) f(cell + plane());
  }
  RAVEL_HD index_t count(index_t cell) const {
    index_t n = 0;
    for_each_neighbour(cell, [&n](index_t) { ++n; });
    return n;
  }
};
struct count_entries {
  grid g;
  index_t first;
  RAVEL_HD index_t operator()(index_t row) const { return g.count(first + row); }
};
struct write_entries {
  grid g;
  index_t first;
  index_t const* offsets;
  int* columns;
  double* values;
  RAVEL_HD void operator()(index_t row) const {
    index_t k = offsets[row];
    index_t const cell = first + row;
    int* const to_columns = columns;
    double* const to_values = values;
    g.for_each_neighbour(cell, [&k, cell, to_columns, to_values](index_t c) {
      to_columns[k] = static_cast<int>(c);
      to_values[k++] = c == cell ? 6 : -1;
    });
  }
};
/// Of a vector of ones the product is 6 less the number of neighbours.
struct count_wrong_products {
  grid g;
  index_t first;
  double const* y;
  unsigned* wrong;
  __device__ void operator()(index_t row) const {
    if (y[row] != 7 - static_cast<double>(g.count(first + row))) atomicAdd(wrong, 1u);
  }
};
struct write_one {
  double* x;
  RAVEL_HD void operator()(index_t i) const { x[i] = 1; }
};

auto stencil(gpu::executor const& device, grid g, index_t first, index_t rows) {
  auto offsets = device.allocate<index_t>(rows + 1);
  exclusive_scan(device, compute_source<device_space>(rows, count_entries{g, first}), offsets);
  index_t const nnz = at_sync(device, offsets, rows);
  auto columns = device.allocate<int>(nnz);
  auto values = device.allocate<double>(nnz);
  for_each_index(device, rows,
                 write_entries{g, first, offsets.data(), columns.data(), values.data()});
  return csr{rows, g.plane() * g.depth, std::move(offsets), std::move(columns), std::move(values)};
}

void measure_spmv(distributed::in_process const& threads, on_gpus const& ex, index_t side) {
  gpu::executor const& device = ex.local();
  int const rank = threads.rank(), gpus = threads.size();
  index_t const rows = side * side * side;
  auto x = ex.allocate<double>(gpus * rows);
  distributed::sequence<double, on_gpus> y(ex, x);
  for_each_index(device, rows, write_one{x.data()});

  grid const own{side, side}, whole{side, side * gpus};
  double one = 0;
  {
    auto const a = stencil(device, own, 0, rows);
    spmv_plan const plan(device, a);
    one = time_alone(threads, ex, [&] { spmv(device, plan, x.local(), y.local()); });
  }
  distributed::csr const a(ex, stencil(device, whole, x.first(), rows), x.begins());
  spmv_plan const plan(ex, a);
  auto const before = ex.ranks().sent();
  spmv(ex, plan, x, y);
  auto const sent = ex.ranks().sent() - before;
  double const all = time_together(threads, ex, [&] { spmv(ex, plan, x, y); });
  expect(wrong_on(device, rows, count_wrong_products{whole, x.first(), y.data(), nullptr}) == 0,
         "spmv", rank);
  row(rank, "spmv 7-point f64", one, all, double(gpus) * double(a.block.nnz()));
  if (rank == 0) std::printf("  %-22s %9s %9.3f MB\n", "sent by rank 0", "", 1e-6 * double(sent));
}

void measure(distributed::in_process const& threads, index_t n, index_t side) {
  expects(n > 0 && side > 0, "there are ", n, " keys and a grid of ", side, "^3 on each GPU");
  int const rank = threads.rank();
  gpu::executor const device(rank);
  on_gpus const ex(device, ranks_on_gpus(threads, rank));
  if (rank == 0) {
    std::printf("%d GPUs, %lld keys and a grid of %lld^3 on each\n\n%-24s %9s %9s %9s %12s\n",
                threads.size(), static_cast<long long>(n), static_cast<long long>(side), "",
                "1 GPU ms", "all ms", "linear", "G/s");
  }
  measure_sort<std::uint32_t>(threads, ex, n, "radix_sort u32");
  measure_sort<std::uint64_t>(threads, ex, n, "radix_sort u64");
  measure_sort<std::uint32_t, write_zipf_key<std::uint32_t>>(threads, ex, n, "radix_sort u32 Zipf");
  measure_sort_pairs(threads, ex, n);
  measure_top_k(threads, ex, n);
  measure_spmv(threads, ex, side);
}

}  // namespace

int main(int argc, char** argv) {
  return on_gpus_of_host("sort_gpus", argv[1], [&](auto const& threads) {
    measure(threads, argc > 2 ? std::atoll(argv[2]) : index_t{1} << 28,
            argc > 3 ? std::atoll(argv[3]) : 256);
  });
}
