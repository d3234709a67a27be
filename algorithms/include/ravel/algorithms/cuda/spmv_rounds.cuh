#pragma once

/// Sparse products on a device whose multiprocessors together can hold x in shared memory: one
/// kernel with specialised warps.
///
/// Each multiprocessor keeps a slice of x.  Blocks of rows are processed in rounds, one block of
/// rows for each multiprocessor; its table (cuda/spmv_tables.cuh) gets elements from all slices.
///
/// 1. *Spread.*  Producer warps write elements of their slice to the tables of a round, in device
///    memory.
/// 2. *Load.*  One thread waits until all slices have been written to the tables of a round, and
///    then starts the bulk copy of its block's table to shared memory.
/// 3. *Add up.*  Consumer warps add the rows of that table.
///
/// The tables of a few rounds share a ring buffer: a slot is reused once its tables have been
/// read.  So tables stay in L2, and DRAM traffic is the matrix and the elements of x in tables.

#include <ravel/algorithms/cuda/spmv_tables.cuh>
#include <ravel/core/cuda/bulk_copy.cuh>
#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/cuda/shared.cuh>
#include <ravel/core/cuda/words.cuh>

namespace ravel::inline v0::gpu::detail {

template <class Rows>
struct multiply_in_rounds {
  using X = typename Rows::element;
  using shape = block_shape<X>;
  using policy = typename shape::policy;
  using vector = vector_of_table<X>;
  static constexpr int warps = policy::warps_of_rounds;
  static constexpr int adding = warps * warp_size;
  static constexpr int spreading = policy::spread_warps * warp_size;
  static constexpr int threads = adding + warp_size + spreading;
  static constexpr std::size_t bytes_of_products = shape::bytes_of_products(warps);
  static_assert(sizeof(typename Rows::shared) * warps <= bytes_of_products);
  static_assert(threads <= 1024, "a thread block has room for no more threads");

  Rows rows;
  X const* x;
  std::uint32_t const* kept;  // the columns of x in each slice
  index_t columns;            // number of columns of a slice
  std::size_t largest;        // bytes of the largest table
  wanted_of_slices<X> wanted;
  std::uint32_t const* ends;    // cumulative sectors of each slice in the tables of each round
  std::uint32_t const* begins;  // where each table begins, in sectors
  index_t count;                // number of tables
  int rounds, rooms;            // rounds in all, and rounds that the ring buffer holds
  std::uint32_t room;           // sectors of the ring buffer for a round
  unsigned *spread, *read;      // for each round, how many slices are written and tables read

  __device__ index_t first_of(int round) const { return ::min(index_t{round} * gridDim.x, count); }
  __device__ std::uint32_t room_of(int round) const {
    return static_cast<std::uint32_t>(round % rooms) * room;
  }
  static __device__ void wait_for(unsigned const* counter, index_t target) {
    while (load_acquire(counter) < target) {
    }
  }

  __device__ void keep(X* slice) const {
    auto const* const kept_columns = kept + blockIdx.x * columns;
#pragma unroll 8
    for (index_t i = threadIdx.x; i < columns; i += threads) slice[i] = x[kept_columns[i]];
  }

  __device__ void spread_rounds(X const* slice, int thread) const {
    auto const* const end = ends + index_t{blockIdx.x} * (rounds + 1);
    for (int round = 0; round < rounds; ++round) {
      if (int const had = round - rooms; had >= 0) {
        if (thread == 0) wait_for(read + had, first_of(had + 1) - first_of(had));
        sync_group(0, spreading);
      }
      wanted.template spread<spreading>(slice, thread, 2 * index_t{end[round]},
                                        2 * index_t{end[round + 1]},
                                        begins[first_of(round)] - room_of(round));
      fence_copies_of_global();
      sync_group(0, spreading);
      if (thread == 0) add_release(spread + round, 1);
    }
  }

  /// The copy thread's loop: waits for producers, then copies this block's table to shared memory.
  __device__ void load_tables(vector* table, barrier& landed, barrier const& added) const {
    for (int round = 0; round < rounds; ++round) {
      index_t const first = first_of(round), own = first + blockIdx.x;
      if (own >= count) return;
      unsigned const parity = round % 2;
      if (round > 0) added.wait(1 - parity);
      wait_for(spread + round, gridDim.x);
      fence_copies_of_global();
      std::uint32_t const begin = begins[own], sectors = begins[own + 1] - begin;
      unsigned const bytes = sectors * 2 * unsigned{sizeof(vector)};
      landed.arrive_and_expect(bytes);
      index_t const sector = begin - begins[first] + room_of(round);
      if (bytes > 0) landed.copy(table, wanted.tables + 2 * sector, bytes);
      landed.wait(parity);
      add_release(read + round, 1);
    }
  }

  /// A consumer warp's loop: adds the rows of one run in each round.
  __device__ void add_up(X const* table, typename Rows::shared& products, barrier const& landed,
                         barrier& added, int warp) const {
    for (int round = 0; round < rounds; ++round) {
      index_t const own = first_of(round) + blockIdx.x, run = own * warps + warp;
      if (run >= rows.runs) return;
      int const elements = static_cast<int>(begins[own + 1] - begins[own]) * shape::in_sector;
      rows.work(run, table, elements, &products[0], until_landed{landed, round % 2u});
      __syncwarp();
      if (threadIdx.x % warp_size == 0) added.arrive();
    }
  }

  __device__ void work() const {
    __shared__ barrier landed, added;
    auto* const products = reinterpret_cast<typename Rows::shared*>(shared_bytes());
    char* const table = shared_bytes() + bytes_of_products;
    X* const slice = reinterpret_cast<X*>(table + largest);
    if (threadIdx.x == 0) {
      landed.begin(1);
      added.begin(warps);
      fence_barriers();
    }
    keep(slice);
    __syncthreads();
    int const warp = static_cast<int>(threadIdx.x) / warp_size;
    if (warp < warps) {
      add_up(reinterpret_cast<X const*>(table), products[warp], landed, added, warp);
    } else if (warp > warps) {
      spread_rounds(slice, static_cast<int>(threadIdx.x) - (adding + warp_size));
    } else if (threadIdx.x % warp_size == 0) {
      load_tables(reinterpret_cast<vector*>(table), landed, added);
    }
  }
};

template <class Rounds>
__global__ void __launch_bounds__(Rounds::threads, 1)
    multiply_in_rounds_kernel(__grid_constant__ Rounds const rounds) {
#ifdef RAVEL_BULK_COPIES
  rounds.work();
#endif
}

}  // namespace ravel::inline v0::gpu::detail
