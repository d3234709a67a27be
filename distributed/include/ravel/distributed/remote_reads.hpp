#pragma once

/// Reads of remote elements: which of its elements a rank sends to those that read them, found once.

#include <ravel/core/transfer.hpp>
#include <ravel/distributed/communicator.hpp>
#include <ravel/distributed/routes.hpp>
#include <ravel/distributed/sequence.hpp>
#include <ravel/primitives/gather.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/search.hpp>

#include <iterator>
#include <span>
#include <vector>

namespace ravel::inline v0::distributed::detail {

struct minus_first {
  index_t first;
  template <class I>
  RAVEL_HD index_t operator()(I i) const {
    return static_cast<index_t>(i) - first;
  }
};

/// What a rank sends to others that read elements of its piece, and what comes of theirs.
template <class Ex>
struct remote_reads {
  using Local = std::remove_cvref_t<decltype(std::declval<Ex const&>().local())>;

  decltype(std::declval<Local const&>().template allocate<index_t>(
      0)) served;  // the places in this rank's piece that each rank reads, one after another
  route replies;

  remote_reads() = default;
  /// Sends the remote indices, which ascend, to the ranks that have their elements.
  template <class I, class Space>
  remote_reads(Ex const& ex, std::span<index_t const> begins, view<I const, Space> wanted) {
    auto const& local = ex.local();
    auto const ends = local.template scratch<index_t>(std::ssize(begins));
    auto const begins_there = to(local, std::vector<index_t>(begins.begin(), begins.end()));
    lower_bound(local, begins_there, wanted, ends);
    route const requests = route_by(ex, to_host(local, ends));
    auto const requested = local.template scratch<I>(requests.total_received());
    send_along(ex, requests, wanted, requested);
    served = local.template allocate<index_t>(requested.size());
    map(local, minus_first{begins[static_cast<std::size_t>(ex.ranks().rank())]}, served, requested);
    replies = requests.reversed();
  }

  template <class T, class Remote, class Work>
  void fetch(Ex const& ex, sequence<T, Ex> const& x, Remote const& remote, Work const& work) const {
    auto const sent = ex.local().template scratch<T>(served.size());
    auto const prepare = [&](Local const& on) {
      gather(on, x.local(), served, sent);
      work.prepare(on);
    };
    send_along(ex, replies, sent, view_of(remote), work_around{prepare, work.beside, work.finish});
  }
};

}  // namespace ravel::inline v0::distributed::detail
