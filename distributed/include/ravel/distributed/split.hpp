#pragma once

/// Split of a distributed sequence: a stable partition by a digit over all ranks.

#include <ravel/core/transfer.hpp>
#include <ravel/distributed/executor.hpp>
#include <ravel/distributed/operands.hpp>
#include <ravel/distributed/parts_of_keys.hpp>
#include <ravel/distributed/routes.hpp>
#include <ravel/distributed/sequence.hpp>
#include <ravel/primitives/split.hpp>

#include <algorithm>
#include <vector>

namespace ravel::inline v0 {
namespace distributed::detail {

/// Copies to `out` what this rank sent to itself and what came, each in the order of parts.
template <class Ex, class T>
void join_parts(Ex const& ex, std::vector<part_of_keys> const& parts, T const* stayed,
                route const& along, T const* received, sequence<T, Ex>& out) {
  auto const rank = static_cast<std::size_t>(ex.ranks().rank());
  std::vector<T const*> next;  // of each rank
  for (std::size_t r = 0; r < along.received.size(); ++r) {
    next.push_back(r == rank ? stayed : received);
    received += along.received[r];
  }
  index_t const begin = out.first(), end = begin + out.size();
  index_t place = 0;
  for (part_of_keys const& p : parts) {
    for (std::size_t r = 0; r < next.size(); ++r) {
      index_t const first = std::clamp(place, begin, end);
      place += p.counts[r];
      index_t const n = std::clamp(place, begin, end) - first;
      ex.local().copy(next[r], out.data() + (first - begin), n);
      next[r] += n;
    }
  }
}

/// From so many bytes of each part of a rank on, parts are exchanged one after another.
inline constexpr index_t bytes_of_part_in_turn = 16'384;

/// Exchanges the elements of all parts, each to its place in `out`: first those of the first part of each
/// rank's piece, then those of the second, and so on, so that all ranks receive at the same time.
template <class Ex, class T>
void place_in_turn(Ex const& ex, std::vector<part_of_keys> const& parts, T const* sent,
                   sequence<T, Ex>& out) {
  index_t const ranks = ex.ranks().size(), rank = ex.ranks().rank(), ways = std::ssize(parts);
  // The elements of part d of a rank that are in a piece, from place `base` on.
  auto const run_in = [&](index_t r, index_t d, index_t piece, index_t base) -> run_of_elements {
    if (d >= ways) return {};
    index_t const place = parts[d].place_of(r), end = place + parts[d].counts[r];
    index_t const first = std::clamp(out.begins()[piece], place, end);
    index_t const n = std::clamp(out.begins()[piece + 1], place, end) - first;
    return n > 0 ? run_of_elements{first - base, n} : run_of_elements{};
  };
  std::vector<index_t> first;  // the first part in each piece
  index_t turns = 0;
  for (index_t k = 0; k < ranks; ++k) {
    auto const part_at = [&](index_t place) {
      return std::ranges::upper_bound(parts, place, {}, &part_of_keys::first) - parts.begin() - 1;
    };
    first.push_back(part_at(out.begins()[k]));
    turns = std::max(turns, part_at(out.begins()[k + 1]) - first[k] + 1);
  }
  std::vector<run_of_elements> sends(static_cast<std::size_t>(ranks)), receives(sends);
  for (index_t turn = 0; turn < turns; ++turn) {
    for (index_t k = 0; k < ranks; ++k) {
      index_t const d = first[k] + turn;
      receives[k] = run_in(k, first[rank] + turn, rank, out.first());
      sends[k] = d < ways ? run_in(rank, d, k, parts[d].place_of(rank) - parts[d].begin)
                          : run_of_elements{};
    }
    auto const copy_own = [&] {
      ex.local().copy(sent + sends[rank].begin, out.data() + receives[rank].begin,
                      sends[rank].size);
    };
    exchange_runs(ex, sent, sends, out.data(), receives, work_around{no_work(), copy_own});
  }
}

void write_offsets(auto const&, std::vector<part_of_keys> const&) {}
template <class Ex, class T>
void write_offsets(Ex const& ex, std::vector<part_of_keys> const& parts,
                   offsets_to_elements<T, typename Ex::space> const& option) {
  expects(option.offsets.size() == std::ssize(parts) + 1, "offsets_to has ", option.offsets.size(),
          " elements, and ", parts.size(), " parts need ", parts.size() + 1);
  std::vector<T> offsets{0};
  for (part_of_keys const& p : parts) offsets.push_back(static_cast<T>(p.first + p.total));
  ex.copy(offsets.data(), option.offsets.data(), option.offsets.size());
  ex.wait();  // for `offsets`
}

}  // namespace distributed::detail

/// Moves the elements of all ranks in the order of their digits, stably:
///
///     ranks      0       1     2
///     in         3 1 2 | 4 1 | 5
///     out        1 2 | 1 3 | 4 5               split<3>(ex, in, around{3}, out)
///     offsets    0 3 4 6                       with the option offsets_to(offsets), on each rank
///
/// As on one machine, `which` is a predicate of an element, or a function of an element with values in
/// [0, Ways).  Each rank gets the elements that its piece of `out` has room for.
///
/// Shapes   in[n], out[n] on all ranks, in pieces of any sizes; offsets[Ways + 1] replicated.  `out`
///          overlaps nothing.  Elements are trivially copyable.
/// Order    Stable.  A function is called up to four times for each element, in any order.
/// Cost     A local split, one exchange, and a copy of each part that comes; on up to 16 hosts, of 16 KiB of
///          each part of a rank on average, an exchange for each part of a piece instead, whose elements
///          come where they belong; on devices another split of all.
/// Volume   Each element that another rank gets, once, and Ways + p counts to each rank.
/// Errors   contract_error if the sizes differ.
template <int Ways = 2, distributed::some_executor Ex, distributed::operand_of<Ex> In, class Which,
          class T, class... Options>
void split(Ex const& ex, In const& source, Which const& which, distributed::sequence<T, Ex>& out,
           Options... options) {
  using namespace distributed::detail;
  static_assert(!sequence<Which const&>,
                "split: on several ranks a predicate or a digit of an element splits, not flags");
  auto const& in = written<T>(ex, source);
  expect_equal_sizes("split", in, out);
  together(ex, "split", [&] {
    auto const& local = ex.local();
    auto const sent = local.template scratch<T>(in.size());
    auto const offsets = local.template scratch<index_t>(Ways + 1);
    split<Ways>(local, in.local(), which, sent, offsets_to(offsets));
    auto const parts = parts_of_ranks(
        ex, counts_between(to_host(local, offsets)), [](index_t) { return true; }, 0, 0,
        in.total_size());
    write_offsets(ex, parts, options...);
    if constexpr (std::same_as<typename Ex::space::local, host_space>) {
      index_t const runs = Ways * index_t{ex.ranks().size()};
      if (ex.ranks().size() < fewest_of_grid &&
          in.total_size() * index_t{sizeof(T)} >= runs * bytes_of_part_in_turn) {
        return place_in_turn(ex, parts, sent.data(), out);
      }
    }
    auto const received = local.template scratch<T>(out.size());
    int const rank = ex.ranks().rank();
    auto const cuts = cuts_between_parts(parts, rank, out.begins());
    if constexpr (std::same_as<typename Ex::space::local, host_space>) {
      route const along = route_to_others(ex, cuts);
      send_along(ex, along, sent, received);
      join_parts(ex, parts, sent.data() + cuts[rank], along, received.data(), out);
    } else {
      send_along(ex, route_by(ex, cuts), sent, received);
      split<Ways>(local, received, which, out.local());
    }
  });
}

}  // namespace ravel::inline v0
