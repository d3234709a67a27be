#pragma once

/// Gather and scatter by global indices.

#include <ravel/algorithms/radix_sort.hpp>
#include <ravel/core/atomic.hpp>
#include <ravel/core/cpu/worker.hpp>
#include <ravel/core/search.hpp>
#include <ravel/core/transfer.hpp>
#include <ravel/distributed/communicator.hpp>
#include <ravel/distributed/exchange.hpp>
#include <ravel/distributed/executor.hpp>
#include <ravel/distributed/operands.hpp>
#include <ravel/distributed/remote_elements.hpp>
#include <ravel/distributed/routes.hpp>
#include <ravel/distributed/sequence.hpp>
#include <ravel/primitives/cpu/split.hpp>
#include <ravel/primitives/find_first.hpp>
#include <ravel/primitives/gather.hpp>
#include <ravel/primitives/histogram.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/scatter.hpp>

#include <algorithm>
#include <array>
#include <vector>

namespace ravel::inline v0 {
namespace distributed::detail {

using at_most = ravel::detail::at_most<index_t>;

/// Takes elements of this rank's piece and remote elements.
template <class T, class I, class U>
struct gather_near {
  static constexpr bool divisible = true;
  T const *own, *remote_elements;
  is_remote remote;
  place_of_wanted<I> place;
  I const* at;
  U* out;

  RAVEL_HD T const* find(index_t i) const {
    index_t const k = static_cast<index_t>(at[i]);
    bool const is_far = remote(k);
    // A lookup of marks takes less than a branch that is not predicted.
    index_t const far = is_far || place.bits != nullptr ? place(at[i]) : 0;
    return is_far ? remote_elements + far : own + (k - remote.first);
  }
  RAVEL_HD void operator()(index_t i) const { out[i] = static_cast<U>(*find(i)); }
  template <class Team>
  RAVEL_HD void operator()(Team const& team, tile t) const {
    if constexpr (std::same_as<Team, cpu::worker>) {
      // Lookups fill the core's window, so that it would have few elements on their way.
      constexpr index_t batch = 32;
      T const* found[batch];
      for (; t.begin + batch <= t.end; t.begin += batch) {
        for (index_t i = 0; i < batch; ++i) {
          found[i] = find(t.begin + i);
          __builtin_prefetch(found[i]);
        }
        for (index_t i = 0; i < batch; ++i) out[t.begin + i] = static_cast<U>(*found[i]);
      }
    }
    team.for_each(t, *this);
  }
};

/// Fewer indices of each rank, on average, are marked in any case.
inline constexpr index_t fewest_to_sample = index_t{1} << 14;

/// Whether a rank that reads so many of the remote elements rather has all of them: that is at most half as
/// much again as these and their indices, and neither marks indices nor looks them up.
template <class T, class I>
bool reads_most(index_t distinct, index_t remote) {
  return 2 * remote * index_t{sizeof(T)} <= 3 * distinct * index_t{sizeof(T) + sizeof(I)};
}

/// About how many distinct remote elements are read at these indices, by a sample of 4 to 8 sqrt(m): of
/// any multiplicities, r indices with c equal pairs are of at least r^2 / 2 c elements, expected.
template <class I, class Space>
index_t estimated_distinct(view<I const, Space> at, is_remote remote) {
  index_t const m = at.size();
  index_t const samples =
      std::min(m, index_t{4} << std::bit_width(static_cast<std::uint64_t>(m)) / 2);
  std::vector<I> found;
  for (index_t k = 0; k < samples; ++k) {
    auto const hash = static_cast<std::uint64_t>(k) * 0x9e3779b97f4a7c15 >> 40;
    index_t const width = m / samples;
    I const i = at.data()[k * width + static_cast<index_t>(hash) % width];
    if (remote(static_cast<index_t>(i))) found.push_back(i);
  }
  if (found.empty()) return 0;
  std::ranges::sort(found);
  index_t equal = 0, run = 0;
  for (std::size_t k = 1; k < found.size(); ++k) {
    run = found[k] == found[k - 1] ? run + 1 : 0;
    equal += run;
  }
  auto const r = static_cast<double>(found.size());
  auto const by_share = r * static_cast<double>(m) / static_cast<double>(samples);
  return static_cast<index_t>(
      equal == 0 ? by_share : std::min(by_share, r * r / (2 * static_cast<double>(equal))));
}

/// Whether each rank rather has all elements of `in`.
template <class Ex, class T, class I>
bool all_read_most(Ex const& ex, sequence<T, Ex> const& in, sequence<I, Ex> const& at) {
  index_t const n = in.total_size();
  if (at.total_size() < fewest_to_sample * ex.ranks().size()) return false;
  for (std::size_t r = 1; r < in.begins().size(); ++r) {
    index_t const remote = n - (in.begins()[r] - in.begins()[r - 1]);
    if (!reads_most<T, I>(std::min(remote, at.begins()[r] - at.begins()[r - 1]), remote)) {
      return false;
    }
  }
  bool const reads_many = reads_most<T, I>(
      estimated_distinct(at.local(), is_remote{in.first(), in.size()}), n - in.size());
  return !any_of_ranks(ex.ranks(), !reads_many);
}

/// The elements of all ranks, on each.
template <class T, class Ex>
auto elements_of_all(Ex const& ex, sequence<T, Ex> const& x) {
  auto const& local = ex.local();
  auto elements = local.template scratch<T>(x.total_size());
  std::vector<run_of_elements> in, out(x.begins().size() - 1, {0, x.size()});
  for (std::size_t r = 0; r < out.size(); ++r) {
    in.push_back({x.begins()[r], x.begins()[r + 1] - x.begins()[r]});
  }
  auto const copy_own = [&] { local.copy(x.data(), elements.data() + x.first(), x.size()); };
  exchange_runs(ex, x.data(), out, elements.data(), in, work_around{no_work(), copy_own});
  return elements;
}

template <class I>
struct is_no_place {
  index_t n;
  bool operator()(I i) const { return static_cast<index_t>(i) < 0 || static_cast<index_t>(i) >= n; }
};

/// The rank whose piece has global index i, or the number of ranks.  In even pieces it is computed, and
/// else searched for.
struct rank_of_index {
  index_t const* begins;  // p + 1
  index_t ranks, n;
  double ranks_an_index = static_cast<double>(ranks) / static_cast<double>(n);
  RAVEL_HD std::uint32_t operator()(index_t i) const {
    if (i < 0 || i >= n) return static_cast<std::uint32_t>(ranks);
    auto r = static_cast<index_t>(static_cast<double>(i) * ranks_an_index);
    if (r >= ranks || i < begins[r] || i >= begins[r + 1]) {
      r = partition_point(0, ranks, at_most{begins + 1, i});
    }
    return static_cast<std::uint32_t>(r);
  }
};

template <class T>
RAVEL_HD void store_one(T* out, T const& x) {
  if constexpr (written_whole<T>) {
    store_whole(out, x);
  } else {
    *out = x;
  }
}

/// Writes elements to their global indices in a piece.
template <class T, class I, class U>
struct put_at {
  T const* from;
  I const* at;
  index_t first;  // of the piece
  U* piece;
  RAVEL_HD void operator()(index_t i) const {
    store_one(piece + (static_cast<index_t>(at[i]) - first), static_cast<U>(from[i]));
  }
};

/// Scatters in columns: elements and indices are sorted by the ranks that have these indices, cross the
/// network, and are written there.
template <class Ex, class T, class I, class U>
void scatter_columns(Ex const& ex, sequence<T, Ex> const& in, sequence<I, Ex> const& at,
                     sequence<U, Ex>& out) {
  using Space = typename Ex::space::local;
  auto const& local = ex.local();
  auto const begins = to(local, std::vector<index_t>(out.begins().begin(), out.begins().end()));
  rank_of_index const owner{begins.data(), ex.ranks().size(), out.total_size()};
  index_t const n = in.size();
  auto const sent = local.template scratch<T>(n);
  auto const sent_to = local.template scratch<I>(n);
  auto const counts = local.template scratch<index_t>(owner.ranks);
  radix_sort_pairs(
      local, at.local(), in.local(), view<I, Space>(sent_to.data(), n),
      view<T, Space>(sent.data(), n), by(owner),
      bit_range{0, static_cast<int>(std::bit_width(static_cast<unsigned>(owner.ranks)))});
  histogram(local, at.local(), counts, owner);
  std::vector<index_t> cuts{0};
  for (index_t const k : to_host(local, counts)) cuts.push_back(cuts.back() + k);
  auto const put = [&](T const* values, I const* places, index_t m) {
    for_each_index(local, m, put_at<T, I, U>{values, places, out.first(), out.data()});
  };
  int const rank = ex.ranks().rank();
  put(sent.data() + cuts[rank], sent_to.data() + cuts[rank], cuts[rank + 1] - cuts[rank]);
  route const along = route_to_others(ex, cuts);
  auto const received = received_along(ex, along, sent);
  auto const received_to = received_along(ex, along, sent_to);
  put(received.data(), received_to.data(), along.total_received());
}

/// An element and its global index, without padding.
template <class T, class I>
struct indexed {
  std::array<std::byte, sizeof(T)> element;
  std::array<std::byte, sizeof(I)> at;
};
template <class T, class I>
struct load_indexed {
  T const* in;
  I const* at;
  auto operator()(index_t i) const {
    return indexed<T, I>{std::bit_cast<std::array<std::byte, sizeof(T)>>(in[i]),
                         std::bit_cast<std::array<std::byte, sizeof(I)>>(at[i])};
  }
};
template <class T, class I, class U>
struct put_indexed {
  indexed<T, I> const* from;
  index_t first;  // of the piece
  U* piece;
  void operator()(index_t i) const {
    auto const at = static_cast<index_t>(std::bit_cast<I>(from[i].at));
    store_one(piece + (at - first), static_cast<U>(std::bit_cast<T>(from[i].element)));
  }
};

/// Numbers windows of 2^bits indices, which are also cut where pieces begin: first the windows of rank 0, then
/// those of rank 1, and so on.
struct window_of_index {
  index_t const* begins;            // ranks + 1
  std::int32_t const* rank_before;  // the rank of the first index of each window that is not cut
  index_t ranks, n, windows;
  int bits;
  index_t rank_from(index_t r, index_t i) const {
    return partition_point(r, ranks, at_most{begins + 1, i});
  }
  index_t operator()(index_t i) const {
    if (i < 0 || i >= n) return windows + ranks;
    index_t const window = i >> bits;
    index_t const r = rank_before[window];
    return window + (i < begins[r + 1] ? r : rank_from(r + 1, i));
  }
  index_t first_of_rank(index_t r) const { return (begins[r] >> bits) + r; }
};

/// Scatters in rows of an element and its index, on hosts: those of each rank are counted and placed by windows
/// of 1 MiB, so that the rank writes them in its cache (2^20 words of each of two ranks: 11.1 -> 7.1 ms).
template <class Ex, class T, class I, class U>
void scatter_rows(Ex const& ex, sequence<T, Ex> const& in, sequence<I, Ex> const& at,
                  sequence<U, Ex>& out) {
  constexpr index_t window_bytes = index_t{1} << 20, most_windows = 256;
  auto const& local = ex.local();
  index_t const n = out.total_size(), ranks = ex.ranks().size();
  int const rank = ex.ranks().rank();
  index_t const width = std::max(div_up(window_bytes, sizeof(U)), div_up(n, most_windows));
  auto const bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(width - 1)));
  std::vector<std::int32_t> rank_before(static_cast<std::size_t>(div_up(n, index_t{1} << bits)));
  window_of_index const window_of{
      out.begins().data(), rank_before.data(), ranks, n, std::ssize(rank_before), bits};
  for (index_t w = 0; w < window_of.windows; ++w) {
    rank_before[w] = static_cast<std::int32_t>(window_of.rank_from(0, w << bits));
  }
  index_t const windows = window_of.windows + ranks + 1;  // the last one is outside of `out`
  std::vector<index_t> starts(static_cast<std::size_t>(windows) + 1), cuts;
  auto const rows = local.template scratch<indexed<T, I>>(in.size());
  cpu::split_rows_on(
      local, in.size(), windows,
      [=, places = at.data()](index_t i) { return window_of(static_cast<index_t>(places[i])); },
      load_indexed<T, I>{in.data(), at.data()}, rows.data(), starts.data());
  for (index_t r = 0; r <= ranks; ++r) cuts.push_back(starts[window_of.first_of_rank(r)]);
  auto const put = [&](indexed<T, I> const* src, index_t m) {
    for_each_index(local, m, put_indexed<T, I, U>{src, out.first(), out.data()});
  };
  put(rows.data() + cuts[rank], cuts[rank + 1] - cuts[rank]);
  route const along = route_to_others(ex, cuts);
  put(received_along(ex, along, rows).data(), along.total_received());
}

}  // namespace distributed::detail

/// Takes the elements of all ranks with the global indices `at`:
///
///     ranks      0     1
///     in         a b | c d
///     at         3 0 | 0 2 1
///     out        d a | a c b
///
/// Shapes   in[n] in any pieces; at[m] and out[m] in the same pieces, at of any integer type.
///          Elements are trivially copyable, and convert to those of `out`.
/// Cost     That of a gather_plan without a copy of `in`, and a lookup of each index.  Repeated gathers of the
///          same indices should keep a plan.  On hosts, if each rank reads most elements of the others, by a
///          sample of its indices, a copy of all elements on each rank and a local gather.
/// Volume   For each distinct remote index of a rank the index and the element, once; or all elements of the
///          others, if these are at most half as much again, about, and one flag.
/// Errors   contract_error if the pieces of at and out differ; `error` if an index is outside of `in`.
template <distributed::some_executor Ex, distributed::operand_of<Ex> In,
          distributed::operand_of<Ex> At, class U>
void gather(Ex const& ex, In const& source, At const& indices, distributed::sequence<U, Ex>& out) {
  using namespace distributed::detail;
  using T = element_of_t<source_t<In>>;
  using I = element_of_t<source_t<At>>;
  auto const& in = written<T>(ex, source);
  auto const& at = written<I>(ex, indices);
  expect_same_pieces("gather", at, out);
  together(ex, "gather", [&] {
    auto const& local = ex.local();
    if constexpr (cpu::host_executor<local_of<Ex>>) {
      if (all_read_most(ex, in, at)) {
        index_t const n = in.total_size();
        index_t const k = find_first_sync(local, at.local(), is_no_place<I>{n});
        if (k < at.size()) {
          expect_inside(static_cast<index_t>(at.data()[k]), n);
        }
        if (ex.ranks().size() == 1) return gather(local, in.local(), at.local(), out.local());
        auto const elements = elements_of_all(ex, in);
        return gather(local, elements, at.local(), out.local());
      }
    }
    is_remote const remote{in.first(), in.size()};
    remote_indices<local_of<Ex>, I> const found(local, at.local(), remote, in.total_size());
    remote_reads<Ex> const reads(ex, in.begins(), found.wanted());
    auto const theirs = local.template scratch<T>(found.wanted().size());
    reads.fetch(ex, in, theirs, distributed::work_around<>());
    local.for_each_tile(at.size(), gather_near<T, I, U>{in.data(), theirs.data(), remote,
                                                        found.place(), at.data(), out.data()});
  });
}

/// Writes each element to the global index `at`:
///
///     ranks      0     1
///     in         a b | c
///     at         4 0 | 1
///     out        b c | - - a               elements without an index are not changed
///
/// Of equal indices one of their elements is written, as on one machine.
///
/// Shapes   in[n] and at[n] in the same pieces, at of any integer type; out in any pieces.  An
///          element with an index outside of `out` is not written.  Elements are trivially copyable, and
///          convert to those of `out`.
/// Cost     On hosts rows of an element and its index are counted and placed by windows of `out` that a cache
///          holds, and cross in one exchange; on devices a local radix sort by ranks, and two; and a local scatter.
/// Volume   Each index and element that another rank gets, once, and p counts to each rank.
/// Errors   contract_error if the pieces of in and at differ.
template <distributed::some_executor Ex, distributed::operand_of<Ex> In,
          distributed::operand_of<Ex> At, class U>
void scatter(Ex const& ex, In const& source, At const& indices, distributed::sequence<U, Ex>& out) {
  using namespace distributed::detail;
  auto const& in = written(ex, source);
  auto const& at = written(ex, indices);
  expect_same_pieces("scatter", in, at);
  together(ex, "scatter", [&] {
    if constexpr (cpu::host_executor<local_of<Ex>>) {
      scatter_rows(ex, in, at, out);
    } else {
      scatter_columns(ex, in, at, out);
    }
  });
}

}  // namespace ravel::inline v0
