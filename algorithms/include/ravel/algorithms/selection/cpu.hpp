#pragma once

/// Selection on the host, the tables of forms and the forms: a sample bounds the keys of the selected rows, and only the rows within
/// the bounds are sorted.
///
/// Source   Floyd and Rivest, "Expected Time Bounds for Selection", CACM 18(3), 1975.

#include <ravel/algorithms/cpu/each_segment.hpp>
#include <ravel/algorithms/cpu/least_elements.hpp>
#include <ravel/algorithms/select_by_digits.hpp>
#include <ravel/algorithms/selection/call.hpp>
#include <ravel/algorithms/selection/steps.hpp>
#include <ravel/core/cpu/executor.hpp>
#include <ravel/core/cpu/host.hpp>
#include <ravel/core/std_math.hpp>
#include <ravel/primitives/pack.hpp>
#include <ravel/primitives/reduce.hpp>

#include <array>
#include <atomic>

namespace ravel::inline v0 {
namespace cpu {
namespace detail {

template <class K>
struct before_by_key {
  radix_bits_t<K> flip;  // all bits set for descending order, else 0
  explicit before_by_key(bool descending)
      : flip(static_cast<radix_bits_t<K>>(descending ? ~radix_bits_t<K>(0) : 0)) {}
  RAVEL_HD radix_bits_t<K> bits(K const& x) const {
    return static_cast<radix_bits_t<K>>(radix_key<K>::bits(x) ^ flip);
  }
  RAVEL_HD bool operator()(K const& x, K const& y) const { return bits(x) < bits(y); }
};
/// Predicate: whether the bits of a key are in [least, greatest].
template <class K>
struct key_between {
  ravel::detail::selection_key<K> key;
  radix_bits_t<K> least, greatest;
  RAVEL_HD bool operator()(K const& x) const {
    auto const bits = key(x);
    return least <= bits && bits <= greatest;
  }
};
template <class K>
struct key_below {
  ravel::detail::selection_key<K> key;
  radix_bits_t<K> bound;
  RAVEL_HD bool operator()(K const& x) const { return key(x) < bound; }
};

/// The sink that collects candidates until `room` rows of scratch are full; further ones are only
/// counted.
template <class K, class V>
struct keep_candidate {
  rows<K const, V const> from;
  rows<K, V> to;
  index_t room;
  RAVEL_HD void operator()(index_t i, index_t place) const {
    if (place < room) to.set(place, from, i);
  }
};

/// The few least elements of a segment, in order, of equal ones the first.
template <class K>
class least_of_segment {
  static constexpr index_t most = 16;
  using Bits = radix_bits_t<K>;
  index_t size_;
  Bits bits_[most];
  index_t places_[most];

  void insert(index_t at, Bits bits, index_t place) {
    for (; at > 0 && bits < bits_[at - 1]; --at) {
      bits_[at] = bits_[at - 1];
      places_[at] = places_[at - 1];
    }
    bits_[at] = bits;
    places_[at] = place;
  }

 public:
  static bool has_room(index_t k) { return 0 < k && k <= most; }

  least_of_segment(view<K const> in, index_t k, before_by_key<K> key)
      : size_(std::min(k, in.size())) {
    for (index_t i = 0; i < size_; ++i) insert(i, key.bits(in[i]), i);
    if (size_ == 0) return;
    Bits greatest = bits_[size_ - 1];
    auto const offer = [&](index_t i) {
      Bits const bits = key.bits(in[i]);
      if (bits < greatest) {
        insert(size_ - 1, bits, i);
        greatest = bits_[size_ - 1];
      }
    };
    constexpr index_t width = 64;
    index_t i = size_;
    // Of random elements the i-th is one of the k least with probability k / i.
    for (index_t const many_are = std::min(16 * k, in.size()); i < many_are; ++i) offer(i);
    for (; i + width <= in.size(); i += width) {
      for_each_true<width>(
          width,
          [from = in.data() + i, key, bound = greatest](index_t j) {
            return key.bits(from[j]) < bound;
          },
          [&](index_t j) { offer(i + j); });
    }
    for (; i < in.size(); ++i) offer(i);
  }
  index_t size() const { return size_; }
  index_t operator[](index_t k) const { return places_[k]; }
};

}  // namespace detail

struct select_least_by_order {
  static constexpr auto name = "by_sample";
  static constexpr auto why =
      "The least of up to 4096 in one loop; the first of many, up to one in 64, or in 16 of up to "
      "16384, by the least so far of each thread; others by quickselect among those that a sorted "
      "sample of n^(2/3) elements bounds.  Equivalent elements are ordered by position, so many of "
      "them cost no more.";
  template <class Ex, class T, class Before>
  static void run(Ex const& ex, order_selection_call<T, host_space, Before> const& c) {
    using placed = detail::placed_t<T>;
    using order = detail::before_in_order<T, Before>;
    constexpr index_t few = 1 << 12;
    auto const in = c.in;
    auto const out = c.out;
    index_t const n = in.size(), count = out.size(), first = c.first;
    Before const& before = c.before;
    order const earlier{in.data(), before};
    if (first == 0 && count == 1 && n <= few) {
      index_t least = 0;
      for (index_t i = 1; i < n; ++i) {
        if (before(in[i], in[least])) least = i;
      }
      out[0] = in[least];
      return;
    }
    if (first == 0 && detail::are_few_of(count, n, detail::threads_of(ex))) {
      detail::write_least(ex, in, count, before,
                          [=](index_t i, placed const& p) { out[i] = p.in(in.data()); });
      return;
    }

    placed least{}, bound{};
    bool has_least = false, has_bound = false;
    if (n > few) {
      // The sample has n^(2/3) elements.  Its bounds lie four standard deviations apart, and about
      // n^(2/3) elements of the input lie between them.
      auto const looks = static_cast<index_t>(ravel::detail::math::pow(double(n), 2.0 / 3));
      auto const seen = ex.template scratch<placed>(looks);
      detail::random_places places(n, looks);
      for (index_t k = 0; k < looks; ++k) seen[k] = placed(in.data(), places());
      comparison_sort(ex, seen, earlier);
      auto const rank = [&](index_t index) { return double(looks) / double(n) * double(index); };
      auto const margin = [&](double r) {
        return 8 + 4 * ravel::detail::math::sqrt(std::max(0.0, r * (1 - r / double(looks))));
      };
      double const begin = rank(first), end = rank(first + count);
      auto const low = static_cast<index_t>(ravel::detail::math::floor(begin - margin(begin)));
      auto const high = static_cast<index_t>(ravel::detail::math::ceil(end + margin(end)));
      has_least = low >= 0;
      if (has_least) least = seen[low];
      has_bound = high < looks;
      if (has_bound) bound = seen[high];
    }

    index_t const room = n <= few ? n : std::min(n, count + n / 4);
    auto const kept = ex.template scratch<placed>(room);
    std::atomic<index_t> below = 0, found = 0;
    ex.for_each_tile(n, [=, &below, &found, slots = kept.data()](auto const&, tile t) {
      constexpr index_t width = 512;
      for (index_t begin = t.begin; begin < t.end; begin += width) {
        index_t between[width], many = 0, less = 0;
        for (index_t i = begin; i < std::min(begin + width, t.end); ++i) {
          // Both comparisons are evaluated and combined by &, as a branch on one would be
          // mispredicted.
          bool const is_below = has_least && earlier(i, least);
          bool const is_before_bound = !has_bound || earlier(i, bound);
          between[many] = i;
          many += is_before_bound & !is_below;
          less += is_below;
        }
        below.fetch_add(less, std::memory_order_relaxed);
        index_t const place = found.fetch_add(many, std::memory_order_relaxed);
        for (index_t j = 0; j < std::min(many, room - place); ++j) {
          slots[place + j] = placed(in.data(), between[j]);
        }
      }
    });
    if (found > room || first < below || first + count > below + found) {
      return run_call_by<select_by_sort>(ex, c);
    }
    placed* const selected = kept.data() + (first - below);
    if (index_t const last = first - below + count; 2 * count < found) {
      detail::move_least_to_front(kept.data(), found, last, earlier);
      detail::move_least_to_front(kept.data(), last, first - below, earlier);
      comparison_sort(ex, view<placed>(selected, count), earlier);
    } else {
      comparison_sort(ex, view<placed>(kept.data(), found), earlier);
    }
    ex.for_each_tile(count, [=, sorted = selected](auto const&, tile t) {
      for (index_t i = t.begin; i < t.end; ++i) out[i] = sorted[i].in(in.data());
    });
  }
};

struct select_least {
  static constexpr auto name = "by_sample";
  static constexpr auto why =
      "The least of up to 16384 in one loop; the first of many, up to one in 128, or in 16 of 512 "
      "to 16384 keys of 4 or 8 bytes, by the least so far of each thread; others from the rows "
      "between two keys of a sample, which are sorted; or by_digits if they are more than a "
      "quarter, as where many keys are equal.";
  template <class Ex, class K, class V>
  static void run(Ex const& ex, selection_call<K, V> const& c) {
    using Bits = radix_bits_t<K>;
    auto const in = c.in;
    auto const out = c.out;
    index_t const n = c.n, first = c.first, count = c.count;
    bool const down = c.descending;
    constexpr index_t looks = 1 << 10, few = 1 << 14;
    constexpr index_t margin = 64;  // four standard deviations of the rank of a sampled key
    ravel::detail::selection_key<K> const key{down};
    if (first == 0 && count == 1 && n <= few) {
      constexpr index_t together = 256;  // in a loop without branches, which compilers vectorise
      auto best = static_cast<Bits>(key(in.keys[0]));
      index_t i = 0;
      for (index_t begin = 0; begin < n; begin += together) {
        Bits lowest = best;
        for (index_t k = begin; k < std::min(n, begin + together); ++k) {
          lowest = std::min(lowest, static_cast<Bits>(key(in.keys[k])));
        }
        if (lowest < best) i = begin;
        best = lowest;
      }
      while (key(in.keys[i]) != best) ++i;
      out.set(0, in, i);
      return;
    }
    constexpr bool narrow = sizeof(K) < 4;  // which are sorted in one or two passes
    if (first == 0 && n >= (narrow ? 1 << 12 : 1 << 9) &&
        (count <= n / 128 || (!narrow && n <= few)) &&
        detail::are_few_of(count, n, detail::threads_of(ex))) {
      detail::write_least(ex, view<K const>(in.keys, n), count, detail::before_by_key<K>(down),
                          [=](index_t i, auto const& p) { out.set(i, in, p.place); });
      return;
    }

    Bits least = 0, greatest = static_cast<Bits>(~Bits(0));
    if (n > few) {
      std::array<Bits, looks> seen;
      detail::random_places places(n, looks);
      for (Bits& bits : seen) bits = key(in.keys[places()]);
      std::sort(seen.begin(), seen.end());
      auto const share = static_cast<double>(looks) / static_cast<double>(n);
      auto const low = static_cast<index_t>(share * static_cast<double>(first)) - margin;
      auto const high = static_cast<index_t>(share * static_cast<double>(first + count)) + margin;
      if (low >= 0) least = seen[static_cast<std::size_t>(low)];
      if (high < looks) greatest = seen[static_cast<std::size_t>(high)];
    }

    index_t ahead = 0;
    if (least > 0) {
      using Below = ravel::detail::keeps_element<K, detail::key_below<K>>;
      reduce_on(ex, n, ravel::detail::count_kept<Below>{{in.keys, {key, least}}}, plus<index_t>{},
                ravel::detail::seed_value<index_t>{0}, ravel::detail::store_total<index_t>{&ahead});
    }
    index_t const room = n <= few ? n : n / 4;
    auto const keys = ex.template scratch<K>(room);
    auto const values = ex.template scratch<V>(rows<K, V>::has_values ? room : 0);
    rows<K, V> const candidates{keys.data(), values.data()};
    ravel::detail::keeps_element<K, detail::key_between<K>> const keep{in.keys,
                                                                       {key, least, greatest}};
    index_t const found = ravel::detail::total_sync(ex, [&](auto total) {
      if constexpr (rows<K, V>::has_values) {
        pack_on(ex, n, keep, detail::keep_candidate<K, V>{in, candidates, room},
                ravel::detail::total_of(total));
      } else {
        pack_on(ex, n, keep, write_packed<K, K>{in.keys, keys.data(), room},
                ravel::detail::total_of(total));
      }
    });
    if (found > room || first < ahead || first + count > ahead + found) {
      return run_call_by<select_by_digits>(ex, c);
    }
    ravel::detail::sort_rows_by_key(ex, found, candidates.read(), candidates, down);
    index_t const begin = first - ahead;
    rows<K const, V const> const chosen{keys.data() + begin,
                                        values.data() + (rows<K, V>::has_values ? begin : 0)};
    for_each_index(ex, count, ravel::detail::move_row<K, V>{chosen, out});
  }
};

struct select_few_of_segments {
  static constexpr auto name = "by_threads";
  static constexpr auto why =
      "A thread takes whole segments, and keeps the least elements so far of each in order; all "
      "threads take each longer one.";

  template <class T, class Space, class S, class U>
  static auto now(segmented_selection_call<T, Space, S, U> const& c, host const&) {
    return needs(need{detail::least_of_segment<T>::has_room(c.each) &&
                          detail::least_of_segment<T>::has_room(c.first + c.each),
                      "at most 16 elements from the first of each segment on"});
  }
  template <class Ex, class T, class Space, class S, class U>
  static void run(Ex const& ex, segmented_selection_call<T, Space, S, U> const& c) {
    index_t const k = c.first + c.each;
    detail::for_each_segment(
        ex, c.segments, c.in.size(), detail::nanoseconds{1},
        [&](index_t s, index_t begin, index_t end) {
          view<T const> const elements(c.in.data() + begin, end - begin);
          detail::least_of_segment<T> const least(elements, k,
                                                  detail::before_by_key<T>(c.descending));
          for (index_t j = 0; j < c.each; ++j) {
            index_t const at = c.first + j;
            c.out[s * c.each + j] =
                at < least.size() ? static_cast<U>(elements[least[at]]) : c.absent;
          }
        },
        [&](index_t s, index_t begin, index_t end) {
          view<T const> const elements(c.in.data() + begin, end - begin);
          detail::before_by_key<T> const before(c.descending);
          detail::write_least(ex, elements, k, before, [&](index_t at, auto const& p) {
            if (at >= c.first) c.out[s * c.each + at - c.first] = static_cast<U>(elements[p.place]);
          });
        });
  }
};

}  // namespace cpu

template <>
struct form_table<segmented_selection_family, cpu::host>
    : forms<cpu::select_few_of_segments, select_by_segmented_sort> {};
template <>
struct form_table<order_selection_family, cpu::host> : forms<cpu::select_least_by_order> {};
template <>
struct form_table<selection_family, cpu::host> : forms<cpu::select_least> {};

}  // namespace ravel::inline v0
