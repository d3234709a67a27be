#pragma once

/// Histogram by steps that run on any executor.

#include <ravel/core/atomic.hpp>
#include <ravel/core/member.hpp>
#include <ravel/primitives/distribute.hpp>
#include <ravel/primitives/histogram/call.hpp>
#include <ravel/primitives/map.hpp>

namespace ravel::inline v0 {
namespace detail {

/// Up to this many bins, each team counts its tile separately, and then adds its counts atomically.
inline constexpr int few_bins = 256;

template <class C>
struct add_counts {
  C* counts;
  int bins;
  RAVEL_HD void operator()(int k, index_t count) const {
    if (k < bins && count > 0) fetch_add(counts + k, static_cast<C>(count));
  }
};

template <class Bin, class C>
struct count_few {
  Bin bin;
  C* counts;
  int bins;
  template <class Team>
  RAVEL_HD void operator()(Team const& team, tile t) const {
    team.template count<few_bins + 1>(t, bin_or_last<Bin>{bin, bins}.on(t),
                                      add_counts<C>{counts, bins});
  }
};

template <class Bin, class C>
struct count_one {
  Bin bin;
  C* counts;
  index_t bins;
  RAVEL_HD auto on(tile t) const {
    return count_one<on_tile_t<Bin>, C>{on_tile(bin, t), counts, bins};
  }
  RAVEL_HD void operator()(index_t i) const {
    index_t const k = bin(i);
    if (0 <= k && k < bins) fetch_add(counts + k, C(1));
  }
};

/// Sets the counts of a call to zero.
template <class Ex, class Call>
void clear_counts(Ex const& ex, Call const& c) {
  using C = std::remove_pointer_t<decltype(c.counts)>;
  distribute(ex, C(0), view<C, typename Ex::space>(c.counts, c.bins));
}

}  // namespace detail

struct histogram_of_few_by_steps {
  static constexpr auto name = "few_by_steps";
  static constexpr auto why = "A team counts a tile separately, and adds its counts at the end.";
  static constexpr auto now(auto const& c, auto const&) {
    return needs(need{c.bins <= detail::few_bins, "at most 256 bins"});
  }
  static void run(auto const& ex, auto const& c) {
    detail::clear_counts(ex, c);
    ex.for_each_tile(c.n,
                     detail::count_few<decltype(c.bin), std::remove_pointer_t<decltype(c.counts)>>{
                         c.bin, c.counts, static_cast<int>(c.bins)});
  }
};

struct histogram_by_steps {
  static constexpr auto name = "by_steps";
  static constexpr auto why =
      "Any executor and number of bins: an atomic addition for each element.";
  static void run(auto const& ex, auto const& c) {
    detail::clear_counts(ex, c);
    for_each_index(ex, c.n,
                   detail::count_one<decltype(c.bin), std::remove_pointer_t<decltype(c.counts)>>{
                       c.bin, c.counts, c.bins});
  }
};

/// The family of calls of histograms.
struct histogram_family : call_family_with_devices<histogram_of_few_by_steps, histogram_by_steps> {
};

}  // namespace ravel::inline v0
