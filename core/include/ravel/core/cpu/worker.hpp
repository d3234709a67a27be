#pragma once

/// The team that works on a tile on the host: one thread.
///
/// Its loops define the operations of a team; gpu::block implements the same in parallel.

#include <ravel/core/vocabulary.hpp>

namespace ravel::inline v0::cpu {

class sequential;
class threads;

/// One of the two host executors itself, not a class derived from one: the constraint of forms that
/// are written for exactly these two.
template <class Ex>
concept host_executor = executor<Ex> &&(std::same_as<Ex, sequential> || std::same_as<Ex, threads>);

namespace detail {

/// The number of threads of an executor that can work at once.
template <host_executor Ex>
index_t threads_of(Ex const& ex) {
  if constexpr (std::same_as<Ex, sequential>) {
    return 1;
  } else {
    return ex.concurrency();
  }
}

}  // namespace detail

/// Storage for N values, private to a worker.
template <class T, int N>
struct values_of_one {
  T values[N];
  RAVEL_HD T& operator[](int i) { return values[i]; }
};

/// A team of one host thread.
struct worker {
  RAVEL_HD static constexpr bool leads() { return true; }

  /// Storage for N values shared by the team: auto&& room = team.shared<T, N>().  On a device,
  /// calls with the same T and N return the same storage.
  template <class T, int N>
  RAVEL_HD static values_of_one<T, N> shared() {
    return {};
  }

  /// Team barrier: writes before it are visible to every member after it.
  RAVEL_HD static void sync() {}

  /// Calls f(i) for each i of `t`.
  RAVEL_MAY_CALL_HOST
  template <class F>
  RAVEL_HD static void for_each(tile t, F f) {
    index_t i = t.begin;
    if constexpr (reads_ahead<F>) {
      for (; i < t.end - 3; i += 4) {
        auto const a = f.read(i), b = f.read(i + 1), c = f.read(i + 2), d = f.read(i + 3);
        f.write(i, a), f.write(i + 1, b), f.write(i + 2, c), f.write(i + 3, d);
      }
    }
    for (; i < t.end; ++i) f(i);
  }

  /// Calls visit(i, load(i)) for each i of `t`.  A team of several threads issues several loads
  /// before it visits the first element.
  RAVEL_MAY_CALL_HOST
  template <class Load, class Visit>
  RAVEL_HD static void map(tile t, Load load, Visit visit) {
    for (index_t i = t.begin; i < t.end; ++i) visit(i, load(i));
  }

  /// Returns carry * load(begin) * ... * load(end - 1).
  template <class Load, class M, class T>
  RAVEL_HD static T reduce(tile t, Load load, M m, T carry) {
    for (index_t i = t.begin; i < t.end; ++i) carry = m(carry, T(load(i)));
    return carry;
  }

  /// Calls visit(i, before, through) for each i of `t` in order, where `before` is the carry
  /// combined with the elements of `t` before i, and `through` is `before` combined with load(i).
  /// Returns the last `through`.
  template <class Load, class Visit, class M, class T>
  RAVEL_HD static T scan(tile t, Load load, Visit visit, M m, T carry) {
    for (index_t i = t.begin; i < t.end; ++i) {
      T const through = m(carry, T(load(i)));
      visit(i, carry, through);
      carry = through;
    }
    return carry;
  }

  /// Calls put(d, c) for each digit d of [0, Ways), where c is the number of
  /// elements i of `t` with digit(i) == d.
  template <int Ways, class Digit, class Put>
  RAVEL_HD static void count(tile t, Digit digit, Put put) {
    index_t counts[Ways] = {};
    for (index_t i = t.begin; i < t.end; ++i) ++counts[digit(i)];
    for (int d = 0; d < Ways; ++d) put(d, counts[d]);
  }

  /// Calls visit(i, d, place) for each i of `t`, where d = digit(i), and `place` is start(d) plus
  /// the number of elements of `t` before i with digit d.
  template <int Ways, class Digit, class Start, class Visit>
  RAVEL_HD static void rank(tile t, Digit digit, Start start, Visit visit) {
    index_t next[Ways];
    for (int d = 0; d < Ways; ++d) next[d] = start(d);
    for (index_t i = t.begin; i < t.end; ++i) {
      int const d = digit(i);
      visit(i, d, next[d]++);
    }
  }
};

}  // namespace ravel::inline v0::cpu
