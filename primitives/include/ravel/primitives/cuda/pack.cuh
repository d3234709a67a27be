#pragma once

/// Pack of a long contiguous sequence on a device, by a predicate, by flags, or by changes: a flow
/// of core/cuda/tile_stream.cuh.
///
/// The kept elements of a tile are compacted in its stage.  They have the same offset from a
/// multiple of 16 bytes there as in the output, so that one bulk copy writes them.

#include <ravel/core/cuda/tile_stream.cuh>
#include <ravel/primitives/cuda/between_sequences.cuh>
#include <ravel/primitives/cuda/heads_of_tile.cuh>
#include <ravel/primitives/cuda/pack_by_votes.cuh>
#include <ravel/primitives/cuda/scan.cuh>
#include <ravel/primitives/cuda/scan_policy.hpp>
#include <ravel/primitives/cuda/store_run.cuh>
#include <ravel/primitives/pack/call.hpp>
#include <ravel/primitives/pack/cuda.hpp>

namespace ravel::inline v0::gpu {
namespace detail {

/// The kept elements by a predicate: a bit for each of thread k's values.
template <class In, class Keep, int Items, int Count>
struct kept_by_predicate {
  static constexpr bool can = Count <= 32;
  static constexpr std::size_t bytes = 0;
  ravel::detail::keeps_element<In, Keep> keeps;

  __device__ unsigned load(char*, index_t, int, barrier&) const { return 0; }
  /// The predicate is evaluated only for the `rest` first values, which exist.
  template <class Values>
  __device__ unsigned read(Values const& x, char const*, int, int rest, int) const {
    unsigned kept = 0;
#pragma unroll
    for (int i = 0; i < Count; ++i) {
      if (i < rest && static_cast<bool>(keeps.keep(x.get(i)))) kept |= 1u << i;
    }
    return kept;
  }
};

/// The number of elements between the multiple of 16 bytes at or before p, and p.
template <class T>
int elements_before(T const* p) {
  return static_cast<int>(reinterpret_cast<std::uintptr_t>(p) % bulk_alignment / sizeof(T));
}

/// A sequence whose elements stages hold beside those of another, wherever both begin in memory: with
/// the same offset from a multiple of 16 bytes as there.
template <class T, int Items>
struct sequence_beside {
  static constexpr std::size_t bytes = Items * sizeof(T) + bulk_alignment;
  T const* data;       // a multiple of 16 bytes
  int skew;            // the position after it of the tile's first element
  index_t first, end;  // the positions after it of the elements that exist

  /// Of n elements, beside a sequence that begins `before` elements after a multiple of 16 bytes.
  static sequence_beside of(T const* data, int before, index_t n) {
    T const* const base = data - before;
    int const skew = elements_before(base);
    return {base - skew, skew, index_t{skew} + before, skew + before + n};
  }
  __device__ unsigned load(char* stage, index_t begin, barrier& landed) const {
    constexpr int per_vector = bulk_alignment / static_cast<int>(sizeof(T));
    index_t const start = begin > 0 ? begin : first / per_vector * per_vector;
    index_t const through = ::min(begin + Items + (skew > 0 ? per_vector : 0), end);
    return copy_in(stage + (start - begin) * sizeof(T), data + start,
                   static_cast<unsigned>(through - start) * static_cast<unsigned>(sizeof(T)),
                   landed);
  }
};

template <class Flags, int Items, int Count>
struct kept_by_flags {
  using flags = heads_of_tile<Flags, Items, Count>;
  static constexpr bool can = flags::can;
  static constexpr std::size_t bytes = flags::bytes;
  Flags at;

  __device__ unsigned load(char* stage, index_t begin, int items, barrier& landed) const {
    return flags::load(at, stage, begin, items, landed);
  }
  template <class Values>
  __device__ unsigned read(Values const&, char const* staged, int k, int rest, int) const {
    unsigned const bits = flags::read(at, staged, k);
    return rest >= Count ? bits : rest > 0 ? bits & ((1u << rest) - 1) : 0;
  }
  static kept_by_flags of(Flags const& at, int, index_t) { return {at}; }
};
/// Flags of one byte begin anywhere.
template <class F, int Items, int Count>
requires(sizeof(F) == 1) struct kept_by_flags<nonzero<F>, Items, Count> {
  using flags = heads_of_tile<nonzero<F>, Items, Count>;
  using sequence = sequence_beside<F, Items>;
  static constexpr bool can = flags::can;
  static constexpr std::size_t bytes = sequence::bytes;
  sequence at;

  __device__ unsigned load(char* stage, index_t begin, int, barrier& landed) const {
    return at.load(stage, begin, landed);
  }
  template <class Values>
  __device__ unsigned read(Values const&, char const* staged, int k, int rest, int) const {
    unsigned bits = 0;
    if (at.skew == 0) {
      bits = flags::read({}, staged, k);
    } else {
#pragma unroll
      for (int i = 0; i < Count; ++i) {
        bits |= unsigned{staged[at.skew + k * Count + i] != 0} << i;
      }
    }
    return rest >= Count ? bits : rest > 0 ? bits & ((1u << rest) - 1) : 0;
  }
  static kept_by_flags of(nonzero<F> const& flags, int before, index_t n) {
    return {sequence::of(flags.flags, before, n)};
  }
};

/// The flow.  Elements are read from memory, or they are their indices.
template <class In, class Out, class Kept, class Total, scan_policy::shape Shape,
          class Make = identity_function, bool OfIndices = false>
struct pack_flow : between_sequences<In, Out, false, Shape> {
  using base = between_sequences<In, Out, false, Shape>;
  using values = typename base::values;
  using monoid = plus<index_t>;
  /// Bytes of a stage for the kept elements: a vector more than the values take.  The flags follow.
  static constexpr int room = base::tile_bytes + bulk_alignment;
  /// What the workers leave in the stage for the storer, after the kept elements.
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
  /// The number of elements between the first element and the multiple of 16 bytes at or before it,
  /// of the input and of the output.  `in` and `out` are these multiples: places are counted from them.
  int before_in = 0, before_out = 0;

  __device__ index_t seed() const { return before_out; }
  static __device__ note& note_in(char* stage) {
    return *reinterpret_cast<note*>(stage + room + kept_bytes);
  }

  __device__ void fetch(index_t t) const {
    if constexpr (!OfIndices) base::fetch(t);
  }
  __device__ void load(char* stage, index_t t, barrier& landed) const {
    unsigned const bytes = OfIndices ? 0 : base::load_values(stage, t, landed);
    landed.arrive_and_expect(bytes +
                             by.load(stage + room, base::first(t), base::items_of(t), landed));
  }
  __device__ part take(char const* stage, index_t t, int k) const {
    part p{take_values(stage, t, k), 0};
    int const rest = base::items_of(t) - k * base::items_of_thread;
    bool const is_first = t == 0 && k == 0;
    if constexpr (!OfIndices) {
      if (is_first) put_first_before(p.x, stage);
    }
    p.kept = by.read(p.x, stage + room, k, rest, is_first ? before_in : -1);
    if (is_first) p.kept = p.kept >> before_in << before_in;
    return p;
  }
  __device__ index_t fold(part const& p) const { return __popc(p.kept); }

  __device__ void put(char* stage, index_t t, int k, part const& p, index_t ahead,
                      index_t ahead_of_tile) const {
    constexpr int per_vector = bulk_alignment / static_cast<int>(sizeof(Out));
    Out* dst = reinterpret_cast<Out*>(stage) + ahead_of_tile % per_vector + (ahead - ahead_of_tile);
#pragma unroll
    for (int i = 0; i < base::items_of_thread; ++i) {
      if (p.kept >> i & 1) *dst++ = static_cast<Out>(make(p.x.get(i)));
    }
    index_t const through = ahead + __popc(p.kept);
    if (k == base::threads - 1) note_in(stage) = {ahead_of_tile, through - ahead_of_tile};
    if (base::has_last(t, k)) total(through - before_out);
  }

  __device__ values take_values(char const* stage, index_t t, int k) const {
    if constexpr (OfIndices) {
      values x;
      index_t const first = base::first(t) + k * base::items_of_thread;
#pragma unroll
      for (int i = 0; i < base::items_of_thread; ++i) x.set(i, static_cast<In>(first + i));
      return x;
    } else {
      return values::read(stage + k * base::bytes_of_thread);
    }
  }
  /// Replaces what the first vector holds of memory before the sequence by the first element.
  __device__ void put_first_before(values& x, char const* stage) const {
    In const first = reinterpret_cast<In const*>(stage)[before_in];
#pragma unroll
    for (int i = 0; i < values::per_vector - 1; ++i) {
      if (i < before_in) x.set(i, first);
    }
  }

  __device__ void store(char* stage, index_t) const {
    constexpr int per_vector = bulk_alignment / static_cast<int>(sizeof(Out));
    note const n = note_in(stage);
    store_run(reinterpret_cast<Out const*>(stage) + n.ahead % per_vector, base::out, capacity,
              n.ahead, static_cast<int>(n.kept));
  }
};

/// Streams a pack.  The caller has checked the needs of the form.  Flags that `kept` reads begin
/// with the flag of the first element, or of the multiple of 16 bytes before it.
template <class Kept, scan_policy::shape Shape, class In, class Out, class Total,
          class Make = identity_function>
void stream_pack(executor const& ex, index_t n, write_packed<In, Out> const& visit,
                 Kept const& kept, Total total, Make make = {}) {
  static_assert(Kept::can && bulk_bytes == bulk_alignment);
  using flow = pack_flow<In, Out, Kept, Total, Shape, Make>;
  expects(can_stream<flow>(ex), "pack: the kernel was not compiled for device ", ex.device());
  int const before_in = elements_before(visit.in), before_out = elements_before(visit.out);
  stream_tiles(ex, n + before_in,
               flow{{visit.in - before_in, visit.out - before_out, n + before_in},
                    {},
                    kept,
                    visit.capacity + before_out,
                    total,
                    make,
                    before_in,
                    before_out});
}

/// Passes on the number kept, and no votes.
template <class Total>
struct pass_total {
  static constexpr bool keeps = false;
  Total of;
  __device__ void total(std::uint32_t kept) const { of(static_cast<index_t>(kept)); }
};

template <scan_policy::shape Shape, class In>
inline constexpr int packed_by_thread = Shape.bytes_of_thread() / static_cast<int>(sizeof(In));

template <class T, class P>
P const& predicate_of(ravel::detail::keeps_element<T, P> const& keep) {
  return keep.keep;
}
template <keep_of_elements Keep>
ravel::detail::predicate_of<Keep> predicate_of(Keep const& keep) {
  return {keep};
}

}  // namespace detail

template <class Call>
void launch_form(stream_pack_by_predicate, executor const& ex, Call const& c) {
  using In = typename ravel::detail::visit_traits<decltype(c.visit)>::in;
  using Out = typename ravel::detail::visit_traits<decltype(c.visit)>::out;
  using P = std::remove_cvref_t<decltype(detail::predicate_of(c.keep))>;
  constexpr auto shape = scan_policy::packed_by_size(sizeof(In));
  constexpr int count = detail::packed_by_thread<shape, In>;
  detail::kept_by_predicate<In, P, shape.threads * count, count> const kept{
      {c.visit.in, detail::predicate_of(c.keep)}};
  write_packed<In, Out> const visit{c.visit.in, c.visit.out, c.visit.capacity};
  if constexpr (ravel::detail::visit_traits<decltype(c.visit)>::maps) {
    detail::stream_pack<std::remove_const_t<decltype(kept)>, shape>(ex, c.n, visit, kept, c.total,
                                                                    c.visit.make);
  } else {
    detail::stream_pack<std::remove_const_t<decltype(kept)>, shape>(ex, c.n, visit, kept, c.total);
  }
}

template <class Call>
void launch_form(stream_pack_by_flags, executor const& ex, Call const& c) {
  using In = typename ravel::detail::visit_traits<decltype(c.visit)>::in;
  using Flags = std::remove_const_t<decltype(c.keep)>;
  constexpr auto shape = detail::pack_shape<Flags, In>;
  constexpr int count = detail::packed_by_thread<shape, In>;
  using kept = detail::kept_by_flags<Flags, shape.threads * count, count>;
  detail::stream_pack<kept, shape>(
      ex, c.n, c.visit, kept::of(c.keep, detail::elements_before(c.visit.in), c.n), c.total);
}

template <class Call>
void launch_form(stream_index_by_flags, executor const& ex, Call const& c) {
  using Out = typename ravel::detail::visit_traits<decltype(c.visit)>::index;
  using Flags = std::remove_const_t<decltype(c.keep)>;
  using Total = std::remove_const_t<decltype(c.total)>;
  constexpr auto shape = detail::pack_shape<Flags, Out>;
  constexpr int count = detail::packed_by_thread<shape, Out>;
  using kept = detail::kept_by_flags<Flags, shape.threads * count, count>;
  using flow = detail::pack_flow<Out, Out, kept, Total, shape, identity_function, true>;
  expects(can_stream<flow>(ex), "pack: the kernel was not compiled for device ", ex.device());
  int const before = detail::elements_before(c.visit.out);
  stream_tiles(ex, c.n,
               flow{{nullptr, c.visit.out - before, c.n},
                    {},
                    kept::of(c.keep, 0, c.n),
                    c.visit.capacity + before,
                    c.total,
                    {},
                    0,
                    before});
}

template <class Call>
void launch_form(pack_by_votes, executor const& ex, Call const& c) {
  using Total = std::remove_const_t<decltype(c.total)>;
  detail::launch_pack_by_votes(ex, c.n, c.keep, c.visit, detail::pass_total<Total>{c.total});
}

}  // namespace ravel::inline v0::gpu
