#pragma once

/// Scans of tuples and scans of higher order on the host, in vector registers: one thread's work on
/// a tile, and its prefetches for the next one.

#include <ravel/core/cpu/executor.hpp>
#include <ravel/core/cpu/flow.hpp>
#include <ravel/core/cpu/host.hpp>
#include <ravel/core/cpu/loops.hpp>
#include <ravel/core/table.hpp>
#include <ravel/primitives/cpu/scan_numbers.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/scan_visits.hpp>
#include <ravel/primitives/tuples.hpp>

namespace ravel::inline v0::cpu {
namespace detail {

/// Combines each S-th element of a tile with carried[s], in lanes of blocks of 64 bytes.  Loops over lanes are not
/// unrolled: g++ 12 would vectorise them by shuffles, as straight code (2^24 words, order 2: 4.0 -> 12.4 ms).
template <class M, int S, class Load>
void total_of_tuples(Load const& load, tile t, carrier_t<M>* carried) {
  using T = carrier_t<M>;
  constexpr index_t width = S / (S & -S) * loops::block_width<T>;  // a multiple of S
  M const m{};
  T lanes[width];
  std::fill_n(lanes, width, m.identity());
  index_t i = t.begin;
  for (; i + width <= t.end; i += width) {
    RAVEL_ROLLED
    for (index_t k = 0; k < width; ++k) lanes[k] = m(lanes[k], static_cast<T>(load(i + k)));
  }
  for (index_t k = 0; k < width; ++k) carried[k % S] = m(carried[k % S], lanes[k]);
  for (int s = 0; i < t.end; ++i, s = s + 1 == S ? 0 : s + 1) {
    carried[s] = m(carried[s], static_cast<T>(load(i)));
  }
}

/// For sums in Q rounds, each over the sums of the round before, of a sequence in W lanes, each of which
/// has every W-th element: x of a lane, which k others of the lane follow, counts C(k + j, j) times in round j
/// of the lane.  W k + r elements of the sequence follow it, where r lanes follow this one.  So in round q of
/// the sequence it counts
///
///     C(W k + r + q, q) = of[q][W - 1 - r][0] C(k, 0) + ... + of[q][W - 1 - r][q] C(k + q, q)
///
/// times.  For k = -1 - i the left side is a polynomial of i, and C(k + j, j) = (-1)^j C(i, j): so the numbers
/// are its differences at 0, with alternating signs.
template <int Q, index_t W>
struct rounds_of_lanes {
  index_t of[Q][W][Q] = {};
  constexpr rounds_of_lanes() {
    for (int q = 0; q < Q; ++q) {
      for (index_t lane = 0; lane < W; ++lane) {
        index_t* const e = of[q][lane];
        for (int i = 0; i <= q; ++i) {
          e[i] = 1;
          for (int f = 1; f <= q; ++f) e[i] = e[i] * (f - 1 - lane - i * W) / f;
        }
        for (int j = 0; j < q; ++j) {
          for (int i = q; i > j; --i) e[i] = e[i - 1] - e[i];
        }
      }
    }
  }
};

/// Adds the elements of a tile up in Q rounds, each over the sums of the round before.
template <std::integral T, int Q, class Load>
void total_of_order(Load const& load, tile t, T* total) {
  using U = ravel::detail::wrapping_t<T>;
  constexpr index_t width = loops::block_width<T>;
  static constexpr rounds_of_lanes<Q, width> counts;
  U lanes[Q][width] = {}, sums[Q] = {};
  index_t i = t.begin;
  for (; i + width <= t.end; i += width) {
    RAVEL_ROLLED
    for (index_t k = 0; k < width; ++k) lanes[0][k] += static_cast<U>(static_cast<T>(load(i + k)));
    for (int q = 1; q < Q; ++q) {
      RAVEL_ROLLED
      for (index_t k = 0; k < width; ++k) lanes[q][k] += lanes[q - 1][k];
    }
  }
  for (int q = 0; q < Q; ++q) {
    for (index_t k = 0; k < width; ++k) {
      for (int j = 0; j <= q; ++j) sums[q] += static_cast<U>(counts.of[q][k][j]) * lanes[j][k];
    }
  }
  for (; i < t.end; ++i) {
    auto x = static_cast<U>(static_cast<T>(load(i)));
    for (int q = 0; q < Q; ++q) x = sums[q] += x;
  }
  for (int q = 0; q < Q; ++q) total[q] = static_cast<T>(sums[q]);
}

/// A scan of S-tuples, or of order Q, on tiles of elements.  `carried` holds the prefixes of the
/// next S elements, or the prefix in each of Q rounds.
template <class M, int S, int Q, class Load, class Visit>
struct scan_of_strides {
  using T = carrier_t<M>;
  using visit_type = decltype(ravel::detail::on_tile(std::declval<Visit const&>(), tile{}));
  static constexpr bool keeps_through = std::same_as<visit_type, ravel::detail::write_through<T>>;
  static constexpr bool keeps_before = std::same_as<visit_type, ravel::detail::write_before<T>>;

  Load load_all;
  Visit visit_all;
  bool streaming;

  /// Computes only the carries after a tile, from identities, and writes nothing.
  void total(tile t, T* carried) const {
    auto const load = ravel::detail::on_tile(load_all, t);
    if constexpr (Q == 1) {
      total_of_tuples<M, S>(load, t, carried);
    } else if constexpr (std::integral<T>) {
      total_of_order<T, Q>(load, t, carried);
    } else {
      results none(nullptr, false);
      scan_to<scanned::through>(load, t, carried, {}, none);
    }
  }

  void scan(tile t, T* carried, tile next) const {
    auto const visit = ravel::detail::on_tile(visit_all, t);
    auto const load = ravel::detail::on_tile(load_all, t);
    prefetch_range const upcoming = prefetch_range_of(
        ravel::detail::on_tile(load_all, next.begin < next.end ? next : t), next.begin, next.end);
    if constexpr (keeps_through || keeps_before) {
      results out(visit.to + t.begin, streaming);
      scan_to<keeps_through ? scanned::through : scanned::before>(load, t, carried, upcoming, out);
      out.finish();
    } else {
      T through[S + batch<T>];
      for (index_t i = t.begin; i < t.end; i += batch<T>) {
        tile const part{t.id, i, std::min(i + batch<T>, t.end)};
        std::copy(carried + (Q - 1) * S, carried + Q * S, through);
        results out(through + S, false);
        scan_to<scanned::through>(load, part, carried, upcoming.after(i - t.begin), out);
        for (index_t k = 0; k < part.end - i; ++k) visit(i + k, through[k], through[k + S]);
      }
    }
  }

 private:
  template <scanned What, class On>
  void scan_to(On const& load, tile t, T* carried, prefetch_range const& upcoming,
               results& out) const {
    if constexpr (std::same_as<On, contiguous<T>>) {
      loops::scan_strided<What, M>(load.data + t.begin, t.end - t.begin, S, Q, carried, out,
                                   upcoming);
    } else {
      T room[batch<T>];
      for (index_t i = t.begin; i < t.end; i += batch<T>) {
        index_t const n = std::min(batch<T>, t.end - i);
        loops::scan_strided<What, M>(loaded<T>(load, i, n, room), n, S, Q, carried, out,
                                     upcoming.after(i - t.begin));
      }
    }
  }
};

/// The work of one thread on tiles of tuples.
template <class M, int S, class Load, class Visit>
struct scan_of_tuples {
  using T = ravel::detail::tuple_of<carrier_t<M>, S>;
  scan_of_strides<M, S, 1, Load, Visit> elements;
  index_t n;  // number of elements

  T total(tile t) const {
    T totals = ravel::detail::tuple_monoid<M, S>{}.identity();
    elements.total(ravel::detail::elements_of<S>(t, n), totals.x);
    return totals;
  }
  T scan(tile t, T ahead, tile next) const {
    elements.scan(ravel::detail::elements_of<S>(t, n), ahead.x,
                  ravel::detail::elements_of<S>(next, n));
    return ahead;
  }

  /// Scans all elements serially.
  T scan_few(T ahead) const {
    M const m{};
    auto const load = ravel::detail::on_tile(elements.load_all, {0, 0, n});
    auto const visit = ravel::detail::on_tile(elements.visit_all, {0, 0, n});
    auto const next = [&](index_t i, auto& carried) {
      auto const before = carried;
      carried = m(before, static_cast<carrier_t<M>>(load(i)));
      visit(i, before, carried);
    };
    index_t i = 0;
    for (; i + S <= n; i += S) {
      for (int s = 0; s < S; ++s) next(i + s, ahead.x[s]);
    }
    for (int s = 0; s < S; ++s) {
      if (i + s < n) next(i + s, ahead.x[s]);
    }
    return ahead;
  }
};

/// Whether a scan is of tuples of numbers; if so, its load and visit of single numbers.
template <class M, class Load, class Visit>
struct as_tuples {
  static constexpr bool fast = false;
};
template <class M, int S, class Load, class Visit>
struct as_tuples<ravel::detail::tuple_monoid<M, S>, ravel::detail::load_tuple<S, Load, M>,
                 ravel::detail::visit_tuple<S, Visit>> {
  static constexpr bool fast = loops::known_of_strides<M>;
  /// The number of tuples from which vectors are faster than S serial dependency chains.
  static constexpr index_t fewest = std::max<index_t>(16, 32 * sizeof(carrier_t<M>) / S);
  static auto of(ravel::detail::load_tuple<S, Load, M> const& load,
                 ravel::detail::visit_tuple<S, Visit> const& visit) {
    return scan_of_tuples<M, S, Load, Visit>{
        {load.load, visit.visit, streams<carrier_t<M>>(source(load.load), visit.visit, load.n)},
        load.n};
  }
};

template <class Call>
using tuples_of_call = as_tuples<decltype(Call::m), decltype(Call::load), decltype(Call::visit)>;
template <class Call>
inline constexpr need of_tuples_in_vectors{tuples_of_call<Call>::fast,
                                           "tuples of sums of numbers of 4 or 8 bytes"};

}  // namespace detail

struct scan_few_tuples {
  static constexpr auto name = "few_tuples";
  static constexpr auto why =
      "One by one, a chain for each place of a tuple: 128 words of four bytes are as fast as in "
      "vectors, and 256 of eight.";
  template <class Call>
  static constexpr auto types = needs(detail::of_tuples_in_vectors<Call>);
  template <class Call>
  [[gnu::always_inline]] static constexpr auto now(Call const& c, host const&) {
    // Compares the number of elements, not of tuples, since that would take a division.
    constexpr index_t most_elements =
        Call::shape.tuples * (detail::tuples_of_call<Call>::fewest - 1);
    return needs(need{detail::are_one_tile(c.load.n, most_elements),
                      "1 to 15 tuples, or up to 127 numbers of four bytes, or 255 of eight"});
  }
  template <class Ex, class Call>
  [[gnu::always_inline]] static void run(Ex const&, Call const& c) {
    using T = typename Call::value_type;
    c.total(detail::tuples_of_call<Call>::of(c.load, c.visit).scan_few(T(c.seed())));
  }
};

}  // namespace ravel::inline v0::cpu
