#pragma once

/// @file
/// A sparse matrix times a vector on a device: one kernel that reads each entry once.
///
/// Entries and ends of rows, merged in their order, are cut into slabs of one length,
/// so that neither a long row nor many empty ones keep a block busy while others rest.
/// A block goes through its slab chunk by chunk: its threads multiply the entries of
/// a chunk, whose elements of x are then all under way at once, and then add up rows, each
/// by one thread, or by a warp if it is long.  A row that began in earlier slabs gets
/// what these publish of it.
///
/// Which products are added first is fixed by the offsets alone.
///
/// Source   Merrill and Garland, "Merge-Based Parallel Sparse Matrix-Vector
///          Multiplication", SC 2016, for the slabs; Greathouse and Daga, "Efficient
///          Sparse Matrix-Vector Multiplication on GPUs Using the CSR Storage Format",
///          SC 2014, for products in shared memory; the notes of slabs are published as
///          in cuda/scan.cuh.

#include <ravel/algorithms/cuda/spmv_policy.hpp>
#include <ravel/algorithms/spmv.hpp>
#include <ravel/core/cuda/bulk_copy.cuh>
#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/cuda/tile_state.cuh>
#include <ravel/core/cuda/warp.cuh>
#include <ravel/core/monoid.hpp>
#include <ravel/primitives/cuda/between_sequences.cuh>

#include <algorithm>
#include <type_traits>

namespace ravel::inline v0::cuda {
namespace detail {

/// What a kernel multiplies.
template <class Offset, class Column, class A, class X, class T, class Add, class Multiply,
          class Visit>
struct product_of_rows {
  using value = T;
  using column = Column;
  using stored = A;
  using element = X;
  index_t rows, entries;
  Offset const* offsets;
  Column const* columns;
  A const* values;
  X const* x;
  Add add;
  Multiply multiply;
  Visit visit;

  __device__ index_t end(index_t row) const { return static_cast<index_t>(offsets[row + 1]); }
};

/// How many rows end among the first `many` entries and ends of rows, by a warp.
template <class Rows>
__device__ index_t rows_ended(Rows const& all, index_t many) {
  int const lane = threadIdx.x % warp_size;
  index_t low = 0, high = all.rows;
  while (low < high) {
    index_t const step = (high - low) / warp_size + 1;
    index_t const probe = low + (lane + 1) * step - 1;
    bool const ended = probe < high && all.end(probe) + probe < many;
    int const before = __popc(__ballot_sync(whole_warp, ended));
    high = ::min(high, low + (before + 1) * step - 1);
    low += before * step;
  }
  return low;
}

/// What earlier slabs know of the row that slab t finds begun, by a warp.
template <class T, class M>
__device__ T ahead_of_slab(tile_states<flagged<T>> const& slabs, index_t t, M m) {
  int const lane = threadIdx.x % warp_size;
  segmented<M> const lifted{m};
  flagged<T> ahead = lifted.identity();
  for (index_t end = t; end > 0 && !ahead.head; end -= warp_size) {
    index_t const slot = end - warp_size + lane;
    flagged<T> of_slab = lifted.identity();
    bool have = slot < 0;
    while (!__all_sync(whole_warp, have)) {
      if (!have) have = slabs.look(slot, of_slab) != published::nothing;
    }
    ahead = lifted(warp_fold(of_slab, lifted), ahead);
  }
  return ahead.value;
}

/// carry * entry(begin) * ... * entry(end - 1), by a warp, whose lanes have neighbours.
template <class T, class Entry, class M>
__device__ T combine_by_warp(int begin, int end, Entry entry, M m, T carry) {
  int const lane = threadIdx.x % warp_size;
  int const each = ((end - begin) / warp_size + 1) | 1;  // odd, so that lanes meet in no bank
  int const first = begin + lane * each;
  int const last = ::min(first + each, end);
  T sum = m.identity();
  for (int i = first; i < last; ++i) sum = m(sum, entry(i));
  return m(carry, warp_fold(sum, m));
}

/// Where the entries of a chunk land.
template <class Rows, int Chunk>
struct entries_of_chunk {
  alignas(bulk_alignment) typename Rows::stored values[Chunk];
  alignas(bulk_alignment) typename Rows::column columns[Chunk];

  /// Begins to copy n entries from the `first`, which leave the L2 cache to x.
  __device__ void load(Rows const& all, index_t first, unsigned n, barrier& landed) {
    landed.arrive_and_expect(load_one(values, all.values + first, n, landed) +
                             load_one(columns, all.columns + first, n, landed));
  }

 private:
  template <class V>
  static __device__ unsigned load_one(V* to, V const* from, unsigned n, barrier& landed) {
    constexpr unsigned width = sizeof(V), vector = bulk_alignment;
    unsigned const whole = n * width / vector * vector;
    for (unsigned i = whole / width; i < n; ++i) to[i] = from[i];
    if (whole > 0) landed.copy_once(to, from, whole);
    return whole;
  }
};

template <class Rows>
__global__ void __launch_bounds__(spmv_policy::threads,
                                  spmv_policy::blocks<sizeof(typename Rows::value)>)
    spmv_kernel(Rows all, index_t slab, index_t slabs, dispenser* tickets,
                tile_states<flagged<typename Rows::value>> tails) {
  using T = typename Rows::value;
  constexpr int threads = spmv_policy::threads;
  constexpr int items = spmv_policy::items<sizeof(T)>;
  constexpr int each = spmv_policy::rows_each;
  constexpr int chunk = threads * items;
  __shared__ shared_array<entries_of_chunk<Rows, chunk>, 2> stages;
  __shared__ barrier landed[2];
  __shared__ shared_array<T, chunk> products[2];
  __shared__ unsigned short ends[2][each * threads];
  __shared__ shared_array<T, 2> opened;  // what the chunk before had of the row that ends next
  __shared__ ticket drawn;
  __shared__ index_t ended_before[2];
  int const thread = threadIdx.x;
  int const lane = thread % warp_size;
  int const warp = thread / warp_size;
  bool const in_last_warp = warp == threads / warp_size - 1;  // the one with the fewest rows
  auto const m = all.add;

  if (thread == 0) {
    drawn = draw(*tickets, slabs);
    landed[0].begin(1);
    landed[1].begin(1);
    fence_barriers();
    opened[0] = m.identity();
  }
  __syncthreads();
  index_t const first_item = drawn.tile * slab;
  index_t const last_item = ::min(first_item + slab, all.rows + all.entries);
  if (warp < 2) {
    index_t const ended = rows_ended(all, warp == 0 ? first_item : last_item);
    if (lane == 0) ended_before[warp] = ended;
  }
  __syncthreads();
  index_t const first_row = ended_before[0], last_row = ended_before[1];
  index_t const here = first_item - first_row, last = last_item - last_row;
  bool const found_begun =
      first_row < all.rows && static_cast<index_t>(all.offsets[first_row]) < here;

  index_t base = here / chunk * chunk;        // of the chunk
  int begin = static_cast<int>(here - base);  // of the row that ends next, in it
  index_t row = first_row;                    // that row
  int turn = 0;
  unsigned parity = 0;

  auto const load = [&](index_t first, int to) {
    if (thread != threads - 1 || first >= last) return;
    stages[to].load(all, first, static_cast<unsigned>(::min(all.entries - first, index_t{chunk})),
                    landed[to]);
  };
  auto const stop_of = [&](index_t first) {
    return static_cast<int>(::max(index_t{0}, ::min(last - first, index_t{chunk})));
  };
  typename Rows::element x[items] = {};
  auto const gather = [&](index_t first, int from, int in, unsigned phase) {
    if (first >= last) return;
    int const stop = stop_of(first);
    landed[in].wait(phase);
#pragma unroll
    for (int k = 0; k < items; ++k) {
      int const i = k * threads + thread;
      if (from <= i && i < stop) x[k] = all.x[stages[in].columns[i]];
    }
  };
  // Where rows end in a chunk; beyond it those that do not.
  int mine[each];
  bool many = false;  // whether more than one row for each thread is worth a look
  auto const fetch_ends = [&](index_t next, index_t first) {
#pragma unroll
    for (int j = 0; j < each; ++j) {
      index_t const r = next + j * threads + thread;
      mine[j] = (j == 0 || many) && r < last_row
                    ? static_cast<int>(::min(all.end(r) - first, index_t{chunk + 1}))
                    : chunk + 1;
    }
  };
  load(base, 0);
  load(base + chunk, 1);
  fetch_ends(row, base);
  gather(base, begin, 0, 0);

  T head = m.identity();  // the sum of the row that was found begun
  while (base + begin < last || row < last_row) {
    int const stop = stop_of(base);
    auto& product = products[turn];
    if (base < last) {
#pragma unroll
      for (int k = 0; k < items; ++k) {
        int const i = k * threads + thread;
        if (begin <= i && i < stop) {
          product[i] = all.multiply(static_cast<T>(stages[turn].values[i]), static_cast<T>(x[k]));
        }
      }
    }
    auto const entry = [&](int i) { return T(product[i]); };

    bool fresh = false;  // whether the row that ends next begins in the chunk
    for (bool first_round = true, more = true; more; first_round = false) {
      int const room = many ? each * threads : threads;
#pragma unroll
      for (int j = 0; j < each; ++j) {
        if (j == 0 || many) {
          ends[turn][j * threads + thread] = static_cast<unsigned short>(mine[j]);
        }
      }
      int count = __syncthreads_count(mine[0] <= stop);
#pragma unroll
      for (int j = 1; j < each; ++j) {
        if (many && count == j * threads) count += __syncthreads_count(mine[j] <= stop);
      }
      more = count == room;
      index_t const row_here = row;
      int const begin_here = begin;
      row += count;
      if (count > 0) begin = ends[turn][count - 1];

      // What the next chunk needs is under way while this one's rows are added up.
      if (first_round) {
        load(base + 2 * chunk, turn);
        gather(base + chunk, 0, turn ^ 1, turn == 0 ? parity : parity ^ 1);
      }
      if (!more) {
        many = row - row_here >= threads;
        fetch_ends(row, base + chunk);
      }

      for (int at = thread; at - lane < count; at += threads) {
        bool const ends_here = at < count;
        int const from = at == 0 ? begin_here : ends_here ? ends[turn][at - 1] : 0;
        int const to = ends_here ? ends[turn][at] : 0;
        T sum = at == 0 && !fresh ? T(opened[turn]) : T(m.identity());
        bool const is_long = to - from > spmv_policy::long_row;
        if (!is_long) {
          for (int i = from; i < to; ++i) sum = m(sum, entry(i));
        }
        for (unsigned some = __ballot_sync(whole_warp, is_long); some != 0; some &= some - 1) {
          int const whose = __ffs(some) - 1;
          T const whole = combine_by_warp(__shfl_sync(whole_warp, from, whose),
                                          __shfl_sync(whole_warp, to, whose), entry, m,
                                          shuffle_from(sum, whose));
          if (lane == whose) sum = whole;
        }
        if (found_begun && row_here + at == first_row) {
          head = sum;
        } else if (ends_here) {
          all.visit(row_here + at, sum);
        }
      }
      fresh = fresh || count > 0;
      if (more) {
        __syncthreads();  // ends are written anew
        many = true;
        fetch_ends(row, base);
      }
    }
    if (in_last_warp) {
      T open = fresh ? T(m.identity()) : T(opened[turn]);
      if (begin < stop) open = combine_by_warp(begin, stop, entry, m, open);
      if (lane == 0) opened[turn ^ 1] = open;
    }
    base += chunk;
    begin = 0;
    parity ^= static_cast<unsigned>(turn);
    turn ^= 1;
  }

  __syncthreads();
  if (warp == 0) {
    tails.epoch = drawn.epoch;
    bool const ended = row > first_row;
    if (lane == 0) {
      tails.publish(drawn.tile, published::part, flagged<T>{opened[turn], ended || !found_begun});
    }
    if (found_begun && ended) {
      T const ahead = ahead_of_slab<T>(tails, drawn.tile, m);
      if (lane == 0) all.visit(first_row, T(m(ahead, head)));
    }
  }

  // After the last epoch tags would repeat: the last block to finish clears them all.
  if (drawn.epoch == dispenser::last_epoch && thread == 0) {
    if (atomicAdd(&tickets->finished, 1u) == static_cast<unsigned>(slabs) - 1) {
      for (index_t s = 0; s < memory::state_slots; ++s) tails.words[s] = {};
      tickets->finished = 0;
    }
  }
}

}  // namespace detail

/// As ravel::detail::multiply_rows, in one kernel.
template <class A, class X, class Add, class Multiply, class Visit>
void multiply_rows(executor const& ex, A const& a, X const& x, Add add, Multiply multiply,
                   Visit visit) {
  using T = carrier_t<Add>;
  if constexpr (sizeof(T) > spmv_policy::largest) {
    ravel::detail::multiply_rows<executor>(ex, a, x, add, multiply, visit);
  } else {
    using Rows =
        detail::product_of_rows<element_t<decltype(a.offsets)>, element_t<decltype(a.columns)>,
                                element_t<decltype(a.values)>, element_t<X>, T, Add, Multiply,
                                Visit>;
    if (a.rows == 0) return;
    if (!detail::may_be_copied_in_bulk(a.columns.data(), a.values.data())) {
      ravel::detail::multiply_rows<executor>(ex, a, x, add, multiply, visit);
      return;
    }
    constexpr index_t chunk = index_t{spmv_policy::threads} * spmv_policy::items<sizeof(T)>;
    index_t const all = a.rows + a.nnz();
    index_t const blocks =
        spmv_policy::waves * ex.room_for(detail::spmv_kernel<Rows>, spmv_policy::threads);
    index_t const slab =
        std::max(spmv_policy::fewest_chunks, div_up(div_up(all, chunk), blocks)) * chunk;
    index_t const slabs = div_up(all, slab);
    using states = tile_states<flagged<T>>;
    auto const words = ex.states<flagged<T>>(slabs);
    auto const apart = ex.scratch<flagged<T>>(states::apart ? 2 * slabs : 0);
    ex.launch({slabs, spmv_policy::threads}, detail::spmv_kernel<Rows>,
              Rows{a.rows, a.nnz(), a.offsets.data(), a.columns.data(), a.values.data(), x.data(),
                   add, multiply, visit},
              slab, slabs, words.tickets(), states{words.words(), apart.data(), 0});
  }
}

}  // namespace ravel::inline v0::cuda
