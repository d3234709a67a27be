#pragma once

/// @file
/// Segmented scan of numbers on the host: heads are bits, which mask the steps of a scan in a
/// register.

#include <ravel/core/config.hpp>
#include <ravel/core/cpu/flag_words.hpp>
#include <ravel/core/cpu/flow.hpp>
#include <ravel/core/cpu/loops.hpp>
#include <ravel/core/cpu/stream.hpp>
#include <ravel/core/derived_monoids.hpp>
#include <ravel/core/monoid.hpp>
#include <ravel/core/tile.hpp>
#include <ravel/primitives/cpu/scan_mirrored.hpp>
#include <ravel/primitives/cpu/scan_numbers.hpp>
#include <ravel/primitives/scan_visits.hpp>

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstdint>
#include <type_traits>

namespace ravel::inline v0::detail {

template <class Out>
struct write_value;  // of a segmented scan
template <class Out, class Cursor, class Seed, bool Backward>
struct write_value_before;

}  // namespace ravel::inline v0::detail

namespace ravel::inline v0::cpu::detail {

/// Whether there are vector loops for the segmented scan of a monoid.
template <class M>
struct as_segmented {
  static constexpr bool fast = false;
};
template <class M>
struct as_segmented<segmented<M>> {
  static constexpr bool fast = loops::known_of_segments<M>;
};

/// A serial scan of numbered segments, for loads that support it.
template <class Load>
struct as_numbered {
  static constexpr bool are = false;
};

/// Values and heads of elements [i, i + n): the values in place, or loaded to `room`.  Specialised
/// for loads with a faster way.
template <class T, class Load>
struct read_segmented {
  Load const& load;

  T const* operator()(index_t i, index_t n, T* room, std::uint64_t* heads) const {
    unsigned char head[batch<T>];
    for (index_t k = 0; k < n; ++k) {
      flagged<T> const x = load(i + k);
      room[k] = x.value;
      head[k] = x.head;
    }
    flag_words<nonzero<unsigned char>> const words{{head}};
    for (index_t k = 0; k < n; k += 64) heads[k / 64] = words(k, std::min<index_t>(64, n - k));
    return room;
  }
  static void const* source(Load const&) { return nullptr; }
};

/// Whether a visit only writes exclusive prefixes within segments.
template <class T, class Visit>
inline constexpr bool writes_before = false;
template <class T, class Cursor, class Seed, bool Backward>
inline constexpr bool
    writes_before<T, ravel::detail::write_value_before<T, Cursor, Seed, Backward>> = true;

/// The visit that writes, and the position of elements [t.begin, t.end), for forward and mirrored
/// visits.
template <class Visit>
struct written {
  static constexpr bool back = false;
  using visit = Visit;
  static auto* to(Visit const& by, tile t) { return by.to + t.begin; }
};
template <class Visit>
struct written<ravel::detail::mirrored_visit<Visit>> {
  static constexpr bool back = true;
  using visit = Visit;
  static auto* to(ravel::detail::mirrored_visit<Visit> const& by, tile t) {
    return by.visit.to + (by.last + 1 - t.end);
  }
};

/// A segmented scan of numbers in vectors.
template <class M, class Load, class Visit>
struct scan_of_segments {
  using T = carrier_t<M>;
  segmented<M> m;
  Load load_all;
  Visit visit_all;
  bool streaming;

  /// Only elements from the last head on count, so the head is searched from the end.
  flagged<T> total(tile t) const {
    auto const load = ravel::detail::on_tile(load_all, t);
    read_segmented<T, std::remove_const_t<decltype(load)>> const read{load};
    T room[batch<T>];
    std::uint64_t heads[batch<T> / 64];
    T sum = m.m.identity();
    for (index_t k = div_up(t.end - t.begin, batch<T>) - 1; k >= 0; --k) {
      index_t const i = t.begin + k * batch<T>;
      index_t const n = std::min(batch<T>, t.end - i);
      T const* const in = read(i, n, room, heads);
      for (index_t w = div_up(n, 64) - 1; w >= 0; --w) {
        if (heads[w] == 0) continue;
        index_t const head = 64 * w + 63 - std::countl_zero(heads[w]);
        return {m.m(loops::reduce<M>(in + head, n - head, m.m.identity()), sum), true};
      }
      sum = m.m(loops::reduce<M>(in, n, m.m.identity()), sum);
    }
    return {sum, false};
  }

  flagged<T> scan(tile t, flagged<T> carry, tile next) const {
    auto const visit = ravel::detail::on_tile(visit_all, t);
    auto const load = ravel::detail::on_tile(load_all, t);
    read_segmented<T, std::remove_const_t<decltype(load)>> const read{load};
    prefetch_range const upcoming = prefetch_range_of(read, next.begin, next.end);
    std::uint64_t heads[batch<T> / 64];
    using write = written<std::remove_const_t<decltype(visit)>>;
    constexpr bool through = std::same_as<typename write::visit, ravel::detail::write_value<T>>;
    constexpr bool before = writes_before<T, typename write::visit>;
    if constexpr (through && !write::back) {
      carry.value =
          scan_to(read, t, carry.value, upcoming, heads, results(visit.to + t.begin, streaming));
    } else if constexpr (through || before) {
      T all[batch<T> + 1];
      for (index_t i = t.begin; i < t.end; i += batch<T>) {
        tile const some{t.id, i, std::min(i + batch<T>, t.end)};
        all[0] = carry.value;
        carry.value = scan_to(read, some, carry.value, upcoming.after(i - t.begin), heads,
                              results(all + 1, false));
        if constexpr (before) seed_heads(visit, some.end - i, heads, all);
        put<write::back>(all + (before ? 0 : 1), some.end - i, write::to(visit, some));
      }
    } else {
      T made[batch<T> + 1];
      for (index_t i = t.begin; i < t.end; i += batch<T>) {
        tile const some{t.id, i, std::min(i + batch<T>, t.end)};
        made[0] = carry.value;
        carry.value = scan_to(read, some, carry.value, upcoming.after(i - t.begin), heads,
                              results(made + 1, false));
        for (index_t k = 0; k < some.end - i; ++k) {
          bool const seen = carry.head;
          carry.head = seen || (heads[k / 64] >> k % 64 & 1) != 0;
          visit(i + k, flagged<T>{made[k], seen}, flagged<T>{made[k + 1], carry.head});
        }
      }
    }
    return carry;
  }

 private:
  /// The prefix of the first element of a segment is the seed.
  template <class V>
  static void seed_heads(V const& visit, index_t n, std::uint64_t const* heads, T* before) {
    if constexpr (written<V>::back) {
      seed_heads(visit.visit, n, heads, before);
    } else {
      T const seed = T(visit.seed());
      for (index_t k = 0; k < n; k += 64) {
        for (std::uint64_t rest = heads[k / 64]; rest != 0; rest &= rest - 1) {
          before[k + std::countr_zero(rest)] = seed;
        }
      }
    }
  }

  /// Copies n results, in reverse order for a backward scan.
  template <bool Back>
  void put(T* from, index_t n, T* to) const {
    if (streaming) {
      if constexpr (Back) std::reverse(from, from + n);
      stream(from, to, n);
    } else if constexpr (Back) {
      std::reverse_copy(from, from + n, to);
    } else {
      std::copy_n(from, n, to);
    }
  }

  /// Writes the scan of tile t to `out`, and the heads of its last batch to `heads`.
  template <class Read>
  T scan_to(Read const& read, tile t, T carry, prefetch_range const& upcoming, std::uint64_t* heads,
            results&& out) const {
    T room[batch<T>];
    for (index_t i = t.begin; i < t.end; i += batch<T>) {
      index_t const n = std::min(batch<T>, t.end - i);
      T const* const in = read(i, n, room, heads);
      carry = loops::scan_segments<M>(in, heads, n, carry, out, upcoming.after(i - t.begin));
    }
    out.finish();
    return carry;
  }
};

}  // namespace ravel::inline v0::cpu::detail
