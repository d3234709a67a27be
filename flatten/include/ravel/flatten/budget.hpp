#pragma once

/// Budget: an `each` that runs in chunks of its elements, whose values take at most a number of
/// bytes at a time.

#include <ravel/flatten/compute.hpp>
#include <ravel/flatten/each.hpp>
#include <ravel/flatten/finished.hpp>
#include <ravel/flatten/stats.hpp>

#include <optional>

namespace ravel::inline v0 {

/// The result of `budget`.
struct memory_budget {
  index_t bytes;  // 0: those of the executor
};

/// The option of `each` by which its values take at most so many bytes at a time, as it runs for
/// few elements at once where all together would take more:
///
///     each(starts, [&](auto from) { return bfs(graph, from); }, budget(index_t{1} << 30))
///
/// Errors   contract_error unless bytes > 0.
inline memory_budget budget(index_t bytes) {
  expects(bytes > 0, "budget: no values fit in ", bytes, " bytes");
  return {bytes};
}
/// The option by which they take at most the bytes of the executor, any number unless it is one of
/// with_budget: the program says which elements need not exist together, and its caller how much memory there
/// is.
///
///     auto const reached = [](auto graph, auto starts) {
///       return each(starts, [&](auto from) { return bfs(graph, from); }, budget());
///     };
///     reached(from(small, graph), from(small, starts))      small: with_budget(ex, budget(1 << 26))
inline memory_budget budget() { return {0}; }

/// An executor like `ex`, on which the values of an `each` with budget() take at most so many bytes at
/// a time.
///
/// It bounds nothing else.  An `each` without that option calls its function once, for all elements, with the
/// values of all; so do flat_each, `serially` and the operations on whole sequences, as sums, scans, sorts
/// and writes.  Rounds of while_, branches and calls of rec are bounded where they are in an
/// `each` that is.
template <executor Ex>
Ex with_budget(Ex ex, memory_budget limit) {
  expects(limit.bytes > 0, "with_budget: the budget has no bytes of its own: budget(bytes)");
  ex.bound_values(limit.bytes);
  return ex;
}

namespace flattening {

/// The values of f at the elements of `inner`, the instances of which have the values `part`; in
/// chunks if all at once take more than `bytes`.
template <class Ex, class F, class... S>
auto results_in_chunks(context_ptr<Ex> const& inner, F& f, index_t bytes, S const&... part) {
  auto const results = [&f](context_ptr<Ex> const& c, auto... parts) {
    inside<Ex> const scope(c);
    auto const s = result_in(c, call_with_parts(c, f, parts...));
    auto const values = column(c, s);
    run_deferred_steps();  // whose memory counts from then on
    return values;
  };
  using Column = decltype(results(inner, part...));
  index_t const n = inner->n;
  run_deferred_steps();
  try {
    within_bytes const limit(n > 1 ? bytes : no_limit);
    return results(inner, part...);
  } catch (over_budget const&) {
    if (n <= 1) throw;         // the budget of an `each` around this one
    deferred_steps().clear();  // all are of values that ended
  }
  constexpr index_t fewer = 8;  // by which chunks shrink, and at most grow
  auto const& ex = inner->ex();
  growing_elements<Ex, typename Column::element> gathered;
  index_t size = div_up(n, fewer);
  for (index_t first = 0; first < n;) {
    index_t const count = std::min(size, n - first);
    std::optional<Column> result;
    context_ptr<Ex> restricted;
    try {
      within_bytes const limit(count > 1 ? bytes : no_limit);
      auto const chunk = hold<index_t>(ex, count);
      visit_indices(ex, count, evaluate<number_from, index_t>{{first}, chunk.data});
      restricted = restricted_to(inner, chunk.shared());
      result = results(restricted, moved(ex, part, restricted->to(inner.get()))...);
      auto const fit = 0.9 * static_cast<double>(bytes) / static_cast<double>(limit.most());
      size = std::max(static_cast<index_t>(static_cast<double>(count) * std::min(fit, 1.0 * fewer)),
                      index_t{1});
    } catch (over_budget const&) {
      if (count == 1) throw;
      deferred_steps().clear();
      size = div_up(count, fewer);
      continue;
    }
    auto const d = uniform_rows<Ex>(1, count);
    measure(*inner->on, *d);
    gathered.append(restricted, ragged<Ex, Column>{d, *result});
    run_deferred_steps();
    first += count;
  }
  return Column(gathered.column(ex));
}

template <class F, class X, class... Rest>
auto each_within(memory_budget limit, F& f, X&& x, Rest&&... rest) {
  using Ex = executor_of_t<X>;
  return each_by(
      [&](context_ptr<Ex> const& inner, auto const&... part) {
        index_t bytes = limit.bytes;
        if constexpr (requires(Ex const& ex) { ex.value_bytes(); }) {
          if (bytes == 0) bytes = inner->ex().value_bytes();
        }
        return results_in_chunks(inner, f, bytes > 0 ? bytes : no_limit, part...);
      },
      std::forward<X>(x), std::forward<Rest>(rest)...);
}

}  // namespace flattening

/// `each`, whose values take at most `most.bytes` at a time.
///
///     each([3 1 2 5], [](auto k) { return sum(iota(k)); }, budget(1 << 20))      [3 0 1 10]
///
/// f is called for all elements first.  Where its values would take more memory than that, it is
/// called again, for an eighth of them; then for as many as the memory of the last ones lets expect
/// to fit, and for fewer again where they do not.  Elements do not depend on one another, so that
/// results are the same.
///
/// What it bounds are values that exist at a time because of f, and that `stats().bytes` counts.
/// It does not bound the operands of the call, its result, which is in memory and may have twice
/// the memory of its elements while it grows, and the scratch of single steps; nor the values of one
/// element that needs more alone: an `each` in f with a budget of its own bounds those.
///
/// Order    f may be called several times, and must have no effect but its result.
/// Cost     Of each; besides, where not all fit, the work for elements that did not, at most that
///          of filling the budget for each time; a copy of the results; and what f computes
///          once for all elements, once for each chunk.
/// Errors   Those of each.  Instances in errors are counted from the first of their chunk.
/// Source   Madsen and Filinski, "Streaming Nested Data Parallelism on Multicores", FHPC 2016.
template <lifted_sequence X, class F>
auto each(X&& x, F&& f, memory_budget limit) {
  return flattening::each_within(limit, f, std::forward<X>(x));
}
template <lifted_sequence X, lifted_sequence Y, class F>
auto each(X&& x, Y&& y, F&& f, memory_budget limit) {
  return flattening::each_within(limit, f, std::forward<X>(x), std::forward<Y>(y));
}
template <lifted_sequence X, lifted_sequence Y, lifted_sequence Z, class F>
auto each(X&& x, Y&& y, Z&& z, F&& f, memory_budget limit) {
  return flattening::each_within(limit, f, std::forward<X>(x), std::forward<Y>(y),
                                 std::forward<Z>(z));
}

}  // namespace ravel::inline v0
