#pragma once

/// What calls of several ranks read: distributed sequences, or sources over such in the same pieces, as the
/// source of a deferred scan.
///
///     auto const sums = deferred_inclusive_scan(ex, x, y);
///     filter_sync(ex, sums.source(), is_odd{}, z);             // reads y with the carry
///     reduce_by_key_sync(ex, keys, map_source(x, square{}), k, v);
///
/// A rank knows how large its own piece of a source is.  Calls that need to know where the pieces of all
/// begin gather that: 8 bytes to each other rank.

#include <ravel/core/transfer.hpp>
#include <ravel/distributed/carries.hpp>
#include <ravel/distributed/executor.hpp>
#include <ravel/distributed/sequence.hpp>
#include <ravel/primitives/map.hpp>

#include <memory>
#include <span>
#include <vector>

namespace ravel::inline v0::distributed {

/// Whether X is a sequence, or a source over sequences, on the ranks of Ex.
template <class X, class Ex>
inline constexpr bool is_operand = false;
template <class T, class Ex>
inline constexpr bool is_operand<sequence<T, Ex>, Ex> = true;
template <class S, class Ex>
inline constexpr bool is_operand<sized_source<S, typename Ex::space>, Ex> =
    detail::is_elementwise<source_t<S>>;

/// What calls of several ranks read.
template <class X, class Ex>
concept operand_of = ravel::operand_on<X, Ex> && is_operand<X, Ex>;

namespace detail {

/// The piece of this rank, as an operand of its own executor.
template <class T, class Ex>
auto piece_of(sequence<T, Ex> const& x) {
  return x.local();
}
template <class S, class Space>
auto piece_of(sized_source<S, Space> const& x) {
  return sized_source<S, typename Space::local>{x.source, x.n};
}

/// A source, and where the pieces of all ranks begin.
template <class S, class Space>
class source_in_pieces {
  sized_source<S, Space> source_;
  std::shared_ptr<std::vector<index_t> const> begins_;
  int rank_;

 public:
  source_in_pieces(sized_source<S, Space> const& x, std::vector<index_t> begins, int rank)
      : source_(x),
        begins_(std::make_shared<std::vector<index_t> const>(std::move(begins))),
        rank_(rank) {}
  auto local() const { return piece_of(source_); }
  index_t size() const { return source_.n; }
  index_t first() const { return (*begins_)[static_cast<std::size_t>(rank_)]; }
  index_t total_size() const { return begins_->back(); }
  std::span<index_t const> begins() const { return *begins_; }
  auto const& shared_begins() const { return begins_; }
};

/// An operand that knows where the pieces of all ranks begin.
template <class Ex, class T>
sequence<T, Ex> const& in_pieces(Ex const&, char const*, sequence<T, Ex> const& x) {
  return x;
}
template <class Ex, class S, class Space>
auto in_pieces(Ex const& ex, char const* call, sized_source<S, Space> const& x) {
  return together(ex, call, [&] {
    return source_in_pieces<S, Space>(x, begins_of(ex, x.n), ex.ranks().rank());
  });
}

/// The elements of an operand in a sequence, for calls that move them: those of a source as elements of
/// type T, which each rank writes for its piece.
template <class T, class Ex, class In>
decltype(auto) written(Ex const& ex, In const& in) {
  if constexpr (is_sequence<In>) {
    static_assert(std::same_as<element_t<In>, T>,
                  "distributed: on several ranks what is read and out have elements of one type");
    return (in);
  } else {
    return together(ex, "a source", [&] {
      sequence<T, Ex> out(ex, begins_of(ex, in.n));
      map_on(ex.local(), in.n, in.source, ravel::detail::store<T>{out.data()});
      return out;
    });
  }
}
template <class Ex, class In>
decltype(auto) written(Ex const& ex, In const& in) {
  return written<element_of_t<source_t<In>>>(ex, in);
}

/// Refuses operands in other pieces than those of `out`: sequences on every rank alike, and a source on
/// the rank that finds it.
template <class T, class Ex, class In>
void expect_operand_pieces(Ex const& ex, char const* call, sequence<T, Ex> const& out,
                           In const& in) {
  if constexpr (is_sequence<In>) {
    expect_same_pieces(call, out, in);
  } else if (in.n != out.size()) {
    together(ex, call, [&] {
      expects(false, "a source has ", in.n, " elements, and a sequence ", out.size());
    });
  }
}

/// source(i + first)
template <class S>
struct shifted {
  S source;
  index_t first;
  RAVEL_HD auto operator()(index_t i) const { return source(i + first); }
};

/// Element i of the piece of this rank, on its host.  Waits.
template <class Ex, class In>
auto piece_element_sync(Ex const& ex, In const& in, index_t i) {
  using T = element_of_t<source_t<In>>;
  if constexpr (is_sequence<In>) {
    return at_sync(ex.local(), in.local(), i);
  } else {
    return ravel::detail::one_sync<T>(ex.local(), [&](auto const& out) {
      map_on(ex.local(), 1, shifted<source_t<In>>{source_of(in), i},
             ravel::detail::store<T>{out.data()});
    });
  }
}

}  // namespace detail
}  // namespace ravel::inline v0::distributed
