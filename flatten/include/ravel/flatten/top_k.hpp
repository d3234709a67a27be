#pragma once

/// Selection: the places of the least elements of each sequence.

#include <ravel/algorithms/least_places.hpp>
#include <ravel/core/cpu/worker.hpp>
#include <ravel/core/grain.hpp>
#include <ravel/core/radix_key.hpp>
#include <ravel/flatten/compute.hpp>
#include <ravel/flatten/fold.hpp>
#include <ravel/flatten/loop.hpp>
#include <ravel/flatten/optimiser.hpp>
#include <ravel/flatten/order.hpp>
#include <ravel/flatten/sequences.hpp>

#include <vector>

namespace ravel::inline v0 {
namespace flattening {

/// Puts the k least of n keys into `least`, ascending, where the first k are: each candidate is inserted
/// where it belongs, which pays for few.
template <class T, class Key, class Least>
void insert_least(index_t n, index_t k, Key const& key, Least& least) {
  Key const key_copy = key;  // in registers, as no pointer leads to it
  constexpr index_t block = 32;
  std::sort(least.begin(), least.end());
  for (index_t begin = k; begin < n; begin += block) {
    index_t const end = std::min(n, begin + block);
    if (end == begin + block) {
      auto const greatest = key_copy(least.back().second);
      int candidates = 0;  // counted without branches, in vectors
      for (index_t i = begin; i < begin + block; ++i) candidates += !(key_copy(i) > greatest);
      if (candidates == 0) continue;
    }
    for (index_t i = begin; i < end; ++i) {
      auto const x = radix_key<T>::bits(key_copy(i));
      if (x >= least.back().first) continue;
      auto place = least.end() - 1;
      for (; place > least.begin() && x < place[-1].first; --place) *place = place[-1];
      *place = {x, i};
    }
  }
}
/// Writes the places of the k least of n keys, in their order; of equal keys the first.
///
/// Candidates are less than the greatest of the k least so far.  More than 16 are collected until there
/// are 2 k, of which the k least remain: O(n) in all.
template <class T, class Key>
void write_least(index_t n, index_t k, Key const& key, index_t* out) {
  using bits = decltype(radix_key<T>::bits(T{}));
  std::vector<std::pair<bits, index_t>> found;
  auto const wanted = static_cast<std::size_t>(k);
  found.reserve(2 * wanted);
  auto const nth = found.begin() + k;
  index_t i = 0;
  for (; i < k; ++i) found.emplace_back(radix_key<T>::bits(key(i)), i);
  if (0 < k && k <= 16) {
    insert_least<T>(n, k, key, found);
  } else if (k > 0) {
    bits greatest = std::max_element(found.begin(), found.end())->first;
    for (; i < n; ++i) {
      bits const x = radix_key<T>::bits(key(i));
      if (x >= greatest) continue;
      found.emplace_back(x, i);
      if (found.size() < 2 * wanted) continue;
      std::nth_element(found.begin(), nth - 1, found.end());
      found.resize(wanted);
      greatest = found.back().first;
    }
  }
  std::sort(found.begin(), found.end());
  for (index_t j = 0; j < k; ++j) out[j] = found[static_cast<std::size_t>(j)].second;
}
template <class E>
struct select_least {
  E e;
  extents where;
  starts begins;  // of the results
  index_t* out;
  void operator()(index_t s) const {
    index_t const first = where.begin(s);
    write_least<typename E::value_type>(
        where.length(s), begins[s + 1] - begins[s],
        [e = e, first](index_t i) { return e(first + i); }, out + begins[s]);
  }
};

/// The places of the k least of the one sequence of d, of which each thread selects k of its part, and one of
/// these the least.
template <class Ex, class E>
held<index_t> least_of_parts(Ex const& ex, E const& e, index_t begin, index_t n, index_t k,
                             index_t parts) {
  using T = typename E::value_type;
  auto const found = hold<index_t>(ex, parts * k), out = hold<index_t>(ex, k);
  count_step("selection", n + k, text_of_type<E>());
  for_each_index(with_grain(ex, grain(1)), parts, [=, to = found.data](index_t part) {
    index_t const first = n / parts * part, last = part + 1 < parts ? first + n / parts : n;
    index_t* const of_part = to + part * k;
    write_least<T>(
        last - first, k, [=](index_t i) { return e(begin + first + i); }, of_part);
    for (index_t j = 0; j < k; ++j) of_part[j] += first;
  });
  auto const* const places = found.data;
  write_least<T>(
      parts * k, k, [=](index_t j) { return e(begin + places[j]); }, out.data);
  for (index_t j = 0; j < k; ++j) out.data[j] = places[out.data[j]];
  return out;
}

}  // namespace flattening

/// The places of the k least elements, in ascending order of the elements: take(sort_order(x), k).
///
///     top_k_order([5 1 3 1], 3)      [1 3 2]
///
/// Order    Of equal elements the first; NaN are last.
/// Cost     On the host, where instances are at least four for each thread, one step, in which one
///          thread selects the least of an instance in O(len(x) + k log k); of one instance in which each
///          thread selects k of its part, if k is at most a 64th of that.  On a device one step that
///          computes each element once, for the same number k <= 32 of thousands of sequences of hundreds
///          of elements.  Else that of sort_order.
/// Errors   index_error unless 0 <= k <= len(x), as take.
template <lifted_sequence X, scalar K>
auto top_k_order(X const& x, K const& k) {
  using namespace flattening;
  using Ex = typename X::executor_type;
  constexpr bool has_keys = is_of_scalars<column_t<Ex, inner_t<X>>> && radix_sortable<inner_t<X>>;
  if constexpr (has_keys && traces_loops && cpu::host_executor<Ex>) {
    auto const places = take(indices(x), k);
    auto const c = resolve(x, places);
    index_t const threads = cpu::detail::threads_of(c->ex());
    if (threads == 1 || c->n >= 4 * threads) {
      auto const s = storage_in(c, x);
      auto const inner = open(storage_in(c, places).d, c);
      auto const out = hold<index_t>(c->ex(), inner->n);
      run_deferred_steps();
      using E = std::remove_cvref_t<decltype(s.child.e)>;
      count_step("selection", c->n + inner->n, text_of_type<E>());
      for_each_index(with_grain(c->ex(), grain(1)), c->n,
                     select_least<E>{s.child.e, s.d->where(), inner->begins.seen(), out.data});
      return lift_storage(c, close(inner, leaf_of(out.shared())));
    }
    if (c->n == 1) {
      auto const s = storage_in(c, x);
      auto const inner = open(storage_in(c, places).d, c);
      measure(*c->on, *s.d);
      index_t const n = s.d->total, k_of_one = inner->n;
      index_t const parts = n < (index_t{1} << 14) ? 1 : threads;
      if (64 * parts * k_of_one <= n) {
        run_deferred_steps();
        auto const out =
            least_of_parts(c->ex(), s.child.e, s.d->where().begin(0), n, k_of_one, parts);
        return lift_storage(c, close(inner, leaf_of(out.shared())));
      }
    }
  }
  if constexpr (has_keys && is_optimised && !cpu::host_executor<Ex>) {
    auto const c = resolve(x, k);
    if (auto const each = known_number(storage_in(c, k).e); each && 0 <= *each && *each <= 32) {
      auto const places = open(storage_in(c, take(indices(x), k)).d, c);  // reports short sequences
      auto const o = opened_scalars(x);
      auto const out = hold<index_t>(c->ex(), c->n * *each);  // for short sequences too
      run_deferred_steps();
      using E = std::remove_cvref_t<decltype(o.elements.e)>;
      count_step("selection", o.inner->n + places->n, text_of_type<E>());
      least_places_on(c->ex(), o.inner->n, o.elements.e,
                      segments_by(c->ex(), o.inner->begins, c->n), *each, out.data);
      return lift_storage(c, close(places, leaf_of(out.shared())));
    }
  }
  return take(sort_order(x), k);
}

}  // namespace ravel::inline v0
