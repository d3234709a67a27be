#pragma once

/// Segmented sort on the host, the table of forms and the forms: one thread sorts each segment that fits in its cache; all threads
/// together sort each longer one.
///
/// Threads claim ranges of elements and sort the segments that begin in them.  This balances the
/// load for long segments as well as for many short ones.

#include <ravel/algorithms/radix_sort/cpu.hpp>
#include <ravel/algorithms/segmented_sort/call.hpp>
#include <ravel/algorithms/segmented_sort/steps.hpp>
#include <ravel/algorithms/sort_options.hpp>
#include <ravel/core/cpu/host.hpp>
#include <ravel/core/cpu/wake_up.hpp>
#include <ravel/core/function_ref.hpp>
#include <ravel/core/std_mutex.hpp>

#include <atomic>
#include <optional>
#include <vector>

namespace ravel::inline v0 {
namespace cpu {
namespace detail {

template <host_executor Ex, class K, class V, class S, class Bits>
class segment_sorter {
  using row_type = row<K, V>;
  using in_cache = sort_part<K, V, Bits>;

  /// The longest segment that one thread sorts.
  static constexpr index_t most_rows = std::max<index_t>(8 * part_bytes / sizeof(row_type), 64);
  // ranges of elements for each thread to claim: more of them balance the load better
  static constexpr index_t ranges_each = 16;

  // The most rows that are rank sorted: more keys without values are sorted in registers.
  static constexpr index_t most_ranked =
      std::min<index_t>(counted_rows<typename Bits::bits>, sorts_keys<K, V, Bits> ? 7 : 32);

  Ex const& ex_;
  S const& segments_;
  Bits bits_;

 public:
  segment_sorter(Ex const& ex, S const& segments, Bits bits)
      : ex_(ex), segments_(segments), bits_(bits) {}

  void operator()(index_t n, rows<K const, V const> in, rows<K, V> out) const {
    index_t const count = worth_sharing([&] { return threads_of(ex_); }, nanoseconds{3 * n})
                              ? ranges_each * threads_of(ex_)
                              : 1;
    index_t const width = div_up(n, count);
    std::atomic<index_t> next = 0;
    std::vector<std::pair<index_t, index_t>> longer;
    std::mutex longer_at_once;
    ex_.on_each_thread(count, [&] {
      S const segments = segments_;  // a local copy stays in registers
      index_t const max_length = std::min(n, most_rows);
      scratch_buffer<row_type> const rows_of_one(max_length), room(in_cache::room_for(max_length));
      scratch_buffer<typename in_cache::table> const tables(in_cache::tables);
      in_cache const sort(bits_, room.data(), tables.data());
      read_row<K, V> const source{in};
      write_row<K, V> const target{out, 0};
      for (index_t t; (t = next++) < count;) {
        index_t const last = begin_of(std::min((t + 1) * width, n));
        index_t s = begin_of(std::min(t * width, n));
        for (index_t end = segments.begin(s); s < last; ++s) {
          index_t const begin = end;
          end = segments.begin(s + 1);
          index_t const m = end - begin;
          if (0 < m && m <= 3) {
            sort_up_to_three(m, source, begin, target.after(begin));
            continue;
          }
          if constexpr (most_ranked > 0) {
            if (0 < m && m <= most_ranked) {
              sort_by_places(m, in.from(begin), out.from(begin), bits_);
              continue;
            }
          }
          if (static_cast<std::uint64_t>(m) > most_rows) {
            if (m < 0) continue;  // malformed offsets
            std::lock_guard const alone(longer_at_once);
            longer.push_back({begin, end});
            continue;
          }
          for (index_t i = 0; i < m; ++i) rows_of_one.data()[i] = source(begin + i);
          if (m > 0) sort(rows_of_one.data(), m, target.after(begin));
        }
      }
    });
    sort_by_all(longer, in, out);
  }

 private:
  /// Sorts the one to three rows from `begin` on without a branch on how many: the last one stands
  /// for those that are missing.
  [[gnu::always_inline]] inline void sort_up_to_three(index_t m, read_row<K, V> in, index_t begin,
                                                      write_row<K, V> out) const {
    auto const order = []<class T>(bool swaps, T& x, T& y) {
      T const least = swaps ? y : x;
      y = swaps ? x : y;
      x = least;
    };
    index_t const last = m - 1, middle = std::min<index_t>(1, last);
    row_type a = in(begin), b = in(begin + middle), c = in(begin + last);
    auto by_a = bits_(a), by_b = bits_(b), by_c = bits_(c);
    bool swaps = by_b < by_a;
    order(swaps, a, b);
    order(swaps, by_a, by_b);
    swaps = by_c < by_b;
    order(swaps, b, c);
    order(swaps, by_b, by_c);
    order(by_b < by_a, a, b);
    out(middle, b);
    out(last, c);
    out(0, a);
  }

  /// The index of the first segment that begins at `element` or after it; the number of segments if
  /// no segment does.
  index_t begin_of(index_t element) const {
    index_t first = 0, last = segments_.count();
    while (first < last) {
      index_t const middle = first + (last - first) / 2;
      if (segments_.begin(middle) < element) {
        first = middle + 1;
      } else {
        last = middle;
      }
    }
    return first;
  }

  void sort_by_all(std::vector<std::pair<index_t, index_t>> const& segments,
                   rows<K const, V const> in, rows<K, V> out) const {
    index_t largest = 0;
    for (auto const& [begin, end] : segments) largest = std::max(largest, end - begin);
    auto const room = ex_.template scratch<row_type>(largest);
    for (auto const& [begin, end] : segments) {
      rows<K const, V const> segment{in.keys + begin, nullptr};
      if constexpr (rows<K, V>::has_values) segment.values = in.values + begin;
      radix_sorter<Ex, K, V, Bits>(ex_, bits_)(read_row<K, V>{segment}, end - begin, room.data(),
                                               nullptr, write_row<K, V>{out, begin});
    }
  }
};

/// Sorts by several keys, the last key first: as each sort is stable, the first key decides in the
/// end.
template <host_executor Ex, class K, class V, class S, class Key, class... Lower>
void sort_segments_by(Ex const& ex, index_t n, rows<K const, V const> in, rows<K, V> out,
                      S const& segments, bool down, std::optional<bit_range> range, Key key,
                      Lower... lower) {
  if constexpr (sizeof...(Lower) > 0) {
    sort_segments_by(ex, n, in, out, segments, down, range, lower...);
    in = out.read();
  }
  auto const bits = bits_sorted_by<K>(key, down, range);
  segment_sorter<Ex, K, V, S, std::remove_const_t<decltype(bits)>>(ex, segments, bits)(n, in, out);
}

}  // namespace detail

struct segmented_sort_by_threads {
  static constexpr auto name = "by_threads";
  static constexpr auto why =
      "A thread sorts whole segments in its cache; longer ones are sorted by all threads.";
  template <class Call>
  static constexpr auto types = needs(ravel::detail::segments_have_numbers<Call>,
                                      detail::fits_in_scratch<decltype(Call::sort)>);
  template <class Ex, class Sort, class S>
  static void run(Ex const& ex, segmented_sort_call<Sort, S> const& c) {
    auto const& sort = c.sort;
    if (sort.n == 0) return;
    ravel::detail::call_with(
        [&](auto const&... key) {
          detail::sort_segments_by(ex, sort.n, sort.in, sort.out, c.segments, sort.descending,
                                   sort.range, key...);
        },
        sort.keys);
  }
};

/// Rows of the form above, whose segments are not numbered.
struct segmented_sort_of_packed_heads : segmented_sort_of_heads {
  template <class Call>
  static constexpr auto types = segmented_sort_of_heads::types<Call> +
                                needs(detail::fits_in_scratch<decltype(Call::sort)>);
};

}  // namespace cpu

template <>
struct form_table<segmented_sort_family, cpu::host>
    : forms<cpu::segmented_sort_of_packed_heads, cpu::segmented_sort_by_threads,
            segmented_sort_by_steps> {};

}  // namespace ravel::inline v0
