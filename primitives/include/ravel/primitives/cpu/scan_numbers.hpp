#pragma once

/// @file
/// Scan on the host, of numbers, in vector registers: what one thread does to a tile,
/// and to the one that it will have next (docs/decisions/0008).

#include <ravel/core/config.hpp>
#include <ravel/core/cpu/simd.hpp>
#include <ravel/core/cpu/stream.hpp>
#include <ravel/core/monoid.hpp>
#include <ravel/core/tile.hpp>
#include <ravel/primitives/map.hpp>

#include <algorithm>
#include <concepts>
#include <utility>

namespace ravel::inline v0::detail {

template <class Out>
struct write_through;  // of a scan
template <class Out>
struct write_before;

}  // namespace ravel::inline v0::detail

namespace ravel::inline v0::cpu::detail {

/// Elements that are loaded ahead of being scanned, and scanned ahead of being
/// visited, unless that is not needed: 8 KiB of the first cache.
template <class T>
inline constexpr index_t batch = 8192 / sizeof(T);

/// Where the elements [i, i + n) are, of type T: where a plain read finds them,
/// or else in `room`.
template <class T>
T const* loaded(ravel::detail::read<T> const& load, index_t i, index_t, T*) {
  return load.from + i;
}
template <class T, class Load>
T const* loaded(Load const& load, index_t i, index_t n, T* room) {
  for (index_t k = 0; k < n; ++k) room[k] = T(load(i + k));
  return room;
}

/// Asks for the line of memory that element i is loaded from, if that is known: a load
/// that reads memory at one place may say where, as address(i).
template <class T>
void fetch(ravel::detail::read<T> const& load, index_t i) {
  __builtin_prefetch(load.from + i, 0, 2);
}
template <class Load>
void fetch([[maybe_unused]] Load const& load, [[maybe_unused]] index_t i) {
  if constexpr (requires { load.address(i); }) __builtin_prefetch(load.address(i), 0, 2);
}

#ifdef RAVEL_SIMD

/// Where a load reads its elements, if that is known.
template <class Load>
void const* source([[maybe_unused]] Load const& load) {
  if constexpr (load_of_elements<Load>) {
    return load.elements();
  } else {
    return nullptr;
  }
}

/// Whether n results of a scan should be streamed: they are many, and are not
/// written where the elements were, which is in the cache.
template <class T, class Visit>
bool streams(void const* from, Visit const& visit, index_t n) {
  if constexpr (requires {
                  { visit.to } -> std::convertible_to<T const*>;
                }) {
    return n >= beyond_caches / index_t{sizeof(T)} && from != visit.to;
  } else {
    return false;
  }
}

/// Numbers that are scanned, and streamed, before more are asked for: of whole words
/// of head bits too.
template <class T>
inline constexpr index_t scan_group = std::max<index_t>(simd::group_width<T>, 64);

/// How far ahead memory is asked for what will be combined: a page, which takes longer
/// to scan than memory takes to answer.
template <class T>
inline constexpr index_t asked_ahead = 4096 / sizeof(T);

/// carry * load(begin) * ... * load(end - 1), by groups.
template <class M, class Load, class T>
T combined(M m, Load const& load, tile t, T carry) {
  constexpr index_t group = scan_group<T>;
  T room[group];
  for (index_t i = t.begin; i < t.end; i += group) {
    for (index_t k = 0; k < group; k += simd::lanes<T>) fetch(load, i + k + asked_ahead<T>);
    index_t const n = std::min(group, t.end - i);
    carry = simd::reduce(m, loaded<T>(load, i, n, room), n, carry);
  }
  return carry;
}

/// The tile that a thread will have next, combined while it scans another.
template <class M, class Load>
class next_total {
  using T = carrier_t<M>;
  M m_;
  Load load_;
  tile next_;
  index_t ahead_;
  T total_;

 public:
  /// What is asked of it while tile t is scanned is said in elements of t.
  next_total(M m, Load const& load_all, tile t, tile next)
      : m_(m),
        load_(ravel::detail::on_tile(load_all, next)),
        next_(next),
        ahead_(next.begin - t.begin),
        total_(m.identity()) {
    for (index_t k = 0; k < asked_ahead<T>; k += simd::lanes<T>) ask(t.begin + k - asked_ahead<T>);
  }

  /// Asks memory for what combine(i + asked_ahead, ...) will need.
  void ask(index_t i) const {
    index_t const there = i + ahead_ + asked_ahead<T>;
    if (there < next_.end) fetch(load_, there);  // what is behind another thread asks for
  }

  void combine(index_t i, index_t n) {
    T room[scan_group<T>];
    n = std::min(n, next_.end - (i + ahead_));
    if (n > 0) total_ = simd::reduce(m_, loaded<T>(load_, i + ahead_, n, room), n, total_);
  }
  T const& total() const { return total_; }
};

/// No tile is next, or its total is not wanted.
struct no_next {
  void ask(index_t) const {}
  void combine(index_t, index_t) const {}
};

/// The same in vectors of numbers.
template <class M, class Load, class Visit>
struct scan_of_numbers {
  using T = carrier_t<M>;
  using load_type = decltype(ravel::detail::on_tile(std::declval<Load const&>(), tile{}));
  using visit_type = decltype(ravel::detail::on_tile(std::declval<Visit const&>(), tile{}));
  static constexpr bool keeps_through = std::same_as<visit_type, ravel::detail::write_through<T>>;
  static constexpr bool keeps_before = std::same_as<visit_type, ravel::detail::write_before<T>>;
  static constexpr index_t group = scan_group<T>;

  M m;
  Load load_all;
  Visit visit_all;
  bool streaming;

  T total(tile t) const {
    return combined(m, ravel::detail::on_tile(load_all, t), t, T(m.identity()));
  }

  T scan(tile t, T carry, tile) const {
    no_next none;
    return scan_beside(t, carry, none);
  }

  /// Scans tile t on from `carry`, which then is what is through it, and returns the
  /// total of the next.
  T scan_and_total(tile t, T& carry, tile next) const {
    if (next.begin >= next.end) {
      carry = scan(t, carry, next);
      return m.identity();
    }
    next_total<M, load_type> beside(m, load_all, t, next);
    carry = scan_beside(t, carry, beside);
    return beside.total();
  }

 private:
  /// Scans n numbers to `out`, on from `carry`, by groups.
  template <class Next, class Done>
  T scan_numbers(T const* in, T* out, index_t i, index_t n, T carry, Next& next, Done done) const {
    for (index_t g = 0; g < n; g += group) {
      index_t const some = std::min(group, n - g);
      carry = simd::scan(m, in + g, out + g, some, carry, [&](index_t k) { next.ask(i + g + k); });
      done(g);
      next.combine(i + g, some);
    }
    return carry;
  }

  template <class Next>
  T scan_beside(tile t, T carry, Next& next) const {
    auto const visit = ravel::detail::on_tile(visit_all, t);
    if constexpr (keeps_through || keeps_before) {
      if (streaming) return scan_past_caches(t, visit.to + t.begin, carry, next);
    }
    auto const load = ravel::detail::on_tile(load_all, t);
    auto const nothing = [](index_t) {};
    T room[batch<T>];
    T through[batch<T> + 1];
    for (index_t i = t.begin; i < t.end; i += batch<T>) {
      index_t const n = std::min(batch<T>, t.end - i);
      T const* const in = loaded<T>(load, i, n, room);
      if constexpr (keeps_through) {
        carry = scan_numbers(in, visit.to + i, i, n, carry, next, nothing);
      } else {
        through[0] = carry;
        carry = scan_numbers(in, through + 1, i, n, carry, next, nothing);
        for (index_t k = 0; k < n; ++k) visit(i + k, through[k], through[k + 1]);
      }
    }
    return carry;
  }

  template <class Next>
  T scan_past_caches(tile t, T* to, T carry, Next& next) const {
    auto const load = ravel::detail::on_tile(load_all, t);
    auto const* const from = static_cast<T const*>(source(load)) + t.begin;
    stream_buffer<T, batch<T>> out(from, to, keeps_before, carry);
    T room[batch<T>];
    for (index_t i = t.begin; i < t.end; i += batch<T>) {
      index_t const n = std::min(batch<T>, t.end - i);
      carry = scan_numbers(loaded<T>(load, i, n, room), out.room(), i, n, carry, next,
                           [&](index_t g) { out.put_until(g); });
      if (i + n < t.end) {
        out.next_batch();
      } else {
        out.finish(n);
      }
    }
    return carry;
  }
};

#endif

}  // namespace ravel::inline v0::cpu::detail
