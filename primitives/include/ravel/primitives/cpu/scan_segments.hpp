#pragma once

/// Segmented scan of numbers on the host: one thread's work on a tile, in vectors.
///
/// Head flags are bits, which mask the steps of a scan in a register.  Values are read in place, or
/// loaded to L1 first if they are not contiguous.

#include <ravel/core/cpu/flow.hpp>
#include <ravel/core/cpu/loops.hpp>
#include <ravel/core/cpu/stream.hpp>
#include <ravel/core/std_algorithm.hpp>
#include <ravel/primitives/cpu/head_words.hpp>
#include <ravel/primitives/cpu/scan_mirrored.hpp>
#include <ravel/primitives/cpu/scan_numbers.hpp>
#include <ravel/primitives/options.hpp>
#include <ravel/primitives/scan_visits.hpp>

namespace ravel::inline v0::cpu::detail {

/// Whether a visit writes only the inclusive prefixes to elements of type T; and only the exclusive
/// ones.
template <class T, class Visit>
inline constexpr bool writes_through = std::same_as<Visit, ravel::detail::write_through<T>>;
template <class T, class Visit>
inline constexpr bool writes_before = std::same_as<Visit, ravel::detail::write_before<T>>;

/// Whether to write the results of a segmented scan of numbers by non-temporal stores.
template <class Call>
[[gnu::always_inline]] inline bool streams_results(Call const& c) {
  using T = typename Call::value_type;
  if constexpr (writes_through<T, decltype(c.visit)> || writes_before<T, decltype(c.visit)>) {
    return streams<T>(source(c.load), c.visit, c.n);
  } else {
    return false;
  }
}

/// The work of one thread on tiles.  Elements are numbered in the order of the scan, which is that
/// of memory or its reverse.
template <class Call>
struct scan_of_segments {
  using T = typename Call::value_type;
  using monoid_of_values = std::remove_const_t<decltype(Call::m)>;
  static constexpr bool back = Call::backward;
  using M = std::conditional_t<back, flipped<monoid_of_values>, monoid_of_values>;
  static constexpr index_t width = scan_width<T>;  // elements of a tile
  static constexpr index_t tiles_of_one = groups_freely<M> ? 2 : 8;

  Call c;
  bool streaming;

  segmented<M> monoid() const { return {M{c.m}}; }
  nanoseconds least() const { return at_least(c.n); }

  // The members that a chained scan over tiles calls (core/cpu/chained_scan.hpp).
  flagged<T> total(index_t t) const { return total_of(nth_tile(t, width, c.n)); }
  auto visit(index_t t, flagged<T> const& before, index_t next) const {
    flagged<T> const through = scan(nth_tile(t, width, c.n), before, nth_tile(next, width, c.n));
    if constexpr (groups_freely<M>) return through;
  }

  [[gnu::always_inline]] flagged<T> scan(tile t, flagged<T> carry, tile next) const {
    batches const read(c, t);
    tile const here = in_memory(t);
    auto const visit = ravel::detail::on_tile(c.visit, here);
    using Visit = std::remove_const_t<decltype(visit)>;
    prefetch_range const upcoming = read.prefetch_range_of(next);
    std::uint64_t heads[batch<T> / 64];
    if constexpr (writes_through<T, Visit> && !back) {
      carry.value =
          scan_to(read, t, carry.value, upcoming, heads, results(visit.to + t.begin, streaming));
    } else {
      // made[k] is the exclusive prefix of element k, and made[k + 1] the inclusive one
      T made[batch<T> + 1];
      for (index_t i = t.begin; i < t.end; i += batch<T>) {
        tile const part{t.id, i, std::min(i + batch<T>, t.end)};
        index_t const n = part.end - i;
        made[0] = carry.value;
        carry.value = scan_to(read, part, carry.value, upcoming.after(i - t.begin), heads,
                              results(made + 1, false));
        if constexpr (writes_through<T, Visit>) {
          put(made + 1, n, visit.to + in_memory(part).begin);
        } else if constexpr (writes_before<T, Visit>) {
          for_each_head(heads, n, [&](index_t k) { made[k] = T(c.seed()); });
          put(made, n, visit.to + in_memory(part).begin);
        } else {
          for (index_t k = 0; k < n; ++k) {
            bool const head = heads[k / 64] >> k % 64 & 1;
            visit(back ? c.n - 1 - (i + k) : i + k, head ? T(c.seed()) : made[k], made[k + 1]);
          }
        }
      }
    }
    return carry;
  }

  /// The total of a tile depends only on the elements from its last head on, so heads are searched
  /// backwards from its end.
  flagged<T> total_of(tile t) const {
    M const m{c.m};
    batches const read(c, t);
    T room[batch<T>];
    std::uint64_t heads[batch<T> / 64];
    T sum = m.identity();
    for (index_t k = div_up(t.end - t.begin, batch<T>) - 1; k >= 0; --k) {
      index_t const i = t.begin + k * batch<T>;
      index_t const n = std::min(batch<T>, t.end - i);
      T const* const in = read({t.id, i, i + n}, room, heads);
      for (index_t w = div_up(n, 64) - 1; w >= 0; --w) {
        if (heads[w] == 0) continue;
        index_t const head = 64 * w + 63 - std::countl_zero(heads[w]);
        return {m(loops::reduce<M>(in + head, n - head, m.identity()), sum), true};
      }
      sum = m(loops::reduce<M>(in, n, m.identity()), sum);
    }
    return {sum, false};
  }

 private:
  static tile in_memory(tile t, index_t n) { return back ? tile{t.id, n - t.end, n - t.begin} : t; }
  tile in_memory(tile t) const { return in_memory(t, c.n); }

  static void for_each_head(std::uint64_t const* heads, index_t n, auto const& f) {
    for (index_t k = 0; k < n; k += 64) {
      for (std::uint64_t rest = heads[k / 64]; rest != 0; rest &= rest - 1) {
        f(k + std::countr_zero(rest));
      }
    }
  }

  /// Reads the values and heads of a tile in batches.
  struct batches {
    using load_there = decltype(ravel::detail::on_tile(std::declval<Call const&>().load, tile{}));
    using segments_there =
        decltype(ravel::detail::on_tile(std::declval<Call const&>().segments, tile{}));
    Call const& c;
    load_there load;
    segments_there segments;

    batches(Call const& call, tile t)
        : c(call),
          load(ravel::detail::on_tile(call.load, in_memory(t, call.n))),
          segments(ravel::detail::on_tile(call.segments, in_memory(t, call.n))) {}

    /// Reads a batch: stores its heads, and returns its values, in place or in `room`.  For
    /// exclusive scans a head's value is combined with the seed.
    T const* operator()(tile t, T* room, std::uint64_t* heads) const {
      index_t const first = in_memory(t, c.n).begin, n = t.end - t.begin;
      T const* values = loaded<T>(load, first, n, room);
      if constexpr (back) {
        if (values == room) {
          std::reverse(room, room + n);
        } else {
          std::reverse_copy(values, values + n, room);
        }
        words_of_tails<batch<T>>(segments, first, n, heads);
        values = room;
      } else {
        words_of_heads<batch<T>>(segments, first, n, heads);
      }
      if constexpr (!std::same_as<std::remove_const_t<decltype(c.seed)>,
                                  ravel::detail::seed_identity<monoid_of_values>>) {
        if (values != room) std::copy(values, values + n, room);
        for_each_head(heads, n, [&](index_t k) { room[k] = c.then(T(c.seed()), room[k]); });
        values = room;
      }
      return values;
    }
    prefetch_range prefetch_range_of(tile t) const {
      tile const elements = in_memory(t, c.n);
      auto const range = detail::prefetch_range_of(load, elements.begin, elements.end);
      return back ? reversed_range(range) : range;
    }
  };

  /// Copies n results, in the order of the scan, to memory.
  void put(T* in, index_t n, T* out) const {
    if (streaming) {
      if constexpr (back) std::reverse(in, in + n);
      stream(in, out, n);
    } else if constexpr (back) {
      std::reverse_copy(in, in + n, out);
    } else {
      std::copy(in, in + n, out);
    }
  }

  /// Writes the scan of tile t to `out`, and the heads of its last batch to `heads`.
  T scan_to(batches const& read, tile t, T carry, prefetch_range const& upcoming,
            std::uint64_t* heads, results&& out) const {
    T room[batch<T>];
    for (index_t i = t.begin; i < t.end; i += batch<T>) {
      index_t const n = std::min(batch<T>, t.end - i);
      T const* const in = read({t.id, i, i + n}, room, heads);
      carry = loops::scan_segments<M>(in, heads, n, carry, out, upcoming.after(i - t.begin));
    }
    out.finish();
    return carry;
  }
};

}  // namespace ravel::inline v0::cpu::detail
