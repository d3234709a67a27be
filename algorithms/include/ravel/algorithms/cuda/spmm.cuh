#pragma once

/// A sparse matrix times many vectors on a device: each lane computes some columns of the result.
///
/// The merged sequence of entries and row ends is cut into runs of equal length, which balances
/// long rows and many empty ones.  A short row belongs whole to the run where it ends.  A team of
/// lanes iterates over the entries of a run: all lanes load the same entry, and adjacent elements
/// of a row of X, which coalesce.  A second kernel adds the partial sums of rows that were cut, in
/// order.
///
/// Source   Yang, Buluc and Owens, "Design Principles for Sparse Matrix Multiplication on the GPU",
///          Euro-Par 2018: lanes along columns; Merrill and Garland, "Merge-Based Parallel Sparse
///          Matrix-Vector Multiplication", SC 2016: the runs.

#include <ravel/algorithms/spmm/cuda.hpp>
#include <ravel/core/cuda/block.cuh>
#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/cuda/warp.cuh>
#include <ravel/primitives/cuda/run_cuts.cuh>

namespace ravel::inline v0::gpu {
namespace detail {

struct spmm_policy {
  static constexpr int threads = 256;
  static constexpr int adding_threads = 512;
  static constexpr index_t teams_of_multiprocessor = 256;
  static constexpr index_t runs_of_team = 4;
  static constexpr index_t least = 32, most = 256;  // bounds for the entries and row ends in a run
};

/// Adjacent elements of a row, loaded and stored as one vector.
template <class T, int C>
struct alignas(sizeof(T) * C) neighbours_in_row {
  T of[C];
};

/// How the rows of a matrix are cut into runs.  A row is cut only if it has more entries on one
/// side of the cut than a run is long.
template <class Rows>
struct cut_matrix {
  Rows rows;
  index_t n, length, runs;
  index_t const* starts;  // the first row that ends in each run

  struct cut {
    index_t row, entry;
    bool in_row;
  };
  /// The first row that ends in run r.  Clamped to existing rows, as offsets may be malformed.
  __device__ index_t start(index_t r) const {
    return ravel::detail::bounded(starts[r], rows.count());
  }
  /// Where run r begins.
  __device__ cut at(index_t r) const {
    index_t const row = start(r), begin = rows.begin(row);
    index_t const entry = ravel::detail::bounded(::min(r * length, n + rows.count()) - row, n);
    bool const in_row = entry - begin > length;
    return {row, in_row ? entry : begin, in_row};
  }
  /// The first run that ends within this row, which is cut.
  __device__ index_t first_with(index_t row) const { return (rows.begin(row) + row) / length + 1; }
};

/// The first kernel: products and sums of runs.  A lane loads `AtOnce` entries, and then C elements
/// of X for each, so that many loads are outstanding.
template <int C, int AtOnce, class Rows, class Column, class A, class X, class Y, class Add,
          class Multiply>
struct multiply_runs {
  using T = carrier_t<Add>;
  using result = Y;
  static constexpr int at_once = AtOnce;

  cut_matrix<Rows> cuts;
  Column const* columns;
  A const* values;
  X const* x;
  Y* y;
  T* heads;  // for each run, the partial sum of a row begun in an earlier run
  T* opens;  // for each run, the partial sum of a row that ends in a later run
  index_t k;
  int lanes;  // lanes of a team
  Add add;
  Multiply multiply;

  using sums = side_by_side<T, C>;
  using elements = neighbours_in_row<X, C>;
  using results = neighbours_in_row<Y, C>;

  __device__ void keep(T* of_run, index_t column, sums const& sum) const {
    for (int c = 0; c < C; ++c) of_run[column + c] = sum.of[c];
  }
  __device__ void store(index_t row, index_t column, sums const& sum) const {
    results packed;
    for (int c = 0; c < C; ++c) packed.of[c] = static_cast<Y>(sum.of[c]);
    *reinterpret_cast<results*>(y + row * k + column) = packed;
  }

  /// One lane computes C of its columns for all entries of a run.
  __device__ void multiply_columns(index_t run, typename cut_matrix<Rows>::cut const& start,
                                   typename cut_matrix<Rows>::cut const& stop,
                                   index_t column) const {
    each_of<Add, C> const adds{add};
    index_t const rows = cuts.rows.count();
    auto const end_of = [&](index_t row) { return cuts.rows.begin(::min(row + 1, rows)); };
    index_t row = start.row, end = end_of(row), next_end = end_of(row + 1);
    bool begun = start.in_row;
    sums sum = adds.identity();
    auto const end_rows = [&](index_t entry) {
      while (row < stop.row && end <= entry) {
        if (begun) {
          keep(heads + run * k, column, sum);
        } else {
          store(row, column, sum);
        }
        begun = false;
        sum = adds.identity();
        end = next_end;
        next_end = end_of(++row + 1);
      }
    };
    // Past the end the last entry is loaded again: a branch would serialise the loads.
    Column next_column[at_once];
    A next_value[at_once];
    auto const load_entries = [&](index_t base) {
#pragma unroll
      for (int u = 0; u < at_once; ++u) {
        index_t const entry = ::min(base + u, stop.entry - 1);
        next_column[u] = columns[entry];
        next_value[u] = values[entry];
      }
    };
    if (start.entry < stop.entry) load_entries(start.entry);
    for (index_t base = start.entry; base < stop.entry; base += at_once) {
      T value[at_once];
      elements element[at_once];
#pragma unroll
      for (int u = 0; u < at_once; ++u) {
        auto const in_row = static_cast<index_t>(next_column[u]) * k + column;
        element[u] = *reinterpret_cast<elements const*>(x + in_row);
        value[u] = static_cast<T>(next_value[u]);
      }
      load_entries(base + at_once);
#pragma unroll
      for (int u = 0; u < at_once; ++u) {
        if (base + u < stop.entry) {
          end_rows(base + u);
#pragma unroll
          for (int c = 0; c < C; ++c) {
            sum.of[c] = add(sum.of[c], multiply(value[u], static_cast<T>(element[u].of[c])));
          }
        }
      }
    }
    end_rows(stop.entry);
    if (stop.in_row) keep(opens + run * k, column, sum);
  }

  __device__ void operator()(index_t team, int lane) const {
    if (team >= cuts.runs) return;
    auto const start = cuts.at(team), stop = cuts.at(team + 1);
    for (index_t column = lane * C; column < k; column += lanes * C) {
      multiply_columns(team, start, stop, column);
    }
  }
};

template <class Runs>
__global__ void __launch_bounds__(spmm_policy::threads)
    multiply_runs_kernel(__grid_constant__ Runs const runs) {
  int const thread = static_cast<int>(threadIdx.x);
  int const teams = spmm_policy::threads / runs.lanes;
  runs(index_t{blockIdx.x} * teams + thread / runs.lanes, thread % runs.lanes);
}

/// The second kernel adds the partial sums of rows that were cut.  Each thread of a block tests
/// whether such a row ends in its run; each warp then adds up one of these rows, with lanes along
/// its columns.
template <class Runs>
__global__ void __launch_bounds__(spmm_policy::adding_threads)
    add_up_cut_rows_kernel(__grid_constant__ Runs const runs) {
  using T = typename Runs::T;
  constexpr int threads = spmm_policy::adding_threads, warps = threads / warp_size;
  __shared__ shared_array<T, threads> of_warp;
  __shared__ unsigned ends[warps];  // bit of a run: a row begun in an earlier run ends in it
  int const thread = static_cast<int>(threadIdx.x);
  int const lane = thread % warp_size, warp = thread / warp_size;
  index_t const first_run = index_t{blockIdx.x} * threads;
  index_t const own_run = first_run + thread;
  bool const is_end = own_run < runs.cuts.runs && runs.cuts.at(own_run).in_row &&
                      runs.cuts.start(own_run + 1) > runs.cuts.start(own_run);
  unsigned const ended = __ballot_sync(whole_warp, is_end);
  if (lane == 0) ends[warp] = ended;
  __syncthreads();
  for (int w = 0; w < warps; ++w) {
    for (unsigned left = ends[w]; left != 0; left &= left - 1) {
      index_t const run = first_run + w * warp_size + __ffs(static_cast<int>(left)) - 1;
      index_t const row = runs.cuts.start(run), begin = runs.cuts.first_with(row);
      index_t const share = div_up(run - begin, index_t{warps});
      index_t const low = ::min(begin + warp * share, run), high = ::min(low + share, run);
      for (index_t base = 0; base < runs.k; base += warp_size) {
        index_t const column = base + lane;
        T sum = T(runs.add.identity());
        if (column < runs.k) {
#pragma unroll 4
          for (index_t r = low; r < high; ++r) sum = runs.add(sum, runs.opens[r * runs.k + column]);
        }
        of_warp[thread] = sum;
        __syncthreads();
        if (warp == 0 && column < runs.k) {
          for (int v = 1; v < warps; ++v) sum = runs.add(sum, of_warp[v * warp_size + lane]);
          sum = runs.add(sum, runs.heads[run * runs.k + column]);
          runs.y[row * runs.k + column] = static_cast<typename Runs::result>(sum);
        }
        __syncthreads();
      }
    }
  }
}

template <int C, int AtOnce, class A, class X, class Y, class Add, class Multiply>
void multiply_in_runs(executor const& ex, A const& a, index_t k, X const* x, Y* y, Add add,
                      Multiply multiply) {
  using policy = spmm_policy;
  auto const rows = rows_of(a);
  using Rows = std::remove_const_t<decltype(rows)>;
  using runs = multiply_runs<C, AtOnce, Rows, element_t<decltype(a.columns)>,
                             element_t<decltype(a.values)>, X, Y, Add, Multiply>;
  using T = typename runs::T;
  int lanes = 4;
  while (lanes < warp_size && lanes * C < k) lanes *= 2;
  index_t const length = a.nnz() + a.rows;
  run_cuts const cuts =
      cuts_for(length, policy::least, ex.multiprocessors() * policy::teams_of_multiprocessor,
               policy::runs_of_team, policy::most / policy::least);
  auto const starts = ex.scratch<index_t>(cuts.runs + 1);
  auto const heads = ex.scratch<T>(cuts.runs * k), opens = ex.scratch<T>(cuts.runs * k);
  find_starts(ex, rows, cuts, starts.data());
  runs const all_runs{{rows, a.nnz(), cuts.length, cuts.runs, starts.data()},
                      a.columns.data(),
                      a.values.data(),
                      x,
                      y,
                      heads.data(),
                      opens.data(),
                      k,
                      lanes,
                      add,
                      multiply};
  ex.launch({div_up(cuts.runs, index_t{policy::threads / lanes}), policy::threads},
            multiply_runs_kernel<runs>, all_runs);
  ex.launch({div_up(cuts.runs, index_t{policy::adding_threads}), policy::adding_threads},
            add_up_cut_rows_kernel<runs>, all_runs);
}

/// Whether p and rows of k elements are aligned for 16-byte accesses.
template <class T>
bool in_vectors(T const* p, index_t k) {
  return reinterpret_cast<std::uintptr_t>(p) % 16 == 0 &&
         static_cast<std::size_t>(k) * sizeof(T) % 16 == 0;
}

}  // namespace detail

template <class A, class X, class Y, class Add, class Multiply>
void launch_form(spmm_in_runs, executor const& ex, spmm_call<A, X, Y, Add, Multiply> const& c) {
  constexpr int wide =
      std::is_arithmetic_v<X> && sizeof(X) == sizeof(Y) && sizeof(X) <= 8 && sizeof(X) >= 4
          ? 16 / static_cast<int>(sizeof(X))
          : 1;
  if (c.a.rows == 0) return;
  if constexpr (wide > 1) {
    if (detail::in_vectors(c.x, c.k) && detail::in_vectors(c.y, c.k)) {
      // Teams have at least 4 lanes.  Teams of few lanes load more entries at once, so that as many
      // bytes are in flight.
      if (wide == 4 && c.k <= 2 * wide) {
        return detail::multiply_in_runs<wide / 2, 8>(ex, c.a, c.k, c.x, c.y, c.add, c.multiply);
      }
      if (c.k < 8 * wide) {
        return detail::multiply_in_runs<wide, 8>(ex, c.a, c.k, c.x, c.y, c.add, c.multiply);
      }
      return detail::multiply_in_runs<wide, 4>(ex, c.a, c.k, c.x, c.y, c.add, c.multiply);
    }
  }
  detail::multiply_in_runs<1, 8>(ex, c.a, c.k, c.x, c.y, c.add, c.multiply);
}

}  // namespace ravel::inline v0::gpu
