#pragma once

/// The plan of a repeated gather: which elements of other ranks a rank reads, and where it finds them.

#include <ravel/distributed/communicator.hpp>
#include <ravel/distributed/exchange.hpp>
#include <ravel/distributed/executor.hpp>
#include <ravel/distributed/remote_elements.hpp>
#include <ravel/distributed/routes.hpp>
#include <ravel/distributed/sequence.hpp>
#include <ravel/primitives/map.hpp>

#include <span>

namespace ravel::inline v0::distributed {
namespace detail {

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

/// Rows of k elements with the numbers `at`.
template <class T, class I>
struct copy_rows {
  T const* from;
  I const* at;
  index_t k;
  T* to;
  RAVEL_HD void operator()(index_t i) const {
    to[i] = from[static_cast<index_t>(at[i / k]) * k + i % k];
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
  using Local = detail::local_of<Ex>;

  Ex ex_;
  index_t own_;  // elements of x on this rank
  detail::buffer_of<Ex, I> numbers_;
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
    expects(x.size() == own_, "gather_plan: x has ", x.size(), " elements on rank ",
            ex_.ranks().rank(), ", and ", own_, " were planned for");
    fetch_after_own(1, x, view_of(near));
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
    expects(x.size() == own_ * k, "gather_plan: x has ", x.size(), " elements on rank ",
            ex_.ranks().rank(), ", and ", own_, " rows of ", k, " were planned for");
    fetch_after_own(k, x, view_of(near));
  }
  /// Writes the remote rows of k elements alone, as fetch_remote.
  template <class T, class Remote, class Work>
  void fetch_remote_rows(index_t k, sequence<T, Ex> const& x, Remote const& remote,
                         Work const& work) const {
    if (k == 1) return fetch_remote(x, remote, work);
    auto const& served = reads_.served;
    auto const sent = ex_.local().template scratch<T>(served.size() * k);
    auto const prepare = [&](Local const& on) {
      for_each_index(on, sent.size(),
                     detail::copy_rows<T, index_t>{x.data(), served.data(), k, sent.data()});
      work.prepare(on);
    };
    detail::send_along(ex_, reads_.replies.times(k), sent, view_of(remote),
                       work_around{prepare, work.beside, work.finish});
  }

 private:
  /// Writes the rows of k elements of x on this rank, and the remote ones after them.
  template <class T, class Near>
  void fetch_after_own(index_t k, sequence<T, Ex> const& x, Near const& near) const {
    auto const copy_own = [&] {
      map(ex_.local(), ravel::detail::the_element{}, near.slice(0, x.size()), x.local());
    };
    fetch_remote_rows(k, x, near.slice(x.size(), remote_size() * k),
                      work_around{no_work(), copy_own});
  }

  void plan(std::span<index_t const> begins, auto const& at) {
    auto const& local = ex_.local();
    int const rank = ex_.ranks().rank();
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

}  // namespace ravel::inline v0::distributed
