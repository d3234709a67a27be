#pragma once

/// Runs of equal keys on the host: the table of forms, and the forms.

#include <ravel/core/cpu/executor.hpp>
#include <ravel/core/cpu/host.hpp>
#include <ravel/primitives/cpu/reduce_headed.hpp>
#include <ravel/primitives/runs/call.hpp>
#include <ravel/primitives/runs/steps.hpp>

#include <type_traits>

namespace ravel::inline v0 {
namespace cpu {
namespace detail {

template <class S, class Equal>
inline constexpr bool is_cheap_flag<ravel::detail::source_changes<S, Equal>> =
    std::is_scalar_v<element_of_t<S>>&& std::is_empty_v<Equal>;

/// Passes runs to their destination.  Numbers that are written to memory may be overwritten while a
/// run grows, so that no branch depends on where runs end.
template <class Keys, class Out>
struct visit_runs {
  using to_keys = typename ravel::detail::sinks_of_runs<Out>::keys;
  using to_values = typename ravel::detail::sinks_of_runs<Out>::values;
  static constexpr bool overwrites =
      is_instance<Keys, contiguous> && is_instance<to_keys, into_contiguous> &&
      is_instance<to_values, into_contiguous> && std::is_arithmetic_v<stored_t<to_keys>> &&
      std::is_arithmetic_v<stored_t<to_values>>;
  Keys keys;
  Out out;
  void operator()(index_t s, auto const& value, index_t begin) const {
    put_run(keys, out, s, value, begin);
  }
};

/// A call as a segmented reduction.
auto tiles_of_runs(auto const& c) {
  using Segments = decltype(ravel::detail::runs_as_segments<host_space>(c));
  using visit = visit_runs<decltype(c.keys), decltype(c.out)>;
  return reduce_headed_tiles<decltype(c.values), Segments, decltype(c.m), decltype(c.seed), visit,
                             decltype(c.total)>{
      c.n,    c.values, ravel::detail::runs_as_segments<host_space>(c),
      c.m,    c.seed,   {c.keys, c.out},
      c.total};
}

}  // namespace detail

struct runs_in_one_tile {
  static constexpr auto name = "in_one_tile";
  static constexpr auto why = "One thread goes from the first key to the last.";
  static constexpr auto now(auto const& c, host const&) {
    return needs(need{c.n <= detail::reduce_headed_width, "at most 8192 keys"});
  }
  [[gnu::always_inline]] static void run(auto const&, auto const& c) {
    detail::tiles_of_runs(c).in_one_tile();
  }
};

struct runs_in_tiles {
  static constexpr auto name = "in_tiles";
  static constexpr auto why =
      "A thread goes from head to head, as a serial loop does, and evaluates each equality once.  "
      "One that does not know yet how many runs began before its tile keeps those that end in it.  "
      "Where many short runs vary in length, it finds their heads 64 at once, without branches.";
  static void run(auto const& ex, auto const& c) {
    detail::reduce_headed_by_tiles(ex, detail::tiles_of_runs(c));
  }
};

}  // namespace cpu

template <>
struct form_table<runs_family, cpu::host> : forms<cpu::runs_in_one_tile, cpu::runs_in_tiles> {};

}  // namespace ravel::inline v0
