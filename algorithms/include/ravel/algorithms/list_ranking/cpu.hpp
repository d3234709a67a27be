#pragma once

/// List ranking on the host: the tables of forms, and that for short lists, which is serial.

#include <ravel/algorithms/cpu/list_walk.hpp>
#include <ravel/algorithms/list_ranking/steps.hpp>
#include <ravel/core/cpu/host.hpp>

namespace ravel::inline v0 {
namespace cpu {

struct list_walk_in_turns {
  static constexpr auto name = "in_turns";
  static constexpr auto why =
      "Each thread walks along several sublists in turns, and prefetches their next nodes.";
  template <class Ex, class Walks>
  static void run(Ex const& ex, list_walk_call<Walks> const& c) {
    detail::walk_all(ex, c.walks);
  }
};

/// Every node is on one list, so a walk of more steps than there are nodes proves that the links
/// form no lists; it ends there.
struct list_ranking_serial {
  static constexpr auto name = "serial";
  static constexpr auto why =
      "Short lists are ranked one after another; by_steps, if links form no lists.";
  template <class Call>
  static constexpr auto types = needs(need{
      !std::same_as<typename Call::heads, ravel::detail::heads_to_find>, "heads that are given"});
  static auto now(auto const& c, host const&) {
    return needs(need{c.by.count == 0, "so few nodes that there are no splitters"},
                 need{c.fault == nullptr, "no fault_to(...)"});
  }
  template <class Ex, class Word, class By, class Next, class Given, class Out>
  static void run(Ex const& ex, list_ranking_call<Word, By, Next, Given, Out> const& c) {
    if (!follow(c)) run_call_by<list_ranking_by_steps>(ex, c);
  }

 private:
  template <class Word, class By, class Next, class Given, class Out>
  static bool follow(list_ranking_call<Word, By, Next, Given, Out> const& c) {
    auto const n = static_cast<std::uint64_t>(c.next.size());
    auto const* const links = c.next.data();
    std::uint64_t nodes = 0;
    for (auto const head : c.given) {
      auto i = static_cast<std::uint64_t>(head), before = n;
      for (Out rank = 0; i < n && i != before; ++rank) {
        if (++nodes > n) return false;
        c.out[i] = rank;
        before = i;
        i = static_cast<std::uint64_t>(links[i]);
      }
    }
    return true;
  }
};

}  // namespace cpu

template <>
struct form_table<list_walk_family, cpu::host> : forms<cpu::list_walk_in_turns> {};
template <>
struct form_table<list_ranking_family, cpu::host>
    : forms<cpu::list_ranking_serial, list_ranking_by_steps> {};

}  // namespace ravel::inline v0
