#pragma once

/// Searches over all ranks: for an element, for two neighbours, for where two sequences differ or one occurs
/// in another, and for the least and the greatest element.
///
///     index_t const at = find_first_sync(ex, x, is_even{});      // the place among all, on each rank
///     bool const sorted = is_sorted_sync(ex, x);
///
///     ranks      0     1     2
///     in         3 1 | 5 4 | 1 5
///     find_first_sync with is_even       3
///     is_sorted_sync                     false
///     min_element_sync                   1
///
/// As on one machine, of no match the place is the number of elements.  Each rank searches its piece,
/// and all gather what was found, so that every rank has the result.  Operands may be sources over
/// sequences (distributed/operands.hpp), but for those that are compared with one another.
///
/// Order    Functions of two elements, and orders, are also called on the host, with elements of two ranks.
/// Cost     O(n / p + p) work of a rank for n elements in even pieces, and O(log n + p) span; no memory
///          but for what is gathered.  A rank does not know what others have found, and reads its piece up
///          to its own first match.
/// Volume   Of a rank to each other, at each call below.
/// Errors   distributed::error on every rank if a predicate throws on one; it names that rank.
/// See also the sinks any_of, all_of, none_of and find_if of distributed/pipelines.hpp.

#include <ravel/core/member.hpp>
#include <ravel/core/transfer.hpp>
#include <ravel/distributed/exchange.hpp>
#include <ravel/distributed/executor.hpp>
#include <ravel/distributed/occurrences.hpp>
#include <ravel/distributed/operands.hpp>
#include <ravel/distributed/sequence.hpp>
#include <ravel/primitives/find_first.hpp>
#include <ravel/primitives/searches.hpp>

#include <algorithm>

namespace ravel::inline v0 {
namespace distributed::detail {

/// Where something was found among all ranks, or their number of elements.
struct found_place {
  bool is_found;
  index_t place;
};

/// The first element of all ranks that is related to the next one; find(local, piece) is that of a
/// piece, or the size of that.
template <class Ex, class In, class Related, class Find>
found_place first_related(Ex const& ex, In const& in, Related const& related, Find const& find) {
  using T = element_of_t<source_t<In>>;
  struct of_rank {
    index_t n, place;
    T first, last;
  };
  auto const piece = piece_of(in);
  of_rank found{operand_size(piece), 0, {}, {}};
  if (found.n > 0) {
    found.place = find(ex.local(), piece);
    found.first = piece_element_sync(ex, in, 0);
    found.last = piece_element_sync(ex, in, found.n - 1);
  }
  index_t before = 0;
  T const* last = nullptr;  // of the ranks so far
  auto const results = gather_values(ex.ranks(), found);
  for (of_rank const& r : results) {
    if (r.n == 0) continue;
    if (last != nullptr && related(*last, r.first)) return {true, before - 1};
    if (r.place < r.n) return {true, before + r.place};
    before += r.n;
    last = &r.last;
  }
  return {false, before};
}

/// The place of the best element of all ranks, where find(local, piece) is that in a piece, and
/// wins(x, y) says whether an element of a later rank wins against one before.
template <class Ex, class In, class Find, class Wins>
index_t best_of_ranks(Ex const& ex, In const& in, Find const& find, Wins const& wins) {
  using T = element_of_t<source_t<In>>;
  struct of_rank {
    index_t n, place;
    T best;
  };
  auto const piece = piece_of(in);
  of_rank found{operand_size(piece), 0, {}};
  if (found.n > 0) {
    found.place = find(ex.local(), piece);
    found.best = piece_element_sync(ex, in, found.place);
  }
  index_t before = 0, place = 0;
  T const* best = nullptr;
  auto const results = gather_values(ex.ranks(), found);
  for (of_rank const& r : results) {
    if (r.n > 0 && (best == nullptr || wins(r.best, *best))) {
      best = &r.best;
      place = before + r.place;
    }
    before += r.n;
  }
  return place;
}

/// The first place of all ranks where two sequences differ, or the end of the shorter one; and the
/// elements there, if both have one.  place_of(local, x, y) is that of two pieces.
template <class T, class U>
struct difference {
  bool is_found;
  index_t place;
  T x;
  U y;
};
template <class Ex, class T, class U, class Differ>
auto first_difference(Ex const& ex, sequence<T, Ex> const& a, sequence<U, Ex> const& b,
                      Differ const& place_of) {
  struct of_rank {
    index_t n, place;
    T x;
    U y;
  };
  // The pieces of what both have are those of a.
  auto begins = begins_up_to(a.begins(), b.total_size());
  auto const compare = [&](auto const& y) {
    of_rank found{y.size(), y.size(), {}, {}};
    auto const x = a.local().slice(0, found.n);
    found.place = place_of(ex.local(), x, y);
    if (found.place < found.n) {
      found.x = at_sync(ex.local(), x, found.place);
      found.y = at_sync(ex.local(), y, found.place);
    }
    index_t before = 0;
    for (of_rank const& r : gather_values(ex.ranks(), found)) {
      if (r.place < r.n) return difference<T, U>{true, before + r.place, r.x, r.y};
      before += r.n;
    }
    return difference<T, U>{false, before, {}, {}};
  };
  if (std::ranges::equal(begins, b.begins())) return compare(b.local());
  sequence<U, Ex> moved(ex, std::move(begins));
  move_pieces(ex, b, moved);
  return compare(std::as_const(moved).local());
}

}  // namespace distributed::detail

/// The place of the first element of all ranks for which `holds` is true, or their number.
///
///     ranks      0     1     2
///     in         3 1 | 5 4 | 2 5      3       with holds(x) = x is even
///
/// Volume   16 bytes.
// By the parts of its executor, so that the reference distinguishes it from the call of one rank.
template <class Local, class C, distributed::operand_of<distributed::executor<Local, C>> In,
          class Holds>
index_t find_first_sync(distributed::executor<Local, C> const& ex, In const& in,
                        Holds const& holds) {
  using namespace distributed::detail;
  return together(ex, "find_first_sync", [&] {
    auto const piece = piece_of(in);
    return place_of_ranks<false>(ex.ranks(),
                                 {operand_size(piece), find_first_sync(ex.local(), piece, holds)});
  });
}

/// Whether `keep` is true of an element of a rank; false of no elements.
///
///     ranks      0     1     2
///     in         3 1 | 5 4 | 1 5      true    with keep(x) = x is even
///
/// Volume   1 byte.
template <distributed::some_executor Ex, distributed::operand_of<Ex> In, class Keep>
bool any_of_sync(Ex const& ex, In const& in, Keep const& keep) {
  return together(ex, "any_of_sync", [&] {
    return distributed::detail::any_of_ranks(
        ex.ranks(), any_of_sync(ex.local(), distributed::detail::piece_of(in), keep));
  });
}
/// Whether `keep` is true of all elements; true of no elements.
///
///     ranks      0     1     2
///     in         3 1 | 5 4 | 1 5      false   with keep(x) = x is odd
///
/// Volume   1 byte.
template <distributed::some_executor Ex, distributed::operand_of<Ex> In, class Keep>
bool all_of_sync(Ex const& ex, In const& in, Keep const& keep) {
  return together(ex, "all_of_sync", [&] {
    return !distributed::detail::any_of_ranks(
        ex.ranks(), !all_of_sync(ex.local(), distributed::detail::piece_of(in), keep));
  });
}
/// Whether `keep` is true of no element.
///
///     ranks      0     1     2
///     in         3 1 | 5 4 | 1 5      true    with keep(x) = x < 0
///
/// Volume   1 byte.
template <distributed::some_executor Ex, distributed::operand_of<Ex> In, class Keep>
bool none_of_sync(Ex const& ex, In const& in, Keep const& keep) {
  return together(ex, "none_of_sync", [&] {
    return !distributed::detail::any_of_ranks(
        ex.ranks(), any_of_sync(ex.local(), distributed::detail::piece_of(in), keep));
  });
}

/// The first place of an element that is related to the next one, by default equal, wherever that is; the
/// number of elements if there is none.
///
///     ranks      0     1     2
///     in         3 1 | 1 4 | 4        1
///
/// Volume   16 bytes and two elements.
template <distributed::some_executor Ex, distributed::operand_of<Ex> In, class Related = equal_to>
index_t adjacent_find_sync(Ex const& ex, In const& in, Related related = {}) {
  using namespace distributed::detail;
  return together(ex, "adjacent_find_sync", [&] {
    return first_related(ex, in, related,
                         [&](auto const&... a) { return adjacent_find_sync(a..., related); })
        .place;
  });
}
/// Whether no element is before the one that precedes it.
///
///     ranks      0     1     2
///     in         1 3 | 2 4 | 5        false
///
/// Volume   16 bytes and two elements.
template <distributed::some_executor Ex, distributed::operand_of<Ex> In, class Before = less>
bool is_sorted_sync(Ex const& ex, In const& in, Before before = {}) {
  return together(ex, "is_sorted_sync", [&] {
    auto const wrong = [&before](auto const& x, auto const& y) { return before(y, x); };
    auto const find = [&](auto const& local, auto const& piece) {
      return is_sorted_sync(local, piece, before) ? operand_size(piece) : index_t{0};
    };
    return !distributed::detail::first_related(ex, in, wrong, find).is_found;
  });
}
/// Whether all elements for which `keep` is true come before all others.
///
///     ranks      0     1     2
///     in         4 2 | 6 3 | 1        true    with keep(x) = x is even
///
/// Volume   16 bytes and two elements.
template <distributed::some_executor Ex, distributed::operand_of<Ex> In, class Keep>
bool is_partitioned_sync(Ex const& ex, In const& in, Keep const& keep) {
  return together(ex, "is_partitioned_sync", [&] {
    auto const holds = as_function(keep);
    auto const wrong = [&](auto const& x, auto const& y) { return !holds(x) && holds(y); };
    auto const find = [&](auto const& local, auto const& piece) {
      return is_partitioned_sync(local, piece, keep) ? operand_size(piece) : index_t{0};
    };
    return !distributed::detail::first_related(ex, in, wrong, find).is_found;
  });
}

/// The place of the least element of all ranks, the first if several are; 0 of no elements.
///
///     ranks      0     1     2
///     in         3 1 | 5 4 | 1 5      1
///
/// Volume   16 bytes and an element.
template <distributed::some_executor Ex, distributed::operand_of<Ex> In, class Before = less>
index_t min_element_sync(Ex const& ex, In const& in, Before before = {}) {
  using namespace distributed::detail;
  return together(ex, "min_element_sync", [&] {
    return best_of_ranks(
        ex, in, [&](auto const&... a) { return min_element_sync(a..., before); }, before);
  });
}
/// The place of the greatest element of all ranks, the first if several are; 0 of no elements.
///
///     ranks      0     1     2
///     in         3 1 | 5 4 | 1 5      2
///
/// Volume   16 bytes and an element.
template <distributed::some_executor Ex, distributed::operand_of<Ex> In, class Before = less>
index_t max_element_sync(Ex const& ex, In const& in, Before before = {}) {
  using namespace distributed::detail;
  return together(ex, "max_element_sync", [&] {
    return best_of_ranks(
        ex, in, [&](auto const&... a) { return max_element_sync(a..., before); },
        [&](auto const& x, auto const& y) { return before(y, x); });
  });
}

/// The places of the first of the least elements of all ranks and of the last of the greatest, on every rank:
///
///     ranks      0     1     2
///     in         5 1 | 2 5 | 1 3
///     out        1 3                          on each rank
///
///     auto const out = ex.replicate<index_t>(2);
///     minmax_element(ex, in, out);
///
/// Of no elements both are 0.  Waits.
///
/// Cost     Each element is read once.
/// Volume   Twice 16 bytes and an element.
/// Errors   contract_error if `out` is not two elements.
template <distributed::some_executor Ex, distributed::operand_of<Ex> In, class Out,
          class Before = less>
requires(ravel::sequence<Out>) void minmax_element(Ex const& ex, In const& in, Out&& out,
                                                   Before before = {}) {
  using namespace distributed::detail;
  static_assert(is_replica<std::remove_cvref_t<Out>>,
                "minmax_element: on several ranks the positions are replicated: "
                "ex.replicate<index_t>(2)");
  expects(out.size() == 2, "minmax_element: out has ", out.size(), " elements and must have two");
  together(ex, "minmax_element", [&] {
    auto const of_piece = ex.local().template scratch<index_t>(2);
    minmax_element(ex.local(), piece_of(in), of_piece, before);
    auto const both = to_host(ex.local(), of_piece);
    using T = element_t<Out>;
    T const places[] = {static_cast<T>(best_of_ranks(
                            ex, in, [&](auto const&...) { return both[0]; }, before)),
                        static_cast<T>(best_of_ranks(
                            ex, in, [&](auto const&...) { return both[1]; },
                            [&](auto const& x, auto const& y) { return !before(x, y); }))};
    ex.copy(places, out.data(), 2);
    ex.local().wait();
  });
}

/// The first place at which `a` and `b` differ, by == or by eq, or the end of the shorter one.
///
///     ranks      0     1     2
///     a          3 1 | 2 4 |          2
///     b          3   | 1   | 7
///
/// Volume   16 bytes and two elements.  If the pieces of `a` and `b` begin at different places, also the
///          elements of `b` that another rank needs, once, and memory for as many as the piece of `a` has.
template <distributed::some_executor Ex, distributed::operand_of<Ex> A,
          distributed::operand_of<Ex> B, class Eq = equal_to>
index_t mismatch_sync(Ex const& ex, A const& from_a, B const& from_b, Eq eq = {}) {
  using namespace distributed::detail;
  auto const& a = written(ex, from_a);
  auto const& b = written(ex, from_b);
  return together(ex, "mismatch_sync", [&] {
    return first_difference(ex, a, b, [&](auto const&... a) { return mismatch_sync(a..., eq); })
        .place;
  });
}
/// Whether `a` and `b` have as many elements, each equal by == or by eq.
///
///     ranks      0     1     2
///     a          3 1 | 2 4 |          true
///     b          3   | 1 2 | 4
///
/// Volume   That of mismatch_sync; of different numbers of elements nothing.
template <distributed::some_executor Ex, distributed::operand_of<Ex> A,
          distributed::operand_of<Ex> B, class Eq = equal_to>
bool equal_sync(Ex const& ex, A const& from_a, B const& from_b, Eq eq = {}) {
  auto const& a = distributed::detail::written(ex, from_a);
  auto const& b = distributed::detail::written(ex, from_b);
  return a.total_size() == b.total_size() && mismatch_sync(ex, a, b, eq) == a.total_size();
}
/// Whether `a` comes before `b` as words do in a dictionary.
///
///     ranks      0     1     2
///     a          3 1 | 2 4 |          true
///     b          3   | 1   | 7
///
/// Volume   That of mismatch_sync.
template <distributed::some_executor Ex, distributed::operand_of<Ex> A,
          distributed::operand_of<Ex> B, class Before = less>
bool lexicographical_compare_sync(Ex const& ex, A const& from_a, B const& from_b,
                                  Before before = {}) {
  using namespace distributed::detail;
  auto const& a = written(ex, from_a);
  auto const& b = written(ex, from_b);
  return together(ex, "lexicographical_compare_sync", [&] {
    auto const found = first_difference(ex, a, b, [&](auto const&... a) {
      return mismatch_sync(a..., ravel::detail::neither_before<Before>{before});
    });
    return found.is_found ? before(found.x, found.y) : a.total_size() < b.total_size();
  });
}

/// The first place of all ranks at which the elements of `what` begin in `in`, equal by == or by eq; the
/// number of elements if nowhere, and 0 for no elements.  An occurrence may be on any number of ranks.
///
///     ranks      0     1     2
///     in         3 1 | 2 1 | 2 5      1
///     what       1   |     | 2
///
/// Shapes   in[n] and what[m] on all ranks, or sources (distributed/operands.hpp), in any pieces.
/// Cost     O(n m / p) work of a rank for even pieces; comparisons at a place end with the first that
///          differs.  Memory for p times the elements of `what` that the rank with the most has, and for
///          3 m elements of `in`.
/// Volume   24 bytes, and as many elements as the rank with the most has of `what`.  At most m - 1 elements
///          of `in` to each rank whose piece ends less than m - 1 elements before that of this rank begins.
template <distributed::some_executor Ex, distributed::operand_of<Ex> In,
          distributed::operand_of<Ex> What, class Eq = equal_to>
index_t search_sync(Ex const& ex, In const& in, What const& what, Eq eq = {}) {
  return together(ex, "search_sync", [&] {
    return distributed::detail::occurrence<false>(ex, "search_sync", in, what, eq);
  });
}
/// The last place of all ranks at which the elements of `what` begin in `in`; the number of elements if
/// nowhere, and for no elements.
///
///     ranks      0     1     2
///     in         3 1 | 2 1 | 2 5      3
///     what       1   |     | 2
///
/// Cost     That of search_sync; its Shapes and Volume, too.
template <distributed::some_executor Ex, distributed::operand_of<Ex> In,
          distributed::operand_of<Ex> What, class Eq = equal_to>
index_t find_end_sync(Ex const& ex, In const& in, What const& what, Eq eq = {}) {
  return together(ex, "find_end_sync", [&] {
    return distributed::detail::occurrence<true>(ex, "find_end_sync", in, what, eq);
  });
}

}  // namespace ravel::inline v0
