#pragma once

/// @file
/// Gather and scatter by global indices, and the plan of a repeated gather.

#include <ravel/algorithms/radix_sort.hpp>
#include <ravel/core/atomic.hpp>
#include <ravel/core/concepts.hpp>
#include <ravel/core/config.hpp>
#include <ravel/core/cpu/worker.hpp>
#include <ravel/core/error.hpp>
#include <ravel/core/search.hpp>
#include <ravel/core/tile.hpp>
#include <ravel/core/transfer.hpp>
#include <ravel/core/view.hpp>
#include <ravel/distributed/executor.hpp>
#include <ravel/distributed/remote_indices.hpp>
#include <ravel/distributed/routes.hpp>
#include <ravel/distributed/sequence.hpp>
#include <ravel/primitives/cpu/split.hpp>
#include <ravel/primitives/gather.hpp>
#include <ravel/primitives/histogram.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/scatter.hpp>
#include <ravel/primitives/search.hpp>

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace ravel::inline v0 {
namespace distributed {
namespace detail {

using at_most = ravel::detail::at_most<index_t>;

/// The place of a global index in this rank's piece, or after the piece, among the remote indices.
template <class I>
struct renumber {
  is_remote remote;
  place_of_wanted<I> place;
  RAVEL_HD I operator()(I at) const {
    index_t const i = static_cast<index_t>(at);
    return static_cast<I>(remote(i) ? remote.size + place(at) : i - remote.first);
  }
};

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
      constexpr index_t some = 32;
      T const* found[some];
      for (; t.begin + some <= t.end; t.begin += some) {
        for (index_t i = 0; i < some; ++i) {
          found[i] = find(t.begin + i);
          __builtin_prefetch(found[i]);
        }
        for (index_t i = 0; i < some; ++i) out[t.begin + i] = static_cast<U>(*found[i]);
      }
    }
    team.for_each(t, *this);
  }
};

/// Rows of k elements with the numbers `at`.
template <class T>
struct copy_rows {
  T const* from;
  index_t const* at;
  index_t k;
  T* to;
  RAVEL_HD void operator()(index_t i) const { to[i] = from[at[i / k] * k + i % k]; }
};

struct minus_first {
  index_t first;
  template <class I>
  RAVEL_HD index_t operator()(I i) const {
    return static_cast<index_t>(i) - first;
  }
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
RAVEL_HD void store_one(T* to, T const& x) {
  if constexpr (written_whole<T>) {
    store_whole(to, x);
  } else {
    *to = x;
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

/// Puts elements and their indices in the order of the ranks that have these indices.  Returns where those of
/// each rank begin, and the end.
template <class Local, class At, class In, class T, class I>
std::vector<index_t> order_by_ranks(Local const& local, rank_of_index owner, At const& at,
                                    In const& in, T* sent, I* sent_to) {
  index_t const n = in.size();
  if constexpr (cpu::host_executor<Local>) {
    std::vector<index_t> cuts(static_cast<std::size_t>(owner.ranks) + 2);
    auto const owner_of = [=, to = at.data()](index_t i) {
      return static_cast<index_t>(owner(static_cast<index_t>(to[i])));
    };
    cpu::split_rows_on(local, n, owner.ranks + 1, owner_of, contiguous<I>{at.data()}, sent_to,
                       cuts.data());
    cpu::split_rows_on(local, n, owner.ranks + 1, owner_of, contiguous<T>{in.data()}, sent,
                       cuts.data());
    cuts.pop_back();
    return cuts;
  } else {
    auto const counts = local.template scratch<index_t>(owner.ranks);
    radix_sort_pairs(
        local, at, in, view<I, typename Local::space>(sent_to, n),
        view<T, typename Local::space>(sent, n), by(owner),
        bit_range{0, static_cast<int>(std::bit_width(static_cast<unsigned>(owner.ranks)))});
    histogram(local, at, counts, owner);
    std::vector<index_t> cuts{0};
    for (index_t const k : to_host(local, counts)) cuts.push_back(cuts.back() + k);
    return cuts;
  }
}

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

}  // namespace detail

/// Which elements of a distributed sequence this rank reads, found once for many exchanges:
///
///     gather_plan const plan(ex, x.begins(), at);      at[m]: global indices, on this rank
///     auto near = ex.local().allocate<T>(plan.size());
///     plan.fetch(x, near);                             near[plan.numbers()[i]] = x[at[i]]
///
///     ranks      0         1
///     x          a b c   | d e
///     at         0 4 4 1 | 4 2
///     numbers    0 3 3 1 | 1 2
///     near       a b c e | d e c           this rank's piece of x, then the remote elements
///
/// A plan serves all sequences in the same pieces, with elements of any type.  A sequence that the plan
/// allocates has room for the remote elements after each piece, so that its piece is not copied:
///
///     auto x = plan.allocate<T>();                     in the pieces of begins
///     auto const near = plan.fetch(x);                 a view of the same elements as above, in x
///
/// fetch_rows(k, x, near) does the same for a sequence of rows of k elements, of which `at` has the
/// numbers and x has k times as many elements.
///
/// Shapes   at[m] in the memory of the local executor, of any integer type that holds the size of x.
/// Cost     O(m) work, if x has at most 64 m elements: a bit for each is marked, in n / 8 bytes, and n / 64
///          numbers.  Else a local sort of the remote indices, and a binary search of them for each.  fetch
///          gathers the elements that others read, and copies this rank's piece while they are on their way.
/// Volume   Each distinct remote index, once; and p counts to each rank.  In fetch, the element or the
///          row of each distinct remote index, and nothing else.
/// Errors   `error` if an index is outside of x.
template <class Ex, std::integral I>
class gather_plan {
  using Local = std::remove_cvref_t<decltype(std::declval<Ex const&>().local())>;
  template <class T>
  using buffer = decltype(std::declval<Local const&>().template allocate<T>(0));

  Ex ex_;
  index_t own_;  // elements of x on this rank
  buffer<I> numbers_;
  detail::remote_reads<Ex> reads_;

 public:
  template <class At>
  gather_plan(Ex const& ex, std::span<index_t const> begins, At const& at,
              char const* call = "gather_plan")
      : ex_(ex), own_(0) {
    together(ex, call, [&] { plan(begins, view_of(at)); });
  }

  /// The elements that fetch writes: those of this rank's piece and the remote ones.
  index_t size() const { return own_ + remote_size(); }
  index_t remote_size() const { return reads_.replies.total_received(); }
  /// The place of each index among them.
  view<I const, typename Local::space> numbers() const {
    return {numbers_.data(), numbers_.size()};
  }

  /// Writes to near[size()] this rank's piece of x and the remote elements.
  template <class T, class Near>
  void fetch(sequence<T, Ex> const& x, Near const& near) const {
    auto const& local = ex_.local();
    auto const to = view_of(near);
    expects(x.size() == own_, "gather_plan: x has ", x.size(), " elements on rank ",
            ex_.ranks().rank(), ", and ", own_, " were planned for");
    auto const copy_own = [&] {
      map(local, ravel::detail::the_element{}, to.slice(0, own_), x.local());
    };
    fetch_remote(x, to.slice(own_, remote_size()), work_around{no_work(), copy_own});
  }
  /// Uninitialised elements in the pieces that were planned for, and room for the remote ones.  Waits for
  /// the other ranks.
  template <class T>
  sequence<T, Ex> allocate() const {
    sequence<T, Ex> x(ex_, begins_of(ex_, size()));
    x.keep_piece(ex_, 0, own_);
    return x;
  }
  /// Writes the remote elements after the piece of a sequence that the plan has allocated; returns both.
  template <class T>
  view<T const, typename Local::space> fetch(sequence<T, Ex>& x) const {
    auto const near = x.memory();
    expects(x.size() == own_ && x.data() == near.data() && near.size() >= size(),
            "gather_plan: x, of ", x.size(), " elements on rank ", ex_.ranks().rank(),
            ", was not allocated by this plan, for ", own_, " and ", remote_size(), " after them");
    fetch_remote(x, near.slice(own_, remote_size()), work_around<>());
    return near.slice(0, size());
  }
  /// Writes the remote elements alone, with work around that: prepare(executor) issues more that is to be
  /// done before finish(executor), and beside() what needs no remote element.
  template <class T, class Remote, class Work>
  void fetch_remote(sequence<T, Ex> const& x, Remote const& remote, Work const& work) const {
    reads_.fetch(ex_, x, remote, work);
  }
  template <class T, class Near>
  void fetch_rows(index_t k, sequence<T, Ex> const& x, Near const& near) const {
    auto const& local = ex_.local();
    auto const to = view_of(near);
    expects(x.size() == own_ * k, "gather_plan: x has ", x.size(), " elements on rank ",
            ex_.ranks().rank(), ", and ", own_, " rows of ", k, " were planned for");
    auto const& served = reads_.served;
    auto const sent = local.template scratch<T>(served.size() * k);
    auto const copy_served = [&](Local const& on) {
      for_each_index(on, sent.size(),
                     detail::copy_rows<T>{x.data(), served.data(), k, sent.data()});
    };
    auto const copy_own = [&] {
      map(local, ravel::detail::the_element{}, to.slice(0, x.size()), x.local());
    };
    detail::send_along(ex_, reads_.replies.times(k), sent, to.slice(x.size(), remote_size() * k),
                       work_around{copy_served, copy_own});
  }

 private:
  template <class At>
  void plan(std::span<index_t const> begins, At const& at) {
    auto const& local = ex_.local();
    auto const rank = static_cast<std::size_t>(ex_.ranks().rank());
    index_t const first = begins[rank];
    own_ = begins[rank + 1] - first;
    detail::is_remote const remote{first, own_};
    detail::remote_indices<Local, I> const found(local, at, remote, begins.back());
    numbers_ = local.template allocate<I>(at.size());
    map(local, detail::renumber<I>{remote, found.place()}, numbers_, at);
    reads_ = detail::remote_reads<Ex>(ex_, begins, found.wanted());
  }
};
template <class Ex, class At>
gather_plan(Ex, std::span<index_t const>, At const&, char const* = "")
    -> gather_plan<Ex, element_t<At const&>>;

}  // namespace distributed

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
///          same indices should keep a plan.
/// Volume   For each distinct remote index of a rank the index and the element, once.
/// Errors   contract_error if the pieces of at and out differ; `error` if an index is outside of `in`.
template <class Local, class C, class T, class I, class U>
void gather(distributed::executor<Local, C> const& ex,
            distributed::sequence<T, distributed::executor<Local, C>> const& in,
            distributed::sequence<I, distributed::executor<Local, C>> const& at,
            distributed::sequence<U, distributed::executor<Local, C>>& out) {
  distributed::detail::expect_same_pieces("gather", at, out);
  distributed::together(ex, "gather", [&] {
    auto const& local = ex.local();
    distributed::detail::is_remote const remote{in.first(), in.size()};
    distributed::detail::remote_indices<Local, I> const found(local, at.local(), remote,
                                                              in.total_size());
    distributed::detail::remote_reads<distributed::executor<Local, C>> const reads(ex, in.begins(),
                                                                                   found.wanted());
    auto const theirs = local.template scratch<T>(found.wanted().size());
    reads.fetch(ex, in, theirs, distributed::work_around<>());
    local.for_each_tile(
        at.size(), distributed::detail::gather_near<T, I, U>{in.data(), theirs.data(), remote,
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
/// Cost     On hosts elements are counted and placed by ranks, on devices a local radix sort by ranks; one
///          exchange, and a local scatter.
/// Volume   Each index and element that another rank gets, once, and p counts to each rank.
/// Errors   contract_error if the pieces of in and at differ.
template <class Local, class C, class T, class I, class U>
void scatter(distributed::executor<Local, C> const& ex,
             distributed::sequence<T, distributed::executor<Local, C>> const& in,
             distributed::sequence<I, distributed::executor<Local, C>> const& at,
             distributed::sequence<U, distributed::executor<Local, C>>& out) {
  distributed::detail::expect_same_pieces("scatter", in, at);
  distributed::together(ex, "scatter", [&] {
    auto const& local = ex.local();
    auto const rank = static_cast<std::size_t>(ex.ranks().rank());
    auto const begins = to(local, std::vector<index_t>(out.begins().begin(), out.begins().end()));
    auto const sent = local.template scratch<T>(in.size());
    auto const sent_to = local.template scratch<I>(in.size());
    auto const cuts = distributed::detail::order_by_ranks(
        local, {begins.data(), ex.ranks().size(), out.total_size()}, at.local(), in.local(),
        sent.data(), sent_to.data());
    auto const put = [&](T const* from, I const* to, index_t m) {
      for_each_index(local, m,
                     distributed::detail::put_at<T, I, U>{from, to, out.first(), out.data()});
    };
    put(sent.data() + cuts[rank], sent_to.data() + cuts[rank], cuts[rank + 1] - cuts[rank]);
    auto along = distributed::detail::route_by(ex, cuts);
    along.received[rank] = 0;
    index_t const m = along.total_received();
    auto const received = local.template scratch<T>(m);
    auto const received_to = local.template scratch<I>(m);
    distributed::detail::send_along(ex, along, sent, received);
    distributed::detail::send_along(ex, along, sent_to, received_to);
    put(received.data(), received_to.data(), m);
  });
}

}  // namespace ravel::inline v0
