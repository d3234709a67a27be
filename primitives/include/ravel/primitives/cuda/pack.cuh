#pragma once

/// @file
/// Pack of a long plain sequence on a device, by a predicate, by flags, or by changes:
/// a flow through core/cuda/tile_stream.cuh.
///
/// What is kept of a tile is moved together in its stage, as far from a multiple of 16
/// bytes as the place it goes to, so that it leaves by one bulk copy.

#include <ravel/core/cuda/tile_stream.cuh>
#include <ravel/core/monoid.hpp>
#include <ravel/primitives/cuda/between_sequences.cuh>
#include <ravel/primitives/cuda/heads_of_tile.cuh>
#include <ravel/primitives/cuda/scan.cuh>
#include <ravel/primitives/cuda/scan_policy.hpp>
#include <ravel/primitives/pack.hpp>

#include <cstddef>

namespace ravel::inline v0::cuda {
namespace detail {

/// What says of a tile's values which are kept, as a bit for each of thread k's.
template <class In, class Keep, int Items, int Count>
struct kept_by_predicate {
  static constexpr bool can = Count <= 32;
  static constexpr std::size_t bytes = 0;
  ravel::detail::keeps_element<In, Keep> keeps;

  void const* address() const { return nullptr; }
  __device__ unsigned load(char*, index_t, int, barrier&) const { return 0; }
  /// `rest` of the values are there; the others are not asked about.
  template <class Values>
  __device__ unsigned read(Values const& x, char const*, int, int rest, bool) const {
    unsigned kept = 0;
#pragma unroll
    for (int i = 0; i < Count; ++i) {
      if (i < rest && static_cast<bool>(keeps.keep(x.get(i)))) kept |= 1u << i;
    }
    return kept;
  }
};

template <class Flags, int Items, int Count>
struct kept_by_flags {
  using flags = heads_of_tile<Flags, Items, Count>;
  static constexpr bool can = flags::can;
  static constexpr std::size_t bytes = flags::bytes;
  Flags at;

  void const* address() const { return address_of_flags(at); }
  __device__ unsigned load(char* to, index_t begin, int items, barrier& landed) const {
    return flags::load(at, to, begin, items, landed);
  }
  template <class Values>
  __device__ unsigned read(Values const&, char const* from, int k, int rest, bool) const {
    unsigned const all = flags::read(at, from, k);
    return rest >= Count ? all : rest > 0 ? all & ((1u << rest) - 1) : 0;
  }
};

/// What is kept is written as it is.
struct make_nothing_of_it {
  template <class T>
  __device__ T const& operator()(T const& x) const {
    return x;
  }
};

template <class In, class Out, class Kept, class Total, scan_policy::shape Shape,
          class Make = make_nothing_of_it>
struct pack_flow : between_sequences<In, Out, false, Shape> {
  using base = between_sequences<In, Out, false, Shape>;
  using values = typename base::values;
  using monoid = plus<index_t>;
  /// For what is kept, which is a vector more than the values may take; what says which
  /// are follows.
  static constexpr int room = base::tile_bytes + bulk_alignment;
  /// What the storer is told, behind what is kept.
  struct note {
    index_t ahead;
    index_t kept;
  };
  static constexpr std::size_t kept_bytes = (Kept::bytes + 15) / 16 * 16;
  static constexpr std::size_t stage_bytes = room + kept_bytes + sizeof(note);

  struct part {
    values x;
    unsigned kept;
  };

  monoid m;
  Kept by;
  index_t capacity;
  Total total;
  Make make;

  __device__ index_t seed() const { return 0; }
  static __device__ note& note_in(char* stage) {
    return *reinterpret_cast<note*>(stage + room + kept_bytes);
  }

  __device__ void load(char* stage, index_t t, barrier& landed) const {
    unsigned const bytes = base::load_values(stage, t, landed);
    landed.arrive_and_expect(bytes +
                             by.load(stage + room, base::first(t), base::items_of(t), landed));
  }
  __device__ part take(char const* stage, index_t t, int k) const {
    part p{values::read(stage + k * base::bytes_of_thread), 0};
    p.kept = by.read(p.x, stage + room, k, base::items_of(t) - k * base::items_of_thread,
                     t == 0 && k == 0);
    return p;
  }
  __device__ index_t fold(part const& p) const { return __popc(p.kept); }

  __device__ void put(char* stage, index_t t, int k, part const& p, index_t ahead,
                      index_t ahead_of_tile) const {
    constexpr int per_vector = bulk_alignment / static_cast<int>(sizeof(Out));
    Out* to = reinterpret_cast<Out*>(stage) + ahead_of_tile % per_vector + (ahead - ahead_of_tile);
#pragma unroll
    for (int i = 0; i < base::items_of_thread; ++i) {
      if (p.kept >> i & 1) *to++ = static_cast<Out>(make(p.x.get(i)));
    }
    index_t const through = ahead + __popc(p.kept);
    if (k == base::threads - 1) note_in(stage) = {ahead_of_tile, through - ahead_of_tile};
    if (base::has_last(t, k)) total(through);
  }

  __device__ void store(char* stage, index_t) const {
    constexpr int per_vector = bulk_alignment / static_cast<int>(sizeof(Out));
    note const n = note_in(stage);
    store_run(reinterpret_cast<Out const*>(stage) + n.ahead % per_vector, base::out, capacity,
              n.ahead, static_cast<int>(n.kept));
  }
};

/// Streams a pack if that can be done and pays; returns whether it did.
template <template <int, int> class Kept, scan_policy::shape Shape, class In, class Out, class Arg,
          class Total, class Make = make_nothing_of_it>
bool stream_pack(executor const& ex, index_t n, In const* in, Out* out, index_t capacity, Arg arg,
                 Total total, Make make = {}) {
  if constexpr (can_flow<In, Out, In> && (sizeof(In) == 4 || sizeof(In) == 8)) {
    constexpr int count = Shape.vectors * 16 / static_cast<int>(sizeof(In));
    using kept = Kept<Shape.threads * count, count>;
    if constexpr (kept::can) {
      using flow = pack_flow<In, Out, kept, Total, Shape, Make>;
      kept const by{arg};
      if (n * static_cast<index_t>(sizeof(In)) >= ex.tuned().packed_bytes &&
          may_be_copied_in_bulk(in, out, by.address()) && can_stream<flow>(ex)) {
        stream_tiles(ex, n, flow{{in, out, n}, {}, by, capacity, total, make});
        return true;
      }
    }
  }
  return false;
}

template <class In, class Keep>
struct by_predicate {
  template <int Items, int Count>
  using kept = kept_by_predicate<In, Keep, Items, Count>;
};
/// The question that such a keep asks of an element, alone.
template <class Keep>
struct asked_of {
  Keep keep;
  template <class T>
  __device__ bool operator()(T const& x) const {
    return static_cast<bool>(keep.of(x));
  }
};
template <class Flags>
struct by_flags {
  template <int Items, int Count>
  using kept = kept_by_flags<Flags, Items, Count>;
};

}  // namespace detail

/// As ravel::pack_on, streamed: filter.
template <class In, class Keep, class Out, class Total>
void pack_on(executor const& ex, index_t n, ravel::detail::keeps_element<In, Keep> keeps,
             write_packed<In, Out> visit, Total total) {
  if (!detail::stream_pack<detail::by_predicate<In, Keep>::template kept, scan_policy::packed>(
          ex, n, visit.in, visit.out, visit.capacity, keeps, total)) {
    ravel::pack_on<executor>(ex, n, keeps, visit, total);
  }
}

/// The same, of a filter with what is made of elements ahead of it and behind it.
template <keep_of_elements Keep, class In, class Make, class Out, class Total>
void pack_on(executor const& ex, index_t n, Keep keep, write_made_of_kept<In, Make, Out> visit,
             Total total) {
  using asked = detail::asked_of<Keep>;
  if (keep.elements() != visit.in ||
      !detail::stream_pack<detail::by_predicate<In, asked>::template kept, scan_policy::packed>(
          ex, n, visit.in, visit.out, visit.capacity,
          ravel::detail::keeps_element<In, asked>{visit.in, {keep}}, total, visit.make)) {
    ravel::pack_on<executor>(ex, n, keep, visit, total);
  }
}

/// The same: pack by flags, or bits.
template <class F, class In, class Out, class Total>
void pack_on(executor const& ex, index_t n, nonzero<F> flags, write_packed<In, Out> visit,
             Total total) {
  constexpr auto shape =
      detail::heads_are_wide<nonzero<F>> ? scan_policy::packed_wide : scan_policy::packed;
  if (!detail::stream_pack<detail::by_flags<nonzero<F>>::template kept, shape>(
          ex, n, visit.in, visit.out, visit.capacity, flags, total)) {
    ravel::pack_on<executor>(ex, n, flags, visit, total);
  }
}
template <class W, class In, class Out, class Total>
void pack_on(executor const& ex, index_t n, bit_set<W> flags, write_packed<In, Out> visit,
             Total total) {
  if (!detail::stream_pack<detail::by_flags<bit_set<W>>::template kept, scan_policy::packed>(
          ex, n, visit.in, visit.out, visit.capacity, flags, total)) {
    ravel::pack_on<executor>(ex, n, flags, visit, total);
  }
}

}  // namespace ravel::inline v0::cuda
