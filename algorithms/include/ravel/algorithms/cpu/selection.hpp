#pragma once

/// @file
/// Selection on the host: a sample bounds the keys of the selected rows, and only the rows within
/// the bounds are sorted.
///
/// Source   Floyd and Rivest, "Expected Time Bounds for Selection", CACM 18(3), 1975.

#include <ravel/algorithms/selection.hpp>
#include <ravel/core/cpu/executor.hpp>
#include <ravel/core/cpu/wake_up.hpp>
#include <ravel/primitives/pack.hpp>
#include <ravel/primitives/reduce.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <type_traits>
#include <utility>

namespace ravel::inline v0::cpu {
namespace detail {

template <class K>
struct before_by_key {
  radix_bits_t<K> flip;  // all bits, or none
  bool operator()(K const& x, K const& y) const {
    return (radix_key<K>::bits(x) ^ flip) < (radix_key<K>::bits(y) ^ flip);
  }
};
/// Keys with bits in [least, greatest].
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

/// Keeps candidates as long as the scratch has room for them.
template <class K, class V>
struct keep_candidate {
  rows<K const, V const> from;
  rows<K, V> to;
  index_t room;
  RAVEL_HD void operator()(index_t i, index_t place) const {
    if (place < room) to.set(place, from, i);
  }
};

/// Random indices, one in each of `parts` equal parts of [0, n), in ascending order.
class random_places {
  index_t step_, begin_ = 0;
  std::uint64_t random_ = 1;

 public:
  random_places(index_t n, index_t parts) : step_(n / parts) {}
  index_t operator()() {
    random_ = random_ * 6364136223846793005u + 1442695040888963407u;
    index_t const place = begin_ + static_cast<index_t>(random_ >> 33) % step_;
    begin_ += step_;
    return place;
  }
};

/// An element and its position; of an element that is expensive to copy the position alone.
template <class T>
struct placed_copy {
  T x;
  index_t place;
  placed_copy() = default;
  placed_copy(T const* in, index_t i) : x(in[i]), place(i) {}
  RAVEL_HD T const& in(T const*) const { return x; }
};
template <class T>
struct placed {
  index_t place;
  placed() = default;
  placed(T const*, index_t i) : place(i) {}
  RAVEL_HD T const& in(T const* all) const { return all[place]; }
};
template <class T>
using placed_t =
    std::conditional_t<std::is_trivial_v<T> && sizeof(T) <= 32, placed_copy<T>, placed<T>>;

/// Orders elements by `before`, and equivalent ones by position: by one call, and branchless where
/// `before` is.
template <class T, class Before>
struct before_in_order {
  T const* all;
  Before before;
  RAVEL_HD bool operator()(placed_t<T> const& p, placed_t<T> const& q) const {
    bool const in_place = p.place < q.place;
    auto const& early = in_place ? p : q;
    auto const& late = in_place ? q : p;
    return static_cast<bool>(before(late.in(all), early.in(all))) != in_place;
  }
  bool operator()(index_t i, placed_t<T> const& q) const {
    return i < q.place ? !before(q.in(all), all[i]) : before(all[i], q.in(all));
  }
};

/// Moves the k least of n items to the front, in any order (Hoare 1961).  It reads no item outside
/// of these, and ends, whatever `before` returns.
template <class Item, class Before>
void move_least_to_front(Item* items, index_t n, index_t k, Before const& before) {
  index_t begin = 0, end = n;
  int rounds = 0;  // twice as many as usual
  for (index_t left = n; left > 0; left /= 2) rounds += 2;
  while (begin < k && k < end) {
    if (--rounds < 0) {
      comparison_sort(sequential{}, view<Item>(items + begin, end - begin), before);
      return;
    }
    Item &low = items[begin], &middle = items[begin + (end - begin) / 2], &pivot = items[end - 1];
    // the median of three becomes the last item
    if (before(middle, low)) std::swap(middle, low);
    if (before(middle, pivot)) std::swap(middle, pivot);
    if (before(pivot, low)) std::swap(pivot, low);
    Item const p = pivot;
    index_t less = begin;
    for (index_t i = begin; i < end - 1; ++i) {
      Item const x = items[i];
      items[i] = items[less];
      items[less] = x;
      less += static_cast<bool>(before(x, p));
    }
    pivot = items[less];
    items[less] = p;
    if (less < k) {
      begin = less + 1;
    } else {
      end = less;
    }
  }
}

/// The k least elements of those that one thread visits, at ascending positions: all that may be
/// among these, and when there is no more room, k of them.  An element that is not less than the
/// k-th least so far costs one comparison.
template <class T, class Before>
class least_so_far {
  using item = placed_t<T>;
  static constexpr index_t width = 256;

  T const* all_;
  index_t k_, room_;
  before_in_order<T, Before> earlier_;
  item* items_;
  index_t size_ = 0;
  bool bounded_;
  item bound_;

 public:
  /// Items that one thread needs.
  static constexpr index_t room(index_t k) { return 2 * k + 4 * width; }

  /// Only elements less than `bound`, if there is one, are kept.
  least_so_far(T const* all, index_t k, Before before, item* items, item const* bound)
      : all_(all),
        k_(k),
        room_(room(k)),
        earlier_{all, before},
        items_(items),
        bounded_(bound != nullptr) {
    if (bounded_) bound_ = *bound;
  }

  void visit(tile t) {
    index_t i = t.begin;
    for (; i < t.end && !bounded_; i += width) {
      index_t const end = std::min(i + width, t.end);
      for (index_t j = i; j < end; ++j) items_[size_++] = item(all_, j);
      make_room();
    }
    for (; i < t.end; i += width) {
      item const bound = bound_;
      index_t const many = std::min(width, t.end - i);
      bool is_less[width] = {};
      auto const compare = [&, in = all_ + i, before = earlier_.before](index_t n) {
        for (index_t j = 0; j < n; ++j) {
          is_less[j] = static_cast<bool>(before(in[j], bound.in(all_)));
        }
      };
      if (many == width) {
        compare(width);  // of a known number, which g++ -O2 compiles to vectors
      } else {
        compare(many);
      }
      for (index_t j = 0; j < many; j += 8) {
        std::uint64_t flags;  // a byte each
        std::memcpy(&flags, is_less + j, 8);
        for (; flags != 0; flags &= flags - 1) {
          items_[size_++] = item(all_, i + j + std::countr_zero(flags) / 8);
        }
      }
      make_room();
    }
  }

  view<item> items() const { return {items_, size_}; }

 private:
  void make_room() {
    if (size_ + width <= room_) return;
    move_least_to_front(items_, size_, k_, earlier_);
    size_ = k_;
    bound_ = *std::max_element(items_, items_ + size_, earlier_);
    bounded_ = true;
  }
};

/// Whether least_so_far is faster than a filter between two bounds, whose result is sorted whole; and
/// the threads' items are at most a quarter of n.
inline bool are_few_of(index_t k, index_t n, index_t threads) {
  return k <= n / std::max<index_t>(64, 8 * threads) && n >= 1 << 12;
}

/// A bound that about k to 3 k elements are less than, by a sample; or none, if many elements are
/// equivalent.
template <class T, class Before>
std::optional<placed_t<T>> bound_of_least(view<T const> in, index_t k, Before before) {
  using item = placed_t<T>;
  constexpr index_t most = 1 << 12;
  index_t const n = in.size(), looks = std::min(n / 256, most);
  double const rank = double(looks) / double(n) * double(k);
  double const margin = 8 + 4 * std::sqrt(rank);
  auto const at = static_cast<index_t>(rank + margin);
  if (at >= looks) return {};
  std::array<item, most> seen;
  random_places places(n, looks);
  for (index_t s = 0; s < looks; ++s) seen[static_cast<std::size_t>(s)] = item(in.data(), places());
  before_in_order<T, Before> const earlier{in.data(), before};
  move_least_to_front(seen.data(), looks, at + 1, earlier);
  item const bound = *std::max_element(seen.data(), seen.data() + at + 1, earlier);
  index_t const less = std::count_if(seen.data(), seen.data() + at, [&](item const& x) {
    return static_cast<bool>(before(x.in(in.data()), bound.in(in.data())));
  });
  if (double(less) < rank + margin / 2) return {};
  return bound;
}

/// Calls write(i, item) for the k least elements, sorted, and equivalent ones by position.  Returns
/// false if fewer than k are less than `bound`, if there is one.
template <class Ex, class T, class Before, class Write>
bool write_least_below(Ex const& ex, view<T const> in, index_t k, Before before,
                       placed_t<T> const* bound, Write const& write) {
  using item = placed_t<T>;
  using kept = least_so_far<T, Before>;
  index_t const n = in.size(), room = kept::room(k);
  index_t const most = threads_worth_waking([&] { return threads_of(ex); }, nanoseconds{n / 4});
  index_t const width = std::clamp(n / (16 * most), index_t{1} << 12, index_t{1} << 16);
  index_t const tiles = div_up(n, width);
  auto const items = ex.template scratch<item>(most * room);
  auto const sizes = ex.template scratch<index_t>(most);
  std::atomic<index_t> next = 0, threads = 0;
  ex.on_each_thread(most, [&] {
    index_t t = next++;
    if (t >= tiles) return;
    try {
      index_t const self = threads++;
      kept mine(in.data(), k, before, items.data() + self * room, bound);
      for (; t < tiles; t = next++) mine.visit(nth_tile(t, width, n));
      sizes[self] = mine.items().size();
    } catch (...) {
      next = tiles;  // stops the other threads
      throw;
    }
  });
  item* end = items.data();
  for (index_t s = 0; s < threads; ++s) {
    end = std::copy_n(items.data() + s * room, sizes[s], end);
  }
  index_t const found = end - items.data();
  if (found < k) return false;
  before_in_order<T, Before> const earlier{in.data(), before};
  move_least_to_front(items.data(), found, k, earlier);
  comparison_sort(ex, view<item>(items.data(), k), earlier);
  ex.for_each_tile(k, [write, from = items.data()](auto const&, tile t) {
    for (index_t i = t.begin; i < t.end; ++i) write(i, from[i]);
  });
  return true;
}

template <class Ex, class T, class Before, class Write>
void write_least(Ex const& ex, view<T const> in, index_t k, Before before, Write const& write) {
  auto const bound = bound_of_least(in, k, before);
  if (bound && write_least_below(ex, in, k, before, &*bound, write)) return;
  write_least_below<Ex, T>(ex, in, k, before, nullptr, write);
}

}  // namespace detail

/// Overload of ravel::detail::select_by_order: the first ones, if they are few, by least_so_far of
/// each thread.  Else a sorted sample bounds the selected elements.
/// Equivalent elements differ by their positions, so that many of them cost no more.
template <class Ex, class T, class Before>
requires(std::same_as<Ex, sequential> ||
         std::same_as<Ex, threads>) void select_by_order(Ex const& ex, view<T const, host_space> in,
                                                         index_t first, view<T, host_space> out,
                                                         Before before) {
  using placed = detail::placed_t<T>;
  using order = detail::before_in_order<T, Before>;
  constexpr index_t few = 1 << 12;
  index_t const n = in.size(), count = out.size();
  order const earlier{in.data(), before};
  if (first == 0 && detail::are_few_of(count, n, detail::threads_of(ex))) {
    detail::write_least(ex, in, count, before,
                        [=](index_t i, placed const& p) { out[i] = p.in(in.data()); });
    return;
  }

  placed least{}, bound{};
  bool has_least = false, has_bound = false;
  if (n > few) {
    // n^(2/3): as many as are left of n where four standard deviations bound the ranks
    auto const looks = static_cast<index_t>(std::pow(double(n), 2.0 / 3));
    auto const seen = ex.template scratch<placed>(looks);
    detail::random_places places(n, looks);
    for (index_t k = 0; k < looks; ++k) seen[k] = placed(in.data(), places());
    comparison_sort(ex, seen, earlier);
    auto const rank = [&](index_t of) { return double(looks) / double(n) * double(of); };
    auto const margin = [&](double r) {
      return 8 + 4 * std::sqrt(std::max(0.0, r * (1 - r / double(looks))));
    };
    double const from = rank(first), to = rank(first + count);
    auto const low = static_cast<index_t>(std::floor(from - margin(from)));
    auto const high = static_cast<index_t>(std::ceil(to + margin(to)));
    has_least = low >= 0;
    if (has_least) least = seen[low];
    has_bound = high < looks;
    if (has_bound) bound = seen[high];
  }

  index_t const room = n <= few ? n : std::min(n, count + n / 4);
  auto const kept = ex.template scratch<placed>(room);
  std::atomic<index_t> below = 0, found = 0;
  ex.for_each_tile(n, [=, &below, &found, to = kept.data()](auto const&, tile t) {
    constexpr index_t width = 512;
    for (index_t begin = t.begin; begin < t.end; begin += width) {
      index_t between[width], many = 0, less = 0;
      for (index_t i = begin; i < std::min(begin + width, t.end); ++i) {
        // both are evaluated: branches on them would be mispredicted
        bool const is_below = has_least && earlier(i, least);
        bool const is_before_bound = !has_bound || earlier(i, bound);
        between[many] = i;
        many += is_before_bound & !is_below;
        less += is_below;
      }
      below.fetch_add(less, std::memory_order_relaxed);
      index_t const place = found.fetch_add(many, std::memory_order_relaxed);
      for (index_t j = 0; j < std::min(many, room - place); ++j) {
        to[place + j] = placed(in.data(), between[j]);
      }
    }
  });
  if (found > room || first < below || first + count > below + found) {
    return ravel::detail::select_by_order<Ex>(ex, in, first, out, before);  // by a sort
  }
  comparison_sort(ex, view<placed>(kept.data(), found), earlier);
  ex.for_each_tile(count, [=, from = kept.data() + (first - below)](auto const&, tile t) {
    for (index_t i = t.begin; i < t.end; ++i) out[i] = from[i].in(in.data());
  });
}

/// Overload of ravel::detail::select_rows: the first ones, if they are few, by least_so_far of each
/// thread.  Else scratch for a part of the rows, and selection by digits
/// where that is too small, as where many keys are equal.
template <class Ex, class K, class V>
requires(std::same_as<Ex, sequential> ||
         std::same_as<Ex, threads>) void select_rows(Ex const& ex, index_t n,
                                                     rows<K const, V const> in, rows<K, V> out,
                                                     index_t first, index_t count, bool down) {
  using Bits = radix_bits_t<K>;
  constexpr index_t looks = 1 << 10, few = 1 << 14;
  constexpr index_t margin = 64;  // four standard deviations of the rank of a sampled key
  ravel::detail::selection_key<K> const key{down};
  if (first == 0 && count <= n / 128 && detail::are_few_of(count, n, detail::threads_of(ex))) {
    detail::write_least(ex, view<K const>(in.keys, n), count,
                        detail::before_by_key<K>{down ? static_cast<Bits>(~Bits(0)) : Bits(0)},
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
    return ravel::detail::select_rows<Ex>(ex, n, in, out, first, count, down);
  }
  sort_rows_on(ex, found, candidates.read(), candidates, rows<K, V>{nullptr, nullptr}, down,
               std::optional<bit_range>{}, ravel::detail::the_element{});
  index_t const begin = first - ahead;
  rows<K const, V const> const chosen{keys.data() + begin,
                                      values.data() + (rows<K, V>::has_values ? begin : 0)};
  for_each_index(ex, count, ravel::detail::move_row<K, V>{chosen, out});
}

}  // namespace ravel::inline v0::cpu
