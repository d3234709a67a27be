#pragma once

/// @file
/// Routes: which elements go to which rank.  The steps of the calls that move elements.

#include <ravel/core/concepts.hpp>
#include <ravel/core/config.hpp>
#include <ravel/core/error.hpp>
#include <ravel/core/tile.hpp>
#include <ravel/core/transfer.hpp>
#include <ravel/core/view.hpp>
#include <ravel/distributed/exchange.hpp>
#include <ravel/primitives/gather.hpp>
#include <ravel/primitives/map.hpp>

#include <cstddef>
#include <numeric>
#include <vector>

namespace ravel::inline v0::distributed::detail {

/// Expects that two sequences have equally many elements on all ranks.
template <class X, class Y>
void expect_equal_sizes(char const* call, X const& x, Y const& y) {
  expects(x.total_size() == y.total_size(), call, ": one sequence has ", x.total_size(),
          " elements, and another ", y.total_size());
}

/// Vectors of all ranks, one after another.  All have the same size.
template <class Ex, class T>
std::vector<T> vectors_of_all(Ex const& ex, std::vector<T> const& mine) {
  static_assert(can_be_sent<T>, "vectors_of_all: values that are sent are trivially copyable");
  std::vector<T> all(mine.size() * static_cast<std::size_t>(ex.ranks().size()));
  ex.ranks().all_gather_host(reinterpret_cast<std::byte const*>(mine.data()),
                             reinterpret_cast<std::byte*>(all.data()), mine.size() * sizeof(T));
  return all;
}

/// How many elements go to each rank, and how many come from each.
struct route {
  std::vector<index_t> sent, received;

  index_t total_received() const {
    return std::accumulate(received.begin(), received.end(), index_t{});
  }
  /// The way back.
  route reversed() const { return {received, sent}; }
  /// The route of k elements for each.
  route times(index_t k) const {
    route r = *this;
    for (index_t& n : r.sent) n *= k;
    for (index_t& n : r.received) n *= k;
    return r;
  }
};

/// The route of elements that are in the order of the ranks that they go to: rank r gets those from
/// cuts[r] to cuts[r + 1].  Each rank sends its p counts to all others.
template <class Ex>
route route_by(Ex const& ex, std::vector<index_t> const& cuts) {
  auto const ranks = static_cast<std::size_t>(ex.ranks().size());
  auto const mine = static_cast<std::size_t>(ex.ranks().rank());
  route r{std::vector<index_t>(ranks), std::vector<index_t>(ranks)};
  for (std::size_t to = 0; to < ranks; ++to) r.sent[to] = cuts[to + 1] - cuts[to];
  auto const all = vectors_of_all(ex, r.sent);
  for (std::size_t from = 0; from < ranks; ++from) r.received[from] = all[from * ranks + mine];
  return r;
}

/// Sends elements along a route.  Those that come are in the order of the ranks that sent them.
template <class Ex, class From, class To>
void send_along(Ex const& ex, route const& along, From const& from, To const& to) {
  exchange(ex, from, along.sent, to, along.received);
}

/// The elements of `in` at the positions that each rank names, from all ranks, in a buffer of each.
template <class Ex, class T, class Space>
auto picked_of_all(Ex const& ex, view<T const, Space> in, std::vector<index_t> const& at) {
  auto const& local = ex.local();
  auto const ranks = static_cast<std::size_t>(ex.ranks().size());
  std::vector<index_t> copies, cuts{0};  // one copy for each rank
  for (std::size_t r = 0; r < ranks; ++r) {
    copies.insert(copies.end(), at.begin(), at.end());
    cuts.push_back(std::ssize(copies));
  }
  auto const picked = local.template allocate<T>(std::ssize(copies));
  auto const positions = ravel::to(local, copies);
  gather(local, in, positions, picked);
  route const along = route_by(ex, cuts);
  auto all = local.template allocate<T>(along.total_received());
  send_along(ex, along, picked, all);
  return all;
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

/// Combines element i of all ranks, in the order of ranks, for every i: data = data_0 m data_1 ...
///
/// Each rank combines one block of the elements, so that it sends 2 (p - 1) / p times all of them.
template <class Ex, class T, class Space, class M>
void all_reduce(Ex const& ex, view<T, Space> data, M m) {
  auto const& local = ex.local();
  auto const& ranks = ex.ranks();
  index_t const n = data.size(), width = div_up(n, index_t{ranks.size()});
  index_t const padded = width * ranks.size();
  auto const blocks = local.template scratch<T>(padded), rows = local.template scratch<T>(padded);
  for_each_index(local, padded, pad_with_identity<T, M>{data.data(), n, m, blocks.data()});
  std::vector<index_t> const each(static_cast<std::size_t>(ranks.size()), width);
  exchange(ex, blocks, each, rows, each);
  T* const mine = blocks.data() + ranks.rank() * width;
  for_each_index(local, width, combine_rows<T, M>{rows.data(), width, ranks.size(), m, mine});
  gather_pieces(ex, mine, width, blocks.data());
  for_each_index(local, n, pad_with_identity<T, M>{blocks.data(), n, m, data.data()});
}

}  // namespace ravel::inline v0::distributed::detail
