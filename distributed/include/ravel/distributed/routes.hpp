#pragma once

/// Routes: which elements go to which rank.  The steps of the calls that move elements.

#include <ravel/core/transfer.hpp>
#include <ravel/distributed/exchange.hpp>
#include <ravel/distributed/grid.hpp>
#include <ravel/primitives/gather.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/search.hpp>
#include <ravel/primitives/verify.hpp>

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

namespace ravel::inline v0::distributed::detail {

/// Expects that two sequences have equally many elements on all ranks.
void expect_equal_sizes(char const* call, auto const& x, auto const& y) {
  expects(x.total_size() == y.total_size(), call, ": one sequence has ", x.total_size(),
          " elements, and another ", y.total_size());
}

/// Vectors of all ranks, one after another.  All have the same size.
template <class Ex, class T>
std::vector<T> vectors_of_all(Ex const& ex, std::vector<T> const& values) {
  static_assert(can_be_sent<T>, "vectors_of_all: values that are sent are trivially copyable");
  std::vector<T> out(values.size() * static_cast<std::size_t>(ex.ranks().size()));
  ex.ranks().all_gather_host(reinterpret_cast<std::byte const*>(values.data()),
                             reinterpret_cast<std::byte*>(out.data()), values.size() * sizeof(T));
  return out;
}

/// How many there are from each of these places to the next.
inline std::vector<index_t> counts_between(std::span<index_t const> places) {
  std::vector<index_t> counts;
  for (std::size_t k = 1; k < places.size(); ++k) counts.push_back(places[k] - places[k - 1]);
  return counts;
}

/// Where values, which ascend, are cut: those that are less than bounds[k] are before cuts[k].
std::vector<index_t> cuts_by_bounds(auto const& local, auto const& values,
                                    std::span<index_t const> bounds) {
  auto const cuts = local.template scratch<index_t>(std::ssize(bounds));
  auto const bounds_there = ravel::to(local, std::vector<index_t>(bounds.begin(), bounds.end()));
  lower_bound(local, bounds_there, values, cuts);
  return to_host(local, cuts);
}

/// How many elements go to each rank, and how many come from each.
struct route {
  std::vector<index_t> sent, received;
  // The most ranks to which one sends, or from which one receives, and the most elements of one.  On
  // few ranks not counted.
  index_t most_messages = 0, most_elements = 0;

  index_t total_received() const {
    return std::accumulate(received.begin(), received.end(), index_t{});
  }
  /// The way back.
  route reversed() const { return {received, sent, most_messages, most_elements}; }
  /// The route of k elements for each.
  route times(index_t k) const {
    route r = *this;
    for (index_t& n : r.sent) n *= k;
    for (index_t& n : r.received) n *= k;
    r.most_elements *= k;
    return r;
  }
  /// Whether two levels are faster (grid.hpp), by what all ranks know.
  bool is_for_grid(index_t element_bytes) const {
    index_t const in_grid = index_t{3} * grid_of_ranks(static_cast<int>(sent.size())).width();
    return (most_messages - in_grid) * bytes_of_message > most_elements * element_bytes;
  }
};

template <class Ex>
inline constexpr bool may_use_grid = std::same_as<typename Ex::space::local, host_space>;

/// The route of elements that are in the order of the ranks that they go to: rank r gets those from
/// cuts[r] to cuts[r + 1].
///
/// Volume   p counts to each other rank; on more than 16 hosts of each rank 16 p bytes in some
///          2 sqrt(p) messages, and 16 bytes to each other rank.
template <class Ex>
route route_by(Ex const& ex, std::vector<index_t> const& cuts) {
  auto const ranks = static_cast<std::size_t>(ex.ranks().size());
  auto const own_rank = static_cast<std::size_t>(ex.ranks().rank());
  route r{counts_between(cuts), std::vector<index_t>(ranks)};
  if constexpr (may_use_grid<Ex>) {
    if (ex.ranks().size() >= fewest_of_grid) {
      r.received = counts_in_grid(ex, r.sent);
      struct load {
        index_t messages, elements;
      };
      auto const messages = [](std::vector<index_t> const& counts) {
        return std::ssize(counts) - std::ranges::count(counts, 0);
      };
      load const own_load{std::max(messages(r.sent), messages(r.received)),
                          std::max(cuts.back() - cuts.front(), r.total_received())};
      for (load const& l : gather_values(ex.ranks(), own_load)) {
        r.most_messages = std::max(r.most_messages, l.messages);
        r.most_elements = std::max(r.most_elements, l.elements);
      }
      return r;
    }
  }
  auto const sent = vectors_of_all(ex, r.sent);
  for (std::size_t rank = 0; rank < ranks; ++rank) r.received[rank] = sent[rank * ranks + own_rank];
  return r;
}

/// The route of elements of which a rank keeps its own where they are.
route route_to_others(auto const& ex, std::vector<index_t> const& cuts) {
  route along = route_by(ex, cuts);
  along.received[ex.ranks().rank()] = 0;
  return along;
}

/// Sends elements along a route.  Those that come are in the order of the ranks that sent them.
template <class Ex, class From, class To>
void send_along(Ex const& ex, route const& along, From const& src, To const& dst) {
  if constexpr (may_use_grid<Ex>) {
    using T = element_t<To const&>;
    if (along.is_for_grid(sizeof(T))) {
      all_to_all_in_grid(ex, view_of(src).data(), bytes_of_counts<T>(src, along.sent),
                         view_of(dst).data(), bytes_of_counts<T>(dst, along.received));
      return;
    }
  }
  exchange(ex, src, along.sent, dst, along.received);
}

/// The elements that come along a route.
template <class Ex, class From>
auto received_along(Ex const& ex, route const& along, From const& src) {
  using T = std::remove_const_t<element_t<From const&>>;
  auto received = ex.local().template scratch<T>(along.total_received());
  send_along(ex, along, src, received);
  return received;
}

/// Sends elements along a route by which none stays, with work around that.
template <class Ex, class From, class To, class Work>
void send_along(Ex const& ex, route const& along, From const& src, To const& dst,
                Work const& work) {
  using T = element_t<To const&>;
  if (along.is_for_grid(sizeof(T)) || ravel::detail::is_planned(ex.local())) {
    work.prepare(ex.local());
    send_along(ex, along, src, dst);
    work.beside();
    work.finish(ex.local());
    return;
  }
  auto const runs = [](std::vector<index_t> const& counts) {
    std::vector<run_of_elements> result;
    index_t end = 0;
    for (index_t const n : counts) {
      result.push_back({end, n});
      end += n;
    }
    return result;
  };
  exchange_runs<Ex, T>(ex, view_of(src).data(), runs(along.sent), view_of(dst).data(),
                       runs(along.received), work);
}

/// The elements of all ranks, in a buffer of each, where write(p) issues the work that writes the n of
/// this rank to p.
///
/// Volume   To each other rank 8 bytes, and as many elements as the rank with the most has.
template <class T, class Ex, class Write>
auto written_by_all(Ex const& ex, index_t n, Write const& write) {
  auto const& local = ex.local();
  auto const sizes = gather_values(ex.ranks(), n);
  index_t const width = std::ranges::max(sizes);
  auto rows = local.template allocate<T>(width * ex.ranks().size());
  T* const row = rows.data() + width * ex.ranks().rank();
  write(row);
  gather_pieces(ex, row, width, rows.data());
  if (std::ranges::min(sizes) == width) return rows;
  std::vector<index_t> places;
  for (std::size_t r = 0; r < sizes.size(); ++r) {
    for (index_t k = 0; k < sizes[r]; ++k) places.push_back(static_cast<index_t>(r) * width + k);
  }
  auto elements = local.template allocate<T>(std::ssize(places));
  gather(local, rows, ravel::to(local, places), elements);
  return elements;
}

/// The elements of `in` at the positions that each rank names, from all ranks, in a buffer of each.
template <class Ex, class T, class Space>
auto picked_of_all(Ex const& ex, view<T const, Space> in, std::vector<index_t> const& at) {
  auto const& local = ex.local();
  index_t const n = std::ssize(at);
  auto const positions = local.template scratch<index_t>(n);
  local.copy(at.data(), positions.data(), n);
  return written_by_all<T>(ex, n,
                           [&](T* out) { gather(local, in, positions, view<T, Space>(out, n)); });
}

/// The elements of a row of blocks, of which the last may be incomplete.
template <class T, class M>
struct pad_with_identity {
  T const* from;
  index_t n;
  M m;
  T* to;
  RAVEL_HD void operator()(index_t i) const {
    to[i] = i < n ? from[i] : static_cast<T>(m.identity());
  }
};

/// Combines element i of each rank's row, in the order of ranks.
template <class T, class M>
struct combine_rows {
  T const* rows;
  index_t width, count;
  M m;
  T* to;
  RAVEL_HD void operator()(index_t i) const {
    T value = rows[i];
    for (index_t r = 1; r < count; ++r) value = static_cast<T>(m(value, rows[r * width + i]));
    to[i] = value;
  }
};

/// all_reduce in log2 p rounds, in each of which a rank and a partner exchange all elements.
template <class Ex, class T, class Space, class M>
void all_reduce_by_doubling(Ex const& ex, view<T, Space> data, M m) {
  auto const& local = ex.local();
  int const p = ex.ranks().size(), rank = ex.ranks().rank();
  index_t const n = data.size();
  auto const theirs = local.template scratch<T>(n);
  auto const swap_with = [&](int partner, bool sends, bool receives) {
    std::vector<index_t> sent(static_cast<std::size_t>(p)), received(sent);
    if (sends) sent[static_cast<std::size_t>(partner)] = n;
    if (receives) received[static_cast<std::size_t>(partner)] = n;
    exchange(ex, data, sent, theirs, received);
  };
  auto const combine = [&](view<T, Space> before, view<T, Space> after) {
    map(local, m, data, before, after);
  };
  // Two ranks each are one at the beginning, so that there are 2^k.
  int const power = static_cast<int>(std::bit_floor(static_cast<unsigned>(p))), pairs = p - power;
  bool const is_paired = rank < 2 * pairs, is_second = is_paired && rank % 2 == 1;
  bool const is_first = is_paired && !is_second;
  swap_with(rank ^ 1, is_second, is_first);
  if (is_first) combine(data, view_of(theirs));
  int const number = is_paired ? rank / 2 : rank - pairs;
  for (int bit = 1; bit < power; bit *= 2) {
    int const partner = number ^ bit;
    swap_with(partner < pairs ? 2 * partner : partner + pairs, !is_second, !is_second);
    if (is_second) continue;
    bool const is_after = number & bit;
    combine(is_after ? view_of(theirs) : data, is_after ? data : view_of(theirs));
  }
  swap_with(rank ^ 1, is_first, is_second);
  if (is_second) local.copy(theirs.data(), data.data(), n);
}

/// For each number the sum of those of the ranks before this one.
///
/// On few ranks each gets the numbers of all; on more, in round k, the sums of the 2^k ranks from 2^k
/// before it on, so that memory is that of four sequences, whatever the number of ranks.
///
/// Volume   All numbers to each of fewer than 17 ranks; of more, log2 p times, rounded up, to one.
std::vector<index_t> sums_of_ranks_before(auto const& ex, std::vector<index_t> const& values) {
  auto const& local = ex.local();
  index_t const p = ex.ranks().size(), rank = ex.ranks().rank(), n = std::ssize(values);
  std::vector<index_t> before(values.size());
  if (p < fewest_of_grid) {
    auto const gathered = vectors_of_all(ex, values);
    for (index_t i = 0; i < rank * n; ++i) before[i % n] += gathered[i];
    return before;
  }
  auto const sums = local.template scratch<index_t>(n);  // of this rank and those before it
  auto const others = local.template scratch<index_t>(n);
  local.copy(values.data(), sums.data(), n);
  for (index_t distance = 1; distance < p; distance *= 2) {
    std::vector<index_t> sent(static_cast<std::size_t>(p)), received(sent);
    if (rank + distance < p) sent[rank + distance] = n;
    if (rank >= distance) received[rank - distance] = n;
    exchange(ex, sums, sent, others, received);
    if (rank < distance) continue;
    map(local, plus<index_t>{}, sums, others, sums);
  }
  local.copy(sums.data(), before.data(), n);
  local.wait();
  for (std::size_t i = 0; i < values.size(); ++i) before[i] -= values[i];
  return before;
}

/// Combines element i of all ranks, in the order of ranks, for every i: data = data_0 m data_1 ...
///
/// Each rank combines one block of the elements, so that it sends 2 (p - 1) / p times all of them; few
/// elements of many ranks are all sent log2 p times instead, in as many messages.
template <class Ex, class T, class Space, class M>
void all_reduce(Ex const& ex, view<T, Space> data, M m) {
  auto const& local = ex.local();
  auto const& ranks = ex.ranks();
  index_t const bytes = data.size() * index_t{sizeof(T)};
  if (ranks.size() >= fewest_of_grid &&
      bytes * std::bit_width(static_cast<unsigned>(ranks.size())) <
          ranks.size() * bytes_of_message) {
    return all_reduce_by_doubling(ex, data, m);
  }
  index_t const n = data.size(), width = div_up(n, index_t{ranks.size()});
  index_t const padded = width * ranks.size();
  auto const blocks = local.template scratch<T>(padded), rows = local.template scratch<T>(padded);
  for_each_index(local, padded, pad_with_identity<T, M>{data.data(), n, m, blocks.data()});
  std::vector<index_t> const counts(static_cast<std::size_t>(ranks.size()), width);
  exchange(ex, blocks, counts, rows, counts);
  T* const row = blocks.data() + ranks.rank() * width;
  for_each_index(local, width, combine_rows<T, M>{rows.data(), width, ranks.size(), m, row});
  gather_pieces(ex, row, width, blocks.data());
  for_each_index(local, n, pad_with_identity<T, M>{blocks.data(), n, m, data.data()});
}

}  // namespace ravel::inline v0::distributed::detail
