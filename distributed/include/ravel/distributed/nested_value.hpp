#pragma once

/// Nested values over all ranks: the type, and how it is made.  nested.hpp has what it is for.

#include <ravel/core/transfer.hpp>
#include <ravel/distributed/exchange.hpp>
#include <ravel/distributed/executor.hpp>
#include <ravel/distributed/nested_moves.hpp>
#include <ravel/distributed/sequence.hpp>
#include <ravel/flatten/flatten.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/reduce.hpp>

#include <algorithm>
#include <memory>
#include <ranges>
#include <span>
#include <vector>

namespace ravel::inline v0::distributed {

/// A sequence of nested values, whose elements, the outer instances, are distributed.  X is the lifted
/// sequence of those of a rank.
template <class X, class Ex>
class nested_value {
  Ex ex_;
  X mine_;
  std::shared_ptr<std::vector<index_t> const> begins_;

 public:
  using element = typename flattening::nested_type<element_of<X>>::of;

  /// The instances that each rank has, in the order of ranks.  Waits for the other ranks.
  nested_value(Ex const& ex, X const& piece)
      : nested_value(ex, piece,
                     std::make_shared<std::vector<index_t> const>(
                         begins_of(ex, detail::instances_of(piece)->n))) {}
  /// The same in known pieces.
  nested_value(Ex const& ex, X const& piece, std::shared_ptr<std::vector<index_t> const> begins)
      : ex_(ex), mine_(piece), begins_(std::move(begins)) {}

  Ex const& ex() const { return ex_; }
  /// Those of this rank, for nested programs of the rank alone.
  X const& local() const { return mine_; }
  index_t size() const { return begins()[ex_.ranks().rank() + 1] - first(); }
  index_t total_size() const { return begins_->back(); }
  index_t first() const { return begins()[ex_.ranks().rank()]; }
  /// p + 1 places: where the instances of each rank begin, and total_size().
  std::span<index_t const> begins() const { return *begins_; }
  std::shared_ptr<std::vector<index_t> const> const& shared_begins() const { return begins_; }
};

/// Whether X is a nested_value.
template <class X>
inline constexpr bool is_nested_value = false;
template <class X, class Ex>
inline constexpr bool is_nested_value<nested_value<X, Ex>> = true;

namespace detail {

/// Runs f, the work of a call of nested values, which cannot be within a lambda.
template <class Ex, class F>
decltype(auto) together_outside(Ex const& ex, char const* call, F const& f) {
  return together(ex, call, [&]() -> decltype(auto) {
    if (flattening::depth_of_program > 0) {
      throw context_error(ravel::detail::sentence(
          call,
          ": a distributed value within a lambda, whose instances are on other ranks: give "
          "each rank all of it before, by replicate"));
    }
    return f();
  });
}

/// The instances whose elements are computed from those of x, one for each.
template <class X, class Ex, class F>
auto in_pieces_of(nested_value<X, Ex> const& x, char const* call, F const& f) {
  return together_outside(x.ex(), call, [&] {
    auto const piece = f();
    return nested_value<std::remove_const_t<decltype(piece)>, Ex>(x.ex(), piece, x.shared_begins());
  });
}
/// The same with other pieces.
auto in_new_pieces(auto const& ex, char const* call, auto const& f) {
  return together_outside(ex, call, [&] { return nested_value(ex, f()); });
}

/// A range of ranges, records or strings.
template <class R>
concept nested_range =
    flattening::host_range<std::remove_cvref_t<R>> && !sent_sequence<R> && !sent_range<R>;

struct add_index {
  index_t* to;
  RAVEL_HD void operator()(index_t i) const { to[i] += i; }
};
template <class O>
struct write_length {
  O const* offsets;
  index_t size;
  O after;
  index_t* to;
  RAVEL_HD void operator()(index_t i) const {
    to[i] = static_cast<index_t>(i + 1 < size ? offsets[i + 1] : after) -
            static_cast<index_t>(offsets[i]);
  }
};

}  // namespace detail

/// The elements of `all`, a range of ranges, records or strings on the host that is the same on every
/// rank: each keeps some, of about equal work.
///
///     ranks      0               1
///     all        [[3 1 2] [] [5 4] [1]]     on each
///     instances  [3 1 2] []    | [5 4] [1]
template <some_executor Ex, detail::nested_range Rows>
auto from(Ex const& ex, Rows&& all) {
  return together(ex, "from", [&] {
    index_t const p = ex.ranks().size(), rank = ex.ranks().rank();
    std::vector<index_t> work{0}, begins;
    for (auto const& x : all) work.push_back(work.back() + detail::work_of(x));
    for (index_t r = 0; r < p; ++r) {
      begins.push_back(std::ranges::lower_bound(work, detail::work_before_part(work.back(), r, p)) -
                       work.begin());
    }
    begins.push_back(std::ssize(work) - 1);
    auto const first = std::ranges::next(std::ranges::begin(all), begins[rank]);
    auto const piece = ravel::from(
        ex.local(),
        std::ranges::subrange(first, std::ranges::next(first, begins[rank + 1] - begins[rank])));
    return nested_value<std::remove_const_t<decltype(piece)>, Ex>(
        ex, piece, std::make_shared<std::vector<index_t> const>(std::move(begins)));
  });
}

/// The elements that each rank has, in the order of ranks: of a lifted sequence on ex.local(), ...
///
///     ranks      0             1
///     mine       [3 1] []    | [4 1 5]
///     instances  [3 1] []    | [4 1 5]
///
/// Cost     O(1) work of a lifted sequence, and a copy of a range.
/// Volume   8 bytes to each other rank.
template <some_executor Ex, lifted_sequence X>
requires std::same_as<typename X::executor_type, detail::local_of<Ex>>
auto from_pieces(Ex const& ex, X const& mine) {
  return detail::in_new_pieces(ex, "from_pieces", [&] { return mine; });
}
/// ... or of a range on its host.
template <some_executor Ex, detail::nested_range R>
auto from_pieces(Ex const& ex, R&& mine) {
  return detail::in_new_pieces(ex, "from_pieces", [&] { return ravel::from(ex.local(), mine); });
}

/// The elements of a distributed sequence as instances, without a copy.  It must remain unchanged while
/// the value, or anything made from it, is used.
///
///     ranks      0     1
///     x          3 1 | 2
///     instances  3 1 | 2
///
/// Cost     O(1) work.
/// Volume   None.
template <some_executor Ex, class T>
auto borrow(Ex const& ex, sequence<T, Ex> const& x) {
  auto const piece = ravel::borrow(ex.local(), x.local());
  return nested_value<std::remove_const_t<decltype(piece)>, Ex>(ex, piece, x.shared_begins());
}

/// Values and the lengths of their rows, as on one machine; rows are distributed by their work.
///
///     ranks      0     1
///     values     3 1 | 2 4
///     lengths    3 0 | 1
///     instances  [3 1 2] | [] [4]
///
/// Shapes   values[m] and lengths[n] in any pieces.
/// Cost     O((m + n) / p) work and memory of a rank, in two exchanges; a row of much work stays whole.
/// Volume   Each value and length that another rank gets, once, and the counts of a route.
/// Errors   `error` if a length is negative, or they do not add up to the number of values.
template <some_executor Ex, class T, std::integral L>
auto from_lengths(Ex const& ex, sequence<T, Ex> const& values, sequence<L, Ex> const& lengths) {
  namespace flat = ravel::flattening;
  return detail::in_new_pieces(ex, "from_lengths", [&] {
    auto const& local = ex.local();
    auto const root = flat::root_on(local);
    index_t const n = lengths.size();
    if (n > 0) {
      L const least = reduce_sync(local, lengths.local(), minimum<L>{});
      if (least < 0)
        throw shape_error(ravel::detail::sentence("from_lengths: a length is ", +least));
    }
    auto const work = flat::offsets_of_lengths(local, n, flat::leaf<L>{lengths.data(), {}});
    index_t const total = begins_of(ex, root->on->read(work.data, n)).back();
    if (total != values.total_size()) {
      throw shape_error(ravel::detail::sentence("from_lengths: the lengths add up to ", total,
                                                ", and there are ", values.total_size(),
                                                " values"));
    }
    for_each_index(local, n + 1, detail::add_index{work.data});
    detail::move_by_cuts const move(ex,
                                    detail::cuts_by_work(ex, flat::seen_by(local, work.shared())));
    auto const moved = move.values(flat::held<L const>{{}, lengths.data(), n});
    auto const rows =
        flat::rows_of_lengths("from_lengths", *root->on, moved.n, flat::leaf<L>{moved.data, {}});
    flat::measure(*root->on, *rows);
    auto const elements = flat::hold<T>(local, rows->total);
    detail::move_between(ex, values.local(), values.begins(), flat::seen_by(local, elements),
                         begins_of(ex, rows->total));
    return detail::sequence_of(
        local, moved.n,
        flat::column_t<detail::local_of<Ex>, nested<T>>{rows, flat::leaf_of(elements.shared())});
  });
}

/// The same by offsets, one more than there are rows, which ascend from 0 to the number of values.
///
///     ranks      0     1
///     values     3 1 | 2 4
///     offsets    0 3 | 3 4
///     instances  [3 1 2] | [] [4]
///
/// Volume   That of from_lengths, and the first offset of each rank to each other.
/// Errors   contract_error without an offset; `error` as from_lengths.
template <some_executor Ex, class T, std::integral O>
auto from_offsets(Ex const& ex, sequence<T, Ex> const& values, sequence<O, Ex> const& offsets) {
  expects(offsets.total_size() > 0,
          "from_offsets: there is one offset more than rows, and none is given");
  auto const lengths = detail::together_outside(ex, "from_offsets", [&] {
    struct of_rank {
      bool any;
      O first;
    } head{offsets.size() > 0, {}};
    if (head.any) head.first = at_sync(ex.local(), offsets.local());
    if (offsets.first() == 0 && head.any && head.first != 0) {
      throw shape_error(ravel::detail::sentence("from_offsets: the first offset is ", +head.first));
    }
    auto const heads = gather_values(ex.ranks(), head);
    auto const next = detail::next_rank(heads, ex.ranks().rank(), &of_rank::any);
    sequence<index_t, Ex> result(ex, begins_up_to(offsets.begins(), offsets.total_size() - 1));
    for_each_index(
        ex.local(), result.size(),
        detail::write_length<O>{offsets.data(), offsets.size(),
                                next < ex.ranks().size() ? heads[next].first : O{}, result.data()});
    return result;
  });
  return from_lengths(ex, values, lengths);
}

}  // namespace ravel::inline v0::distributed
