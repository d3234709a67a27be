#pragma once

/// Parallel loops and parallel calls on the host, for work that is no primitive: few heavy
/// iterations, and divide and conquer.

#include <ravel/core/grain.hpp>

namespace ravel::inline v0 {
namespace detail {

template <class F>
struct call_each {
  static constexpr bool divisible = true;
  F const* f;
  void operator()(auto const&, tile t) const {
    for (index_t i = t.begin; i < t.end; ++i) (*f)(i);
  }
};

/// An executor whose work runs on the calling thread and on others of the host.
template <class Ex>
concept on_host = executor<Ex> && std::same_as<space_of_t<Ex>, host_space>;

}  // namespace detail

/// Calls f(i) once for each i of [0, n), in any order, several at once:
///
///     parallel_for(ex, 4, [&](index_t i) { out[i] = i * i; })        out = 0 1 4 9
///
/// The calling thread begins, and others help when the clock says that it pays: a call of few
/// heavy iterations is shared after the first, one of many cheap iterations after some microseconds.
/// f may call parallel_for, parallel_do and any call of this library.  On cpu::sequential it is a loop.
///
/// Cost     O(n) calls; O(1) span.  About 0.2 us besides them.
/// Errors   contract_error if n is negative.  Exceptions of f propagate: the first one thrown, and
///          iterations that have not begun are omitted.
template <executor Ex, class F>
void parallel_for(Ex const& ex, index_t n, F const& f) {
  static_assert(detail::on_host<Ex>,
                "parallel_for: the executor is a device, for which for_each_index is the loop");
  static_assert(std::is_invocable_v<F const&, index_t>,
                "parallel_for: f, which is const, cannot be called with an index");
  expects(n >= 0, "parallel_for: n is ", n);
  if constexpr (requires { ex.own(); }) {  // checked, same_everywhere
    parallel_for(ex.own(), n, f);
  } else if (n == 1) {
    f(index_t{0});
  } else if constexpr (requires { ex.for_each_part(n, detail::call_each<F>{&f}); }) {
    ex.for_each_part(n, detail::call_each<F>{&f});
  } else {
    ex.for_each_tile(n, detail::call_each<F>{&f});
  }
}
/// The same, where each thread takes grain(k) iterations at a time, without looking at the clock.
template <executor Ex, class F>
void parallel_for(Ex const& ex, index_t n, F const& f, grain_size g) {
  parallel_for(with_grain(ex, g), n, f);
}

/// Calls f(), g() and so on, in any order, several at once, and returns after all:
///
///     void sort(auto const& ex, std::span<int> x) {
///       if (x.size() < 2000) return std::sort(x.begin(), x.end());
///       auto const [low, high] = divide(x);
///       parallel_do(ex, [&] { sort(ex, low); }, [&] { sort(ex, high); });
///     }
///
/// Calls may be nested to any depth that the stack permits: a thread that waits for one of them
/// takes others meanwhile.  On cpu::sequential they are called in order.
///
/// Cost     About 0.1 us besides the calls, and the time to wake a thread if all others sleep: stop
///          dividing below some microseconds of work.
/// Errors   Exceptions propagate: the first one thrown, and calls that have not begun are omitted.
template <executor Ex, class F, class... More>
void parallel_do(Ex const& ex, F const& f, More const&... more) {
  static_assert(detail::on_host<Ex>, "parallel_do: the executor is a device, which takes no calls");
  static_assert(std::is_invocable_v<F const&> && (std::is_invocable_v<More const&> && ...),
                "parallel_do: an operand, which is const, cannot be called without arguments");
  if constexpr (sizeof...(More) == 0) {
    f();
  } else if constexpr (requires { ex.own(); }) {
    parallel_do(ex.own(), f, more...);
  } else if constexpr (requires { ex.do_both(f, f); }) {
    ex.do_both(f, [&] { parallel_do(ex, more...); });
  } else {
    f();
    (more(), ...);
  }
}

}  // namespace ravel::inline v0
