#pragma once

/// By index: counts or combines the values at each index.

#include <ravel/algorithms/radix_sort.hpp>
#include <ravel/core/atomic.hpp>
#include <ravel/core/cpu/executor.hpp>
#include <ravel/core/grain.hpp>
#include <ravel/flatten/compute.hpp>
#include <ravel/flatten/each.hpp>
#include <ravel/flatten/fold.hpp>
#include <ravel/flatten/place.hpp>
#include <ravel/flatten/straight.hpp>
#include <ravel/primitives/segment_forms.hpp>

#include <optional>

namespace ravel::inline v0 {
namespace flattening {

/// The bin of value i among the bins of all instances; past the last if it is out of range.
template <class E>
struct bin_of {
  E index;
  starts bins;
  index_t none;
  index_t* out;
  RAVEL_HD void operator()(index_t i, index_t s, index_t) const {
    index_t const k = static_cast<index_t>(index(i));
    out[i] = 0 <= k && k < bins[s + 1] - bins[s] ? bins[s] + k : none;
  }
};

template <class Ex, class E>
held<index_t> bins_of_values(context_ptr<Ex> const& values, E const& index,
                             descriptor_ptr<Ex> const& bins) {
  auto const& ex = values->ex();
  auto const bin = hold<index_t>(ex, values->n);
  visit_opened(values, bin_of<E>{index, starts_of(bins), bins->base, bin.data});
  return bin;
}

/// Counts each value in its bin, if that is in range.
template <class E>
struct count_in_bin {
  E index;
  starts values, bins;
  index_t* counts;
  RAVEL_HD void operator()(index_t i, index_t s, index_t) const {
    index_t const k = static_cast<index_t>(index(i));
    if (0 <= k && k < bins[s + 1] - bins[s]) fetch_add(counts + bins[s] + k, index_t{1});
  }
  /// The caller has all values of the sequence, so that no other thread uses its bins.
  void run(index_t i, index_t end, index_t s, index_t rank) const {
    index_t* const counters = counts + bins[s];
    index_t const bin_count = bins[s + 1] - bins[s];
    bool const is_alone = rank == 0 && end == values[s + 1];
    for (; i < end; ++i) {
      index_t const k = static_cast<index_t>(index(i));
      if (k < 0 || k >= bin_count) continue;
      if (is_alone) {
        ++counters[k];
      } else {
        fetch_add(counters + k, index_t{1});
      }
    }
  }
};

/// How threads share the values and the bins: each combines one of `parts` consecutive parts of the
/// values in one of `intervals` of the bins, and each part has its own row of bins.
struct shares_of_bins {
  index_t parts, intervals;
};
/// As every thread of a part reads all its values, more intervals than these sort the values instead.
inline constexpr index_t most_intervals_of_bins = 16;

/// Rows of four times as many bins as there are values pay: 4 M values in 10^6 bins take 16 threads
/// 25 ms together with a row each, and 38 in pairs that share a row (a loop of one thread: 9); in
/// 4 * 10^6 bins 8 threads take 49 with 4 rows, and 74 with 2.
inline shares_of_bins shares_by_threads(index_t threads, index_t n, index_t bins) {
  constexpr index_t fewest = index_t{1} << 15;  // fewer are done before another thread is awake
  if (n + bins < fewest) return {1, 1};
  index_t const parts = std::clamp(4 * n / std::max<index_t>(bins, 1), index_t{1}, threads);
  return {parts, threads / parts};
}

/// The beginning of share k of n elements.
inline index_t begin_of_share(index_t n, index_t shares, index_t k) {
  return k * (n / shares) + std::min(k, n % shares);
}

/// Combines the values of one part in one interval of its row of bins, in their order.
template <class M, class T, class Value, class Bin>
struct combine_in_bins {
  Bin bin;
  Value value;
  index_t n, bins;
  shares_of_bins shares;
  M m;
  T *out, *rows;  // of the first part, and of the others
  void operator()(index_t k) const {
    index_t const part = k / shares.intervals, interval = k % shares.intervals;
    index_t const first = begin_of_share(bins, shares.intervals, interval);
    index_t const end = begin_of_share(n, shares.parts, part + 1);
    auto const width =
        static_cast<std::uint64_t>(begin_of_share(bins, shares.intervals, interval + 1) - first);
    T* const row = (part == 0 ? out : rows + (part - 1) * bins) + first;
    std::fill_n(row, width, static_cast<T>(m.identity()));
    for (index_t i = begin_of_share(n, shares.parts, part); i < end; ++i) {
      auto const at = static_cast<std::uint64_t>(bin(i)) - static_cast<std::uint64_t>(first);
      if (at < width) row[at] = m(row[at], static_cast<T>(value(i)));
    }
  }
};
/// Combines the rows of all parts, in the order of these.
template <class M, class T>
struct combine_rows {
  T const* rows;
  index_t bins, many;
  M m;
  T* out;
  void operator()(index_t k) const {
    T x = out[k];
    for (index_t r = 0; r < many; ++r) x = m(x, rows[r * bins + k]);
    out[k] = x;
  }
};

/// The combinations of n values in each bin, by threads of the host.
template <class T, class Ex, class Bin, class Value, class M>
held<T> combined_in_bins(Ex const& ex, Bin const& bin, Value const& value, index_t n, index_t bins,
                         shares_of_bins shares, M const& m) {
  auto const out = hold<T>(ex, bins), rows = hold<T>(ex, (shares.parts - 1) * bins);
  count_step("reduce by index", n + bins, text_of_type<Value>());
  for_each_index(
      with_grain(ex, grain(1)), shares.parts * shares.intervals,
      combine_in_bins<M, T, Value, Bin>{bin, value, n, bins, shares, m, out.data, rows.data});
  if (shares.parts > 1) {
    count_step("combine rows of bins", shares.parts * bins);
    for_each_index(ex, bins, combine_rows<M, T>{rows.data, bins, shares.parts - 1, m, out.data});
  }
  return out;
}

inline int bits_of_numbers_to(index_t greatest) {
  return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(greatest)));
}

/// A length, or 0 for a negative number.
template <class E>
struct length_not_below_zero {
  E e;
  RAVEL_HD index_t operator()(index_t i) const {
    auto const n = e(i);
    return n > 0 ? static_cast<index_t>(n) : 0;
  }
};
template <class E>
std::optional<index_t> known_number(length_not_below_zero<E> const& x) {
  auto const n = known_number(x.e);
  return n && *n < 0 ? 0 : n;
}
template <class E>
length_not_below_zero<E> bounded(E const& e) {
  return {e};
}

}  // namespace flattening

/// The number of occurrences of each of 0, ..., k - 1; other elements are ignored.
///
///     histogram([0 1 1 3], 4)      [1 2 0 1]
///
/// Cost     O(n + k) work, and a wait for the sum of all k.
template <lifted_sequence I, scalar K>
auto histogram(I const& indices, K const& k) {
  using namespace flattening;
  expect_index_sequence<I>();
  using Ex = typename I::executor_type;
  auto const c = resolve(indices, k);
  auto const& ex = c->ex();
  auto const i = storage_in(c, indices);
  auto const bins = rows_of_lengths<Ex>("histogram", *c->on, c->n, bounded(storage_in(c, k).e));
  measure(*c->on, *i.d);
  if constexpr (cpu::host_executor<Ex>) {
    auto const shares = shares_by_threads(cpu::detail::threads_of(ex), i.d->total, bins->base);
    auto const index = elements_of(c, i);
    bool const are_stored = is_leaf<std::remove_const_t<decltype(index.e)>>::value;
    if (c->n == 1 &&
        (shares.intervals == 1 || (are_stored && shares.intervals <= most_intervals_of_bins))) {
      held<index_t> counts;
      auto const count = [&](auto const& bin) {
        counts = combined_in_bins<index_t>(ex, bin, flattening::constant<index_t>{1}, i.d->total,
                                           bins->base, shares, plus<index_t>{});
      };
      straightened<Ex>(i.d->total, count, index.e);
      return lift_storage(c, ragged<Ex, cells<leaf<index_t>>>{bins, leaf_of(counts.shared())});
    }
  }
  auto const counts = hold<index_t>(ex, bins->base);
  visit_indices(ex, bins->base, evaluate<flattening::constant<index_t>, index_t>{{0}, counts.data});
  auto const count = [&]<class E>(E const& index) {
    visit_elements(*c->on, *i.d,
                   count_in_bin<E>{index, i.d->starts.seen(), starts_of(bins), counts.data});
  };
  straightened<Ex>(i.d->total, count, elements_of(c, i).e);
  return lift_storage(c, ragged<Ex, cells<leaf<index_t>>>{bins, leaf_of(counts.shared())});
}

/// The combination of the values at each index 0, ..., k - 1, in
/// their order; the identity of `m` for indices without values.  Other indices are ignored.
///
///     reduce_by_index([0 3 0], [5 7 1], 4, plus{})      [6 0 0 7]
///
/// Order    Threads of the host combine parts of the values, and these in order: `m` need not be
///          commutative, and rounding depends on the number of threads.
/// Cost     O(n + k) work on the host if threads have 4 n / k rows of bins, of which each combines
///          its part of the values: O(k threads) memory.  For more bins, threads / rows of them
///          share a part, and read all its indices.  Over 16 threads a part, and on a device, a
///          sort of the values by their indices, O(n log k / 8 bits) work, and a segmented
///          reduction.
/// Errors   shape_error if there are not as many indices as values.
template <lifted_sequence I, lifted_sequence V, scalar K, class M>
auto reduce_by_index(I const& indices, V const& values, K const& k, M const& of_call) {
  using namespace flattening;
  expect_index_sequence<I>();
  using Ex = typename I::executor_type;
  auto const m = monoid_on<inner_t<V>>(of_call);
  using Monoid = std::remove_const_t<decltype(m)>;
  static_assert(some_monoid<Monoid>, "reduce_by_index: m is not a monoid");
  using T = carrier_t<Monoid>;
  auto const c = resolve(indices, values, k);
  auto const& ex = c->ex();
  auto const i = storage_in(c, indices);
  auto const v = storage_in(c, values);
  expect_same_shape(*c->on, fault_of::lengths_of_reduce_by_index, i.d, v.d);
  auto const bins =
      rows_of_lengths<Ex>("reduce_by_index", *c->on, c->n, bounded(storage_in(c, k).e));
  auto const inner = open(i.d, c);
  auto const index = elements_of(c, i);  // owns a copy of the elements of slices
  auto const value = in_order(inner, elements_of(c, v));
  using Value = inner_t<V>;
  if constexpr (cpu::host_executor<Ex>) {
    auto const shares = shares_by_threads(cpu::detail::threads_of(ex), inner->n, bins->base);
    if (shares.intervals <= most_intervals_of_bins) {
      held<T> out;
      auto const combine = [&](auto const& bin) {
        out = combined_in_bins<T>(ex, bin, straight_leaf<Value>{{}, value.data}, inner->n,
                                  bins->base, shares, m);
      };
      // The indices of one sequence are its bins.  Those that are computed are computed once.
      bool const are_stored = is_leaf<std::remove_const_t<decltype(index.e)>>::value;
      if (c->n == 1 && (are_stored || shares.intervals == 1)) {
        straightened<Ex>(inner->n, combine, index.e);
      } else {
        combine(straight_leaf<index_t>{{}, bins_of_values(inner, index.e, bins).data});
      }
      return lift_storage(c, ragged<Ex, cells<leaf<T>>>{bins, leaf_of(out.shared())});
    }
  }
  auto const bin = bins_of_values(inner, index.e, bins);
  auto const sorted = hold<Value>(ex, inner->n);
  if (inner->n > 0) {
    count_step("sort", inner->n);
    radix_sort_pairs(ex, seen_by(ex, bin), seen_by(ex, value), seen_by(ex, bin),
                     seen_by(ex, sorted), bit_range{0, bits_of_numbers_to(bins->base)});
  }
  // One more bin, for values out of range.
  auto const offsets = hold<index_t>(ex, bins->base + 2);
  count_step("search", bins->base + 2);
  offsets_of_segment_ids(ex, seen_by(ex, bin), seen_by(ex, offsets));
  auto const out = hold<T>(ex, bins->base + 1);
  count_step("segmented reduce", inner->n + bins->base + 1, text_of_type<Value>());
  segmented_reduce_on(ex, inner->n, load_as<T, straight_leaf<Value>>{{{}, sorted.data}},
                      by_offsets(seen_by(ex, offsets)), m, ravel::detail::seed_identity<Monoid>{m},
                      ravel::detail::store<T>{out.data});
  return lift_storage(c, ragged<Ex, cells<leaf<T>>>{bins, leaf_of(out.shared())});
}

}  // namespace ravel::inline v0
