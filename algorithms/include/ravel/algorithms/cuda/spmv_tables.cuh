#pragma once

/// Sparse products on a device with a table for each block of rows: the distinct elements of x that
/// its entries use, ordered by column.
///
/// 1. *Spread.*  Each thread block has a share of the elements of all tables, ordered by slices of
///    x: it loads a slice to shared memory, and writes elements of it to tables in contiguous
///    ranges.
/// 2. *Add up.*  Each thread block copies its table to shared memory, and its warps add rows
///    (cuda/spmv_rows.cuh).
///
/// So all random accesses are to shared memory.

#include <ravel/algorithms/cuda/spmv_blocks_policy.hpp>
#include <ravel/algorithms/cuda/spmv_rows.cuh>
#include <ravel/core/cuda/bulk_copy.cuh>
#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/cuda/range_copy.cuh>
#include <ravel/core/cuda/shared.cuh>
#include <ravel/core/read_once.hpp>

namespace ravel::inline v0::gpu::detail {

inline constexpr index_t most_places = index_t{1} << 16;

/// A 16-byte vector of a table, the unit of accesses, and the columns of its elements.
template <class X>
struct alignas(16) vector_of_table {
  static constexpr int size = 16 / int{sizeof(X)};
  X of[size];
};
template <class X>
struct alignas(std::min(16, 2 * vector_of_table<X>::size)) columns_of_vector {
  place_in_table of[vector_of_table<X>::size];
};

template <class X>
struct block_shape {
  using policy = spmv_blocks_policy<sizeof(X)>;
  static constexpr int in_vector = vector_of_table<X>::size;
  static constexpr int in_sector = 2 * in_vector;
  static constexpr int chunk = policy::items * warp_size;
  /// The shared memory for the products of `warps` warps, in bytes.
  static constexpr std::size_t bytes_of_products(int warps) {
    return div_up(index_t{sizeof(X)} * padded_index<X>(chunk) * warps, 16) * 16;
  }
};

template <class X>
inline constexpr bool fits_tables =
    std::is_trivially_copyable_v<X>&& std::is_default_constructible_v<X>&& std::has_single_bit(
        sizeof(X)) &&
    sizeof(X) <= 16;

/// Whether tables of X leave enough shared memory for chunks of values of T.
template <class T, class X>
inline constexpr bool adds_beside_tables = reduced_in_runs<T> && sizeof(T) <= sizeof(X);

/// Which elements tables take from slices of x, ordered by slice, and where they go in the tables.
template <class X>
struct wanted_of_slices {
  using vector = vector_of_table<X>;

  columns_of_vector<X> const* columns;  // columns relative to their slice
  std::uint32_t const* places;          // of sectors, in all tables one after another
  vector* tables;

  /// Writes vectors [first, last), by `Threads` threads; the tables in `tables` begin with sector
  /// `begin` of all tables.  The columns and places of the next iteration are loaded while this one
  /// writes.
  template <int Threads>
  __device__ void spread(X const* slice, int thread, index_t first, index_t last,
                         std::uint32_t begin) const {
    constexpr int at_once = spmv_blocks_policy<sizeof(X)>::at_once;
    columns_of_vector<X> columns_of[at_once];
    std::uint32_t place[at_once];
    auto const load_next = [&](index_t base) {
#pragma unroll
      for (int u = 0; u < at_once; ++u) {
        index_t const i = ::min(base + u * Threads, last - 1);  // clamped: branchless
        columns_of[u] = read_once(columns + i);
        place[u] = read_once(places + i / 2);
      }
    };
    index_t base = first + thread;
    if (first < last) load_next(base);
    for (; base < last; base += at_once * Threads) {
      vector v[at_once];
      std::uint32_t target[at_once];
#pragma unroll
      for (int u = 0; u < at_once; ++u) {
#pragma unroll
        for (int k = 0; k < vector::size; ++k) v[u].of[k] = slice[columns_of[u].of[k]];
        target[u] = place[u] - begin;
      }
      load_next(base + at_once * Threads);
#pragma unroll
      for (int u = 0; u < at_once; ++u) {
        index_t const i = base + u * Threads;
        if (i < last) tables[index_t{target[u]} * 2 + i % 2] = v[u];
      }
    }
  }
};

/// The first kernel: writes the elements of slices of x to the tables.
template <class X>
struct spread_slices {
  using shape = block_shape<X>;
  using policy = typename shape::policy;
  using vector = vector_of_table<X>;
  static constexpr int threads = policy::slice_threads;

  X const* x;
  index_t cols, columns;  // number of columns of x, and of a slice
  index_t of_slice;       // number of sectors whose writing takes as long as loading a slice
  int slices;
  std::uint32_t const* ends;  // cumulative sectors of slices in tables
  wanted_of_slices<X> wanted;

  __device__ void load(X* slice, index_t number) const {
    index_t const first = number * columns, many = ::min(columns, cols - first);
    X const* const elements = x + first;
    bool const aligned = reinterpret_cast<std::uintptr_t>(elements) % sizeof(vector) == 0;
    index_t const vectors = aligned ? many / vector::size : 0;
#pragma unroll 8
    for (index_t i = threadIdx.x; i < vectors; i += threads) {
      reinterpret_cast<vector*>(slice)[i] = reinterpret_cast<vector const*>(elements)[i];
    }
    for (index_t i = vectors * vector::size + threadIdx.x; i < many; i += threads) {
      slice[i] = elements[i];
    }
  }

  /// A position in the work of all blocks: a slice, and a sector that it writes.
  struct position {
    int slice;
    index_t sector;
  };
  /// The position after work `p`, where loading a slice counts as `of_slice` sectors.
  __device__ position at(index_t p) const {
    int slice = 0;
    for (int base = 0; base < slices; base += threads) {
      int const s = base + static_cast<int>(threadIdx.x);
      slice += __syncthreads_count(s < slices && ends[s] + (s + 1) * of_slice <= p);
    }
    index_t const begin = slice > 0 ? ends[slice - 1] : 0;
    return {slice, ::max(begin, p - (slice + 1) * of_slice)};
  }

  /// The share of one thread block: equal work for each block.
  __device__ void work() const {
    X* const slice = reinterpret_cast<X*>(shared_bytes());
    index_t const total = ends[slices - 1] + slices * of_slice;
    auto [number, begin] = at(total * blockIdx.x / gridDim.x);
    index_t const last = at(total * (blockIdx.x + 1) / gridDim.x).sector;
    for (; begin < last; ++number) {
      index_t const end = ::min(last, index_t{ends[number]});
      if (begin == end) continue;
      load(slice, number);
      __syncthreads();
      wanted.template spread<threads>(slice, static_cast<int>(threadIdx.x), 2 * begin, 2 * end, 0);
      __syncthreads();
      begin = end;
    }
  }
};

template <class X>
__global__ void __launch_bounds__(spread_slices<X>::threads, 1)
    spread_slices_kernel(__grid_constant__ spread_slices<X> const spreading) {
  spreading.work();
}

/// Waits until a table has been copied to shared memory.
struct until_landed {
  barrier const& landed;
  unsigned parity;
  __device__ void operator()() const {
    if constexpr (has_bulk_copies) landed.wait(parity);
  }
};

/// The second kernel: adds rows with the table of their elements in shared memory.
template <class Rows>
struct add_beside_tables {
  using X = typename Rows::element;
  using shape = block_shape<X>;
  using vector = vector_of_table<X>;
  static constexpr int warps = shape::policy::warps;
  static constexpr int threads = warps * warp_size;
  static constexpr std::size_t bytes_of_products = shape::bytes_of_products(warps);
  static_assert(sizeof(typename Rows::shared) * warps <= bytes_of_products);

  Rows rows;
  vector const* tables;
  std::uint32_t const* begins;  // where tables begin, in sectors
  index_t count;                // number of blocks of rows

  __device__ void work(index_t block) const {
    __shared__ barrier landed;
    auto* const products = reinterpret_cast<typename Rows::shared*>(shared_bytes());
    auto* const table = reinterpret_cast<vector*>(shared_bytes() + bytes_of_products);
    auto const begin_of = [&](index_t b) { return 2 * index_t{begins[b]}; };
    copy_range(table, tables, begin_of(count), begin_of(block), begin_of(block + 1), landed,
               threads);
    __syncthreads();  // makes the initialised barrier visible to all threads
    int const warp = static_cast<int>(threadIdx.x) / warp_size;
    index_t const run = block * warps + warp;
    if (run >= rows.runs) return;
    rows.work(run, reinterpret_cast<X const*>(table),
              static_cast<int>(begins[block + 1] - begins[block]) * shape::in_sector,
              &products[warp][0], until_landed{landed, 0});
  }
};

template <class Blocks>
__global__ void __launch_bounds__(Blocks::threads, Blocks::shape::policy::blocks)
    add_beside_tables_kernel(__grid_constant__ Blocks const blocks) {
  blocks.work(blockIdx.x);
}

}  // namespace ravel::inline v0::gpu::detail
