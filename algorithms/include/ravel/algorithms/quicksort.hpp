#pragma once

/// Quicksort by levels: all calls of one depth of the recursion are segments, and split together.

#include <ravel/algorithms/comparison_sort.hpp>
#include <ravel/core/transfer.hpp>
#include <ravel/primitives/find_first.hpp>
#include <ravel/primitives/pack.hpp>
#include <ravel/primitives/segmented_apply.hpp>
#include <ravel/primitives/split_within.hpp>

#include <vector>

namespace ravel::inline v0 {
namespace detail {

/// Segments of fewer elements are not split.
inline constexpr index_t least_quicksort_split = 48;

/// The elements of each segment by its pivot, the median of three: less, equal, greater.
template <class K, class Before>
struct split_by_pivot {
  K const* from;
  K* to;
  index_t const* offsets;
  std::uint8_t const* done;
  Before before;

  struct part {
    K pivot;
    bool done;
  };
  RAVEL_HD part of_segment(index_t s, index_t begin) const {
    index_t const last = offsets[s + 1] - 1;
    K const &a = from[begin], &b = from[begin + (last - begin) / 2], &c = from[last];
    bool const ab = before(a, b), bc = before(b, c), ac = before(a, c);
    return {ab == bc ? b : ab == ac ? c : a, done[s] != 0};
  }
  RAVEL_HD K load(part const&, index_t i) const { return from[i]; }
  RAVEL_HD int digit(part const& segment, K const& x) const {
    if (segment.done) return 0;
    return static_cast<int>(!before(x, segment.pivot)) + static_cast<int>(before(segment.pivot, x));
  }
  RAVEL_HD void store(K const& x, int, index_t place) const { to[place] = x; }
};
struct has_elements {
  index_t const* offsets;
  RAVEL_HD bool operator()(index_t part) const { return offsets[part] < offsets[part + 1]; }
};
/// The parts that have elements are the segments of the next level.
struct next_segments {
  index_t const* from;
  std::uint8_t const* was_done;
  index_t* offsets;
  std::uint8_t* done;
  RAVEL_HD void operator()(index_t part, index_t place) const {
    offsets[place] = from[part];
    bool const is_short = from[part + 1] - from[part] < least_quicksort_split;
    done[place] = is_short || part % 3 == 1 || was_done[part / 3] != 0;
  }
};
struct is_unfinished {
  RAVEL_HD bool operator()(std::uint8_t done) const { return done == 0; }
};

/// Sorts a short segment, by insertion; longer ones are of equal elements.
template <class Before>
struct insert_few {
  Before before;
  template <class T>
  RAVEL_HD void operator()(T* first, index_t n) const {
    if (n >= least_quicksort_split) return;
    for (index_t i = 1; i < n; ++i) {
      T const x = first[i];
      index_t k = i;
      for (; k > 0 && before(x, first[k - 1]); --k) first[k] = first[k - 1];
      first[k] = x;
    }
  }
};

}  // namespace detail

/// Sorts `in` to `out` by any strict weak order, stably, by quicksort:
///
///     level 0    3  1  5  4  1  6  2 |      one segment, with pivot 3
///     level 1    1  1  2 | 3 | 5  4  6 |    less than, equal to and greater than 3
///     level 2    1  1 | 2 | 3 | 4 | 5 | 6
///
/// Each level is one split of all segments, those of fewer than 48 elements excepted, which one
/// thread sorts at the end.  After 2 log2 n levels comparison_sort sorts what is left.
///
/// Shapes   in[n], and out[n], which may be `in`, in the memory of `ex`.  n may be 0.
/// Cost     O(n log n) work for any input, O(log³ n) span, and two waits a level.  Scratch for 2 n elements
///          and 3 indices of each segment, of which random elements have n / 10; memory for 2 more.  It shows how a recursion becomes segments: comparison_sort is faster.
/// Errors   contract_error if the sizes do not fit.
/// Source   Blelloch, "Vector Models for Data-Parallel Computing", 1990, quicksort by segments;
///          Bentley and McIlroy, "Engineering a Sort Function", 1993, three-way partitions.
/// See also comparison_sort.
template <local_executor Ex, class In, class Out, class Before = less>
void quicksort_sync(Ex const& ex, In const& in, Out&& out, Before before = {}) {
  using namespace detail;
  auto const& own_ex = own(ex);
  auto const& source = sorted_operand(ex, "quicksort_sync", in);
  expect_alike<Ex>("quicksort_sync", source, out);
  index_t const n = size_of(source);
  if (n == 0) return;
  using K = element_t<Out>;
  auto const room = own_ex.template scratch<K>(2 * n);
  K const* keys = view_of(source).data();
  K* spare = room.data();
  auto offsets = ravel::to(own_ex, std::vector<index_t>{0, n});
  auto done = ravel::to(own_ex, std::vector<std::uint8_t>{n < least_quicksort_split});
  index_t count = 1;
  auto const view_at = [&]<class T>(T* data, index_t size) {
    return view<T, space_of_t<Ex>>(data, size);
  };
  int levels = 0;
  while (find_first_sync(own_ex, view_at(done.data(), count), is_unfinished{}) < count) {
    if (++levels > 2 * static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n)))) {
      return comparison_sort(own_ex, view_at(keys, n), out, before);
    }
    auto const begins = own_ex.template scratch<index_t>(3 * count + 1);
    split_within_on<3>(own_ex, n, by_offsets(view_at(offsets.data(), count + 1)),
                       split_by_pivot<K, Before>{keys, spare, offsets.data(), done.data(), before},
                       store_begins_within<3, index_t>{begins.data()});
    keys = std::exchange(spare, spare == room.data() ? room.data() + n : room.data());
    index_t const most_segments = std::min(3 * count, n);
    auto next_offsets = own_ex.template allocate<index_t>(most_segments + 1);
    auto next_done = own_ex.template allocate<std::uint8_t>(most_segments);
    index_t const many = one_sync<index_t>(own_ex, [&](auto const& total) {
      pack_on(own_ex, 3 * count, has_elements{begins.data()},
              next_segments{begins.data(), done.data(), next_offsets.data(), next_done.data()},
              total_of(total_to(total)));
    });
    own_ex.copy(begins.data() + 3 * count, next_offsets.data() + many, 1);
    offsets = std::move(next_offsets);
    done = std::move(next_done);
    count = many;
  }
  segmented_apply(own_ex, view_at(keys, n), by_offsets(view_at(offsets.data(), count + 1)), out,
                  insert_few<Before>{before});
}

}  // namespace ravel::inline v0
