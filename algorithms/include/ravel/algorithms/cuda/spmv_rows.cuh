#pragma once

/// Adds up the rows of a sparse product on a device, by warps, with the elements of x that a
/// block's rows use in a table in shared memory.
///
/// A warp processes its run of entries in chunks.  Its lanes load entries coalesced, and store
/// products to shared memory.  Then each lane adds consecutive products; a bit for each entry marks
/// the last of its row.  A segmented warp scan gives each lane its prefix, and each row reads its
/// sum at its last entry.  So the time does not depend on the lengths of rows.  No warp waits for
/// another: a following kernel joins the partial sums of rows that are cut.
///
/// Source   Liu and Vinter, "CSR5: An Efficient Storage Format for Cross-Platform Sparse
///          Matrix-Vector Multiplication", ICS 2015: the bits.

#include <ravel/algorithms/cuda/spmv_blocks_policy.hpp>
#include <ravel/core/cuda/block.cuh>
#include <ravel/core/cuda/warp.cuh>
#include <ravel/core/read_once.hpp>
#include <ravel/primitives/cuda/segmented_reduce_computed.cuh>

namespace ravel::inline v0::gpu::detail {

using place_in_table = std::uint16_t;

/// The index of value i of a chunk in shared memory.  One element of padding after each 128 bytes
/// avoids bank conflicts between lanes that read 8 or 16 consecutive values each.
template <class T>
RAVEL_HD constexpr int padded_index(int i) {
  constexpr unsigned between = sizeof(T) <= 4 ? 32 : 128 / sizeof(T);
  return i + static_cast<int>(static_cast<unsigned>(i) / between);
}

/// The partial sums that runs leave: `open` of the row that goes on after the run, `head` of the
/// row that began before it.
template <class T>
struct parts_of_rows {
  flagged<T>* open;
  T* head;
};

template <class T, class A, class X, class Segments, class M, class Seed, class Multiply,
          class Visit>
struct add_rows {
  using policy = spmv_blocks_policy<sizeof(X)>;
  static constexpr int items = policy::items, windows = policy::windows;
  static constexpr int chunk = items * warp_size;
  static constexpr int beyond = 1 << 30;  // the end of rows that do not end in the run
  static_assert(warp_size % items == 0,
                "the end bits of a lane's entries must not cross a word of 32");
  using value = T;
  using element = X;
  using shared = shared_array<T, padded_index<T>(chunk)>;

  place_in_table const* places;  // table index of each entry, padded by a chunk
  std::uint32_t const* ends_of_rows;
  A const* values;
  Segments rows;
  M m;
  Seed seed;
  Multiply multiply;
  Visit visit;
  index_t n, runs;
  run_range const* ranges;
  parts_of_rows<T> parts;

  /// A warp's progress in its run.
  struct progress {
    index_t first;                // first row of the run
    int ending;                   // number of rows that end in the run
    int row;                      // first row of the current window of 32 rows, relative to `first`
    int done;                     // number of rows of the window that have ended
    int begin;                    // begin of the next row, relative to `base`
    T open;                       // partial sum of the row that goes on after the last chunk
    bool begun;                   // whether the first row began before the run
    std::uint32_t base;           // the first entry of the run, to which indices are relative
    std::uint32_t ends[windows];  // where rows end, for this window and the next ones
  };

  static __device__ T& at_place(T* products, int i) { return products[padded_index<T>(i)]; }

  /// Adds the products of entries [offset, offset + chunk); the run has entries [start, size).
  /// Leaves the sum of each row at its last entry, and in at.open the partial sum of the row that
  /// goes on after the chunk.
  __device__ void add_up(progress& at, T* products, unsigned ends, int start, int size,
                         int offset) const {
    int const lane = threadIdx.x % warp_size, first = offset + lane * items;
    T x[items];
#pragma unroll
    for (int k = 0; k < items; ++k) x[k] = at_place(products, lane * items + k);
    // Entries outside of the run are marked as ends of rows, which keeps them out of the run's
    // sums.
    constexpr unsigned all_items = (1u << items) - 1;
    if (int const before = start - first; before > 0) {
      ends = before > items ? 0u : (ends & (all_items << before)) | 1u << (before - 1);
    }
    if (int const left = size - first; left <= items) {
      ends = left <= 0 ? 0u : (ends & (all_items >> (items - left))) | 1u << (left - 1);
    }
    ends &= all_items;
    T sum = T(m.identity());
#pragma unroll
    for (int k = 0; k < items; ++k) {
      sum = m(sum, x[k]);
      if ((ends >> k & 1) != 0) {
        at_place(products, lane * items + k) = sum;
        sum = T(m.identity());
      }
    }
    if (lane == 0 && ends == 0) sum = m(at.open, sum);
    T const through = warp_scan(flagged<T>{sum, ends != 0}, segmented<M>{m}).value;
    T const left = shuffle_up(through, 1);
    if (ends != 0) {
      T& of_first = at_place(products, lane * items + __ffs(static_cast<int>(ends)) - 1);
      of_first = m(lane == 0 ? at.open : left, of_first);
    }
    at.open = shuffle_from(through, warp_size - 1);
    __syncwarp();
  }

  /// Calls visit for the rows that end before `stop`, 32 at a time.
  __device__ void visit_rows(progress& at, T* products, index_t run, int offset, int stop) const {
    int const lane = threadIdx.x % warp_size;
    for (;;) {
      int const end = at.row + lane < at.ending ? static_cast<int>(at.ends[0] - at.base) : beyond;
      int const before = __shfl_up_sync(whole_warp, end, 1);
      int const ended = __popc(__ballot_sync(whole_warp, end <= stop));
      if (at.done <= lane && lane < ended) {
        bool const empty = end == (lane > 0 ? before : at.begin);
        T const sum = empty ? T(m.identity()) : at_place(products, end - 1 - offset);
        if (at.begun && at.row + lane == 0) {
          parts.head[run] = sum;
        } else {
          visit(at.first + at.row + lane, m(T(seed()), sum));
        }
      }
      at.done = ended % warp_size;
      if (ended < warp_size) return;
      at.begin = __shfl_sync(whole_warp, end, warp_size - 1);
      at.row += warp_size;
#pragma unroll
      for (int k = 0; k + 1 < windows; ++k) at.ends[k] = at.ends[k + 1];
      at.ends[windows - 1] = end_of_lane(rows, at.first + at.row + (windows - 1) * warp_size);
    }
  }

  /// One warp processes a run.  It issues the loads of its first chunk and then calls `landed()`,
  /// which waits for the table, of `elements` elements.
  template <class Landed>
  __device__ void work(index_t run, X const* table, int elements, T* products,
                       Landed landed) const {
    int const lane = threadIdx.x % warp_size;
    auto const [first, last, begin, end, begun, cut] = ranges[run];
    index_t const base = begin / warp_size * warp_size;
    int const start = static_cast<int>(begin - base), size = static_cast<int>(end - base);
    progress at{first, static_cast<int>(last - first),   0, 0, start, T(m.identity()),
                begun, static_cast<std::uint32_t>(base), {}};
#pragma unroll
    for (int k = 0; k < windows; ++k) at.ends[k] = end_of_lane(rows, first + k * warp_size);

    place_in_table next_place[items];
    unsigned next_ends = 0;
    auto const load_next = [&](int offset) {
      auto const* const first_place = places + (base + offset) + lane;
#pragma unroll
      for (int k = 0; k < items; ++k) next_place[k] = read_once(first_place + k * warp_size);
      index_t const of_lane = base + offset + lane * items;
      next_ends = read_once(ends_of_rows + of_lane / 32) >> of_lane % 32;
    };
    // Products outside of the run are computed from other entries: a branch would serialise the
    // loads.
    auto const multiply_chunk = [&]<bool Whole>(std::bool_constant<Whole>, int offset) {
      T x[items];
      auto const* const source = values + (base + offset);
#pragma unroll
      for (int k = 0; k < items; ++k) {
        int const i = k * warp_size + lane;
        int const place = ::min(int{next_place[k]}, elements - 1);
        index_t const entry = Whole ? i : ::min(index_t{i}, n - 1 - (base + offset));
        x[k] = multiply(static_cast<T>(read_once(source + entry)), static_cast<T>(table[place]));
      }
      if (offset + chunk < size) load_next(offset + chunk);
#pragma unroll
      for (int k = 0; k < items; ++k) at_place(products, k * warp_size + lane) = x[k];
    };
    if (start < size) load_next(0);
    landed();
    int offset = 0;
    do {
      unsigned const ends = next_ends;
      if (start < size) {
        if (base + offset + chunk <= n) {
          multiply_chunk(std::true_type{}, offset);
        } else {
          multiply_chunk(std::false_type{}, offset);
        }
        __syncwarp();
        add_up(at, products, ends, start, size, offset);
        if (cut && size <= offset + chunk) at.open = at_place(products, size - 1 - offset);
      }
      visit_rows(at, products, run, offset, ::min(size, offset + chunk));
      __syncwarp();
      offset += chunk;
    } while (offset < size);
    if (lane == 0) parts.open[run] = {at.open, !begun || last > first};
  }
};

/// Joins rows that are cut: for each run in which a row begun earlier ends, adds up that row's
/// partial sums. One warp handles 32 runs.
template <class Rows>
struct join_rows {
  static constexpr int threads = 128;
  using T = typename Rows::value;

  Rows all;

  __device__ void work() const {
    int const lane = threadIdx.x % warp_size;
    index_t const begin = (index_t{blockIdx.x} * threads + threadIdx.x) / warp_size * warp_size;
    index_t const own_run = begin + lane;
    bool const ends = own_run < all.runs && all.ranges[own_run].begun &&
                      all.ranges[own_run].first < all.ranges[own_run].last;
    for (unsigned left = __ballot_sync(whole_warp, ends); left != 0; left &= left - 1) {
      index_t const run = begin + __ffs(static_cast<int>(left)) - 1;
      T const before = sum_before(run);
      if (lane == 0) {
        T const sum = all.m(before, all.parts.head[run]);
        all.visit(all.ranges[run].first, all.m(T(all.seed()), sum));
      }
    }
  }

  __device__ T sum_before(index_t run) const {
    segmented const lifted{all.m};
    auto ahead = lifted.identity();
    for (index_t end = run; !ahead.head; end -= warp_size) {
      index_t const slot = end - warp_size + threadIdx.x % warp_size;
      auto const of_run = slot >= 0 ? all.parts.open[slot] : lifted.identity();
      ahead = lifted(warp_fold(of_run, lifted), ahead);
    }
    return ahead.value;
  }
};
template <class Rows>
__global__ void __launch_bounds__(join_rows<Rows>::threads)
    join_rows_kernel(__grid_constant__ join_rows<Rows> const joins) {
  joins.work();
}

}  // namespace ravel::inline v0::gpu::detail
