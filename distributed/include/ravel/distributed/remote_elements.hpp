#pragma once

/// Remote elements: which elements of other ranks a rank reads, each once, and which of its own others read.

#include <ravel/algorithms/radix_sort.hpp>
#include <ravel/core/atomic.hpp>
#include <ravel/core/search.hpp>
#include <ravel/core/transfer.hpp>
#include <ravel/distributed/communicator.hpp>
#include <ravel/distributed/executor.hpp>
#include <ravel/distributed/marks.hpp>
#include <ravel/distributed/routes.hpp>
#include <ravel/distributed/sequence.hpp>
#include <ravel/primitives/distribute.hpp>
#include <ravel/primitives/gather.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/options.hpp>
#include <ravel/primitives/pack.hpp>
#include <ravel/primitives/scan.hpp>
#include <ravel/primitives/unique.hpp>

#include <span>

namespace ravel::inline v0::distributed::detail {

/// Whether a global index is in the piece of another rank.
struct is_remote {
  index_t first, size;
  RAVEL_HD bool operator()(index_t i) const { return i < first || i - first >= size; }
};

template <class I>
struct count_bits {
  RAVEL_HD I operator()(std::uint64_t word) const {
#ifdef RAVEL_DEVICE_CODE
    return static_cast<I>(__popcll(word));
#else
    return static_cast<I>(std::popcount(word));
#endif
  }
};

/// How many of wanted indices, which ascend, are before one of them; for others in [0, n) some number.
template <class I>
struct place_of_wanted {
  I const* wanted;
  index_t count;
  std::uint64_t const* bits;  // null if wanted indices are searched
  I const* before;            // of each 64 indices

  struct is_before {
    I const* wanted;
    I at;
    RAVEL_HD bool operator()(index_t k) const { return wanted[k] < at; }
  };
  RAVEL_HD index_t operator()(I at) const {
    if (bits == nullptr) return partition_point(0, count, is_before{wanted, at});
    auto const i = static_cast<std::uint64_t>(at);
    std::uint64_t const lower = (std::uint64_t{1} << i % 64) - 1;
    return static_cast<index_t>(before[i / 64]) + count_bits<index_t>()(bits[i / 64] & lower);
  }
};

template <class I>
struct mark_index {
  I const* at;
  index_t n;
  marks<std::uint64_t> to;
  std::int64_t* least_outside;
  RAVEL_HD void operator()(index_t k) const {
    index_t const i = static_cast<index_t>(at[k]);
    if (i < 0 || i >= n) {
      keep_least(least_outside, i);
    } else {
      to.set(i);
    }
  }
};
/// Clears the bits of [first, end) in the word k words after that of `first`.
struct clear_marks {
  std::uint64_t* words;
  index_t first, end;
  RAVEL_HD void operator()(index_t k) const {
    index_t const w = first / 64 + k;
    std::uint64_t kept = 0;
    if (64 * w < first) kept = (std::uint64_t{1} << first % 64) - 1;
    if (end < 64 * (w + 1)) kept |= ~std::uint64_t{0} << end % 64;
    words[w] &= kept;
  }
};
template <class I>
struct list_marks {
  std::uint64_t const* words;
  I const* before;
  I* to;
  RAVEL_HD void operator()(index_t w) const {
    I* next = to + before[w];
    for (std::uint64_t rest = words[w]; rest != 0; rest &= rest - 1) {
      *next++ = static_cast<I>(64 * w + count_bits<index_t>()((rest & -rest) - 1));
    }
  }
};

inline void expect_inside(index_t i, index_t n) {
  expects(0 <= i && i < n, "index ", i, " is outside [0, ", n, ")");
}

/// The distinct indices of at[m] in [0, n) that are remote, ascending, and where each is among them.
///
/// Cost     If n is at most 64 m, a bit for each index is marked: O(m) work.  Else a sort of the remote
///          indices, and a binary search whenever one is looked for.
/// Errors   An index outside of [0, n) is a contract_error.
template <class Local, class I>
class remote_indices {
  using Space = typename Local::space;
  template <class T>
  using buffer = decltype(std::declval<Local const&>().template allocate<T>(0));

  buffer<I> wanted_;
  index_t count_ = 0;
  buffer<std::uint64_t> bits_;
  buffer<I> before_;

  void find_by_marks(Local const& local, view<I const, Space> at, is_remote remote, index_t n) {
    constexpr auto none = std::numeric_limits<std::int64_t>::max();
    auto const outside = local.template scratch<std::int64_t>(1);
    auto const total = local.template scratch<I>(1);
    distribute(local, none, outside);
    distribute(local, std::uint64_t{0}, bits_);
    for_each_index(local, at.size(),
                   mark_index<I>{at.data(), n, {local, bits_.data()}, outside.data()});
    index_t const end = remote.first + remote.size;
    for_each_index(local, remote.size > 0 ? div_up(end, 64) - remote.first / 64 : 0,
                   clear_marks{bits_.data(), remote.first, end});
    before_ = local.template allocate<I>(bits_.size());
    exclusive_scan(local, map_source(bits_, count_bits<I>()), before_, plus<I>(), total_to(total));
    if (std::int64_t const i = at_sync(local, outside); i != none) expect_inside(i, n);
    count_ = static_cast<index_t>(at_sync(local, total));
    wanted_ = local.template allocate<I>(count_);
    for_each_index(local, bits_.size(),
                   list_marks<I>{bits_.data(), before_.data(), wanted_.data()});
  }

  void find_by_sort(Local const& local, view<I const, Space> at, is_remote remote, index_t n) {
    auto const found = local.template scratch<I>(at.size());
    view<I, Space> const sorted(found.data(), filter_sync(local, at, remote, found));
    if (sorted.empty()) return;
    radix_sort(local, sorted);
    wanted_ = local.template allocate<I>(sorted.size());
    count_ = unique_sync(local, sorted, wanted_);
    for (index_t const k : {index_t{0}, count_ - 1}) {
      expect_inside(static_cast<index_t>(at_sync(local, wanted_, k)), n);
    }
  }

 public:
  template <class At>
  remote_indices(Local const& local, At const& at, is_remote remote, index_t n)
      : wanted_(local.template allocate<I>(0)),
        bits_(local.template allocate<std::uint64_t>(n <= 64 * size_of(at) ? div_up(n, 64) : 0)),
        before_(local.template allocate<I>(0)) {
    view<I const, Space> const indices(view_of(at).data(), size_of(at));
    if (bits_.size() > 0) {
      find_by_marks(local, indices, remote, n);
    } else {
      find_by_sort(local, indices, remote, n);
    }
  }

  view<I const, Space> wanted() const { return {wanted_.data(), count_}; }
  place_of_wanted<I> place() const {
    return {wanted_.data(), count_, bits_.size() > 0 ? bits_.data() : nullptr, before_.data()};
  }
};

struct shift_index {
  index_t by;
  template <class I>
  RAVEL_HD index_t operator()(I i) const {
    return static_cast<index_t>(i) + by;
  }
};

/// What a rank sends to others that read elements of its piece, and what comes of theirs.
template <class Ex>
struct remote_reads {
  /// The places in this rank's piece that each rank reads, one after another.
  buffer_of<Ex, index_t> served;
  route replies;

  remote_reads() = default;
  /// Sends the remote indices, which ascend, to the ranks that have their elements.
  template <class I, class Space>
  remote_reads(Ex const& ex, std::span<index_t const> begins, view<I const, Space> wanted) {
    auto const& local = ex.local();
    route const requests = route_by(ex, cuts_by_bounds(local, wanted, begins));
    auto const requested = received_along(ex, requests, wanted);
    served = local.template allocate<index_t>(requested.size());
    map(local, shift_index{-begins[ex.ranks().rank()]}, served, requested);
    replies = requests.reversed();
  }

  template <class T, class Remote, class Work>
  void fetch(Ex const& ex, sequence<T, Ex> const& x, Remote const& remote, Work const& work) const {
    auto const sent = ex.local().template scratch<T>(served.size());
    auto const prepare = [&](local_of<Ex> const& on) {
      gather(on, x.local(), served, sent);
      work.prepare(on);
    };
    send_along(ex, replies, sent, view_of(remote), work_around{prepare, work.beside, work.finish});
  }
};

}  // namespace ravel::inline v0::distributed::detail
