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
  template <class T>
  void operator()(index_t s, T const& value, index_t begin) const {
    put_run(keys, out, s, value, begin);
  }
};

/// A call as a segmented reduction, whose head flags are evaluated on demand or stored.
template <class Heads, class Call>
auto tiles_of_runs(Call const& c) {
  using Segments = decltype(ravel::detail::runs_as_segments<host_space>(c));
  using visit = visit_runs<decltype(c.keys), decltype(c.out)>;
  return reduce_headed_tiles<decltype(c.values), typename Heads::template of<Segments>,
                             decltype(c.m), decltype(c.seed), visit, decltype(c.total)>{
      c.n,    c.values, {ravel::detail::runs_as_segments<host_space>(c)},
      c.m,    c.seed,   {c.keys, c.out},
      c.total};
}

}  // namespace detail

struct runs_in_one_pass {
  static constexpr auto name = "in_one_pass";
  static constexpr auto why =
      "One thread goes from the first key to the last and evaluates each equality once.  Fewer "
      "than 65536 are done before another thread is awake.";
  template <class Call>
  static constexpr auto now(Call const& c, host const& m) {
    return needs(need{!m.several_threads || c.n < detail::fewest_for_several_threads,
                      "one thread, or fewer than 65536 keys"});
  }
  template <class Ex, class Call>
  [[gnu::always_inline]] static void run(Ex const&, Call const& c) {
    detail::tiles_of_runs<detail::evaluated_heads>(c).visit_all();
  }
};

struct runs_of_numbers {
  static constexpr auto name = "numbers_in_tiles";
  static constexpr auto why =
      "A thread finds the heads of a tile, 64 at once in vectors, passes on what the tile leaves "
      "open, and compares its keys again while they are in its cache.";
  template <class Call>
  static constexpr auto types = needs(need{
      ravel::detail::compares_numbers<decltype(Call::equal), element_of_t<decltype(Call::keys)>>,
      "keys that are numbers, and x == y of them"});
  template <class Ex, class Call>
  static void run(Ex const& ex, Call const& c) {
    detail::reduce_headed_by_tiles(ex, detail::tiles_of_runs<detail::evaluated_heads>(c));
  }
};

struct runs_with_stored_heads {
  static constexpr auto name = "stored_heads_in_tiles";
  static constexpr auto why =
      "As numbers_in_tiles, but the heads of a tile are kept as bits, so that an equality of "
      "unknown cost, as that of strings, is evaluated once for each pair of neighbours.";
  template <class Ex, class Call>
  static void run(Ex const& ex, Call const& c) {
    detail::reduce_headed_by_tiles(ex, detail::tiles_of_runs<detail::stored_heads>(c));
  }
};

}  // namespace cpu

template <>
struct form_table<runs_family, cpu::host>
    : forms<cpu::runs_in_one_pass, cpu::runs_of_numbers, cpu::runs_with_stored_heads> {};

}  // namespace ravel::inline v0
