#pragma once

/// The k least elements on the host: each thread keeps its k least candidates so far, and the
/// threads' candidates are then combined.
///
/// A sample gives a bound that at least k elements are probably less than.  An element that is not
/// less than the bound costs one comparison, in a loop that compilers vectorise.
///
/// Source   Hoare, "Algorithm 65: Find", CACM 4(7), 1961: the selection among candidates.

#include <ravel/core/cpu/executor.hpp>
#include <ravel/core/cpu/wake_up.hpp>
#include <ravel/core/std_algorithm.hpp>
#include <ravel/core/std_math.hpp>

#include <array>
#include <atomic>
#include <cstring>
#include <optional>

namespace ravel::inline v0::cpu::detail {

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

/// An element and its position.  For an element that is expensive to copy, the position alone.
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
  RAVEL_HD T const& in(T const* data) const { return data[place]; }
};
template <class T>
using placed_t =
    std::conditional_t<std::is_trivial_v<T> && sizeof(T) <= 32, placed_copy<T>, placed<T>>;

/// Orders elements by `before`, and equivalent ones by position: one call of `before` for each
/// comparison, and branchless where `before` is.
template <class T, class Before>
struct before_in_order {
  T const* all;
  Before before;
  RAVEL_MAY_CALL_HOST
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

/// Quickselect: moves the k least of n items to the front, in any order (Hoare 1961).  It reads no
/// item outside of the n, and terminates, whatever `before` returns.
template <class Item, class Before>
void move_least_to_front(Item* items, index_t n, index_t k, Before const& before) {
  index_t begin = 0, end = n;
  int rounds = 0;  // the limit: twice the expected number of partitions; a merge sort does the rest
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

/// Calls use(j) for each j below `many`, at most `Width`, for which holds(j).  All are tested before
/// the first call.
template <index_t Width, class Holds, class Use>
[[gnu::always_inline]] inline void for_each_true(index_t many, Holds const& holds, Use const& use) {
  bool is_true[Width] = {};
  auto const test = [&](index_t n) {
    for (index_t j = 0; j < n; ++j) is_true[j] = static_cast<bool>(holds(j));
  };
  if (many == Width) {
    test(Width);  // a constant trip count, for which g++ -O2 vectorises the loop
  } else {
    test(many);
  }
  for (index_t j = 0; j < many; j += 8) {
    std::uint64_t flags;  // eight results, a byte each
    std::memcpy(&flags, is_true + j, 8);
    for (; flags != 0; flags &= flags - 1) use(j + std::countr_zero(flags) / 8);
  }
}

/// The k least elements among those that one thread visits, at ascending positions.  It appends
/// candidates to a buffer; when the buffer is full, quickselect keeps the k least of them.  An
/// element that is not less than the k-th least so far costs one comparison.
template <class T, class Before>
class least_so_far {
  using item = placed_t<T>;
  static constexpr index_t width = 64;

  T const* all_;
  index_t k_, room_;
  before_in_order<T, Before> earlier_;
  item* items_;
  index_t size_ = 0;
  bool bounded_;
  item bound_;

 public:
  /// The size of the buffer of candidates that one thread needs, in items.
  static constexpr index_t room(index_t k) { return 2 * k + 4 * width; }

  /// `bound` may be null; otherwise only elements less than it are kept.
  least_so_far(T const* data, index_t k, Before before, item* items, item const* bound)
      : all_(data),
        k_(k),
        room_(room(k)),
        earlier_{data, before},
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
      index_t const many = std::min(width, t.end - i);
      for_each_true<width>(
          many,
          [in = all_ + i, before = earlier_.before, bound = bound_, all = all_](index_t j) {
            return before(in[j], bound.in(all));
          },
          [&](index_t j) { items_[size_++] = item(all_, i + j); });
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

/// Whether k is so small that least_so_far is faster than a filter between two bounds whose result
/// is sorted, and the threads' buffers together hold at most a quarter of n items.  Up to 2^14 elements
/// are read by one thread.
inline bool are_few_of(index_t k, index_t n, index_t threads) {
  return 0 < k && k <= n / (n <= 1 << 14 ? 16 : std::max<index_t>(64, 8 * threads));
}

/// A bound that at least k elements are probably less than: the element of a sample whose rank is
/// 8 + 4 sqrt(r) above r, the expected rank of the k-th least element.  No bound if many elements
/// are equivalent.
template <class T, class Before>
std::optional<placed_t<T>> bound_of_least(view<T const> in, index_t k, Before before) {
  using item = placed_t<T>;
  constexpr index_t max_looks = 1 << 12;
  index_t const n = in.size(), looks = std::min(n / 256, max_looks);
  double const rank = double(looks) / double(n) * double(k);
  double const margin = 8 + 4 * ravel::detail::math::sqrt(rank);
  auto const at = static_cast<index_t>(rank + margin);
  if (at >= looks) return {};
  std::array<item, max_looks> seen;
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

/// Calls write(i, item) for the k least elements, sorted, equivalent ones by position.  `bound` may
/// be null; returns false if fewer than k elements are less than it.
template <class Ex, class T, class Before, class Write>
bool write_least_below(Ex const& ex, view<T const> in, index_t k, Before before,
                       placed_t<T> const* bound, Write const& write) {
  using item = placed_t<T>;
  using kept = least_so_far<T, Before>;
  index_t const n = in.size(), room = kept::room(k);
  index_t const workers = threads_worth_waking([&] { return threads_of(ex); }, nanoseconds{n / 4});
  index_t const width = std::clamp(n / (16 * workers), index_t{1} << 12, index_t{1} << 16);
  index_t const tiles = div_up(n, width);
  auto const items = ex.template scratch<item>(workers * room);
  auto const sizes = ex.template scratch<index_t>(workers);
  std::atomic<index_t> next = 0, threads = 0;
  ex.on_each_thread(workers, [&] {
    index_t t = next++;
    if (t >= tiles) return;
    try {
      index_t const self = threads++;
      kept least(in.data(), k, before, items.data() + self * room, bound);
      for (; t < tiles; t = next++) least.visit(nth_tile(t, width, n));
      sizes[self] = least.items().size();
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
  ex.for_each_tile(k, [write, sorted = items.data()](auto const&, tile t) {
    for (index_t i = t.begin; i < t.end; ++i) write(i, sorted[i]);
  });
  return true;
}

template <class Ex, class T, class Before, class Write>
void write_least(Ex const& ex, view<T const> in, index_t k, Before before, Write const& write) {
  auto const bound = bound_of_least(in, k, before);
  if (bound && write_least_below(ex, in, k, before, &*bound, write)) return;
  write_least_below<Ex, T>(ex, in, k, before, nullptr, write);
}

}  // namespace ravel::inline v0::cpu::detail
