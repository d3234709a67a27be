#pragma once

/// Compaction over all ranks: filter_sync, pack_sync and pack_index_sync of distributed sequences.
///
///     index_t const kept = filter_sync(ex, x, is_odd, y);    // y.total_size() on each rank
///     filter_sync(ex, deferred_inclusive_scan(ex, x, z).source(), is_odd, y);
///
/// Results stay on the rank where their elements are: `y` gets pieces of new sizes, which balance(x)
/// evens out.  `y` has room for the results of each piece of `x`, such as that of a sequence with
/// the pieces of `x`.  `x` may be a source over sequences (distributed/operands.hpp).
///
/// Order    That of the elements.
/// Cost     As on the local executor.
/// Volume   8 bytes to each other rank: the number of results.

#include <ravel/core/transfer.hpp>
#include <ravel/distributed/executor.hpp>
#include <ravel/distributed/operands.hpp>
#include <ravel/distributed/sequence.hpp>
#include <ravel/primitives/options.hpp>
#include <ravel/primitives/pack.hpp>

namespace ravel::inline v0 {
namespace distributed::detail {

/// Packs the piece of this rank by pack_piece(room), which returns how many elements are kept; `out`
/// then has as many on this rank.  Returns how many there are on all.
template <class Ex, class T, class Pack>
index_t pack_pieces(Ex const& ex, char const* call, sequence<T, Ex>& out, Pack const& pack_piece) {
  together(ex, call, [&] {
    index_t const kept = pack_piece(out.memory());
    expects(kept <= out.memory().size(), "out has room for ", out.memory().size(),
            " elements, and ", kept, " are kept");
    out.keep_piece(ex, 0, kept);
  });
  return out.total_size();
}

/// Packs what `keep(i)` selects of the piece of a source, as pack_on.
template <class Local, class In, class Keep, class To>
index_t pack_source(Local const& local, In const& in, Keep const& keep, To const& out) {
  auto const room = view_of(out);
  using U = std::remove_pointer_t<decltype(room.data())>;
  return ravel::detail::one_sync<index_t>(local, [&](auto const& count) {
    pack_on(
        local, operand_size(in), keep,
        packed_into<source_t<In>, into_contiguous<U>>{source_of(in), {room.data(), room.size()}},
        ravel::detail::store_total<index_t>{count.data()});
  });
}

/// The flags of the piece of this rank, on its own executor; and how many there are on the ranks before it.
template <class T, class Ex>
auto flags_of_piece(sequence<T, Ex> const& flags) {
  return flags.local();
}
template <class W, class Space>
bit_flags<W, typename Space::local> flags_of_piece(bit_flags<W, Space> const& flags) {
  return {flags.at, flags.count};
}
template <class T, class Ex>
index_t first_of_flags(Ex const&, sequence<T, Ex> const& flags) {
  return flags.first();
}
template <class Ex, class W, class Space>
index_t first_of_flags(Ex const& ex, bit_flags<W, Space> const& flags) {
  return begins_of(ex, flags.count)[ex.ranks().rank()];
}

/// Refuses flags in other pieces than those of elements.
template <class Ex, class T, class In>
void expect_flags_of(Ex const& ex, sequence<T, Ex> const& flags, In const& in) {
  expect_operand_pieces(ex, "pack_sync", flags, in);
}
template <class Ex, class W, class Space, class In>
void expect_flags_of(Ex const& ex, bit_flags<W, Space> const& flags, In const& in) {
  together(ex, "pack_sync", [&] {
    expects(flags.count == operand_size(piece_of(in)), "there are ", operand_size(piece_of(in)),
            " elements on rank ", ex.ranks().rank(), ", and ", flags.count, " flags");
  });
}

/// Writes the places of kept elements among those of all ranks, as many as there is room for.
template <class Out>
struct write_place {
  Out* out;
  index_t capacity, first;
  RAVEL_HD void operator()(index_t i, index_t place) const {
    if (place < capacity) out[place] = static_cast<Out>(first + i);
  }
};

}  // namespace distributed::detail

/// The elements for which `keep` is true.  Returns their number.
///
///     ranks      0     1     2
///     in         3 1 | 2 4 | 5
///     out        3 1 |     | 5                returns 3, with keep(x) = x is odd
///
/// Cost     O(n / p + p) work of a rank for n elements in even pieces, O(log n + p) span.
/// Volume   8 bytes, as of the calls below.
/// Errors   distributed::error on every rank if a piece of `out` has less room than there are results.
template <distributed::some_executor Ex, distributed::operand_of<Ex> In, class Keep, class U>
index_t filter_sync(Ex const& ex, In const& in, Keep keep, distributed::sequence<U, Ex>& out) {
  using namespace distributed::detail;
  return pack_pieces(ex, "filter_sync", out, [&](auto const& dst) {
    auto const piece = piece_of(in);
    if constexpr (distributed::is_sequence<In>) {
      return filter_sync(ex.local(), piece, keep, dst);
    } else {
      return pack_source(ex.local(), piece,
                         by_predicate<source_t<In>, Keep>{source_of(piece), keep}, dst);
    }
  });
}

/// The elements whose flag is nonzero; flags have the pieces of `in`, and by_bits(words, n) the n bits of
/// that of this rank, from bit 0 of its words.  Returns their number.
///
///     ranks      0     1     2
///     in         3 1 | 2 4 | 5
///     flags      0 1 | 1 0 | 1
///     out        1   | 2   | 5                returns 3
///
/// Cost     That of filter_sync.
/// Errors   As filter_sync; and contract_error if the pieces of `in` and `flags` differ, of bits
///          distributed::error.
template <distributed::some_executor Ex, distributed::operand_of<Ex> In, flags_on<Ex> F, class U>
index_t pack_sync(Ex const& ex, In const& in, F const& flags, distributed::sequence<U, Ex>& out) {
  using namespace distributed::detail;
  expect_flags_of(ex, flags, in);
  return pack_pieces(ex, "pack_sync", out, [&](auto const& dst) {
    auto const piece = piece_of(in);
    auto const kept = flags_of_piece(flags);
    if constexpr (distributed::is_sequence<In>) {
      return pack_sync(ex.local(), piece, kept, dst);
    } else {
      return pack_source(ex.local(), piece, flag_at(kept), dst);
    }
  });
}

/// The places, among the elements of all ranks, of flags that are nonzero.  Returns their number.
///
///     ranks      0     1     2
///     flags      0 1 | 1 0 | 1
///     out        1   | 2   | 4                returns 3
///
/// Flags may be by_bits(words, n), as of pack_sync.
///
/// Cost     That of filter_sync.
/// Volume   Of bits another 8 bytes.
/// Errors   As filter_sync.
template <distributed::some_executor Ex, flags_on<Ex> F, class I>
index_t pack_index_sync(Ex const& ex, F const& flags, distributed::sequence<I, Ex>& out) {
  using namespace distributed::detail;
  return pack_pieces(ex, "pack_index_sync", out, [&](auto const& dst) {
    auto const kept = flags_of_piece(flags);
    index_t const first = first_of_flags(ex, flags);
    return ravel::detail::one_sync<index_t>(ex.local(), [&](auto const& count) {
      pack_on(ex.local(), flag_count(kept), flag_at(kept),
              write_place<I>{dst.data(), dst.size(), first},
              ravel::detail::store_total<index_t>{count.data()});
    });
  });
}

}  // namespace ravel::inline v0
