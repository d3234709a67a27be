#pragma once

/// @file
/// List ranking on the host: short lists are ranked serially.

#include <ravel/algorithms/list_options.hpp>
#include <ravel/algorithms/list_prefix.hpp>
#include <ravel/core/cpu/executor.hpp>
#include <ravel/core/vocabulary.hpp>

namespace ravel::inline v0::cpu {

/// Ranks short lists from given heads, one list after another.  Every node is on one list, so a
/// walk of more steps than there are nodes proves that the links form no lists; it ends there and
/// reports a fault.
template <class Word, host_executor Ex, class By, class Next, class Given, class Out>
requires(!std::same_as<Given, ravel::detail::heads_to_find>) void list_rank_in(
    Ex const& ex, By by, Next const& next, Given given, list_fault* fault, Out* out) {
  auto const n = static_cast<std::uint64_t>(next.size());
  auto const follow = [&, links = next.data()] {
    std::uint64_t nodes = 0;
    for (auto const head : given) {
      auto i = static_cast<std::uint64_t>(head), before = n;
      for (Out rank = 0; i < n && i != before; ++rank) {
        if (++nodes > n) return false;
        out[i] = rank;
        before = i;
        i = static_cast<std::uint64_t>(links[i]);
      }
    }
    return true;
  };
  if (by.count > 0 || fault != nullptr || !follow()) {
    ravel::detail::list_rank_in<Word>(ex, by, next, given, fault, out);
  }
}

}  // namespace ravel::inline v0::cpu
