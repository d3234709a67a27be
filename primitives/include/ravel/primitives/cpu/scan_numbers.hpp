#pragma once

/// Scan of numbers on the host in vector registers: one thread's work on a tile, and its prefetches
/// for the next one (docs/decisions/0017).

#include <ravel/core/cpu/flow.hpp>
#include <ravel/core/cpu/loops.hpp>
#include <ravel/core/cpu/simd.hpp>
#include <ravel/core/cpu/stream.hpp>
#include <ravel/core/cpu/worker.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/scan_visits.hpp>

namespace ravel::inline v0::cpu::detail {

/// Elements of a tile of a scan: 128 KiB, which fit in an L2 cache of 256 KiB or more.
template <class T>
inline constexpr index_t scan_width = std::max<index_t>(131072 / sizeof(T), 1024);

/// Elements of a batch, 8 KiB of L1: loads that are not contiguous fill a buffer of one batch
/// before the scan, and visits that do not write contiguously read one after it.
template <class T>
inline constexpr index_t batch = 8192 / sizeof(T);

/// Where elements [i, i + n) can be read contiguously: in place for a contiguous load; otherwise in
/// `room`, which this fills.
template <class T>
T const* loaded(contiguous<T> const& load, index_t i, index_t, T*) {
  return load.data + i;
}
template <class T, class Load>
T const* loaded(Load const& load, index_t i, index_t n, T* room) {
  for (index_t k = 0; k < n; ++k) room[k] = T(load(i + k));
  return room;
}

/// The memory from which elements [first, end) are loaded, to be prefetched, if it is known.  A
/// load that reads one address per element may provide it as address(i), which is assumed to
/// advance by a constant.  A load that reads more provides the range itself.
template <class T>
prefetch_range prefetch_range_of(contiguous<T> const& load, index_t first, index_t end) {
  if (first >= end) return {};
  return {reinterpret_cast<char const*>(load.data + first), sizeof(T), end - first};
}
template <class Load>
prefetch_range prefetch_range_of(Load const& load, index_t first, index_t end) {
  if (first >= end) return {};
  if constexpr (requires { load.prefetch_range_of(first, end); }) {
    return load.prefetch_range_of(first, end);
  } else if constexpr (requires { load.address(first); }) {
    auto const* const base = static_cast<char const*>(load.address(first));
    index_t const step =
        end - first > 1 ? static_cast<char const*>(load.address(first + 1)) - base : 0;
    return {base, step, end - first};
  } else {
    return {};
  }
}

/// The address from which a load reads its elements; null if it is not known.
template <class Load>
[[gnu::always_inline]] inline void const* source([[maybe_unused]] Load const& load) {
  if constexpr (load_of_elements<Load>) {
    return load.elements();
  } else {
    return nullptr;
  }
}

/// Whether a visit maps each result and writes the mapped number.
template <class Visit>
inline constexpr bool makes_numbers = false;
template <class Make, simd::number Out>
inline constexpr bool makes_numbers<ravel::detail::write_made<Make, Out>> = true;

/// Whether to write n results of a scan by non-temporal stores: if they are many, and do not
/// overwrite the elements, which are in the cache.
template <class T, class Visit>
[[gnu::always_inline]] inline bool streams(void const* in, Visit const& visit, index_t n) {
  if constexpr (makes_numbers<Visit> || requires {
                  { visit.to } -> std::convertible_to<T const*>;
                }) {
    return n >= beyond_caches / index_t{sizeof(*visit.to)} && in != visit.to;
  } else {
    return false;
  }
}

/// A fence after n results, if any of them may have been written by non-temporal stores.  Results
/// may be wider than the scanned elements.
inline void fence_results(index_t n) {
  constexpr index_t widest = 8;  // in bytes
  if (n >= beyond_caches / widest) stream_fence();
}

/// Whether a plain loop combines what is loaded, which compilers vectorise with the load: minima and
/// maxima of integers of 8 bytes, and sums of integers that a filter may replace by 0.
template <class M, class Load, class T>
inline constexpr bool combines_plainly =
    std::integral<T> &&
    ((std::same_as<M, plus<T>> && requires { requires Load::filters; }) ||
     (sizeof(T) == 8 && (std::same_as<M, minimum<T>> || std::same_as<M, maximum<T>>)));

/// Returns carry * load(begin) * ... * load(end - 1), in the order of loops::reduce.
template <class M, class Load, class T>
T combined([[maybe_unused]] M m, Load const& load, tile t, T carry,
           prefetch_range const& upcoming = {}) {
  if constexpr (std::same_as<Load, contiguous<T>>) {
    return loops::reduce<M>(load.data + t.begin, t.end - t.begin, carry, upcoming);
  } else {
    if constexpr (combines_plainly<M, Load, T>) {
      if (upcoming.count == 0) return worker::reduce(t, load, m, carry);
    }
    static_assert(batch<T> % loops::group_width<T> == 0);
    T room[batch<T>];
    for (index_t i = t.begin; i < t.end; i += batch<T>) {
      index_t const n = std::min(batch<T>, t.end - i);
      carry = loops::reduce<M>(loaded<T>(load, i, n, room), n, carry, upcoming.after(i - t.begin));
    }
    return carry;
  }
}

/// Visits elements [t.begin, t.end).  `before` and `through` point to the exclusive and inclusive
/// prefix of the first one.
template <class T, class Visit>
void visit_numbers(Visit const& visit, tile t, T const* before, T const* through,
                   [[maybe_unused]] bool streaming) {
  if constexpr (makes_numbers<Visit>) {
    using U = std::remove_pointer_t<decltype(visit.to)>;
    if (streaming) {
      U made[batch<T>];
      for (index_t k = t.begin; k < t.end; ++k, ++before, ++through) {
        made[k - t.begin] = static_cast<U>(visit.make(k, *before, *through));
      }
      return stream(made, visit.to + t.begin, t.end - t.begin);
    }
  }
  for (index_t k = t.begin; k < t.end; ++k, ++before, ++through) visit(k, *before, *through);
}

/// A scan of numbers in vectors, for any load and visit: operands that are not contiguous in memory
/// pass through buffers of one batch.
template <class M, class Load, class Visit>
struct scan_of_numbers {
  using T = carrier_t<M>;
  using visit_type = decltype(ravel::detail::on_tile(std::declval<Visit const&>(), tile{}));
  static constexpr bool keeps_through = std::same_as<visit_type, ravel::detail::write_through<T>>;
  static constexpr bool keeps_before = std::same_as<visit_type, ravel::detail::write_before<T>>;
  static constexpr bool is_plain =
      std::same_as<Load, contiguous<T>> && (keeps_through || keeps_before);

  M m;
  Load load_all;
  Visit visit_all;
  bool streaming;

  T total(tile t) const {
    return combined(m, ravel::detail::on_tile(load_all, t), t, T(m.identity()));
  }

  /// Scans tile t from `carry` and returns the last inclusive prefix.  For a complete tile of
  /// floating-point numbers it also sets `all`, initially the identity, to total(t).
  T scan(tile t, T carry, tile next, T* all = nullptr) const {
    auto const visit = ravel::detail::on_tile(visit_all, t);
    auto const load = ravel::detail::on_tile(load_all, t);
    // If `next` is empty, nothing is prefetched.
    prefetch_range const upcoming = prefetch_range_of(
        ravel::detail::on_tile(load_all, next.begin < next.end ? next : t), next.begin, next.end);
    if constexpr (keeps_through || keeps_before) {
      constexpr auto what = keeps_through ? scanned::through : scanned::before;
      return scan_to<what>(load, t, carry, upcoming, results(visit.to + t.begin, streaming), all);
    } else {
      T through[batch<T> + 1];
      for (index_t i = t.begin; i < t.end; i += batch<T>) {
        tile const part{t.id, i, std::min(i + batch<T>, t.end)};
        through[0] = carry;
        carry = scan_to<scanned::through>(load, part, carry, upcoming.after(i - t.begin),
                                          results(through + 1, false), all);
        visit_numbers(visit, part, through, through + 1, streaming);
      }
      return carry;
    }
  }

 private:
  /// Writes the scan of tile t to `out`.
  template <scanned What, class On>
  T scan_to(On const& load, tile t, T carry, prefetch_range const& upcoming, results&& out,
            T* all) const {
    if constexpr (std::same_as<On, contiguous<T>>) {
      carry = loops::scan<What, M>(load.data + t.begin, t.end - t.begin, carry, out, upcoming, all);
    } else {
      T room[batch<T>];
      for (index_t i = t.begin; i < t.end; i += batch<T>) {
        index_t const n = std::min(batch<T>, t.end - i);
        carry = loops::scan<What, M>(loaded<T>(load, i, n, room), n, carry, out,
                                     upcoming.after(i - t.begin), all);
      }
    }
    out.finish();
    return carry;
  }
};

}  // namespace ravel::inline v0::cpu::detail
