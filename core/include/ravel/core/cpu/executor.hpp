#pragma once

/// The host executors: a team of threads, and a single thread (core/cpu/sequential.hpp).

#include <ravel/core/cpu/host.hpp>
#include <ravel/core/cpu/sequential.hpp>
#include <ravel/core/cpu/team.hpp>
#include <ravel/core/cpu/wake_up.hpp>
#include <ravel/core/cpu/worker.hpp>

#include <cstring>

namespace ravel::inline v0::cpu {

namespace detail {

/// Steps that declare `static constexpr bool cheap = true`: a few ns an element, whatever the
/// elements are, so that the calling thread processes a tile alone without reading the clock.
template <class F>
concept cheap = bool{F::cheap};

/// Steps that declare `static constexpr bool ends_early = true`: the result of the first tiles may
/// make the others unnecessary, as in a search.  So all threads begin there instead of each with
/// its own share.
template <class F>
concept ends_early = bool{F::ends_early};

}  // namespace detail

/// Runs the tiles on several threads.
///
///     cpu::threads{}       as many as the caller's oneTBB arena has; outside of any arena
///                          one for each core
///     cpu::threads{4}      four, in an arena of its own
///
/// More threads than cores are accepted, and share the cores.  At most most_threads() are made:
/// four for each core, and at least 16.  concurrency() returns their number.
///
/// In a step over independent elements, the work and not the number of elements decides how many
/// threads take part.  The calling thread begins alone, and wakes others when the elapsed time
/// shows that it pays (core/cpu/wake_up.hpp), or at once if a grain is set (core/grain.hpp).  In a
/// step over tiles, the calling thread processes fewer than `serial_below` elements alone.
///
/// An exception thrown by a user's operator propagates from the call that used it.  Copies of an
/// executor share its threads; several threads may use one executor at once.
///
/// Errors   contract_error if the number of threads is negative.
class threads : public sequential {
  detail::team team_;
  index_t grain_ = 0;  // elements that a thread takes at once; 0: decided by elapsed time
  // If earlier elements were cheap, this number of them is processed without reading the clock: 0 if a
  // grain is set, no limit for one thread, which counts no elements.
  index_t unseen_ = tile_width;
  index_t counted_ = -1;  // the bits of their number that count

 public:
  static constexpr index_t serial_below = 4 * tile_width;

 private:
  static constexpr index_t all = std::numeric_limits<index_t>::max();
  static constexpr index_t much = index_t{1} << 22;  // bytes that one thread copies in 0.2 ms

 public:
  explicit threads(int count = 0)
      : team_((expects(count >= 0, "cpu::threads: there cannot be ", count, " threads"), count)) {
    if (count == 1) unseen_ = all, counted_ = 0;
  }

  constexpr host machine() const { return host{.several_threads = true}; }

  /// The number of threads that can work at once.
  int concurrency() const { return team_.size(); }

  /// Copies elements; from 4 MiB on by all threads, if elements are trivial and the ranges do not
  /// overlap.
  template <class T>
  void copy(T const* source, T* target, index_t n) const {
    bool constexpr is_trivial = std::is_trivially_copyable_v<T>;
    if (index_t const bytes = n * index_t{sizeof(T)}; is_trivial && bytes >= much) {
      copy_bytes(reinterpret_cast<char const*>(source), reinterpret_cast<char*>(target), bytes);
    } else {
      sequential::copy(source, target, n);
    }
  }

  /// Writes to each page of fresh memory, so that the kernel maps it; from 4 MiB on by all threads.
  void touch(char* memory, index_t bytes) const;

  void on_each_thread(index_t limit, auto const& f) const { team_.on_each(limit, f); }

  /// Calls f() and g(), concurrently if a thread is free: core/parallel.hpp.
  void do_both(ravel::detail::function_ref<void()> f, ravel::detail::function_ref<void()> g) const {
    team_.do_both(f, g);
  }

  /// A copy of this executor with a grain: in steps over elements, threads take `grain` elements at
  /// a time, and are woken at once if there are more (core/grain.hpp).
  threads with_grain(index_t grain) const {
    threads same = *this;
    same.grain_ = grain;
    same.unseen_ = 0;
    return same;
  }

  template <class F>
  void for_each_tile(index_t n, F f) const {
    if constexpr (ravel::detail::divisible<F>) {
      for_each_part(n, f);
    } else {
      for_each_tile_of(tile_width, n, f);
    }
  }

  /// Calls f(worker, tile) for intervals of any size that together are [0, n).  Elapsed time or the
  /// grain decides how many threads share them.  Up to a tile of elements is one interval if
  /// the step is cheap, or earlier calls with this type of step were.
  template <class F>
  void for_each_part(index_t n, F const& f) const {
    if constexpr (detail::cheap<F>) {
      if (detail::are_one_tile(n, tile_width)) return f(worker{}, tile{0, 0, n});
    }
    detail::known_elements& known = detail::known_of<F>();
    if (detail::are_one_tile(n, unseen_) && known.take(n & counted_)) {
      f(worker{}, tile{0, 0, n});
    } else if (n > 0) {
      auto const of_part = [kept = f](tile t) { kept(worker{}, t); };
      parts_in_parallel(n, of_part, known);
    }
  }

  void for_each_tile_of(index_t width, index_t n, auto f) const {
    for_each_tile_by(width, n, f, [n] { return detail::at_least(n); });
  }
  /// As for_each_tile_of, with a lower bound, `least`, on the time that one thread takes for all
  /// tiles.
  void for_each_tile_of(index_t width, index_t n, auto f, detail::nanoseconds least) const {
    for_each_tile_by(width, n, f, [least] { return least; });
  }

 private:
  template <class F, class Least>
  void for_each_tile_by(index_t width, index_t n, F const& f, Least least) const {
    if (detail::are_one_tile(n, width)) {
      f(worker{}, tile{0, 0, n});
    } else if (n > 0) {
      auto const of_tile = [kept = f](tile t) { kept(worker{}, t); };
      constexpr auto where =
          detail::ends_early<F> ? detail::beginning::together : detail::beginning::apart;
      tiles_in_parallel(width, n, of_tile, least(), where);
    }
  }
  void copy_bytes(char const* source, char* target, index_t bytes) const;
  void parts_in_parallel(index_t n, ravel::detail::function_ref<void(tile)> f,
                         detail::known_elements& known) const;
  void tiles_in_parallel(index_t width, index_t n, ravel::detail::function_ref<void(tile)> f,
                         detail::nanoseconds least, detail::beginning where) const;
};

#ifdef RAVEL_DEFINES_ARCHIVED
[[gnu::noinline]] RAVEL_ARCHIVED void threads::copy_bytes(char const* source, char* target,
                                                          index_t bytes) const {
  constexpr index_t width = index_t{1} << 20;
  auto const part = [=](tile t) {
    std::memmove(target + t.begin, source + t.begin, static_cast<std::size_t>(t.end - t.begin));
  };
  if (source + bytes <= target || target + bytes <= source) {
    tiles_in_parallel(width, bytes, part, detail::nanoseconds{bytes / 32},
                      detail::beginning::apart);
  } else {
    part({0, 0, bytes});
  }
}

[[gnu::noinline]] RAVEL_ARCHIVED void threads::touch(char* memory, index_t bytes) const {
  constexpr index_t page = 4096;
  auto const part = [=](tile t) {
    for (index_t k = t.begin; k < t.end; k += page) memory[k] = 0;
  };
  if (bytes >= much) {
    tiles_in_parallel(512 * page, bytes, part, detail::nanoseconds{bytes / 32},
                      detail::beginning::apart);
  } else {
    part({0, 0, bytes});
  }
}

[[gnu::noinline]] RAVEL_ARCHIVED void threads::parts_in_parallel(
    index_t n, ravel::detail::function_ref<void(tile)> f, detail::known_elements& known) const {
  auto const part = [=](index_t begin, index_t end) { f({begin / tile_width, begin, end}); };
  if (grain_ > 0) {
    team_.share_parts(0, n, grain_, team_.size(), detail::beginning::apart, part);
    return;
  }
  if (n > tile_width && known.take(n)) {
    tiles_in_parallel(tile_width, n, f, detail::at_least(n), detail::beginning::apart);
  } else {
    known.cheap = team_.divide(n, tile_width, detail::at_least(n), known.cheap, part);
    known.left = known.cheap;
  }
}

[[gnu::noinline]] RAVEL_ARCHIVED void threads::tiles_in_parallel(
    index_t width, index_t n, ravel::detail::function_ref<void(tile)> f, detail::nanoseconds least,
    detail::beginning where) const {
  auto const nth = [=](index_t k) { f(nth_tile(k, width, n)); };
  if (n < serial_below) {
    for (index_t k = 0; k < div_up(n, width); ++k) nth(k);
  } else {
    team_.run(div_up(n, width), least, where, nth);
  }
}
#endif

}  // namespace ravel::inline v0::cpu
