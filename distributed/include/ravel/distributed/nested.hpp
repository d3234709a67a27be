#pragma once

/// Nested values over all ranks: each rank has some of the outer instances, and runs nested programs
/// for those.
///
///     auto const rows = from(ex, vectors);                  // vectors of vectors, on all ranks
///     auto const sorted = each(rows, quicksort);            // each rank sorts its rows
///     auto const longest = max(each(rows, [](auto row) { return len(row); }));
///
/// The program of a rank is that of one machine, with recursion, loops and conditionals; nothing is
/// sent while it runs, and results stay where their instances are.  Instances are distributed by
/// their work: the number of instances, and of all elements in them.
///
/// From outside of a lambda come numbers, and lifted values of the rank, such as replicate(x), of
/// which every rank has all.  A distributed value within a lambda is refused.
///
/// Order    As on one machine: results are those of one, whatever the number of ranks and the pieces, but for
///          sums of floating-point numbers over all instances, which are grouped by ranks.
/// Cost     Work, span and memory of a rank are those of the program for its instances.
/// Errors   Those of nested programs, as `error`, in which instances are counted on their rank.
/// Source   Blelloch, "Programming Parallel Algorithms", CACM 39(3), 1996, for the programs.

#include <ravel/core/transfer.hpp>
#include <ravel/distributed/exchange.hpp>
#include <ravel/distributed/executor.hpp>
#include <ravel/distributed/nested_moves.hpp>
#include <ravel/distributed/nested_value.hpp>
#include <ravel/distributed/sequence.hpp>
#include <ravel/flatten/flatten.hpp>

#include <algorithm>
#include <vector>

namespace ravel::inline v0::distributed {
namespace detail {

/// Combines what reduce gives on each rank, in the order of ranks.
template <class X, class Ex, class M>
auto reduce_over_ranks(nested_value<X, Ex> const& x, char const* call, M const& of_call) {
  return together_outside(x.ex(), call, [&] {
    auto const m = monoid_on<typename nested_value<X, Ex>::element>(of_call);
    auto total = to_host(ravel::reduce(x.local(), m));
    struct of_rank {
      decltype(total) value;
    };
    auto const totals = gather_values(x.ex().ranks(), of_rank{total});
    total = totals.front().value;
    for (std::size_t r = 1; r < totals.size(); ++r) {
      total = static_cast<decltype(total)>(m(total, totals[r].value));
    }
    return ravel::from(x.ex().local(), total);
  });
}

/// Refuses other pieces than those of x.
void expect_pieces_of(char const* call, auto const& x, auto const&... more) {
  auto const expect = [&]<class Y>(Y const& y) {
    if constexpr (is_nested_value<Y>) expect_same_pieces(call, x, y);
  };
  (expect(more), ...);
}
/// The part of this rank of a nested value; another argument as it is.
template <class Y>
decltype(auto) local_part(Y&& y) {
  if constexpr (is_nested_value<std::remove_cvref_t<Y>>) {
    return y.local();
  } else {
    return std::forward<Y>(y);
  }
}

template <class X>
void refuse_nested() {
  static_assert(sizeof(X) == 0,
                "distributed: this function of a sequence over all ranks has no form for several: "
                "each, zip, filter, flatten, reductions and balance have; replicate(x) gives each "
                "rank all elements, and elements(x) a distributed sequence for other calls");
}

}  // namespace detail

/// Applies f to each element, for the instances of all ranks: of up to three sequences in the same
/// pieces, with a budget or without, as on one machine.  f is called on each rank.
///
///     y[i] = f(x[i])
///
///     ranks      0              1
///     x          [3 1] [] [2] | [4 1 5]
///     y          4 0 2        | 10             each(x, [](auto row) { return sum(row); })
///
/// Cost     That of each for the instances of the rank; nothing is exchanged.
/// Volume   None.
/// Errors   contract_error if the pieces differ; `error` on every rank if f fails for an instance on one.
template <class X, class Ex, class... More>
auto each(nested_value<X, Ex> const& x, More&&... more) {
  detail::expect_pieces_of("each", x, more...);
  return detail::in_pieces_of(x, "each", [&] {
    return ravel::each(x.local(), detail::local_part(std::forward<More>(more))...);
  });
}
/// The tuples of elements of sequences in the same pieces:
///
///     ranks      0     1
///     a          3 1 | 2
///     b          x y | z
///     zip(a, b)  (3,x) (1,y) | (2,z)
///
/// Cost     O(1) work: columns are shared.
/// Volume   None.
/// Errors   contract_error if the pieces differ.
template <class X, class Ex, class... More>
auto zip(nested_value<X, Ex> const& x, More const&... more) {
  detail::expect_pieces_of("zip", x, more...);
  return detail::in_pieces_of(x, "zip",
                              [&] { return ravel::zip(x.local(), detail::local_part(more)...); });
}
/// The instances for which p returns true; they stay on their ranks.
///
///     ranks      0              1
///     x          [3 1] [] [2] | [4 1 5]
///     result     [3 1] [2]    | [4 1 5]        with p(row) = len(row) > 0
///
/// Order    That of the instances.
/// Cost     That of filter for the instances of the rank; balance evens out what is kept.
/// Volume   8 bytes to each other rank.
/// Errors   `error` on every rank if p fails for an instance on one.
template <class X, class Ex, class P>
auto filter(nested_value<X, Ex> const& x, P&& p) {
  return detail::in_new_pieces(x.ex(), "filter",
                               [&] { return ravel::filter(x.local(), std::forward<P>(p)); });
}
/// The elements of all sequences, as instances on the ranks where they are.
///
///     ranks      0              1
///     x          [3 1] [] [2] | [4 1 5]
///     result     3 1 2        | 4 1 5
///
/// Cost     That of flatten on one machine: no element is copied.
/// Volume   8 bytes to each other rank.
template <class X, class Ex>
auto flatten(nested_value<X, Ex> const& x) {
  return detail::in_new_pieces(x.ex(), "flatten", [&] { return ravel::flatten(x.local()); });
}

/// The number of elements of all ranks, which each rank knows.
///
/// Volume   None.
template <class X, class Ex>
index_t len(nested_value<X, Ex> const& x) {
  return x.total_size();
}
/// Combines the elements of all ranks, which are scalars, in their order.  The result is a lifted value
/// on each rank, for other programs, or for to_host.
///
///     ranks      0     1     2
///     x          3 1 | 2 4 | 5
///     reduce     15                            on each rank, with plus
///
/// sum, product, min, max, any and all are reductions by plus, multiplies, minimum, maximum, logical or and
/// logical and; the sum of truth values counts those that are true.
///
/// Order    m need not be commutative.  Elements of a rank are grouped as on one machine, and ranks from the
///          first to the last, so that a result repeats exactly on the same pieces.
/// Cost     O(n / p + p) work of a rank, O(log n + p) span; memory for p values.  Waits.
/// Volume   One value to each other rank.
/// Errors   Those of nested programs: no elements have the identity of m.
template <class X, class Ex, class M>
auto reduce(nested_value<X, Ex> const& x, M const& m) {
  return detail::reduce_over_ranks(x, "reduce", m);
}
template <class X, class Ex>
auto sum(nested_value<X, Ex> const& x) {
  using T = typename nested_value<X, Ex>::element;
  return detail::reduce_over_ranks(x, "sum",
                                   plus<std::conditional_t<std::same_as<T, bool>, index_t, T>>{});
}
template <class X, class Ex>
auto product(nested_value<X, Ex> const& x) {
  return detail::reduce_over_ranks(x, "product", multiplies{});
}
template <class X, class Ex>
auto min(nested_value<X, Ex> const& x) {
  return detail::reduce_over_ranks(x, "min", minimum{});
}
template <class X, class Ex>
auto max(nested_value<X, Ex> const& x) {
  return detail::reduce_over_ranks(x, "max", maximum{});
}
template <class X, class Ex>
auto any(nested_value<X, Ex> const& x) {
  return detail::reduce_over_ranks(x, "any", logical_or<bool>{});
}
template <class X, class Ex>
auto all(nested_value<X, Ex> const& x) {
  return detail::reduce_over_ranks(x, "all", logical_and<bool>{});
}

/// The elements, which are atoms, as a distributed sequence in the same pieces.
///
///     auto const sums = elements(each(rows, [](auto row) { return sum(row); }));
///     radix_sort(ex, sums, sorted);            an operand of other calls
///
/// Cost     O(n / p) work of a rank: a copy of its elements, and memory for them.
/// Volume   None.
template <class X, class Ex>
auto elements(nested_value<X, Ex> const& x) {
  return detail::together_outside(x.ex(), "elements", [&] {
    auto const values = ravel::elements(x.local());
    using T = typename nested_value<X, Ex>::element;
    sequence<T, Ex> y(x.ex(), std::vector<index_t>(x.begins().begin(), x.begins().end()));
    detail::copy_elements(x.ex().local(), values.data(), y.data(), y.size());
    return y;
  });
}

/// The same instances, distributed by their work: the number of instances, and of all elements in them.
///
///     ranks      0                       1
///     x          [3 1] [] [2] [4 1 5]  |
///     result     [3 1] [] [2]          | [4 1 5]
///
/// Order    That of the instances; one of much work stays whole, so that a rank has at most the work of all
///          over p, and that of one instance.
/// Cost     O(w / p) work of a rank for work w of all, in an exchange for each column of values and lengths;
///          memory for what is sent and for what comes.  Waits.
/// Volume   Each value that another rank gets, once, with the lengths of its sequences, and for each
///          level the counts of a route.
template <some_executor Ex, class X>
auto balance(Ex const& ex, nested_value<X, Ex> const& x) {
  return detail::in_new_pieces(ex, "balance", [&] {
    return detail::moved_elements(detail::move_by_cuts(ex, detail::balanced_cuts(ex, x.local())),
                                  x.local());
  });
}
/// All instances, on the host of one rank; none on the others.  Waits.
///
///     ranks      0              1
///     x          [3 1] [] [2] | [4 1 5]
///     result     {{3, 1}, {}, {2}, {4, 1, 5}} | {}         gather_to(ex, x, 0)
///
/// Cost     That of balance, with memory for all instances on that rank.
/// Volume   That of balance: each rank sends its instances.
/// Errors   contract_error if there is no such rank; `error` of a step of the program that was deferred.
template <some_executor Ex, class X>
auto gather_to(Ex const& ex, nested_value<X, Ex> const& x, int rank) {
  expects(0 <= rank && rank < ex.ranks().size(), "gather_to: rank ", rank, " of ",
          ex.ranks().size());
  return detail::together_outside(ex, "gather_to", [&] {
    std::vector<index_t> cuts(ex.ranks().size() + std::size_t{1}, x.size());
    std::fill_n(cuts.begin(), rank + 1, index_t{});
    return to_host(detail::moved_elements(detail::move_by_cuts(ex, std::move(cuts)), x.local()));
  });
}
/// All instances, as a lifted value of each rank: what programs of all ranks read.
///
///     auto const all_of_x = replicate(ex, x);
///     each(columns, [&](auto row) { return sum(each(row, [&](auto c) { return at(all_of_x, c); })); });
///
/// Cost     O(w) work of each rank for work w of all, and memory for all instances.  Waits.
/// Volume   To each other rank as many values as the rank with the most has, for each column.
template <class X, class Ex>
auto replicate(nested_value<X, Ex> const& x) {
  return detail::together_outside(x.ex(), "replicate", [&] {
    return detail::moved_elements(detail::copy_to_all(x.ex(), x.size()), x.local());
  });
}
template <some_executor Ex, class T>
auto replicate(Ex const& ex, sequence<T, Ex> const& x) {
  return replicate(borrow(ex, x));
}

/// Refused, with a message: a function of the elements of all ranks that has no form for several.
#define RAVEL_REFUSE_NESTED(call)                         \
  template <class X, class Ex, class... More>             \
  void call(nested_value<X, Ex> const&, More const&...) { \
    detail::refuse_nested<X>();                           \
  }
RAVEL_REFUSE_NESTED(at)
RAVEL_REFUSE_NESTED(slice)
RAVEL_REFUSE_NESTED(take)
RAVEL_REFUSE_NESTED(drop)
RAVEL_REFUSE_NESTED(sort)
#undef RAVEL_REFUSE_NESTED

}  // namespace ravel::inline v0::distributed
