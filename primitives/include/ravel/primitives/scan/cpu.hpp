#pragma once

/// Scan on the host: the table of forms, and the forms.
///
/// Few elements are scanned serially.  Otherwise a thread takes a tile that fits in its L2 cache,
/// reduces it, passes its inclusive prefix to the thread of the next tile, and scans the tile from
/// the cache: a chained scan, which reads each element from memory once.  Sums, minima, maxima and
/// bit operations of numbers are scanned in vector registers.
///
/// The grouping of operands is fixed by n, so a floating-point result is the same for any number of
/// threads, and on all processors.
///
/// Source   Zhang, Wang and Ross, "Parallel Prefix Sum with SIMD", 2023, for tiles of the cache's
///          size; docs/decisions/0008 and 0017.

#include <ravel/core/cpu/chained_scan.hpp>
#include <ravel/core/cpu/executor.hpp>
#include <ravel/core/cpu/flow.hpp>
#include <ravel/core/cpu/host.hpp>
#include <ravel/core/cpu/loops.hpp>
#include <ravel/core/cpu/wake_up.hpp>
#include <ravel/core/cpu/worker.hpp>
#include <ravel/primitives/cpu/carried.hpp>
#include <ravel/primitives/cpu/reduce_halves.hpp>
#include <ravel/primitives/cpu/scan_mirrored.hpp>
#include <ravel/primitives/cpu/scan_numbers.hpp>
#include <ravel/primitives/cpu/scan_strided.hpp>
#include <ravel/primitives/scan/call.hpp>
#include <ravel/primitives/scan/steps.hpp>
#include <ravel/primitives/scan_visits.hpp>

namespace ravel::inline v0 {
namespace cpu {
namespace detail {

/// The scan of a tile by one thread, serially, for any monoid.
template <class M, class Load, class Visit>
struct scan_of_any {
  using T = carrier_t<M>;
  M m;
  Load load;
  Visit visit;

  T total(tile t) const { return reduce_halves<T>(t, ravel::detail::on_tile(load, t), m); }
  T scan(tile t, T const& before, tile) const { return scan_in_turn(t, load, visit, m, before); }
  /// As scan, and sets `all` to total(t): the operators of both run at once.  Not for integers, whose
  /// total compilers make in vectors.
  T scan(tile t, T const& before, tile, T* all) const requires(!std::integral<T>) {
    auto const load_here = ravel::detail::on_tile(load, t);
    auto const visit_here = ravel::detail::on_tile(visit, t);
    T carry = before;
    auto const total_meanwhile = [&](tile part) {
      T sum = m.identity();
      auto const added = [&](index_t i) __attribute__((always_inline)) {
        T const x = T(load_here(i));
        sum = m(sum, x);
        return x;
      };
      carry = worker::scan(part, added, visit_here, m, carry);
      return sum;
    };
    index_t const middle = middle_of(t);
    T const first = total_meanwhile({t.id, t.begin, middle});
    *all = m(first, total_meanwhile({t.id, middle, t.end}));
    return carry;
  }
};

/// The scan of a tile of numbers by one thread, from memory to memory.  scan_numbers.hpp scans
/// mapped numbers, and calls other visits.
template <class M, scanned What>
struct scan_in_memory {
  using T = carrier_t<M>;
  T const* in;
  T* out;
  bool streaming;

  T total(tile t) const {
    return loops::reduce<M>(in + t.begin, t.end - t.begin, T(M{}.identity()));
  }
  /// Scans tile t from `carry`, prefetches tile `next`, and returns the last inclusive prefix.  For
  /// a complete tile of floating-point numbers it also sets `all`, initially the identity, to
  /// total(t).
  T scan(tile t, T carry, tile next, T* all = nullptr) const {
    results writer(out + t.begin, streaming);
    carry = loops::scan<What, M>(in + t.begin, t.end - t.begin, carry, writer,
                                 prefetch_range_of(contiguous<T>{in}, next.begin, next.end), all);
    writer.finish();
    return carry;
  }
};

/// The work of one thread in a chained scan.
template <class M, class Scan, class Total>
struct scan_tiles {
  using T = carrier_t<M>;
  /// Whether a scan also computes the total of a tile, with the bits of a separate reduction.
  static constexpr bool totals_meanwhile = !groups_freely<M> && requires(Scan scan, T x) {
    scan.scan(tile{}, x, tile{}, &x);
  };
  M m;
  Scan of;
  index_t width, n;
  Total give_total;

  T total(index_t t) const { return of.total(nth_tile(t, width, n)); }
  auto visit(index_t t, T const& before, index_t next) const {
    tile const here = nth_tile(t, width, n);
    T const through = of.scan(here, before, nth_tile(next, width, n));
    if (here.end == n) give_total(through);
    if constexpr (groups_freely<M>) return through;
  }
  /// As visit, for a thread that works alone.  Returns before * total(t) for complete tiles, which
  /// costs less than a separate reduction.
  T visit_alone(index_t t, T const& before, index_t next) const requires totals_meanwhile {
    T sum = m.identity();
    tile const here = nth_tile(t, width, n);
    T const through = of.scan(here, before, nth_tile(next, width, n), &sum);
    if (here.end == n) give_total(through);
    return m(before, sum);
  }
};

/// Scans in chained tiles, each by `scan`.  One thread scans everything as one tile if there are
/// fewer than Form::tiles_of_one<M> tiles, or at most Form::alone_as_fast<M> threads.
template <class Form, class M, class Ex, class Scan, class Seed, class Total>
[[gnu::always_inline]] inline void scan_in_tiles(Ex const& ex, index_t n, Scan const& scan, M m,
                                                 Seed seed, Total total) {
  using T = carrier_t<M>;
  constexpr index_t width = scan_width<T>;
  constexpr int alone_as_fast = Form::template alone_as_fast<M>;
  if (std::same_as<Ex, sequential> || n < width * Form::template tiles_of_one<M> ||
      (alone_as_fast > 0 && threads_of(ex) <= alone_as_fast)) {
    total(scan.scan({0, 0, n}, T(seed()), {0, n, n}));
    fence_results(n);
  } else {
    chained_scan(ex, div_up(n, width), T(seed()), m,
                 scan_tiles<M, Scan, Total>{m, scan, width, n, total},
                 Form::in_vectors ? at_least(n) : nanoseconds{n});
  }
}

/// scan_in_tiles, out of line, so that the forms of few elements inline into their callers.  A load
/// and a visit that fit registers are passed by value.  For others the caller makes the object that
/// scans a tile: g++ would copy them through memory, by vector loads that stall until the scalar
/// stores before them are done.
template <class Form, class Ex, class Load, class Visit, class M, class Seed, class Total>
[[gnu::noinline]] void scan_many(Ex const& ex, index_t n, Load load, Visit visit, M m, Seed seed,
                                 Total total) {
  scan_in_tiles<Form>(ex, n, Form::of_tile(m, load, visit, n), m, seed, total);
}
template <class Form, class Ex, class Scan, class M, class Seed, class Total>
[[gnu::noinline]] void scan_many_by(Ex const& ex, index_t n, Scan const& scan, M m, Seed seed,
                                    Total total) {
  scan_in_tiles<Form>(ex, n, scan, m, seed, total);
}
template <class Load, class Visit>
inline constexpr bool fit_registers = sizeof(Load) <= 2 * sizeof(void*) &&
                                      sizeof(Visit) <= 2 * sizeof(void*);

/// The common part of the forms with tiles.  If there are few tiles, one thread scans them as one.
/// Where that changes the grouping of operands, the choice depends on n alone.
template <class Form>
struct form_of_tiles {
  static constexpr bool in_vectors = true;
  /// Up to how many tiles one thread scans them as one.  Sums in registers are done before another
  /// thread is awake.  Where the reduction of a tile takes as long as its scan, there are more: a
  /// few threads are no faster.
  template <class M>
  static constexpr index_t tiles_of_one = groups_freely<M> ? 2 : 8;
  template <class M>
  static constexpr int alone_as_fast = 0;

  [[gnu::always_inline]] static void run(auto const& ex, auto const& c) {
    if constexpr (fit_registers<decltype(c.load), decltype(c.visit)>) {
      // copies, so that the forms of few elements find the call in registers
      auto const load = c.load;
      auto const visit = c.visit;
      scan_many<Form>(ex, c.n, load, visit, c.m, c.seed, c.total);
    } else {
      auto const scan = Form::of_tile(c.m, c.load, c.visit, c.n);
      scan_many_by<Form>(ex, c.n, scan, c.m, c.seed, c.total);
    }
  }
};

template <class Call>
inline constexpr need fits_cache{sizeof(typename Call::value_type) <= 1024,
                                 "values of at most 1024 bytes, of which an L2 cache holds a tile"};
template <class Call>
inline constexpr need in_vectors{loops::known<decltype(Call::m)>,
                                 "plus, a minimum, a maximum or a bit operation of numbers"};

/// Up to how many elements a scan is serial.
template <class Call>
constexpr index_t few_of_scan() {
  using M = decltype(Call::m);
  if constexpr (loops::known<M>) {
    using scan = scan_of_numbers<M, decltype(Call::load), decltype(Call::visit)>;
    return scan::is_plain || !groups_freely<M> ? 40 : 96;
  } else {
    return 64;
  }
}

}  // namespace detail

// ---- few elements -------------------------------------------------------------------------------

struct scan_few {
  static constexpr auto name = "few";
  static constexpr auto why = "One by one, inlined into the caller: nothing need be made ready.";
  template <class Call>
  static constexpr auto types = needs(detail::fits_cache<Call>,
                                      need{!detail::tuples_of_call<Call>::fast,
                                           "no tuples that vectors scan"});
  template <class Call>
  [[gnu::always_inline]] static constexpr auto now(Call const& c, host const&) {
    return needs(need{detail::are_one_tile(c.n, detail::few_of_scan<Call>() - 1),
                      "1 to 63 elements; 39 of numbers from memory to memory or of floating point, "
                      "95 of other numbers"});
  }
  template <class Ex, class Call>
  [[gnu::always_inline]] static void run(Ex const&, Call const& c) {
    ravel::detail::assume(detail::are_one_tile(c.n, detail::few_of_scan<Call>() - 1));
    c.total(detail::scan_in_turn({0, 0, c.n}, c.load, c.visit, c.m,
                                 typename Call::value_type(c.seed())));
  }
};

// ---- tiles --------------------------------------------------------------------------------------

struct scan_numbers : detail::form_of_tiles<scan_numbers> {
  static constexpr auto name = "numbers";
  static constexpr auto why =
      "Vector registers, streaming stores past caches, and prefetches of the next tile: 2^27 "
      "floats by two threads of an EPYC in 32 ms, by steps in 111, a copy in 23.";
  template <class Call>
  static constexpr auto types = needs(detail::in_vectors<Call>);
  template <class M, std::same_as<carrier_t<M>> T>
  [[gnu::always_inline]] static auto of_tile(M, contiguous<T> const& load,
                                             write_through<T> const& visit, index_t n) {
    return detail::scan_in_memory<M, scanned::through>{load.data, visit.to,
                                                       detail::streams<T>(load.data, visit, n)};
  }
  template <class M, std::same_as<carrier_t<M>> T>
  [[gnu::always_inline]] static auto of_tile(M, contiguous<T> const& load,
                                             write_before<T> const& visit, index_t n) {
    return detail::scan_in_memory<M, scanned::before>{load.data, visit.to,
                                                      detail::streams<T>(load.data, visit, n)};
  }
  template <class M, class Load, class Visit>
  [[gnu::always_inline]] static auto of_tile(M m, Load const& load, Visit const& visit, index_t n) {
    return detail::scan_of_numbers<M, Load, Visit>{
        m, load, visit, detail::streams<carrier_t<M>>(detail::source(load), visit, n)};
  }
};

struct scan_numbers_backward : scan_numbers {
  static constexpr auto name = "numbers_backward";
  static constexpr auto why =
      "As numbers, in the order of memory within each batch: lanes are reversed in registers.";
  template <class Call>
  static constexpr auto types = needs(detail::in_vectors<Call>,
                                      need{Call::shape.backward, "a scan backward"});
};

struct scan_tuples : detail::form_of_tiles<scan_tuples> {
  static constexpr auto name = "tuples_of_numbers";
  static constexpr auto why =
      "As numbers, with steps of S, 2 S and so on.  Where integers are added, one thread needs no "
      "totals of tiles, and takes the memory bandwidth that two threads have.";
  template <class M>
  static constexpr index_t tiles_of_one = 8;
  template <class M>
  static constexpr int alone_as_fast = groups_freely<M> ? 2 : 0;
  template <class Call>
  static constexpr auto types = needs(detail::of_tuples_in_vectors<Call>);
  template <class M, class Load, class Visit>
  [[gnu::always_inline]] static auto of_tile(M, Load const& load, Visit const& visit, index_t) {
    return detail::as_tuples<M, Load, Visit>::of(load, visit);
  }
};

struct scan_any : detail::form_of_tiles<scan_any> {
  static constexpr auto name = "any";
  static constexpr auto why = "Any load, visit and monoid, one by one in tiles.";
  static constexpr bool in_vectors = false;
  template <class M>
  static constexpr index_t tiles_of_one = 4;
  template <class Call>
  static constexpr auto types = needs(detail::fits_cache<Call>);
  template <class M, class Load, class Visit>
  [[gnu::always_inline]] static auto of_tile(M m, Load const& load, Visit const& visit, index_t) {
    return detail::scan_of_any<M, Load, Visit>{m, load, visit};
  }
};

/// Not for `sequential`: to group floating-point sums as `threads` does, it would have to compute
/// the totals of tiles, and its scans of 2.4 MB would take a tenth longer (EPYC).
using scans_in_tiles =
    forms<scan_recurrence, scan_numbers_backward, scan_numbers, scan_tuples, scan_any>;

}  // namespace cpu

template <>
struct form_table<scan_family, cpu::host>
    : forms<cpu::scan_few_of_runs, cpu::scan_few_tuples, cpu::scan_few, scan_no_elements,
            cpu::scan_recurrence, cpu::scan_numbers_backward, cpu::scan_numbers, cpu::scan_tuples,
            cpu::scan_any, scan_by_steps> {};

}  // namespace ravel::inline v0
