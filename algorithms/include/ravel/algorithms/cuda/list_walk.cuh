#pragma once

/// List ranking on a device: walks along sublists by persistent threads, and pointer jumping over
/// few sublists.

#include <ravel/algorithms/list_ranking/cuda.hpp>
#include <ravel/core/cuda/executor.cuh>

namespace ravel::inline v0::gpu {
namespace detail {

struct list_policy {
  static constexpr int walk_threads = 512;
  static constexpr index_t walk_blocks = 2;  // blocks on a multiprocessor: full occupancy is slower
  static constexpr int jump_threads = 256;
};

/// Whether cells are so small that a 16-byte access holds four of them.  With two of them per
/// access nothing is gained.
template <class Cell>
inline constexpr bool can_group =
    sizeof(Cell) == 4 &&
    std::is_trivially_copyable_v<Cell>&& std::is_trivially_default_constructible_v<Cell>;

/// The accesses of a walk to cells of nodes, with few transactions for lists that are nearly in
/// memory order.  It reads single cells until a step leads to a neighbour in memory; then it loads
/// aligned groups of 16 bytes, and keeps a group in registers while the walk stays within it.  Only
/// changed cells are written back, as another walk may write the others of a group.
template <class Cells>
class grouped_cells {
  using cell = typename Cells::cell;
  static constexpr int bytes = 16;
  static constexpr int many = bytes / static_cast<int>(sizeof(cell));
  struct alignas(bytes) group {
    cell cells[many];
  };
  static constexpr unsigned all = (1u << many) - 1;
  static constexpr index_t none = -1;

  Cells cells_;
  group held_{};
  index_t group_ = none;
  index_t last_ = -2;  // the node read last
  unsigned changed_ = 0;

 public:
  static bool fit(Cells const& cells) {
    return reinterpret_cast<std::uintptr_t>(cells.at) % bytes == 0;
  }

  __device__ explicit grouped_cells(Cells const& cells) : cells_(cells) {}

  __device__ cell read(index_t i) {
    index_t const its = i / many;
    if (its != group_) {
      bool const near = i == last_ + 1 || i == last_ - 1;
      write_back();
      group_ = near && (its + 1) * many <= cells_.n ? its : none;
      last_ = i;
      if (group_ == none) return cells_.read(i);
      held_ = reinterpret_cast<group const*>(cells_.at)[its];
    }
    last_ = i;
    int const place = static_cast<unsigned>(i) % many;
    cell found = held_.cells[0];
#pragma unroll
    for (int k = 1; k < many; ++k) {
      if (place == k) found = held_.cells[k];
    }
    return found;
  }
  __device__ void write(index_t i, typename Cells::word sublist,
                        typename Cells::value const& known) {
    if (group_ == none) return cells_.write(i, sublist, known);
    cell const updated = cells_.place(sublist, known);
    int const place = static_cast<unsigned>(i) % many;
#pragma unroll
    for (int k = 0; k < many; ++k) {
      if (place == k) held_.cells[k] = updated;
    }
    changed_ |= 1u << place;
  }
  __device__ void write_back() {
    if (changed_ == 0) return;
    if (changed_ == all) {
      reinterpret_cast<group*>(cells_.at)[group_] = held_;
    } else {
#pragma unroll
      for (int k = 0; k < many; ++k) {
        if ((changed_ >> k & 1) != 0) cells_.at[group_ * many + k] = held_.cells[k];
      }
    }
    changed_ = 0;
  }
};

/// The accesses of a walk, one for each cell.
template <class Cells>
struct single_cells : Cells {
  __device__ explicit single_cells(Cells const& cells) : Cells(cells) {}
  __device__ void write_back() const {}
};

/// Each block has a range of the heads and one of the splitters.  A thread whose walk has ended
/// takes the next start from a counter in shared memory.  Ranges are large, so that blocks finish
/// nearly together without a global counter.
template <template <class> class Access, class Walks>
__global__ void __launch_bounds__(list_policy::walk_threads) walk_kernel(Walks walks) {
  __shared__ unsigned taken;
  if (threadIdx.x == 0) taken = 0;
  __syncthreads();
  index_t const all_heads = walks.heads.count();
  index_t const of_heads = div_up(all_heads, gridDim.x);
  index_t const of_splitters = div_up(walks.by.count, gridDim.x);
  index_t const heads = nth_tile(blockIdx.x, of_heads, all_heads).begin;
  index_t const heads_end = nth_tile(blockIdx.x, of_heads, all_heads).end;
  index_t const splitters = nth_tile(blockIdx.x, of_splitters, walks.by.count).begin;
  index_t const splitters_end = nth_tile(blockIdx.x, of_splitters, walks.by.count).end;

  typename Walks::walker w;
  Access<std::remove_const_t<decltype(walks.cells)>> cells(walks.cells);
  for (bool walking = false;;) {
    if (!walking) {
      auto const k = static_cast<index_t>(atomicAdd(&taken, 1u));
      if (heads + k < heads_end) {
        walking = walks.begin(w, heads + k);
      } else {
        index_t const s = splitters + k - (heads < heads_end ? heads_end - heads : 0);
        if (s >= splitters_end) break;
        walking = walks.begin(w, all_heads + s);
      }
    }
    if (walking) walking = walks.step(w, cells);
  }
  cells.write_back();
}

template <template <class> class Access, class Walks>
void launch_walks(executor const& ex, Walks const& walks) {
  auto const& grid = walks.by.grid;
  int const threads = grid.threads > 0 ? grid.threads : list_policy::walk_threads;
  index_t const blocks =
      grid.blocks > 0 ? grid.blocks : list_policy::walk_blocks * ex.multiprocessors();
  index_t const resident = std::min(ex.room_for(walk_kernel<Access, Walks>, threads), blocks);
  ex.launch({std::min(resident, div_up(walks.starts(), threads)), threads},
            walk_kernel<Access, Walks>, walks);
}

/// The state of pointer jumping.  `ahead` is the predecessor of each sublist, or a mark: `first`
/// for the first of a list, `none` for one without predecessor yet.  `sum` is the combination of
/// the sublists from the predecessor's next one to this one.
template <class Word, class T>
struct jumps {
  static constexpr Word first = ~Word{0};
  static constexpr Word none = first - 1;
  Word* ahead;
  T* sum;
  RAVEL_HD static bool goes_on(Word ahead) { return ahead < none; }
};

/// The initial state, before predecessors are set: the first sublist of a list includes the prefix
/// that precedes the list's values.
template <class Word, class T, class M>
struct begin_jump {
  ravel::detail::list_of_sublists<Word, T> lists;
  jumps<Word, T> to;
  M m;
  RAVEL_HD void operator()(index_t s) const {
    T const own = lists.sublists.read(s).value;
    bool const first = bit_set<std::uint32_t>{lists.first}(s);
    to.ahead[s] = first ? to.first : to.none;
    to.sum[s] = first ? m(lists.ahead[s], own) : own;
  }
};

/// Calls visit(s, next) for each sublist s that is not the last of its list; `next` is its
/// successor.
template <class Word, class T, class Visit>
struct to_next {
  ravel::detail::list_of_sublists<Word, T> lists;
  Visit visit;
  RAVEL_HD void operator()(index_t s) const {
    index_t const next = lists.sublists.next(lists.sublists.read(s));
    if (next != s && !bit_set<std::uint32_t>{lists.first}(next)) visit(s, next);
  }
};
template <class Word>
struct write_next {
  Word* ahead;
  RAVEL_HD void operator()(index_t s, index_t next) const { ahead[next] = static_cast<Word>(s); }
};
template <class T>
struct pass_to_next {
  T const* sum;
  T* ahead;
  RAVEL_HD void operator()(index_t s, index_t next) const { ahead[next] = sum[s]; }
};

template <class Word, class T, class M>
struct jump_once {
  jumps<Word, T> from, to;
  M m;
  RAVEL_HD void operator()(index_t s) const {
    Word const ahead = from.ahead[s];
    bool const on = from.goes_on(ahead);
    to.ahead[s] = on ? from.ahead[ahead] : ahead;
    to.sum[s] = on ? m(from.sum[ahead], from.sum[s]) : from.sum[s];
  }
};

template <class Word, class T>
struct end_jump {
  ravel::detail::list_of_sublists<Word, T> lists;
  jumps<Word, T> found;
  RAVEL_HD void operator()(index_t s) const {
    auto const& sublists = lists.sublists;
    sublists.write(s, found.ahead[s] == found.first ? sublists.whole : 0, lists.ahead[s]);
  }
};

template <class F>
__global__ void __launch_bounds__(list_policy::jump_threads) jump_kernel(index_t n, F f) {
  index_t const i = index_t{blockIdx.x} * list_policy::jump_threads + threadIdx.x;
  if (i < n) f(i);
}
template <class F>
void for_each_thread(executor const& ex, index_t n, F f) {
  constexpr int threads = list_policy::jump_threads;
  ex.launch({div_up(n, threads), threads}, jump_kernel<F>, n, f);
}

}  // namespace detail

template <class Walks>
void launch_form(list_walk_persistent, executor const& ex, list_walk_call<Walks> const& c) {
  Walks const& walks = c.walks;
  if (walks.starts() == 0) return;
  using Cells = decltype(walks.cells);
  if constexpr (detail::can_group<typename Cells::cell>) {
    if (detail::grouped_cells<Cells>::fit(walks.cells)) {
      return detail::launch_walks<detail::grouped_cells>(ex, walks);
    }
  }
  detail::launch_walks<detail::single_cells>(ex, walks);
}

/// The logarithm of the average distance of splitters: close enough that all threads have walks,
/// and so far apart that the list of sublists stays in L2.
inline int log_splitter_spacing(executor const&, index_t n) {
  if (n <= 64) return 0;
  return n <= index_t{1} << 22 ? 3 : n <= index_t{1} << 25 ? 4 : n <= index_t{1} << 27 ? 5 : 6;
}

template <class Word, class T, class M>
void launch_form(sublist_ranking_by_jumps, executor const& ex,
                 sublist_ranking_call<ravel::detail::list_of_sublists<Word, T>, M> const& c) {
  auto const& lists = c.lists;
  M const m = c.m;
  index_t const n = lists.sublists.n;
  auto const ahead = ex.scratch<Word>(2 * n);
  auto const sum = ex.scratch<T>(2 * n);
  using jumps = detail::jumps<Word, T>;
  jumps current{ahead.data(), sum.data()}, next{ahead.data() + n, sum.data() + n};
  detail::for_each_thread(ex, n, detail::begin_jump<Word, T, M>{lists, current, m});
  detail::for_each_thread(
      ex, n, detail::to_next<Word, T, detail::write_next<Word>>{lists, {current.ahead}});
  for (index_t reach = 1; reach < n; reach *= 2) {
    detail::for_each_thread(ex, n, detail::jump_once<Word, T, M>{current, next, m});
    std::swap(current, next);
  }
  detail::for_each_thread(
      ex, n, detail::to_next<Word, T, detail::pass_to_next<T>>{lists, {current.sum, lists.ahead}});
  detail::for_each_thread(ex, n, detail::end_jump<Word, T>{lists, current});
}

}  // namespace ravel::inline v0::gpu
