#pragma once

/// @file
/// Gather and scatter by global indices, and the plan of a repeated gather.

#include <ravel/algorithms/radix_sort.hpp>
#include <ravel/core/concepts.hpp>
#include <ravel/core/config.hpp>
#include <ravel/core/error.hpp>
#include <ravel/core/search.hpp>
#include <ravel/core/tile.hpp>
#include <ravel/core/transfer.hpp>
#include <ravel/core/view.hpp>
#include <ravel/distributed/executor.hpp>
#include <ravel/distributed/routes.hpp>
#include <ravel/distributed/sequence.hpp>
#include <ravel/primitives/gather.hpp>
#include <ravel/primitives/histogram.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/pack.hpp>
#include <ravel/primitives/scatter.hpp>
#include <ravel/primitives/search.hpp>
#include <ravel/primitives/unique.hpp>

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

/// Whether a global index is in the piece of another rank.
struct is_remote {
  index_t first, size;
  RAVEL_HD bool operator()(index_t i) const { return i < first || i - first >= size; }
};

/// The place of a global index in this rank's piece, or after the piece, among the remote indices,
/// which ascend.
template <class I>
struct renumber {
  is_remote remote;
  I const* wanted;
  index_t count;
  struct is_before {
    I const* wanted;
    I at;
    RAVEL_HD bool operator()(index_t k) const { return wanted[k] < at; }
  };
  RAVEL_HD I operator()(I at) const {
    index_t const i = static_cast<index_t>(at);
    if (!remote(i)) return static_cast<I>(i - remote.first);
    return static_cast<I>(remote.size + partition_point(0, count, is_before{wanted, at}));
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

/// The distinct elements of `at` that are remote, ascending, in the first elements of `wanted`; their
/// number.
template <class Local, class At, class I, class Space>
index_t find_remote(Local const& local, At const& at, is_remote remote, view<I, Space> wanted) {
  auto const found = local.template scratch<I>(size_of(at));
  index_t const n = filter_sync(local, at, remote, found);
  view<I, Space> const sorted(found.data(), n);
  radix_sort(local, sorted);
  return unique_sync(local, sorted, wanted);
}

struct minus_first {
  index_t first;
  template <class I>
  RAVEL_HD index_t operator()(I i) const {
    return static_cast<index_t>(i) - first;
  }
};

/// The rank whose piece has global index i, or the number of ranks.
struct rank_of_index {
  index_t const* begins;  // p + 1
  index_t ranks;
  RAVEL_HD std::uint32_t operator()(index_t i) const {
    index_t const r = i < 0 ? ranks : partition_point(0, ranks, at_most{begins + 1, i});
    return static_cast<std::uint32_t>(r);
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
/// Cost     A local sort of the remote indices.  fetch gathers the elements that others read, and
///          copies this rank's piece while they are on their way.
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
  buffer<index_t>
      served_;  // the places in this rank's piece that each rank reads, one after another
  detail::route replies_;

 public:
  template <class At>
  gather_plan(Ex const& ex, std::span<index_t const> begins, At const& at,
              char const* call = "gather_plan")
      : ex_(ex), own_(0) {
    together(ex, call, [&] { plan(begins, view_of(at)); });
  }

  /// The elements that fetch writes: those of this rank's piece and the remote ones.
  index_t size() const { return own_ + remote_size(); }
  index_t remote_size() const { return replies_.total_received(); }
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
    auto const sent = ex_.local().template scratch<T>(served_.size());
    auto const prepare = [&](Local const& on) {
      gather(on, x.local(), served_, sent);
      work.prepare(on);
    };
    detail::send_along(ex_, replies_, sent, view_of(remote),
                       work_around{prepare, work.beside, work.finish});
  }
  template <class T, class Near>
  void fetch_rows(index_t k, sequence<T, Ex> const& x, Near const& near) const {
    auto const& local = ex_.local();
    auto const to = view_of(near);
    expects(x.size() == own_ * k, "gather_plan: x has ", x.size(), " elements on rank ",
            ex_.ranks().rank(), ", and ", own_, " rows of ", k, " were planned for");
    auto const sent = local.template scratch<T>(served_.size() * k);
    auto const copy_served = [&](Local const& on) {
      for_each_index(on, sent.size(),
                     detail::copy_rows<T>{x.data(), served_.data(), k, sent.data()});
    };
    auto const copy_own = [&] {
      map(local, ravel::detail::the_element{}, to.slice(0, x.size()), x.local());
    };
    detail::send_along(ex_, replies_.times(k), sent, to.slice(x.size(), remote_size() * k),
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
    auto const wanted = local.template allocate<I>(at.size());
    view<I const, typename Local::space> const requested(
        wanted.data(), detail::find_remote(local, at, remote, view_of(wanted)));
    if (!requested.empty()) {
      for (I const i :
           {at_sync(local, requested), at_sync(local, requested, requested.size() - 1)}) {
        expects(std::cmp_less_equal(0, i) && std::cmp_less(i, begins.back()), "index ", +i,
                " is outside [0, ", begins.back(), ")");
      }
    }
    numbers_ = local.template allocate<I>(at.size());
    map(local, detail::renumber<I>{remote, requested.data(), requested.size()}, numbers_, at);

    // Each rank receives the indices of its elements that others read.
    auto const ends = local.template scratch<index_t>(std::ssize(begins));
    auto const begins_there = to(local, std::vector<index_t>(begins.begin(), begins.end()));
    lower_bound(local, begins_there, requested, ends);
    detail::route const requests = detail::route_by(ex_, to_host(local, ends));
    auto const served = local.template scratch<I>(requests.total_received());
    detail::send_along(ex_, requests, requested, served);
    served_ = local.template allocate<index_t>(served.size());
    map(local, detail::minus_first{first}, served_, served);
    replies_ = requests.reversed();
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
///          Elements are trivially copyable.
/// Cost     That of a gather_plan, which repeated gathers of the same indices should keep.
/// Volume   For each distinct remote index of a rank the index and the element, once.
/// Errors   contract_error if the pieces of at and out differ; `error` if an index is outside of `in`.
template <class Local, class C, class T, class I>
void gather(distributed::executor<Local, C> const& ex,
            distributed::sequence<T, distributed::executor<Local, C>> const& in,
            distributed::sequence<I, distributed::executor<Local, C>> const& at,
            distributed::sequence<T, distributed::executor<Local, C>>& out) {
  distributed::detail::expect_same_pieces("gather", at, out);
  distributed::together(ex, "gather", [&] {
    distributed::gather_plan const plan(ex, in.begins(), at.local(), "gather");
    auto const near = ex.local().template scratch<T>(plan.size());
    plan.fetch(in, near);
    gather(ex.local(), near, plan.numbers(), out.local());
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
///          element with an index outside of `out` is not written.  Elements are trivially copyable.
/// Cost     A local radix sort by ranks, one exchange, and a local scatter.
/// Volume   Each index and element that another rank gets, once, and p counts to each rank.
/// Errors   contract_error if the pieces of in and at differ.
template <class Local, class C, class T, class I>
void scatter(distributed::executor<Local, C> const& ex,
             distributed::sequence<T, distributed::executor<Local, C>> const& in,
             distributed::sequence<I, distributed::executor<Local, C>> const& at,
             distributed::sequence<T, distributed::executor<Local, C>>& out) {
  distributed::detail::expect_same_pieces("scatter", in, at);
  distributed::together(ex, "scatter", [&] {
    auto const& local = ex.local();
    index_t const n = in.size();
    int const ranks = ex.ranks().size();
    auto const begins = to(local, std::vector<index_t>(out.begins().begin(), out.begins().end()));
    distributed::detail::rank_of_index const owner{begins.data(), ranks};
    auto const sent = local.template scratch<T>(n);
    auto const sent_to = local.template scratch<I>(n);
    auto const counts = local.template scratch<index_t>(ranks);
    radix_sort_pairs(local, at.local(), in.local(), sent_to, sent, by(owner),
                     bit_range{0, static_cast<int>(std::bit_width(static_cast<unsigned>(ranks)))});
    histogram(local, at.local(), counts, owner);
    std::vector<index_t> cuts{0};
    for (index_t const k : to_host(local, counts)) cuts.push_back(cuts.back() + k);
    auto const along = distributed::detail::route_by(ex, cuts);
    index_t const m = along.total_received();
    auto const received = local.template scratch<T>(m);
    auto const received_to = local.template scratch<I>(m);
    auto const places = local.template scratch<index_t>(m);
    distributed::detail::send_along(ex, along, sent, received);
    distributed::detail::send_along(ex, along, sent_to, received_to);
    map(local, distributed::detail::minus_first{out.first()}, places, received_to);
    scatter(local, received, places, out.local());
  });
}

}  // namespace ravel::inline v0
