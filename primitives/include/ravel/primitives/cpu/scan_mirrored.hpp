#pragma once

/// Backward scan of numbers on the host: one thread's work on a tile, in vectors whose lanes are
/// reversed at loads and stores.
///
/// Tiles are those of the mirrored sequence, and operands are combined in its order.  Within each
/// batch, elements are loaded and results visited in the order of memory.

#include <ravel/core/cpu/flow.hpp>
#include <ravel/core/cpu/loops.hpp>
#include <ravel/core/cpu/worker.hpp>
#include <ravel/primitives/cpu/scan_numbers.hpp>
#include <ravel/primitives/scan_visits.hpp>

namespace ravel::inline v0::cpu::detail {

template <class Load>
[[gnu::always_inline]] inline void const* source(mirrored<Load> const& load) {
  return source(load.source);
}

template <class T, class Visit>
bool streams(void const* in, ravel::detail::mirrored_visit<Visit> const& visit, index_t n) {
  return streams<T>(in, visit.visit, n);
}

/// The same memory, prefetched from its end to its begin.
inline prefetch_range reversed_range(prefetch_range const& upcoming) {
  if (upcoming.count == 0) return {};
  return {upcoming.from + (upcoming.count - 1) * upcoming.step, -upcoming.step, upcoming.count};
}

/// Scans tile t serially, in the order of worker::scan, at memory positions.  The loop counts down
/// to zero, so that its exit is predicted.
template <class M, class Load, class Visit, class T>
T scan_in_turn(tile t, mirrored<Load> const& load_all,
               ravel::detail::mirrored_visit<Visit> const& visit_all, M m, T carry) {
  tile const here{t.id, load_all.last + 1 - t.end, load_all.last + 1 - t.begin};
  auto const load = ravel::detail::on_tile(load_all.source, here);
  auto const visit = ravel::detail::on_tile(visit_all.visit, here);
  for (index_t i = here.end; i-- > here.begin;) {
    T const through = m(carry, T(load(i)));
    visit(i, carry, through);
    carry = through;
  }
  return carry;
}
template <class M, class Load, class Visit, class T>
T scan_in_turn(tile t, Load const& load, Visit const& visit, M m, T const& carry) {
  return worker::scan(t, ravel::detail::on_tile(load, t), ravel::detail::on_tile(visit, t), m,
                      carry);
}

/// The backward form of scan_of_numbers in scan_numbers.hpp.
template <class M, class Load, class Visit>
struct scan_of_numbers<M, mirrored<Load>, ravel::detail::mirrored_visit<Visit>> {
  using forward = scan_of_numbers<M, Load, Visit>;
  using T = carrier_t<M>;
  static constexpr bool keeps_through = forward::keeps_through;
  static constexpr bool keeps_before = forward::keeps_before;
  static constexpr bool is_plain = forward::is_plain;

  M m;
  mirrored<Load> load_all;
  ravel::detail::mirrored_visit<Visit> visit_all;
  bool streaming;

  T total(tile t) const {
    tile const here = in_memory(t);
    auto const load = ravel::detail::on_tile(load_all.source, here);
    T carry = T(m.identity());
    if constexpr (groups_freely<M>) {
      carry = combined(m, load, here, carry);
    } else {
      T room[batch<T>], reversed[batch<T>];
      from_end(here, [&](tile part) {
        index_t const n = part.end - part.begin;
        T const* const in = loaded<T>(load, part.begin, n, room);
        for (index_t k = 0; k < n; ++k) reversed[k] = in[n - 1 - k];
        carry = loops::reduce<M>(reversed, n, carry);
      });
    }
    return carry;
  }

  /// Scans tile t from `carry` and returns the last inclusive prefix.  For a complete tile of
  /// floating-point numbers it also sets `all`, initially the identity, to total(t).
  T scan(tile t, T carry, tile next, T* all = nullptr) const {
    tile const here = in_memory(t);
    auto const visit = ravel::detail::on_tile(visit_all.visit, here);
    auto const load = ravel::detail::on_tile(load_all.source, here);
    prefetch_range const upcoming =
        prefetch_range_mirrored(next.begin < next.end ? in_memory(next) : tile{});
    if constexpr (keeps_through || keeps_before) {
      constexpr auto what = keeps_through ? scanned::through : scanned::before;
      return scan_to<what>(load, here, carry, upcoming,
                           results(visit.to + here.end, streaming, direction::backward), all);
    } else {
      T through[batch<T> + 1];
      from_end(here, [&](tile part) {
        index_t const n = part.end - part.begin;
        through[n] = carry;
        carry = scan_to<scanned::through>(load, part, carry, upcoming.after(here.end - part.end),
                                          results(through + n, false, direction::backward), all);
        visit_numbers(visit, part, through + 1, through, streaming);
      });
      return carry;
    }
  }

 private:
  /// The memory positions of a tile of the mirrored sequence.
  tile in_memory(tile t) const {
    return {t.id, load_all.last + 1 - t.end, load_all.last + 1 - t.begin};
  }

  /// Calls f(tile) for each batch of a tile, the last batch first.
  static void from_end(tile t, auto const& f) {
    for (index_t end = t.end; end > t.begin; end -= std::min(batch<T>, end - t.begin)) {
      f(tile{t.id, std::max(t.begin, end - batch<T>), end});
    }
  }

  /// The memory of a tile, to be prefetched from the last element on.
  prefetch_range prefetch_range_mirrored(tile t) const {
    if (t.begin >= t.end) return {};
    return reversed_range(
        prefetch_range_of(ravel::detail::on_tile(load_all.source, t), t.begin, t.end));
  }

  /// Writes the scan of elements [t.begin, t.end) to `out`.
  template <scanned What, class On>
  T scan_to(On const& load, tile t, T carry, prefetch_range const& upcoming, results&& out,
            T* all) const {
    constexpr auto back = direction::backward;
    if constexpr (std::same_as<On, contiguous<T>>) {
      carry =
          loops::scan<What, M, back>(load.data + t.end, t.end - t.begin, carry, out, upcoming, all);
    } else {
      T room[batch<T>];
      from_end(t, [&](tile part) {
        index_t const n = part.end - part.begin;
        carry = loops::scan<What, M, back>(loaded<T>(load, part.begin, n, room) + n, n, carry, out,
                                           upcoming.after(t.end - part.end), all);
      });
    }
    out.finish();
    return carry;
  }
};

}  // namespace ravel::inline v0::cpu::detail
