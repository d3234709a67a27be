#pragma once

/// List ranking on a device: the tables of forms.  A host compiler can read them;
/// cuda/list_walk.cuh implements the forms.

#include <ravel/algorithms/list_ranking/steps.hpp>
#include <ravel/core/cuda/device.hpp>

namespace ravel::inline v0 {
namespace gpu {

struct list_walk_persistent : launched_form<list_walk_persistent> {
  static constexpr auto name = "persistent";
  static constexpr auto why = "Persistent threads, as many as run at once.";
};

/// In each round a sublist combines its value with its predecessor's, and then points to the
/// predecessor's predecessor.
///
/// Source   Wyllie, "The Complexity of Parallel Computations", Cornell TR79-387, 1979.
struct sublist_ranking_by_jumps : launched_form<sublist_ranking_by_jumps> {
  static constexpr auto name = "by_jumps";
  static constexpr auto why = "Pointer jumping; of more sublists walks are faster.";
  static auto now(auto const& c, device const&) {
    return needs(need{c.lists.sublists.n <= index_t{1} << 17, "at most 2^17 sublists"});
  }
};

}  // namespace gpu

template <>
struct form_table<list_walk_family, gpu::device> : forms<gpu::list_walk_persistent> {};
template <>
struct form_table<sublist_ranking_family, gpu::device>
    : forms<gpu::sublist_ranking_by_jumps, sublist_ranking_by_steps> {};

}  // namespace ravel::inline v0
