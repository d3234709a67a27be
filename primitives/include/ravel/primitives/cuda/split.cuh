#pragma once

/// Split of a long contiguous sequence to few parts on a device: two flows of
/// core/cuda/tile_ring.cuh, and a scan of counts between them.
///
/// The position of a part depends on all elements, so everything is read twice: once to count each
/// tile's digits, and once to move its elements.  The second flow begins where the first ended,
/// because that data is still in L2.

#include <ravel/core/cuda/bulk_copy.cuh>
#include <ravel/core/cuda/tile_ring.cuh>
#include <ravel/core/cuda/warp.cuh>
#include <ravel/primitives/cuda/between_sequences.cuh>
#include <ravel/primitives/cuda/scan.cuh>
#include <ravel/primitives/cuda/scan_policy.hpp>
#include <ravel/primitives/cuda/store_run.cuh>
#include <ravel/primitives/split/cuda.hpp>

namespace ravel::inline v0::gpu {
namespace detail {

/// A number below 2^16 for each digit, two in a word.
template <int Ways>
struct by_digit {
  static constexpr int words = (Ways + 1) / 2;
  unsigned word[words];

  static __device__ unsigned one(int d) { return d < words ? 1u : 1u << 16; }
  __device__ unsigned operator[](int d) const {
    return (d < words ? word[d] : word[d - words] >> 16) & 0xffff;
  }
  __device__ void add(int d, unsigned x) { word[d % words] += x * one(d); }
  __device__ by_digit& operator+=(by_digit const& other) {
#pragma unroll
    for (int w = 0; w < words; ++w) word[w] += other.word[w];
    return *this;
  }
  /// Returns the count of digit d, which may be a run-time value, and increments it.
  __device__ unsigned take(int d) {
    int const at = d < words ? d : d - words;
    unsigned picked = word[0];
#pragma unroll
    for (int w = 1; w < words; ++w) picked = at == w ? word[w] : picked;
#pragma unroll
    for (int w = 0; w < words; ++w) word[w] += at == w ? one(d) : 0;
    return d < words ? picked & 0xffff : picked >> 16;
  }
};

/// The common part of both flows.
template <int Ways, class T, class Digit, scan_policy::shape Shape>
struct split_tiles : between_sequences<T, T, false, Shape> {
  using base = between_sequences<T, T, false, Shape>;
  using values = typename base::values;
  using counts = by_digit<Ways>;
  static constexpr int count = base::items_of_thread;
  static constexpr int warps = base::threads / warp_size;
  static constexpr std::size_t stage_bytes = base::tile_bytes;
  static_assert(base::items < 1 << 16 && Ways <= 8 && count < 256);

  Digit digit;
  index_t tiles;
  index_t* starts;  // a row for each digit

  __device__ int digit_of(T const& x) const { return static_cast<int>(digit(x)); }
  __device__ int there(index_t t, int k) const {
    return ::max(0, ::min(count, base::items_of(t) - k * count));
  }
  /// Counts the digits of a thread's elements: first in one byte for each digit, then widened to
  /// two.
  __device__ counts count_digits(values const& x, int existing) const {
    std::uint64_t bytes = 0;
#pragma unroll
    for (int i = 0; i < count; ++i) {
      if (i < existing) bytes += std::uint64_t{1} << (8 * digit_of(x.get(i)));
    }
    counts c{};
#pragma unroll
    for (int d = 0; d < Ways; ++d) c.add(d, static_cast<unsigned>(bytes >> (8 * d)) & 0xff);
    return c;
  }
};

template <int Ways, class T, class Digit, scan_policy::shape Shape>
struct split_count_flow : split_tiles<Ways, T, Digit, Shape> {
  using base = split_tiles<Ways, T, Digit, Shape>;
  using typename base::counts;
  struct shared {
    counts of_warp[base::warps];
  };
  struct seen {};
  using tile = index_t;
  static __device__ seen look(index_t) { return {}; }
  static __device__ tile find(index_t t, seen) { return t; }

  __device__ void load(char* stage, tile t, barrier& landed) const {
    landed.arrive_and_expect(base::load_values(stage, t, landed));
  }
  __device__ void work(char const* stage, tile t, int group, int k, shared& of_tile) const {
    auto const x = base::values::read(stage + k * base::bytes_of_thread);
    counts c = base::count_digits(x, base::there(t, k));
#pragma unroll
    for (unsigned& word : c.word) word = warp_fold(word, plus<unsigned>{});
    if (k % warp_size == 0) of_tile.of_warp[k / warp_size] = c;
    sync_group(group, base::threads);
    if (k == 0) {
      for (int w = 1; w < base::warps; ++w) c += of_tile.of_warp[w];
#pragma unroll
      for (int d = 0; d < Ways; ++d) base::starts[d * base::tiles + t] = c[d];
    }
  }
};

template <int Ways, class T, class Digit, scan_policy::shape Shape>
struct split_place_flow : split_tiles<Ways, T, Digit, Shape> {
  using base = split_tiles<Ways, T, Digit, Shape>;
  using typename base::counts;
  struct shared {
    counts of_warp[base::warps];
  };
  struct seen {
    index_t start[Ways];
  };
  struct tile {
    index_t t;
    seen at;
  };
  __device__ index_t from_end(index_t t) const { return base::tiles - 1 - t; }
  __device__ seen look(index_t t) const {
    seen s;
#pragma unroll
    for (int d = 0; d < Ways; ++d) s.start[d] = base::starts[d * base::tiles + from_end(t)];
    return s;
  }
  __device__ tile find(index_t t, seen const& s) const { return {from_end(t), s}; }

  __device__ void load(char* stage, tile const& x, barrier& landed) const {
    landed.arrive_and_expect(base::load_values(stage, x.t, landed));
  }
  __device__ void work(char* stage, tile const& located, int group, int k, shared& of_tile) const {
    int const warp = k / warp_size;
    int const existing = base::there(located.t, k);
    auto const x = base::values::read(stage + k * base::bytes_of_thread);
    counts const tally = base::count_digits(x, existing);
    counts at = tally;
#pragma unroll
    for (unsigned& word : at.word) word = warp_scan(word, plus<unsigned>{});
    if (k % warp_size == warp_size - 1) of_tile.of_warp[warp] = at;
#pragma unroll
    for (int w = 0; w < counts::words; ++w) at.word[w] -= tally.word[w];
    sync_group(group, base::threads);  // all threads have read their elements

    counts total{};
    for (int w = 0; w < base::warps; ++w) {
      if (w == warp) at += total;
      total += of_tile.of_warp[w];
    }
    counts begin{};
    unsigned sum = 0;
#pragma unroll
    for (int d = 0; d < Ways; ++d) {
      begin.add(d, sum);
      sum += total[d];
    }
    at += begin;
    T* const staged = reinterpret_cast<T*>(stage);
#pragma unroll
    for (int i = 0; i < base::count; ++i) {
      if (i < existing) staged[at.take(base::digit_of(x.get(i)))] = x.get(i);
    }
    sync_group(group, base::threads);
#pragma unroll
    for (int d = 0; d < Ways; ++d) {
      int const first = static_cast<int>(begin[d]);
      int const end = first + static_cast<int>(total[d]);
      T* const target = base::out + (located.at.start[d] - first);
      for (int i = first + k; i < end; i += base::threads) target[i] = staged[i];
    }
  }
};

}  // namespace detail

template <int Ways, class T, class Digit, class Visit, class Starts>
void launch_form(
    split_by_rings, executor const& ex,
    split_call<Ways, ravel::detail::digit_of_element<T, Digit>, Visit, Starts> const& c) {
  using counting = detail::split_count_flow<Ways, T, Digit, scan_policy::split(Ways)>;
  using placing = detail::split_place_flow<Ways, T, Digit, scan_policy::split(Ways)>;
  expects(can_ring<counting>(ex) && can_ring<placing>(ex),
          "split: the kernels were not compiled for device ", ex.device());
  T const* const in = c.visit.from;
  T* const out = c.visit.to;
  index_t const tiles = div_up(c.n, index_t{counting::items});
  auto const counts = ex.scratch<index_t>(Ways * tiles);
  ring_tiles(ex, tiles, counting{{{in, out, c.n}, c.digit.digit, tiles, counts.data()}});
  scan_on(ex, Ways * tiles, contiguous<index_t>{counts.data()},
          ravel::detail::write_starts<Starts>{counts.data(), tiles, c.starts}, plus<index_t>{},
          ravel::detail::seed_identity<plus<index_t>>{}, ravel::detail::end_of<Ways>(c.starts));
  ring_tiles(ex, tiles, placing{{{in, out, c.n}, c.digit.digit, tiles, counts.data()}});
}

}  // namespace ravel::inline v0::gpu
