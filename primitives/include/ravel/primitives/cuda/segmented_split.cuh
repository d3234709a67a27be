#pragma once

/// Single-pass segmented split on a device, with ballots that are stored for later rank queries.
///
/// A warp finds the segments of 256 adjacent elements as in chunk_segments.cuh, issues all of their
/// loads before it evaluates their digits, and ballots on each digit of 32 elements, which gives
/// each element its place among those of its warp.  A tile gets the number of preceding elements of
/// each digit by look-back, as in scan.cuh.  The ballots are stored for all digits but the first,
/// with the number of elements of the digit before them.  The place where a digit of a segment
/// begins is that number plus a popcount.
///
/// Source   See cuda/segmented_pack.cuh; here for several digits.

#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/cuda/tile_state.cuh>
#include <ravel/core/cuda/warp.cuh>
#include <ravel/primitives/cuda/chunk_segments.cuh>
#include <ravel/primitives/cuda/scan.cuh>
#include <ravel/primitives/segmented_split/cuda.hpp>

namespace ravel::inline v0::gpu {
namespace detail {

/// The number of elements of each digit but the first, of a sequence of fewer than 2^32.
template <int Many>
struct few_digits {
  std::uint32_t of[Many];
};
template <int Many>
struct add_few_digits {
  static RAVEL_HD few_digits<Many> identity() { return {}; }
  RAVEL_HD few_digits<Many> operator()(few_digits<Many> const& x, few_digits<Many> const& y) const {
    few_digits<Many> sum;
    for (int d = 0; d < Many; ++d) sum.of[d] = x.of[d] + y.of[d];
    return sum;
  }
};

/// A stored ballot of 32 elements: for each digit but the first, which of them have it, and how
/// many earlier elements have it.
template <int Many>
struct alignas(Many == 2 ? 16 : 8) digit_votes {
  std::uint32_t with[Many];
  few_digits<Many> ahead;
};

template <int Ways, class Segments, class Visit>
struct split_by_votes {
  static constexpr int threads = 256;
  static constexpr int chunks = 2;  // for each warp
  static constexpr int warps = threads / warp_size;
  static constexpr int many = Ways - 1;
  using in_segments = chunk_segments<Segments, Visit>;
  static constexpr int items = in_segments::items;
  static constexpr int rows = chunks * items;  // rows of 32 elements, for each warp
  static constexpr index_t width = index_t{threads} * rows;
  using counts = few_digits<many>;
  using sum = add_few_digits<many>;
  using T = std::remove_cvref_t<decltype(std::declval<Visit const&>().load(
      std::declval<typename in_segments::of_segment>(), index_t{}))>;

  /// The digits of a lane's elements, for up to four ways, in one register.
  struct row_digits {
    static_assert(Ways <= 4 && 2 * rows <= 32);
    std::uint32_t all = 0;
    __device__ int of(int r) const { return static_cast<int>(all >> 2 * r & 3); }
    __device__ void set(int r, int d) { all |= static_cast<std::uint32_t>(d) << 2 * r; }
  };

  /// Least number of resident blocks on a multiprocessor: high occupancy hides latency.
  static constexpr int blocks = sizeof(T) <= 4 ? 5 : 3;

  Segments segments;
  Visit visit;
  index_t n, count;          // number of elements, and of tiles
  digit_votes<many>* votes;  // of each 32 elements; and one at the end, with no element kept
  tile_states<counts> tiles, groups;

  struct shared {
    ticket drawn;
    counts ahead_of_warp[warps];
    typename in_segments::shared known[warps];
  };

  /// The work of one block.
  __device__ void work(dispenser& tickets, shared& s) const {
    if (threadIdx.x == 0) s.drawn = count > 1 ? draw(tickets, count) : ticket{0, 0};
    __syncthreads();
    tile const t = nth_tile(s.drawn.tile, width, n);
    if (t.end - t.begin == width) {
      work_on<true>(t, s);
    } else {
      work_on<false>(t, s);
    }
    if (count > 1 && threadIdx.x == 0) clear_after_last_epoch(tickets, tiles.words, s.drawn.epoch);
  }

 private:
  template <bool Full>
  __device__ void work_on(tile t, shared& s) const {
    int const lane = threadIdx.x % warp_size;
    int const warp = threadIdx.x / warp_size;
    index_t const begin = t.begin + index_t{warp} * rows * warp_size;
    T x[rows] = {};
    row_digits digit;
    if (Full || begin < t.end) {
      in_segments in(segments, visit, s.known[warp], begin);
#pragma unroll
      for (int c = 0; c < chunks; ++c) {
        index_t const pos = begin + index_t{c} * in_segments::chunk;
        if (!Full && pos >= t.end) break;
        in.mark(pos, Full ? pos + in_segments::chunk : ::min(pos + in_segments::chunk, t.end));
        typename in_segments::of_segment segment[items];
        in.find(segment);
#pragma unroll
        for (int k = 0; k < items; ++k) {
          index_t const i = pos + k * warp_size + lane;
          if (Full || i < t.end) x[c * items + k] = visit.load(segment[k], i);
        }
#pragma unroll
        for (int k = 0; k < items; ++k) {
          index_t const i = pos + k * warp_size + lane;
          if (Full || i < t.end) {
            digit.set(c * items + k, visit.digit(segment[k], x[c * items + k]));
          }
        }
        in.go_on();
      }
    }

    counts tally{};
#pragma unroll
    for (int r = 0; r < rows; ++r) {
#pragma unroll
      for (int d = 1; d < Ways; ++d) {
        tally.of[d - 1] += __popc(__ballot_sync(whole_warp, digit.of(r) == d));
      }
    }
    if (lane == 0) s.ahead_of_warp[warp] = tally;
    __syncthreads();
    if (warp == 0) {
      counts const through =
          warp_scan(lane < warps ? s.ahead_of_warp[lane] : sum{}.identity(), sum{});
      counts const of_tile = shuffle_from(through, warps - 1);
      counts ahead{};
      if (count > 1) {
        look_back<counts, sum> look{tiles, groups, {}};
        look.tiles.epoch = look.groups.epoch = s.drawn.epoch;
        ahead = look(t.id, of_tile, sum{}.identity());
      }
      counts const left = shuffle_up(through, 1);
      if (lane < warps) s.ahead_of_warp[lane] = lane > 0 ? sum{}(ahead, left) : ahead;
      if (lane == 0 && t.end == n) votes[div_up(n, warp_size)] = {{}, sum{}(ahead, of_tile)};
    }
    __syncthreads();

    counts ahead = s.ahead_of_warp[warp];
    digit_votes<many> of_word{};
    unsigned const left_lanes = (1u << lane) - 1;
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      index_t const i = begin + r * warp_size + lane;
      index_t rest = i;
      std::uint32_t place = 0;
      counts const ahead_of_row = ahead;
      digit_votes<many> row{{}, ahead_of_row};
#pragma unroll
      for (int d = 1; d < Ways; ++d) {
        unsigned const with = __ballot_sync(whole_warp, digit.of(r) == d);
        std::uint32_t const before = ahead_of_row.of[d - 1] + __popc(with & left_lanes);
        if (digit.of(r) == d) place = before;
        rest -= before;
        row.with[d - 1] = with;
        ahead.of[d - 1] += __popc(with);
      }
      if (lane == r) of_word = row;
      if (Full || i < t.end) {
        visit.store(x[r], digit.of(r), digit.of(r) == 0 ? rest : static_cast<index_t>(place));
      }
    }
    index_t const word = begin / warp_size + lane;
    if (lane < rows && word * warp_size < n) votes[word] = of_word;
  }
};

template <class Split>
__global__ void __launch_bounds__(Split::threads, Split::blocks)
    split_by_votes_kernel(__grid_constant__ Split const split, dispenser* tickets) {
  __shared__ typename Split::shared shared;
  split.work(*tickets, shared);
}

template <int Ways, class Segments, class Begins>
__global__ void __launch_bounds__(256)
    pass_begins_of_digits_kernel(Segments segments, Begins begins,
                                 digit_votes<Ways - 1> const* votes) {
  index_t const s = index_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (s > segments.count()) return;
  index_t const begin = segments.begin(s);
  digit_votes<Ways - 1> const vote = votes[begin / warp_size];
  unsigned const before = (1u << begin % warp_size) - 1;
  index_t rest = begin;
#pragma unroll
  for (int d = 1; d < Ways; ++d) {
    index_t const ahead =
        static_cast<index_t>(vote.ahead.of[d - 1]) + __popc(vote.with[d - 1] & before);
    rest -= ahead;
    begins(d, s, ahead);
  }
  begins(0, s, rest);
}

}  // namespace detail

template <int Ways, class Segments, class Visit, class Begins>
void launch_form(segmented_split_by_votes, executor const& ex,
                 segmented_split_call<Ways, Segments, Visit, Begins> const& c) {
  using counts = detail::few_digits<Ways - 1>;
  using states = tile_states<counts>;
  using split = detail::split_by_votes<Ways, Segments, Visit>;
  index_t const count = div_up(c.n, split::width);
  auto const votes = ex.template scratch<detail::digit_votes<Ways - 1>>(div_up(c.n, warp_size) + 1);
  auto const words = ex.template states<counts>(count + div_up(count, warp_size));
  states const tiles{words.words(), nullptr, 0}, groups{words.words() + count, nullptr, 0};
  ex.launch({count, split::threads}, detail::split_by_votes_kernel<split>,
            split{c.segments, c.visit, c.n, count, votes.data(), tiles, groups}, words.tickets());
  ex.launch({c.segments.count() / 256 + 1, 256},
            detail::pass_begins_of_digits_kernel<Ways, Segments, Begins>, c.segments, c.begins,
            votes.data());
}

}  // namespace ravel::inline v0::gpu
