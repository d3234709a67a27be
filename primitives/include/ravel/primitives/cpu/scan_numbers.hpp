#pragma once

/// @file
/// Scan on the host, of numbers, in vector registers: what one thread does to a tile,
/// and to the one that it will have next (docs/decisions/0017).

#include <ravel/core/config.hpp>
#include <ravel/core/cpu/simd.hpp>
#include <ravel/core/cpu/simd_reduce.hpp>
#include <ravel/core/cpu/simd_scan.hpp>
#include <ravel/core/cpu/stream.hpp>
#include <ravel/core/monoid.hpp>
#include <ravel/core/tile.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/scan_visits.hpp>

#include <algorithm>
#include <concepts>
#include <type_traits>
#include <utility>

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
/// that reads memory at one place may say where, as address(i).  It is always inlined,
/// because g++ drops calls of functions that only prefetch.
template <class T>
[[gnu::always_inline]] inline void fetch(ravel::detail::read<T> const& load, index_t i) {
  __builtin_prefetch(load.from + i, 0, 2);
}
template <class Load>
[[gnu::always_inline]] inline void fetch([[maybe_unused]] Load const& load,
                                         [[maybe_unused]] index_t i) {
  if constexpr (requires { load.address(i); }) {
    __builtin_prefetch(load.address(i), 0, 2);
  } else if constexpr (requires { load.fetch(i); }) {
    load.fetch(i);
  }
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

/// Numbers that are made of results.
template <class Visit>
inline constexpr bool makes_numbers = false;
template <class Make, simd::number Out>
inline constexpr bool makes_numbers<ravel::detail::write_made<Make, Out>> = true;

/// Whether n results of a scan should be streamed: they are many, and are not
/// written where the elements were, which is in the cache.
template <class T, class Visit>
bool streams(void const* from, Visit const& visit, index_t n) {
  if constexpr (makes_numbers<Visit> || requires {
                  { visit.to } -> std::convertible_to<T const*>;
                }) {
    return n >= beyond_caches / index_t{sizeof(*visit.to)} && from != visit.to;
  } else {
    return false;
  }
}

/// Asks memory for elements [first, end), from where it loads them, while others are
/// scanned: for one vector when one is scanned, so that memory is never idle.
template <class Load>
class ask_for {
  Load load_;
  index_t first_, end_;

 public:
  ask_for(Load const& load, index_t first, index_t end) : load_(load), first_(first), end_(end) {}

  [[gnu::always_inline]] inline void operator()(index_t i) const {
    if (first_ + i < end_) fetch(load_, first_ + i);
  }
  ask_for after(index_t i) const { return {load_, first_ + i, end_}; }
};

struct ask_for_nothing {
  void operator()(index_t) const {}
  ask_for_nothing after(index_t) const { return {}; }
};

/// carry * load(begin) * ... * load(end - 1), in the order of simd::reduce.
template <class M, class Load, class T, class Ask>
T combined(M m, Load const& load, tile t, T carry, Ask const& ask) {
  if constexpr (std::same_as<Load, ravel::detail::read<T>>) {
    return simd::reduce(m, load.from + t.begin, t.end - t.begin, carry, ask);
  }
  T room[batch<T>];
  for (index_t i = t.begin; i < t.end; i += batch<T>) {
    index_t const n = std::min(batch<T>, t.end - i);
    carry = simd::reduce(m, loaded<T>(load, i, n, room), n, carry, ask.after(i - t.begin));
  }
  return carry;
}

template <class M, class Load, class T>
T combined(M m, Load const& load, tile t, T carry) {
  static_assert(batch<T> % simd::group_width<T> == 0);
  return combined(m, load, t, carry, ask_for_nothing{});
}

/// Puts the scan of n numbers to `out`, the last few one by one, on from `carry`, and
/// returns the last.  Calls ask(i) for every vector, from i on.
template <simd::scanned What, class M, class Out, class Ask, class T>
T scan_batch(M m, T const* in, index_t n, T carry, Out& out, Ask const& ask) {
  carry = simd::scan<What>(m, in, n, carry, out, ask);
  index_t k = n - n % simd::lanes<T>;
  if (k == n) return carry;
  for (T* to = out.finish(); k < n; ++k) {
    T const before = carry;
    carry = m(carry, in[k]);
    *to++ = What == simd::scanned::through ? carry : before;
  }
  return carry;
}

/// The same in vectors of numbers.
template <class M, class Load, class Visit>
struct scan_of_numbers {
  using T = carrier_t<M>;
  using visit_type = decltype(ravel::detail::on_tile(std::declval<Visit const&>(), tile{}));
  static constexpr bool keeps_through = std::same_as<visit_type, ravel::detail::write_through<T>>;
  static constexpr bool keeps_before = std::same_as<visit_type, ravel::detail::write_before<T>>;

  M m;
  Load load_all;
  Visit visit_all;
  bool streaming;

  T total(tile t) const {
    return combined(m, ravel::detail::on_tile(load_all, t), t, T(m.identity()));
  }

  /// Scans tile t on from `carry`, and returns what is through it.
  T scan(tile t, T carry, tile next) const {
    auto const visit = ravel::detail::on_tile(visit_all, t);
    auto const load = ravel::detail::on_tile(load_all, t);
    // Of no tile there is nothing to be asked for.
    ask_for const ask(ravel::detail::on_tile(load_all, next.begin < next.end ? next : t),
                      next.begin, next.end);
    if constexpr (keeps_through || keeps_before) {
      constexpr auto what = keeps_through ? simd::scanned::through : simd::scanned::before;
      T* const to = visit.to + t.begin;
      return streaming ? scan_to<what, stream_vectors<T>>(load, t, carry, ask, to)
                       : scan_to<what, store_vectors<T>>(load, t, carry, ask, to);
    } else {
      T through[batch<T> + 1];
      for (index_t i = t.begin; i < t.end; i += batch<T>) {
        tile const some{t.id, i, std::min(i + batch<T>, t.end)};
        through[0] = carry;
        carry = scan_to<simd::scanned::through, store_vectors<T>>(
            load, some, carry, ask.after(i - t.begin), through + 1);
        visit_all_of(visit, some, through);
      }
      return carry;
    }
  }

 private:
  /// Visits elements whose scan begins behind through[0].
  void visit_all_of(visit_type const& visit, tile t, T const* through) const {
    if constexpr (makes_numbers<visit_type>) {
      using U = std::remove_pointer_t<decltype(visit.to)>;
      if (streaming) {
        U made[batch<T>];
        for (index_t k = t.begin; k < t.end; ++k, ++through) {
          made[k - t.begin] = static_cast<U>(visit.make(k, through[0], through[1]));
        }
        return stream(made, visit.to + t.begin, t.end - t.begin);
      }
    }
    for (index_t k = t.begin; k < t.end; ++k, ++through) visit(k, through[0], through[1]);
  }

  /// Puts the scan of tile t to `to` on.
  template <simd::scanned What, class Out, class On, class Ask>
  T scan_to(On const& load, tile t, T carry, Ask const& ask, T* to) const {
    Out out(to);
    T room[batch<T>];
    for (index_t i = t.begin; i < t.end; i += batch<T>) {
      index_t const n = std::min(batch<T>, t.end - i);
      T const* const in = loaded<T>(load, i, n, room);
      carry = scan_batch<What>(m, in, n, carry, out, ask.after(i - t.begin));
    }
    out.finish();
    return carry;
  }
};

#endif

}  // namespace ravel::inline v0::cpu::detail
