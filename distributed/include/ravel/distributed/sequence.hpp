#pragma once

/// Distributed sequences: a piece of the elements on each rank.
///
///     auto x = from(ex, numbers);               // all ranks have all numbers, and keep a piece
///     auto w = from(ex, std::views::iota(0, 9));
///     auto y = from_pieces(ex, mine);           // each rank has a piece, of any size
///     auto z = ex.allocate<float>(n);
///     std::vector<int> all = gather_to(ex, x, 0);
///
/// As a range, a sequence is the piece of this rank, so that calls find their operands as on one
/// machine, and algorithms of std read and write the piece.  Where the pieces of all ranks begin is known to every rank.

#include <ravel/core/range_copy.hpp>
#include <ravel/core/transfer.hpp>
#include <ravel/distributed/exchange.hpp>
#include <ravel/distributed/executor.hpp>
#include <ravel/distributed/refused_calls.hpp>

#include <memory>
#include <ranges>
#include <span>
#include <vector>

namespace ravel::inline v0::distributed {

/// Where `ranks` pieces of n elements begin whose sizes differ by one at most, and n.
inline std::vector<index_t> even_begins(index_t n, int ranks) {
  expects(n >= 0, "distributed::sequence: the size is ", n);
  std::vector<index_t> begins(ranks + 1);
  for (int r = 0; r <= ranks; ++r) begins[r] = n / ranks * r + std::min<index_t>(r, n % ranks);
  return begins;
}

/// Where pieces begin that have the first `end` elements of pieces that begin at `begins`, and `end`.
inline std::vector<index_t> begins_up_to(std::span<index_t const> begins, index_t end) {
  std::vector<index_t> result(begins.begin(), begins.end());
  for (index_t& b : result) b = std::min(b, end);
  return result;
}

/// Where the pieces of all ranks begin, of which this rank's has n elements, and how many all have.
/// Waits for the other ranks.
template <class Ex>
std::vector<index_t> begins_of(Ex const& ex, index_t n) {
  std::vector<index_t> begins{0};
  for (index_t const k : gather_values(ex.ranks(), n)) begins.push_back(begins.back() + k);
  return begins;
}

/// Elements of type T on all ranks of the executor `Ex`: rank r has those from begins()[r] to
/// begins()[r + 1].  A rank owns the memory of its piece.
template <class T, class Ex>
class sequence {
  detail::buffer_of<Ex, T> elements_;  // at least as many as the piece has
  index_t begin_ = 0;                  // of the piece in them
  std::shared_ptr<std::vector<index_t> const> begins_;
  int rank_;

 public:
  using value_type = T;
  using space = space_of_t<Ex>;

  /// n elements, uninitialised, in even pieces.
  sequence(Ex const& ex, index_t n) : sequence(ex, even_begins(n, ex.ranks().size())) {}
  /// Uninitialised elements in given pieces: the same p + 1 begins on every rank.
  sequence(Ex const& ex, std::vector<index_t> begins)
      : sequence(ex, std::make_shared<std::vector<index_t> const>(std::move(begins))) {
    if constexpr (detail::compares_calls<decltype(ex.ranks())>) {
      ex.ranks().expect_one_size("sequence", total_size());
    }
  }
  /// Uninitialised elements in the pieces of another sequence, or of what else shares its begins.
  template <class Like>
  requires requires(Like const& like) { like.shared_begins(); }
  sequence(Ex const& ex, Like const& like) : sequence(ex, like.shared_begins()) {}

  // The piece of this rank.
  T* data() { return elements_.data() + begin_; }
  T const* data() const { return elements_.data() + begin_; }
  T* begin() { return data(); }
  T const* begin() const { return data(); }
  T* end() { return data() + size(); }
  T const* end() const { return data() + size(); }
  index_t size() const { return first_of(rank_ + 1) - first_of(rank_); }

  /// The piece as a sequence in the memory of the local executor.
  view<T, typename space::local> local() { return {data(), size()}; }
  view<T const, typename space::local> local() const { return {data(), size()}; }

  /// The number of elements on all ranks.
  index_t total_size() const { return begins_->back(); }
  /// The place of this rank's first element among all.
  index_t first() const { return first_of(rank_); }
  /// p + 1 places: where the piece of each rank begins, and total_size().
  std::span<index_t const> begins() const { return *begins_; }
  std::shared_ptr<std::vector<index_t> const> const& shared_begins() const { return begins_; }
  /// All elements that this rank's memory has room for; the piece is among them.
  view<T, typename space::local> memory() {
    return {elements_.data(), static_cast<index_t>(elements_.size())};
  }

  /// Makes memory().slice(first, n) the piece of this rank; n may differ over ranks.  Waits for the
  /// other ranks.
  void keep_piece(Ex const& ex, index_t first, index_t n) {
    expects(0 <= first && 0 <= n && first + n <= memory().size(),
            "distributed::sequence: keep_piece: there is room for ", memory().size(),
            " elements on rank ", rank_, ", and ", first + n, " are wanted");
    begins_ = std::make_shared<std::vector<index_t> const>(begins_of(ex, n));
    begin_ = first;
  }

 private:
  sequence(Ex const& ex, std::shared_ptr<std::vector<index_t> const> begins)
      : elements_(ex.local().template allocate<T>(
            own_size(*begins, ex.ranks().rank(), ex.ranks().size()))),
        begins_(std::move(begins)),
        rank_(ex.ranks().rank()) {}

  index_t first_of(int rank) const { return (*begins_)[rank]; }

  static index_t own_size(std::vector<index_t> const& begins, int rank, int ranks) {
    expects(static_cast<int>(begins.size()) == ranks + 1, "distributed::sequence: there are ",
            begins.size(), " begins, and ", ranks, " ranks");
    expects(begins[0] == 0 && std::is_sorted(begins.begin(), begins.end()),
            "distributed::sequence: the begins do not ascend from 0");
    return begins[rank + 1] - begins[rank];
  }
};
/// The same, of the executor of a local one and a communicator.
template <class T, class Local, class C>
using pieces_of = sequence<T, executor<Local, C>>;

/// Whether X is a distributed sequence.
template <class X>
inline constexpr bool is_sequence = false;
template <class T, class Ex>
inline constexpr bool is_sequence<sequence<T, Ex>> = true;

namespace detail {

/// The elements of a range.
template <class R>
using value_of_range = std::ranges::range_value_t<decltype(ravel::detail::iterable(
    std::declval<std::remove_reference_t<R>&>()))>;

/// Refuses sequences in different pieces, on every rank alike.
void expect_same_pieces(char const* call, auto const& x, auto const& y) {
  for (std::size_t r = 0; r + 1 < x.begins().size(); ++r) {
    index_t const a = x.begins()[r + 1] - x.begins()[r], b = y.begins()[r + 1] - y.begins()[r];
    expects(a == b, call, ": one sequence has ", a, " elements on rank ", r, ", and another has ",
            b);
  }
}

/// Elements of T in given pieces, of which `src` has those of this rank.
template <class T, class Ex>
sequence<T, Ex> copied(Ex const& ex, std::vector<index_t> begins, T const* src) {
  sequence<T, Ex> x(ex, std::move(begins));
  ex.copy(src, x.data(), x.size());
  ex.local().wait();
  return x;
}

/// Moves the elements of x to the pieces of y, which has as many.
template <class T, class Ex>
void move_pieces(Ex const& ex, sequence<T, Ex> const& x, sequence<T, Ex>& y) {
  move_between(ex, x.local(), x.begins(), y.local(), y.begins());
}

}  // namespace detail

/// R is a sequence of elements that can be sent, or another range of such; nested.hpp has those of others,
/// of which elements are ranges themselves.
template <class R>
concept sent_sequence =
    ravel::sequence<R> && can_be_sent<element_t<R&>> && !std::ranges::range<element_t<R&>>;
template <class R>
concept sent_range =
    !ravel::sequence<R> && ravel::detail::some_range<R> && can_be_sent<detail::value_of_range<R>> &&
    !std::ranges::range<detail::value_of_range<R>>;

/// The elements of `all`, a sequence or a range on the host that is the same on every rank, in even pieces.
///
///     ranks      0      1     2
///     all        3 1 2 4 5    on each
///     piece      3 1    2 4   5
///
/// Of a range with random access each rank reads its piece; of another it reads all.
template <some_executor Ex, sent_sequence R>
auto from(Ex const& ex, R&& all) {
  auto const v = view_of(all);
  return together(ex, "from", [&] {
    auto const begins = even_begins(v.size(), ex.ranks().size());
    return detail::copied<element_t<R&>>(ex, begins, v.data() + begins[ex.ranks().rank()]);
  });
}
template <some_executor Ex, sent_range R>
auto from(Ex const& ex, R&& all) {
  auto&& range = ravel::detail::iterable(all);
  if constexpr (ravel::detail::read_by_index<decltype(range)> &&
                std::ranges::sized_range<decltype(range)>) {
    return together(ex, "from", [&] {
      int const rank = ex.ranks().rank();
      auto const begins = even_begins(std::ranges::ssize(range), ex.ranks().size());
      auto const first = std::ranges::begin(range);
      auto const piece = ravel::detail::copy_of_range(
          ex.local(), "from",
          std::ranges::subrange(first + begins[rank], first + begins[rank + 1]));
      return detail::copied<detail::value_of_range<R>>(ex, begins, piece.data());
    });
  } else {
    return from(ex, ravel::detail::copy_in_order("from", range));
  }
}

/// The elements that each rank has on its host, in the order of ranks.
///
///     ranks      0       1   2
///     mine       3 1 2 | 4 |                  first() is 0, 3 and 4
///
/// Volume   8 bytes to each other rank.
template <some_executor Ex, sent_sequence R>
auto from_pieces(Ex const& ex, R&& mine) {
  auto const v = view_of(mine);
  return together(ex, "from_pieces", [&] {
    return detail::copied<element_t<R&>>(ex, begins_of(ex, v.size()), v.data());
  });
}
template <some_executor Ex, sent_range R>
auto from_pieces(Ex const& ex, R&& mine) {
  auto&& range = ravel::detail::iterable(mine);
  return from_pieces(ex, ravel::detail::copy_of_range(ex.local(), "from_pieces", range));
}

/// All elements, on the host of one rank; an empty vector on the others.  Waits.
///
///     ranks      0     1     2
///     x          3 1 | 2 4 | 5
///     result     3 1 2 4 5 on rank 0          of gather_to(ex, x, 0)
///
/// Cost     O(n) work and memory of that rank for n elements.
/// Volume   Each rank sends its piece.
template <some_executor Ex, class T>
std::vector<T> gather_to(Ex const& ex, sequence<T, Ex> const& x, int rank) {
  expects(0 <= rank && rank < ex.ranks().size(), "gather_to: rank ", rank, " of ",
          ex.ranks().size());
  return together(ex, "gather_to", [&] {
    std::vector<index_t> begins(ex.ranks().size() + 1, x.total_size());
    std::fill_n(begins.begin(), rank + 1, index_t{});
    sequence<T, Ex> moved(ex, begins);
    detail::move_pieces(ex, x, moved);
    ex.wait();
    return to_host(ex.local(), moved.local());
  });
}

/// The same elements in even pieces.
///
///     piece      3 1 2 4 5 |     |           ->     3 1 | 2 4 | 5
///
/// Volume   Each rank sends the elements that another rank gets, once.
template <some_executor Ex, class T>
auto balance(Ex const& ex, sequence<T, Ex> const& x) {
  return together(ex, "balance", [&] {
    auto y = ex.template allocate<T>(x.total_size());
    detail::move_pieces(ex, x, y);
    return y;
  });
}

}  // namespace ravel::inline v0::distributed
