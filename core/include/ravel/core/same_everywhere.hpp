#pragma once

/// An executor whose floating-point results have the same bits as on any other.

#include <ravel/core/checked.hpp>
#include <ravel/core/cpu/worker.hpp>
#include <ravel/core/run_call.hpp>
#include <ravel/core/scratch_stack.hpp>

namespace ravel::inline v0 {

namespace detail::one_order {

inline constexpr index_t run = 16;          // consecutive elements
inline constexpr index_t block = 16 * run;  // elements of as many runs
inline constexpr index_t tile_width = 8 * block;

/// The number of elements of `bytes` bytes that several threads combine together, in shared memory:
/// whole blocks, a tile of elements of up to 16 bytes, and none of elements of more than 128.
RAVEL_HD constexpr index_t together(std::size_t bytes) {
  index_t width = tile_width;
  while (width >= block && static_cast<std::size_t>(width) * bytes > (std::size_t{1} << 15)) {
    width /= 2;
  }
  return width >= block ? width : 0;
}

/// A value in shared memory, of a distinct type for each T.
template <class T>
struct element {
  T x;
};
template <class T>
struct ahead_of_run {
  T x;
};
template <class T>
struct total {
  T x;
};

/// A team whose reductions and scans combine in one order, on every executor.
template <class Team>
struct team : Team {
  /// carry * B(0) * B(1) * ..., with B as for same_everywhere.
  template <class Load, class M, class T>
  RAVEL_HD static T reduce(tile t, Load load, M m, T carry) {
    constexpr index_t width = one_order::together(sizeof(T));
    if constexpr (std::same_as<Team, cpu::worker>) {
      return reduce_alone(t, load, m, carry);
    } else if constexpr (width == 0) {
      return by_the_leader<T>([&] { return reduce_alone(t, load, m, carry); });
    } else {
      for (index_t begin = t.begin; begin < t.end; begin += width) {
        carry = reduce_together<width>(cut(t, begin, width), load, m, carry);
      }
      return carry;
    }
  }

  /// visit(i, before(i), through(i)) for each i of `t`; returns the last `through`.
  template <class Load, class Visit, class M, class T>
  RAVEL_HD static T scan(tile t, Load load, Visit visit, M m, T carry) {
    constexpr index_t width = one_order::together(sizeof(T));
    if constexpr (std::same_as<Team, cpu::worker>) {
      return scan_alone(t, load, visit, m, carry);
    } else if constexpr (width == 0) {
      return by_the_leader<T>([&] { return scan_alone(t, load, visit, m, carry); });
    } else {
      T last = carry;
      for (index_t begin = t.begin; begin < t.end; begin += width) {
        last = scan_together<width>(cut(t, begin, width), load, visit, m, carry);
      }
      return last;
    }
  }

 private:
  RAVEL_HD static tile cut(tile t, index_t begin, index_t width) {
    return {t.id, begin, begin + width < t.end ? begin + width : t.end};
  }

  /// Evaluates f() in the leader, and broadcasts the result.
  template <class T, class F>
  RAVEL_HD static T by_the_leader(F f) {
    auto&& result = Team::template shared<total<T>, 1>();
    if (Team::leads()) result[0].x = f();
    Team::sync();
    T const x = result[0].x;
    Team::sync();
    return x;
  }

  // By one thread: the order as loops.

  template <class Load, class M, class T>
  RAVEL_HD static T reduce_alone(tile t, Load const& load, M const& m, T carry) {
    for (index_t b = t.begin; b < t.end; b += block) {
      tile const of_block = cut(t, b, block);
      T sum = reduce_run(cut(of_block, b, run), load, m);
      for (index_t r = b + run; r < of_block.end; r += run) {
        sum = m(sum, reduce_run(cut(of_block, r, run), load, m));
      }
      carry = m(carry, sum);
    }
    return carry;
  }

  template <class Load, class M>
  RAVEL_HD static auto reduce_run(tile t, Load const& load, M const& m) {
    auto sum = carrier_t<M>(load(t.begin));
    for (index_t i = t.begin + 1; i < t.end; ++i) sum = m(sum, carrier_t<M>(load(i)));
    return sum;
  }

  template <class Load, class Visit, class M, class T>
  RAVEL_HD static T scan_alone(tile t, Load const& load, Visit const& visit, M const& m, T carry) {
    T through = carry;
    for (index_t b = t.begin; b < t.end; b += block) {
      tile const of_block = cut(t, b, block);
      T ahead = carry;
      T sum = scan_run(cut(of_block, b, run), load, visit, m, ahead, through);
      ahead = m(ahead, sum);
      for (index_t r = b + run; r < of_block.end; r += run) {
        T const next = scan_run(cut(of_block, r, run), load, visit, m, ahead, through);
        ahead = m(ahead, next);
        sum = m(sum, next);
      }
      carry = m(carry, sum);
    }
    return through;
  }

  /// Scans a run from its exclusive prefix, and returns the total of the run alone.
  template <class Load, class Visit, class M, class T>
  RAVEL_HD static T scan_run(tile t, Load const& load, Visit const& visit, M const& m,
                             T const& ahead, T& through) {
    T sum = T(load(t.begin));
    through = m(ahead, sum);
    visit(t.begin, ahead, through);
    for (index_t i = t.begin + 1; i < t.end; ++i) {
      T const x = T(load(i));
      T const before = through;
      sum = m(sum, x);
      through = m(before, x);
      visit(i, before, through);
    }
    return sum;
  }

  // By all threads of the team, a run each: elements in shared memory, so that global accesses are
  // coalesced, with padding after each run to avoid bank conflicts.

  RAVEL_HD static constexpr int at(index_t i) { return static_cast<int>(i + i / run); }

  template <index_t Most, class Load, class M, class T>
  RAVEL_HD static T reduce_together(tile t, Load const& load, M const& m, T carry) {
    auto&& x = Team::template shared<element<T>, static_cast<int>(Most + Most / run)>();
    index_t const n = t.end - t.begin;
    Team::map(t, load, [&](index_t i, T const& value) { x[at(i - t.begin)].x = value; });
    Team::sync();
    Team::for_each({0, 0, div_up(n, run)}, [&](index_t r) {
      index_t const end = n < (r + 1) * run ? n : (r + 1) * run;
      T sum = x[at(r * run)].x;
      for (index_t i = r * run + 1; i < end; ++i) sum = m(sum, x[at(i)].x);
      x[at(r * run)].x = sum;
    });
    Team::sync();
    Team::for_each({0, 0, div_up(n, block)}, [&](index_t b) {
      index_t const end = n < (b + 1) * block ? n : (b + 1) * block;
      T sum = x[at(b * block)].x;
      for (index_t i = b * block + run; i < end; i += run) sum = m(sum, x[at(i)].x);
      x[at(b * block)].x = sum;
    });
    Team::sync();
    for (index_t i = 0; i < n; i += block) carry = m(carry, x[at(i)].x);
    Team::sync();  // before the next call overwrites it
    return carry;
  }

  /// Stores the prefix of the next elements in `carry`, and returns the last `through`.
  template <index_t Most, class Load, class Visit, class M, class T>
  RAVEL_HD static T scan_together(tile t, Load const& load, Visit const& visit, M const& m,
                                  T& carry) {
    auto&& x = Team::template shared<element<T>, static_cast<int>(Most + Most / run)>();
    auto&& ahead = Team::template shared<ahead_of_run<T>, static_cast<int>(Most / run)>();
    auto&& of_block = Team::template shared<total<T>, static_cast<int>(Most / block)>();
    index_t const n = t.end - t.begin;
    index_t const runs = div_up(n, run);
    index_t const blocks = div_up(n, block);
    constexpr index_t runs_a_block = block / run;
    Team::map(t, load, [&](index_t i, T const& value) { x[at(i - t.begin)].x = value; });
    Team::sync();
    Team::for_each({0, 0, runs}, [&](index_t r) {
      index_t const end = n < (r + 1) * run ? n : (r + 1) * run;
      T sum = x[at(r * run)].x;
      for (index_t i = r * run + 1; i < end; ++i) sum = m(sum, x[at(i)].x);
      ahead[static_cast<int>(r)].x = sum;
    });
    Team::sync();
    Team::for_each({0, 0, blocks}, [&](index_t b) {
      index_t const end = runs < (b + 1) * runs_a_block ? runs : (b + 1) * runs_a_block;
      T sum = ahead[static_cast<int>(b * runs_a_block)].x;
      for (index_t r = b * runs_a_block + 1; r < end; ++r)
        sum = m(sum, ahead[static_cast<int>(r)].x);
      of_block[static_cast<int>(b)].x = sum;
    });
    Team::sync();
    Team::for_each({0, 0, blocks}, [&](index_t b) {
      index_t const end = runs < (b + 1) * runs_a_block ? runs : (b + 1) * runs_a_block;
      T before = carry;
      for (index_t k = 0; k < b; ++k) before = m(before, of_block[static_cast<int>(k)].x);
      for (index_t r = b * runs_a_block; r < end; ++r) {
        T const sum = ahead[static_cast<int>(r)].x;
        ahead[static_cast<int>(r)].x = before;
        before = m(before, sum);
      }
    });
    for (index_t b = 0; b < blocks; ++b) carry = m(carry, of_block[static_cast<int>(b)].x);
    Team::sync();
    Team::for_each({0, 0, runs}, [&](index_t r) {
      index_t const end = n < (r + 1) * run ? n : (r + 1) * run;
      T through = ahead[static_cast<int>(r)].x;
      for (index_t i = r * run; i < end; ++i) {
        through = m(through, x[at(i)].x);
        x[at(i)].x = through;
      }
    });
    Team::sync();
    Team::for_each({0, 0, n}, [&](index_t i) {
      T const before = i % run == 0 ? ahead[static_cast<int>(i / run)].x : x[at(i - 1)].x;
      visit(t.begin + i, before, x[at(i)].x);
    });
    T const last = x[at(n - 1)].x;
    Team::sync();  // before the next call overwrites it
    return last;
  }
};

/// A step over tiles in this order, by a team of this kind.
template <class F>
struct step {
  F f;
  template <class Team>
  RAVEL_HD void operator()(Team const&, tile t) const {
    f(team<Team>{}, t);
  }
};

}  // namespace detail::one_order

/// The machine of same_everywhere on an executor whose machine is `own`.  Its tables hold forms
/// whose results do not depend on the machine.
template <class Machine>
struct same_order {
  Machine own;
};

/// The form of same_everywhere for calls whose results are the same in any order.
struct on_own_executor {
  static constexpr auto name = "on_own_executor";
  static constexpr auto why =
      "Places, and sums of integers, are the same in any order: the call of the executor that "
      "same_everywhere was made of.";
  static void run(auto const& ex, auto const& c) { run_call(ex.own(), c); }
  template <class Call, class Machine, class F>
  static void passes_on(Call const& c, same_order<Machine> const& m, F const& f) {
    f(m.own, c);
  }
};

/// The same for calls where this depends on the monoid.
struct on_own_executor_in_any_order : on_own_executor {
  template <class Call>
  static constexpr auto types = needs(need{
      groups_freely<decltype(Call::m)>,
      "a monoid whose results are the same in any order, as plus of integers"});
};

/// `Ex`, with one order of operations on all executors: floating-point results are the same, bit by
/// bit, on the host with any number of threads and on any device.
///
///     same_everywhere const same(ex);
///     inclusive_scan(same, prices, sums);       // prices and sums are in the memory of ex
///
/// Scans, reductions, their segmented forms, and what is built on them take the form shared by all
/// executors, with tiles of 2048 elements: a scan moves 3 n elements where the executor's own moves
/// 2 n.  Calls whose result does not depend on order, such as integer sums and packs, run as on the
/// executor itself.
///
/// Order    Elements x[0] ... x[n - 1] form runs of 16, blocks of 16 runs and tiles of 8 blocks, the
///          last of which may be shorter.  Writing * for the operator and e for its identity,
///
///              R(r) = x[16 r] * ... * x[16 r + 15]              left to right
///              B(b) = R(16 b) * ... * R(16 b + 15)              left to right
///              T(t) = e * B(8 t) * ... * B(8 t + 7)             left to right
///
///          A reduction of up to 2048 elements from `init` is
///
///              init * B(0) * ... * B(7)                         left to right
///
///          and that of more elements is the reduction of T(0), T(1), ... from `init`.  In a scan
///          let A(t) be the prefix of tile t: A(0) = init, and A(t) = init * S(t - 1) where S is the
///          inclusive scan, from e, of T(0), T(1), ...  Then for an element i of run r, block b and
///          tile t, all left to right,
///
///              ahead(b)   = A(t) * B(8 t) * ... * B(b - 1)
///              ahead(r)   = ahead(b) * R(16 b) * ... * R(r - 1)
///              before(i)  = ahead(r) * x[16 r] * ... * x[i - 1]
///              through(i) = before(i) * x[i]
///
///          Backward is the same from the other end.  A segmented scan is one scan of all elements
///          with their head flags, where x is init * x at a head, and operands left of a head are
///          dropped from a product; a segmented reduction is its value at the ends of segments.
/// Bits     are those of the operator.  x + y, x y, x / y and square roots are the same everywhere,
///          but a compiler may contract a product and a sum to one rounding (FMA): compile
///          operators and loads that have both, among them recurrences and orders, with
///          -ffp-contract=off for the host and -fmad=false for devices.  Do not use -ffast-math.
///          Functions such as exp differ between libraries.  The payload of a NaN may differ.
/// Cost     O(n) work, O(log n) span.  On a device, elements of more than 128 bytes are combined by
///          one thread per block.
template <executor Ex>
class same_everywhere : public detail::wrapped_executor<Ex> {
  static_assert(!detail::is_checked<Ex>,
                "same_everywhere: write checked(same_everywhere(ex)), the other way around");
  static constexpr index_t width = detail::one_order::tile_width;
  using detail::wrapped_executor<Ex>::ex_;

 public:
  explicit same_everywhere(Ex ex) : detail::wrapped_executor<Ex>(std::move(ex)) {}

  same_order<machine_t<Ex>> machine() const { return {machine_of(ex_)}; }

  static constexpr index_t tile_count(index_t n) { return div_up(n, width); }

  template <class F>
  void for_each_tile(index_t n, F f) const {
    static_assert(
        local_executor<Ex>,
        "same_everywhere: on several ranks it has reductions and forward scans; make other "
        "calls on the executor that it was made of");
    detail::one_order::step<F> const step{f};
    if constexpr (requires { ex_.for_each_tile_of(width, n, step); }) {
      ex_.for_each_tile_of(width, n, step);
    } else if constexpr (local_executor<Ex>) {
      static_assert(Ex::tile_count(width) == 1 && Ex::tile_count(width + 1) == 2,
                    "same_everywhere: the executor has other tiles than of 2048 elements, and no "
                    "for_each_tile_of(width, n, f)");
      ex_.for_each_tile(n, step);
    }
  }

  bool is_planned() const requires requires(Ex const& ex) { ex.is_planned(); }
  { return ex_.is_planned(); }
};

}  // namespace ravel::inline v0
