#pragma once

/// Memory that grows with the results of a pass that drops elements.
///
/// Short inputs get room for all of their elements.  Longer ones are run in windows: each window
/// appends to the results of the preceding ones, and when a window may not fit, memory grows to the
/// size that the fraction kept so far predicts.  So a pass over 2^36 elements that keeps a thousand
/// needs memory for
/// a thousand and a window.

#include <ravel/core/function_ref.hpp>
#include <ravel/core/same_everywhere.hpp>
#include <ravel/core/transfer.hpp>
#include <ravel/pipelines/loads.hpp>
#include <ravel/pipelines/pass.hpp>
#include <ravel/pipelines/run.hpp>
#include <ravel/pipelines/targets.hpp>
#include <ravel/pipelines/view_steps.hpp>
#include <ravel/pipelines/views.hpp>
#include <ravel/primitives/find_first.hpp>
#include <ravel/primitives/map.hpp>

#include <new>
#include <tuple>

namespace ravel::inline v0::piping {

/// Bytes of a window: enough that starting and ending it, for which a device waits, costs less than
/// 1 %, and that primitives of the host use non-temporal stores as for the whole input.
template <class Ex>
inline constexpr index_t window_bytes = index_t{1} << (never_waits<Ex> ? 26 : 28);

/// The number of elements of a window, where each result has `Bytes` bytes.
template <class Ex, index_t Bytes>
inline constexpr index_t window_width = std::max<index_t>(window_bytes<Ex> / Bytes,
                                                          index_t{1} << 14);

/// Whether n elements with results of types Ts are more than two windows.
template <class Ex, class... T>
constexpr bool is_long(index_t n) {
  return n > 2 * window_width<Ex, (0 + ... + index_t{sizeof(T)})>;
}

/// `n` elements of a view from `first` on, as a view of the same type if there is one.
template <class V>
auto window_of(V const& v, index_t first, index_t n) {
  using step = slice_step<as_slice>;
  return seen_through<V, step>::of(v, step(first, n));
}
template <class V, class Called>
stepped<V, slice_step<Called>> window_of(stepped<V, slice_step<Called>> const& v, index_t first,
                                         index_t n) {
  return {v.view, slice_step<Called>(v.step.first + first, n)};
}
template <class V, class F>
auto window_of(stepped<V, map_step<F>> const& v, index_t first, index_t n) {
  auto const window = window_of(v.view, first, n);
  return stepped<std::remove_const_t<decltype(window)>, map_step<F>>{window, v.step};
}
template <class V>
using window_t = decltype(window_of(std::declval<V const&>(), index_t{}, index_t{}));
template <class... V>
zipped_views<window_t<V>...> window_of(zipped_views<V...> const& v, index_t first, index_t n) {
  return [&]<std::size_t... k>(std::index_sequence<k...>) {
    return zipped_views<window_t<V>...>{make_row(window_of(get<k>(v.views), first, n)...)};
  }
  (std::index_sequence_for<V...>{});
}

/// A function of elements with positions relative to all windows.
template <class F>
struct from_position {
  static constexpr bool partial = F::partial;
  F f;
  index_t first;
  template <class X>
  RAVEL_HD auto operator()(index_t i, X const& x) const {
    return f(first + i, x);
  }
};
inline as_it_is at_position(as_it_is f, index_t) { return f; }
template <class F>
from_position<F> at_position(F const& f, index_t first) {
  return {f, first};
}

/// Receives the number of elements kept, and the total of a scan.
template <class T>
struct store_count_and_state {
  index_t* count;
  T* last;
  RAVEL_HD void operator()(index_t n) const { *count = n; }
  RAVEL_HD void state(T const& through) const { *last = through; }
};

template <class Ex>
inline constexpr bool groups_by_length = false;
template <class Ex>
inline constexpr bool groups_by_length<same_everywhere<Ex>> = true;

/// Whether a long pass is run in windows: it may wait for the number kept, and
/// its results do not depend on the grouping of the scan.  On a device only if that
/// takes no additional kernels.
template <class Ex, class P, bool Waits = never_waits<Ex>>
inline constexpr bool runs_in_windows =
    Waits&& P::packs && !P::moves &&
    (never_waits<Ex> ? !(P::scans && groups_by_length<ravel::detail::own_t<Ex>>)
                     : !P::scans && std::same_as<window_t<decltype(P::view)>, decltype(P::view)>);

/// The total of the scan of a pass before its first element.
template <class P>
auto total_before(P const& p) {
  if constexpr (P::scans) {
    return start_of(p.scan.m, p.scan.initial)();
  } else {
    return no_scan{};
  }
}

/// Runs the windows of a pass, from first to last.
template <class Ex, class P>
class windows {
  using state = decltype(total_before(std::declval<P const&>()));
  Ex const& ex_;
  P const& p_;
  state through_;
  index_t first_ = 0;

 public:
  windows(Ex const& ex, P const& p) : ex_(ex), p_(p), through_(total_before(p)) {}

  /// The first element that no window has had.
  index_t first() const { return first_; }

  /// Writes the elements kept of the next n, as many as there is room for; returns their number.
  index_t run(index_t n, auto target) {
    if constexpr (P::scans) {
      return run_scan(n, target);
    } else if constexpr (is_plain_unique<decltype(P::view), decltype(P::before)>) {
      return run_unique(n, target);
    } else {
      return run_sifted(n, target);
    }
  }

 private:
  index_t run_sifted(index_t n, auto target) {
    using view = window_t<decltype(P::view)>;
    pass<view, decltype(P::before), no_scan, as_it_is> const part{
        window_of(p_.view, first_, n), p_.before, {}, {}};
    index_t const kept = ravel::detail::one_sync<index_t>(
        ex_, [&](auto const& count) { write(ex_, part, target, n, store_count{count.data()}); });
    first_ += n;
    return kept;
  }

  /// Of a scan each window begins with the total of the preceding ones.
  template <class Target>
  index_t run_scan(index_t n, Target target) {
    using scan = decltype(P::scan);
    using from_here = scan_of<scan::inclusive, false, decltype(scan::m), from_value<state>>;
    index_t kept = 0;
    auto const view = window_of(p_.view, first_, n);
    auto const after = at_position(p_.after, first_);
    pass<std::remove_const_t<decltype(view)>, decltype(p_.before), from_here,
         std::remove_const_t<decltype(after)>> const part{
        view, p_.before, {p_.scan.m, {through_}}, after};
    store_count_and_state<state> const received{&kept, &through_};
    if constexpr (is_instance<Target, to_memory>) {
      using Out = std::remove_pointer_t<decltype(target.out)>;
      pack_scanned(ex_, part, write_kept<Out>{target.out, n}, received);
    } else {
      pack_scanned(ex_, part, while_room<Target>{target, n}, received);
    }
    first_ += n;
    return kept;
  }

  /// Of runs of equal elements in memory each window begins at the beginning of a run, so that the
  /// primitive unique serves.
  index_t run_unique(index_t n, auto target) {
    index_t kept = 0;
    auto const memory = window_of(p_.view.view, first_, n);
    write(ex_, P{{memory, p_.view.step}, p_.before, {}, {}}, target, n, store_count{&kept});
    first_ += n;
    auto const* const after = p_.view.view.data + first_;
    using differs = ravel::detail::key_changes<std::remove_cvref_t<decltype(*after)>,
                                               decltype(p_.view.step.eq)>;
    if (index_t const left = p_.most() - first_; left > 0) {
      index_t skipped = 0;
      find_first_on(ex_, left, differs{after, p_.view.step.eq}, store_count{&skipped});
      first_ += skipped;
    }
    return kept;
  }
};

/// Sequences in memory of an executor that grow together: one, or one for each value of a row.
template <class Ex, class Target>
class growing;
template <class Ex, template <class...> class Target, class... T>
class growing<Ex, Target<T...>> {
  template <class U>
  using memory = decltype(std::declval<Ex const&>().template allocate<U>(index_t{}));
  using all = std::tuple<memory<T>...>;
  Ex const& ex_;
  all parts_;
  index_t capacity_ = 0;

 public:
  static constexpr index_t bytes = (0 + ... + index_t{sizeof(T)});

  explicit growing(Ex const& ex) : ex_(ex), parts_(ex.template allocate<T>(0)...) {}

  index_t capacity() const { return capacity_; }

  /// Grows to `capacity` elements, and copies the first `used` ones.
  void grow(index_t capacity, index_t used) {
    all larger(ex_.template allocate<T>(capacity)...);
    [&]<std::size_t... k>(std::index_sequence<k...>) {
      (map_on(ex_, used, load_elements<T>{std::get<k>(parts_).data()},
              to_memory<T>{std::get<k>(larger).data()}),
       ...);
    }
    (std::index_sequence_for<T...>{});
    parts_ = std::move(larger);
    capacity_ = capacity;
  }

  /// The target for elements from `first` on.
  Target<T...> from(index_t first) const {
    return ravel::detail::call_with(
        [&](auto const&... part) { return Target<T...>::at(part.data() + first...); }, parts_);
  }

  all take() && { return std::move(parts_); }
};

/// Grows to at least `needed` elements, of which `used` exist, and to `expected` if
/// allocation succeeds: untouched memory costs nothing, but may not be available.
void grow(auto& room, index_t needed, index_t expected, index_t used) {
  if (expected > needed) {
    try {
      return room.grow(expected, used);
    } catch (std::bad_alloc const&) {  // NOLINT(bugprone-empty-catch): retried with less
    }
  }
  room.grow(needed, used);
}

/// Writes the results of a pass to memory that grows, in windows of `width` elements; returns
/// the number of results.
template <class Ex, class P, class Room>
index_t write_growing(Ex const& ex, P const& p, Room& room,
                      index_t width = window_width<Ex, Room::bytes>) {
  // The most bytes to allocate by the fraction kept in one window: untouched host memory is free.
  constexpr index_t fair = never_waits<Ex> ? index_t{1} << 32 : 0;
  windows<Ex, P> cursor(ex, p);
  index_t const n = p.most();
  index_t used = 0;
  index_t next = div_up(width, 64);  // a short first window, to estimate the fraction kept
  while (cursor.first() < n) {
    index_t const count = std::min(next, n - cursor.first());
    if (room.capacity() - used < count) {
      double const share = cursor.first() > 0 ? double(used) / double(cursor.first()) : 0;
      double const kept = double(used) + share * 1.01 * double(n - cursor.first());
      double const limit = 16 * double(used) + double(fair / Room::bytes);
      index_t const expected = cursor.first() > 0 ? index_t(std::min(kept, limit)) + width : 0;
      grow(room, used + count, std::min(expected, used + (n - cursor.first())), used);
    }
    used += cursor.run(count, room.from(used));
    next = width;
  }
  return used;
}

}  // namespace ravel::inline v0::piping
