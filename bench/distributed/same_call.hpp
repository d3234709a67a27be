#pragma once

/// A call with the same text on ranks and on one process: its operands, and the comparison of its results.

#include "distributed/parts.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <tuple>
#include <type_traits>
#include <vector>

namespace ravel::bench {

using word = std::uint32_t;

/// Operands on all ranks, and on one process, of `total` elements, `n` of each rank.
struct of_ranks {
  on_ranks ex;
  index_t n, total;
  template <class F>
  auto make(index_t each, F const& f) const {
    return piece<word>(ex, each, f);
  }
  auto counts(index_t bins) const {
    return std::make_shared<decltype(ex.replicate<word>(bins))>(ex.replicate<word>(bins));
  }
};
struct of_one {
  on_ranks ranks;
  index_t n, total;
  cpu::threads ex = one_process(ranks);
  template <class F>
  auto make(index_t each, F const& f) const {
    return all_on_one<word>(ranks, each, f);
  }
  auto counts(index_t bins) const { return host::allocate<word>(ex, bins); }
};
template <class On>
auto room(On const& on, index_t each) {
  return on.make(each, [](index_t) { return word{}; });
}

/// A call, and its results.
template <class Run, class... Y>
struct work {
  Run run;  // returns nothing, or a number that ranks and one process have in common
  std::tuple<std::shared_ptr<Y>...> results;
};
template <class Run, class... Y>
work<Run, Y...> does(Run run, std::shared_ptr<Y>... results) {
  return {run, {results...}};
}
template <class Run, class Ex>
index_t number_of(Run const& run, Ex const& ex) {
  if constexpr (std::is_void_v<std::invoke_result_t<Run const&, Ex const&>>) {
    run(ex);
    return 0;
  } else {
    return static_cast<index_t>(run(ex));
  }
}

/// The results of all ranks, on rank 0.
inline std::vector<word> on_first(on_ranks const& ex, elements<word> const& y) {
  return gather_to(ex, y, 0);
}
/// Of counts, those of rank 0; none if another rank has others.
template <class Replica>
std::vector<word> on_first(on_ranks const& ex, Replica const& y) {
  auto all = gather_to(ex, from_pieces(ex, std::vector<word>(y.begin(), y.end())), 0);
  auto const bins = static_cast<std::size_t>(y.size());
  for (std::size_t i = bins; i < all.size(); ++i) {
    if (all[i] != all[i % bins]) return {};
  }
  all.resize(std::min(all.size(), bins));
  return all;
}

/// The work that make(operands) returns, of ranks and of one process, which have the same results.
template <class Make>
auto same_call(Make const& make) {
  return [=](on_ranks const& ex, index_t n) -> std::vector<part> {
    index_t const total = n * ex.ranks().size();
    auto const mine = make(of_ranks{ex, n, total});
    auto const whole = make(of_one{ex, n, total});
    auto const number = std::make_shared<index_t>();
    auto const run_alone = [=] { return number_of(whole.run, one_process(ex)); };
    auto const is_as_on_one = [=] {
      auto const found = std::apply(
          [&](auto const&... y) { return std::vector<std::vector<word>>{on_first(ex, *y)...}; },
          mine.results);
      if (ex.ranks().rank() > 0) return true;
      if (run_alone() != *number) return false;
      return std::apply(
          [&](auto const&... y) {
            auto f = found.begin();
            [[maybe_unused]] auto const is_result = [&](auto const& all) {
              auto const& some = *f++;
              return !some.empty() && std::ssize(some) <= all.size() &&
                     std::equal(some.begin(), some.end(), all.data());
            };
            return (is_result(*y) && ...);
          },
          whole.results);
    };
    return {{"ours", [=] { *number = number_of(mine.run, ex); }, is_as_on_one},
            {"peer:one process", run_alone, [] { return true; }, true}};
  };
}

}  // namespace ravel::bench
