#pragma once

/// Single-pass pack on a device by ballots, for any predicate and any action on what is kept.
///
/// A warp evaluates the predicate for 32 adjacent elements at once, and the ballot gives each kept
/// element its place; a tile gets the number kept before it by look-back, as in cuda/scan.cuh.
///
/// Source   Merrill and Garland, NVR-2016-002, for publishing aggregates before prefixes.

#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/cuda/tile_state.cuh>
#include <ravel/core/cuda/warp.cuh>
#include <ravel/primitives/cuda/scan.cuh>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/pack/call.hpp>

namespace ravel::inline v0::gpu::detail {

/// Which of 32 elements are kept, and the number kept before them.
struct vote {
  std::uint32_t kept, ahead;
};

/// A visit that can take the elements of all rows of a thread before it puts the first.
template <class Visit>
concept takes_rows = takes_first<Visit> && requires(Visit const& visit) {
  requires sizeof(visit.take(0)) <= 8;
  requires std::is_trivial_v<std::remove_cvref_t<decltype(visit.take(0))>>;
};

/// `Note` receives the number kept by total(kept) and, if it keeps votes, those of each 32 elements.
/// Each warp has `rows` rows of 32 elements.
template <class Keep, class Visit, class Note, int rows>
struct pack_by_votes {
  static constexpr int threads = 256;
  static constexpr int warps = threads / warp_size;
  static constexpr index_t width = index_t{threads} * rows;
  using sum = plus<std::uint32_t>;

  Keep keep_all;
  Visit visit_all;
  index_t n, count;  // number of elements, and of tiles
  Note note;
  tile_states<std::uint32_t> tiles, groups;

  /// The work of one block.
  __device__ void work(dispenser& tickets) const {
    __shared__ ticket drawn;
    __shared__ std::uint32_t ahead_of_warp[warps];
    int const lane = threadIdx.x % warp_size;
    int const warp = threadIdx.x / warp_size;
    if (threadIdx.x == 0) drawn = count > 1 ? draw(tickets, count) : ticket{0, 0};
    __syncthreads();
    tile const t = nth_tile(drawn.tile, width, n);
    auto const keep = ravel::detail::on_tile(keep_all, t);
    auto const visit = ravel::detail::on_tile(visit_all, t);
    index_t const begin = t.begin + index_t{warp} * rows * warp_size;

    if (t.end - t.begin == width) {
      work_on<true>(keep, visit, t, begin + lane, drawn, ahead_of_warp);
    } else {
      work_on<false>(keep, visit, t, begin + lane, drawn, ahead_of_warp);
    }
    if (count > 1 && threadIdx.x == 0) clear_after_last_epoch(tickets, tiles.words, drawn.epoch);
  }

 private:
  template <bool Full, class KeepThere, class VisitThere>
  __device__ void work_on(KeepThere const& keep, VisitThere const& visit, tile t, index_t first,
                          ticket const& drawn, std::uint32_t* ahead_of_warp) const {
    int const lane = threadIdx.x % warp_size;
    int const warp = threadIdx.x / warp_size;
    bool is_kept[rows];
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      index_t const i = first + r * warp_size;
      is_kept[r] = (Full || i < t.end) && keep(i);
    }
    unsigned kept[rows], many = 0;
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      kept[r] = __ballot_sync(whole_warp, is_kept[r]);
      many += __popc(kept[r]);
    }
    if (lane == 0) ahead_of_warp[warp] = many;
    __syncthreads();
    if (warp == 0) {
      std::uint32_t const through = warp_scan(lane < warps ? ahead_of_warp[lane] : 0u, sum{});
      std::uint32_t const of_tile = shuffle_from(through, warps - 1);
      std::uint32_t ahead = 0;
      if (count > 1) {
        look_back<std::uint32_t, sum> look{tiles, groups, {}};
        look.tiles.epoch = look.groups.epoch = drawn.epoch;
        ahead = look(t.id, of_tile, 0);
      }
      std::uint32_t const left = shuffle_up(through, 1);
      if (lane < warps) ahead_of_warp[lane] = lane > 0 ? ahead + left : ahead;
      if (lane == 0 && t.end == n) note.total(ahead + of_tile);
    }
    __syncthreads();

    std::uint32_t ahead = ahead_of_warp[warp];
    [[maybe_unused]] vote noted{};
    std::uint32_t place[rows];
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      if constexpr (Note::keeps) {
        if (lane == r) noted = {kept[r], ahead};
      }
      place[r] = ahead + __popc(kept[r] & ((1u << lane) - 1));
      ahead += __popc(kept[r]);
    }
    if constexpr (Note::keeps) {
      index_t const word = first / warp_size + lane;
      if (lane < rows && word * warp_size < n) note(word, noted);
    }
    if constexpr (takes_rows<VisitThere>) {
      std::remove_cvref_t<decltype(visit.take(first))> x[rows] = {};
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        if (kept[r] >> lane & 1) x[r] = visit.take(first + r * warp_size);
      }
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        if (kept[r] >> lane & 1) visit.put(x[r], place[r]);
      }
    } else {
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        if (kept[r] >> lane & 1) visit(first + r * warp_size, place[r]);
      }
    }
  }
};

template <class Pack>
__global__ void __launch_bounds__(Pack::threads)
    pack_by_votes_kernel(__grid_constant__ Pack const pack, dispenser* tickets) {
  await_preceding_kernel();
  pack.work(*tickets);
}

template <int Rows, class Keep, class Visit, class Note>
void launch_pack_by_rows(executor const& ex, index_t n, Keep const& keep, Visit const& visit,
                         Note const& note) {
  using pack = pack_by_votes<Keep, Visit, Note, Rows>;
  using states = tile_states<std::uint32_t>;
  index_t const count = div_up(n, pack::width);
  auto const words = ex.template states<std::uint32_t>(count + div_up(count, warp_size));
  states const tiles{words.words(), nullptr, 0}, groups{words.words() + count, nullptr, 0};
  ex.launch(grid{count, pack::threads}.early(), pack_by_votes_kernel<pack>,
            pack{keep, visit, n, count, note, tiles, groups}, words.tickets());
}

/// Fewer than 2^31 elements.
template <class Keep, class Visit, class Note>
void launch_pack_by_votes(executor const& ex, index_t n, Keep const& keep, Visit const& visit,
                          Note const& note) {
  // Fewer rows if a thread holds an element of each.  With 16, pack_index of 2^28 flags takes 637 us
  // instead of 568; with 32, few elements have few blocks.
  constexpr int rows = takes_rows<Visit> ? 16 : 32;
  if (n < index_t{1} << 21) {
    launch_pack_by_rows<4>(ex, n, keep, visit, note);
  } else {
    launch_pack_by_rows<rows>(ex, n, keep, visit, note);
  }
}

}  // namespace ravel::inline v0::gpu::detail
