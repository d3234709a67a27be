#pragma once

/// Rows of calls that have the same text on ranks and on one process.

#include "distributed/same_call.hpp"

#include <ravel/algorithms/comparison_sort.hpp>
#include <ravel/algorithms/list_ranking.hpp>
#include <ravel/algorithms/radix_sort.hpp>
#include <ravel/algorithms/segmented_sort.hpp>
#include <ravel/algorithms/selection.hpp>
#include <ravel/core/monoid.hpp>
#include <ravel/core/segments.hpp>
#include <ravel/distributed/deferred_scan.hpp>
#include <ravel/distributed/gather.hpp>
#include <ravel/distributed/group_by.hpp>
#include <ravel/distributed/histogram.hpp>
#include <ravel/distributed/list_rank.hpp>
#include <ravel/distributed/map.hpp>
#include <ravel/distributed/merge.hpp>
#include <ravel/distributed/pack.hpp>
#include <ravel/distributed/pipelines.hpp>
#include <ravel/distributed/reduce.hpp>
#include <ravel/distributed/runs.hpp>
#include <ravel/distributed/scan.hpp>
#include <ravel/distributed/searches.hpp>
#include <ravel/distributed/segmented_sort.hpp>
#include <ravel/distributed/segments.hpp>
#include <ravel/distributed/sort.hpp>
#include <ravel/distributed/split.hpp>
#include <ravel/primitives/linear_recurrence.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace ravel::bench {

// ---- elements -----------------------------------------------------------------------------------

/// Some permutation of the elements: one of [0, 2^k), of which those in range follow one another.
struct next_of_all {
  std::uint64_t total, shift;
  word operator()(index_t i) const {
    std::uint64_t const mask = std::bit_ceil(total) - 1;
    auto next = static_cast<std::uint64_t>(i);
    do next = (next * 0x9e3779b1 + shift) & mask;
    while (next >= total);
    return static_cast<word>(next);
  }
};
inline next_of_all some_place(index_t total) { return {static_cast<std::uint64_t>(total), 0}; }
/// The list of all elements that begins with 0: an odd shift makes the permutation one cycle.
struct next_of_list {
  next_of_all next;
  word operator()(index_t i) const {
    word const to = next(i);
    return to == 0 ? static_cast<word>(i) : to;
  }
};
inline next_of_list one_list(index_t total) {
  return {{static_cast<std::uint64_t>(total), 0x7f4a7c15}};
}

/// Ascending ones that are `Step` apart on average.
template <int Step>
word ascending_number(index_t i) {
  return static_cast<word>(i * Step) + static_cast<word>(random_below(Step, i, Step));
}
inline word any_number(index_t i) { return static_cast<word>(random_bits(2, i)); }
inline word any_bit(index_t i) { return any_number(i) % 2; }
inline word number_in_runs(index_t i) { return small_number(i / 8); }

struct is_small {
  bool operator()(word k) const { return k < 5; }
};
struct by_some_bits {
  bool operator()(word a, word b) const { return a / 4 < b / 4; }
};
/// The even numbers, summed up to each, of which those below a half of the bound are kept.
struct is_even {
  bool operator()(word k) const { return k % 2 == 0; }
};
struct has_low_bit {
  bool operator()(word k) const { return k & 4; }
};
inline auto const sums_of_some = filter(is_even{}) | inclusive_scan(plus{}) | filter(has_low_bit{});

// ---- rows ---------------------------------------------------------------------------------------

/// Adds them with add(log, id, work, bytes, make).
template <class Add>
void add_scans(Add const& add) {
  auto const sums = same_call([](auto const& on) {
    auto const x = on.make(on.n, small_number), y = room(on, on.n);
    return does([=](auto const& ex) { inclusive_scan(ex, *x, *y); }, y);
  });
  auto const sums_before = same_call([](auto const& on) {
    auto const x = on.make(on.n, small_number), y = room(on, on.n);
    return does([=](auto const& ex) { exclusive_scan(ex, *x, *y); }, y);
  });
  /// Scans whose carries are kept beside the pieces; those of one process as above.
  auto const deferred = [](auto const& scans, auto const& scan, auto const& settled_scan) {
    return [=](on_ranks const& ex, index_t n) {
      auto parts = scans(ex, n);
      auto const x = piece<word>(ex, n, small_number);
      auto const y = std::make_shared<elements<word>>(ex, *x);
      parts[0].run = [=] { scan(ex, *x, *y); };
      parts[0].right = [=] {
        elements<word> expected(ex, *x);
        settled_scan(ex, *x, expected);
        scan(ex, *x, *y).settle();
        return std::equal(y->begin(), y->end(), expected.begin());
      };
      return parts;
    };
  };
  auto const deferred_sums = deferred(
      sums, [](auto const& ex, auto& x, auto& y) { return deferred_inclusive_scan(ex, x, y); },
      [](auto const& ex, auto& x, auto& y) { inclusive_scan(ex, x, y); });
  for (int const log : {24, 26}) {
    add(log, "reduce.u32", "reduce_sync", 4, same_call([](auto const& on) {
          auto const x = on.make(on.n, small_number);
          return does([=](auto const& ex) { return reduce_sync(ex, *x); });
        }));
    add(log, "inclusive_scan.u32", "inclusive_scan", 8, sums);
    add(log, "deferred_scan.u32", "deferred_inclusive_scan", 8, deferred_sums);
    add(log, "filter.u32", "filter_sync, a third kept", 4 + 4 / 3.0, same_call([](auto const& on) {
          auto const x = on.make(on.n, small_number), y = room(on, on.n);
          return does([=](auto const& ex) { return filter_sync(ex, *x, is_small{}, *y); }, y);
        }));
  }
  add(26, "deferred_exclusive_scan.u32", "deferred_exclusive_scan", 8,
      deferred(
          sums_before,
          [](auto const& ex, auto& x, auto& y) { return deferred_exclusive_scan(ex, x, y); },
          [](auto const& ex, auto& x, auto& y) { exclusive_scan(ex, x, y); }));
  add(26, "exclusive_scan.u32", "exclusive_scan", 8, sums_before);
  add(26, "inclusive_scan.order2.u32", "inclusive_scan of order 2", 8,
      same_call([](auto const& on) {
        auto const x = on.make(on.n, small_number), y = room(on, on.n);
        return does([=](auto const& ex) { inclusive_scan(ex, *x, *y, plus{}, of_order<2>); }, y);
      }));
  add(26, "inclusive_scan.tuples2.u32", "inclusive_scan of tuples of 2", 8,
      same_call([](auto const& on) {
        auto const x = on.make(on.n, small_number), y = room(on, on.n);
        return does([=](auto const& ex) { inclusive_scan(ex, *x, *y, plus{}, of_tuples<2>); }, y);
      }));
  add(26, "recurrence.u32", "linear_recurrence of order 2", 8, same_call([](auto const& on) {
        auto const x = on.make(on.n, small_number), y = room(on, on.n);
        return does(
            [=](auto const& ex) {
              linear_recurrence(ex, *x, coefficients{3U, 5U}, *y);
            },
            y);
      }));
  add(26, "recurrence_variable.u32", "linear_recurrence, a coefficient for each element", 12,
      same_call([](auto const& on) {
        auto const x = on.make(on.n, small_number), a = on.make(on.n, any_number),
                   y = room(on, on.n);
        return does([=](auto const& ex) { linear_recurrence(ex, *x, *a, *y); }, y);
      }));
  add(26, "segmented_scan.u32", "segmented_inclusive_scan of segments of 64", 8,
      same_call([](auto const& on) {
        auto const x = on.make(on.n, small_number), y = room(on, on.n);
        return does(
            [=, total = on.total](auto const& ex) {
              segmented_inclusive_scan(ex, *x, chunks(total, 64), *y);
            },
            y);
      }));
  add(26, "segmented_reduce.u32", "segmented_reduce of segments of 64", 4 + 4 / 64.0,
      same_call([](auto const& on) {
        index_t const each = on.n / 64;
        auto const x = on.make(64 * each, small_number), y = room(on, each);
        auto const segments = uniform(on.total / on.n * each, 64);
        return does([=](auto const& ex) { segmented_reduce(ex, *x, segments, *y); }, y);
      }));
  add(26, "pipeline.u32", "filter, inclusive_scan and filter in a pipeline", 4 + 4 / 4.0,
      same_call([](auto const& on_side) {
        auto const x = on_side.make(on_side.n, small_number), y = room(on_side, on_side.n);
        return does([=](auto const& ex) { return (on(ex, *x) | sums_of_some | into(*y)).get(); },
                    y);
      }));
}

template <class Add>
void add_maps(Add const& add) {
  add(26, "map.u32", "map", 8, same_call([](auto const& on) {
        auto const x = on.make(on.n, small_number), y = room(on, on.n);
        return does(
            [=](auto const& ex) {
              map(
                  ex, [](word k) { return 3 * k; }, *y, *x);
            },
            y);
      }));
  add(26, "for_each.u32", "for_each", 8, same_call([](auto const& on) {
        auto const x = on.make(on.n, small_number);
        return does([=](auto const& ex) { for_each(ex, *x, [](word& k) { k |= 1; }); }, x);
      }));
  add(26, "iota.u32", "iota", 4, same_call([](auto const& on) {
        auto const y = room(on, on.n);
        return does([=](auto const& ex) { iota(ex, *y); }, y);
      }));
  add(26, "distribute.u32", "distribute", 4, same_call([](auto const& on) {
        auto const y = room(on, on.n);
        return does([=](auto const& ex) { distribute(ex, 7, *y); }, y);
      }));
}

template <class Add>
void add_runs_and_searches(Add const& add) {
  add(26, "pack.u32", "pack_sync of half the elements", 8 + 4 / 2.0, same_call([](auto const& on) {
        auto const x = on.make(on.n, small_number), flags = on.make(on.n, any_bit),
                   y = room(on, on.n);
        return does([=](auto const& ex) { return pack_sync(ex, *x, *flags, *y); }, y);
      }));
  add(26, "pack_index.u32", "pack_index_sync of half the elements", 4 + 4 / 2.0,
      same_call([](auto const& on) {
        auto const flags = on.make(on.n, any_bit), y = room(on, on.n);
        return does([=](auto const& ex) { return pack_index_sync(ex, *flags, *y); }, y);
      }));
  add(26, "unique.u32", "unique_sync of runs of 8", 4 + 4 / 8.0, same_call([](auto const& on) {
        auto const x = on.make(on.n, number_in_runs), y = room(on, on.n);
        return does([=](auto const& ex) { return unique_sync(ex, *x, *y); }, y);
      }));
  add(26, "run_length_encode.u32", "run_length_encode_sync of runs of 8", 4 + 8 / 8.0,
      same_call([](auto const& on) {
        auto const x = on.make(on.n, number_in_runs), y = room(on, on.n), z = room(on, on.n);
        return does([=](auto const& ex) { return run_length_encode_sync(ex, *x, *y, *z); }, y, z);
      }));
  add(26, "reduce_by_key.u32", "reduce_by_key_sync of runs of 8", 8 + 8 / 8.0,
      same_call([](auto const& on) {
        auto const keys = on.make(on.n, number_in_runs), x = on.make(on.n, small_number),
                   y = room(on, on.n), z = room(on, on.n);
        return does([=](auto const& ex) { return reduce_by_key_sync(ex, *keys, *x, *y, *z); }, y,
                    z);
      }));
  add(26, "find_first.u32", "find_first_sync of the last element", 4, same_call([](auto const& on) {
        auto const x = on.make(on.n, [](index_t i) { return static_cast<word>(i); });
        auto const is_last = [last = static_cast<word>(on.total - 1)](word k) { return k == last; };
        return does([=](auto const& ex) { return find_first_sync(ex, *x, is_last); });
      }));
  add(26, "mismatch.u32", "mismatch_sync of equal sequences", 8, same_call([](auto const& on) {
        auto const x = on.make(on.n, any_number), y = on.make(on.n, any_number);
        return does([=](auto const& ex) { return mismatch_sync(ex, *x, *y); });
      }));
  add(26, "is_sorted.u32", "is_sorted_sync of sorted elements", 4, same_call([](auto const& on) {
        auto const x = on.make(on.n, ascending_number<8>);
        return does([=](auto const& ex) { return index_t{is_sorted_sync(ex, *x)}; });
      }));
  add(26, "min_element.u32", "min_element_sync", 4, same_call([](auto const& on) {
        auto const x = on.make(on.n, any_number);
        return does([=](auto const& ex) { return min_element_sync(ex, *x); });
      }));
  add(26, "minmax_element.u32", "minmax_element", 4, same_call([](auto const& on) {
        auto const x = on.make(on.n, any_number);
        auto const both = on.counts(2);
        return does([=](auto const& ex) { minmax_element(ex, *x, *both); }, both);
      }));
  add(26, "search.u32", "search_sync of the last elements, four of each rank", 4,
      same_call([](auto const& on) {
        index_t const all = on.total, some = 4 * (all / on.n);
        auto const x = on.make(on.n, [](index_t i) { return static_cast<word>(i); }),
                   what = on.make(4, [=](index_t i) { return static_cast<word>(all - some + i); });
        return does([=](auto const& ex) { return search_sync(ex, *x, *what); });
      }));
  add(26, "histogram.u32", "histogram of 256 bins", 4, same_call([](auto const& on) {
        auto const x = on.make(on.n, any_number);
        auto const counts = on.counts(256);
        return does(
            [=](auto const& ex) { histogram(ex, *x, *counts, [](word k) { return k % 256; }); },
            counts);
      }));
}

template <class Add>
void add_moves_and_orders(Add const& add) {
  add(26, "split.u32", "split by 8 digits", 8, same_call([](auto const& on) {
        auto const x = on.make(on.n, small_number), y = room(on, on.n);
        auto const digit = [](word k) { return static_cast<int>(k % 8); };
        return does([=](auto const& ex) { split<8>(ex, *x, digit, *y); }, y);
      }));
  add(24, "gather.u32", "gather at random", 12, same_call([](auto const& on) {
        auto const x = on.make(on.n, small_number), at = on.make(on.n, some_place(on.total)),
                   y = room(on, on.n);
        return does([=](auto const& ex) { gather(ex, *x, *at, *y); }, y);
      }));
  add(24, "scatter.u32", "scatter at random", 12, same_call([](auto const& on) {
        auto const x = on.make(on.n, small_number), at = on.make(on.n, some_place(on.total)),
                   y = room(on, on.n);
        return does([=](auto const& ex) { scatter(ex, *x, *at, *y); }, y);
      }));
  add(24, "comparison_sort.u32", "comparison_sort, stable", 8, same_call([](auto const& on) {
        auto const x = on.make(on.n, small_number), y = room(on, on.n);
        return does([=](auto const& ex) { comparison_sort(ex, *x, *y, by_some_bits{}); }, y);
      }));
  add(26, "radix_sort_pairs.u32", "radix_sort_pairs", 16, same_call([](auto const& on) {
        auto const k = on.make(on.n, any_number), x = on.make(on.n, small_number),
                   y = room(on, on.n), z = room(on, on.n);
        return does([=](auto const& ex) { radix_sort_pairs(ex, *k, *x, *y, *z); }, y, z);
      }));
  add(24, "comparison_sort_pairs.u32", "comparison_sort_pairs, stable", 16,
      same_call([](auto const& on) {
        auto const k = on.make(on.n, small_number), x = on.make(on.n, any_number),
                   y = room(on, on.n), z = room(on, on.n);
        return does(
            [=](auto const& ex) { comparison_sort_pairs(ex, *k, *x, *y, *z, by_some_bits{}); }, y,
            z);
      }));
  add(26, "merge_pairs.u32", "merge_pairs of two, one of twice the range", 16,
      same_call([](auto const& on) {
        auto const a = on.make(on.n / 2, ascending_number<8>),
                   b = on.make(on.n / 2, ascending_number<16>), x = on.make(on.n / 2, any_number),
                   y = room(on, on.n / 2 * 2), z = room(on, on.n / 2 * 2);
        return does([=](auto const& ex) { merge_pairs(ex, *a, *x, *b, *x, *y, *z); }, y, z);
      }));
  add(26, "merge.u32", "merge of two, one of twice the range", 8, same_call([](auto const& on) {
        auto const a = on.make(on.n / 2, ascending_number<8>),
                   b = on.make(on.n / 2, ascending_number<16>), y = room(on, on.n / 2 * 2);
        return does([=](auto const& ex) { merge(ex, *a, *b, *y); }, y);
      }));
  for (auto const& [each, name] : {std::pair{512, "few"}, std::pair{1 << 18, "many"}}) {
    add(26, std::string("top_k.") + name, "top_k of " + std::to_string(each) + " a rank", 4,
        same_call([each = each](auto const& on) {
          auto const x = on.make(on.n, any_number), y = room(on, std::min<index_t>(each, on.n));
          return does([=](auto const& ex) { top_k(ex, *x, *y); }, y);
        }));
  }
  add(26, "segmented_sort.u32", "segmented_sort of segments of 64", 8,
      same_call([](auto const& on) {
        auto const x = on.make(on.n, any_number), y = room(on, on.n);
        return does([=, total = on.total](
                        auto const& ex) { segmented_sort(ex, *x, chunks(total, 64), *y); },
                    y);
      }));
  add(26, "segmented_sort_pairs.u32", "segmented_sort_pairs of segments of 64", 16,
      same_call([](auto const& on) {
        auto const k = on.make(on.n, any_number), x = on.make(on.n, small_number),
                   y = room(on, on.n), z = room(on, on.n);
        return does(
            [=, total = on.total](auto const& ex) {
              segmented_sort_pairs(ex, *k, *x, chunks(total, 64), *y, *z);
            },
            y, z);
      }));
  add(24, "group_by.u32", "group_by_sync of 2^16 keys", 8, same_call([](auto const& on) {
        auto const keys = on.make(on.n, [](index_t i) { return any_number(i) >> 16; });
        auto const x = on.make(on.n, small_number), sorted_keys = room(on, on.n),
                   sorted = room(on, on.n), y = room(on, on.n), z = room(on, on.n);
        return does(
            [=](auto const& ex) {
              if constexpr (distributed::is_executor<std::remove_cvref_t<decltype(ex)>>) {
                return group_by_sync(ex, *keys, *x, *y, *z);
              } else {  // the same of one process
                radix_sort_pairs(ex, *keys, *x, *sorted_keys, *sorted);
                return reduce_by_key_sync(ex, *sorted_keys, *sorted, *y, *z);
              }
            },
            y, z);
      }));
  add(24, "list_rank.u32", "list_rank, one list at random", 8, same_call([](auto const& on) {
        auto const next = on.make(on.n, one_list(on.total)), y = room(on, on.n);
        return does([=](auto const& ex) { list_rank(ex, *next, *y); }, y);
      }));
}

}  // namespace ravel::bench
