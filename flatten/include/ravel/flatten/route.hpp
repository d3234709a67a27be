#pragma once

/// Routes: the mapping from the instances of one context to those of another.

#include <ravel/core/cpu/host.hpp>
#include <ravel/core/std_memory.hpp>
#include <ravel/flatten/deferred.hpp>
#include <ravel/flatten/expression.hpp>
#include <ravel/flatten/held.hpp>

#include <vector>

namespace ravel::inline v0::flattening {

struct through {
  spot first;
  RAVEL_HD index_t operator()(index_t i) const { return first(i); }
};

template <class Ex>
struct descriptor;

/// A map from the instances of one context to those of another, or to
/// elements.  A null `way` is the identity.
///
/// It caches its compositions with other maps, and the sequences moved by it.  The sequences do
/// not cache these: those used at all levels of a recursion would list all levels.
template <class Ex>
struct route {
  index_t n;  // number of instances
  spot at;
  std::shared_ptr<void const> owner;
  bool is_branch = false;  // to a branch of the conditional that is the owner

  struct joined {
    spot first;
    sources from;  // owners of `first`, whose address may be reused
    spot at;
    std::shared_ptr<void const> owner;
  };
  mutable std::vector<joined> composed = {};
  struct moved_rows {
    std::weak_ptr<descriptor<Ex> const> from, result;
  };
  mutable std::vector<moved_rows> rows = {};

  /// The composed spot of a leaf that has the spot `first`, moved by this route;
  /// adds the owners of the result to `keep`.
  spot after(Ex const& ex, spot first, owners const& kept, owners& keep) const;
};
template <class Ex>
spot route<Ex>::after(Ex const& ex, spot first, owners const& kept, owners& keep) const {
  if (first.is_identity()) {
    keep.add(owner);
    return at;
  }
  bool const one_by_one = first.share == 0 && first.step == 1;  // element k is map[k]
  bool const by_number = at.map == nullptr && (at.same_for_all() || (first.map && one_by_one));
  if (first.same_for_all() || by_number) {
    keep.add(kept);
    return first.same_for_all() ? first : spot{first.map, at.step, at.share};
  }
  if (at.map == nullptr && first.map == nullptr && at.share && first.share) {
    index_t const neighbours = at.neighbours() * first.neighbours();
    if (spot::can_share(neighbours, n)) return spot::shared_by(neighbours);
  }
  for (auto const& known : composed) {
    if (known.first == first && known.from.alive()) {
      keep.add(known.owner);
      return known.at;
    }
  }
  refusing_steps const none(false);  // these depend on contexts only
  index_t const count = at.same_for_all() ? std::min<index_t>(n, 1) : n;
  auto const map = hold<index_t>(ex, count);
  using maps = application<std::index_sequence<0>, through, place>;
  evaluate<maps, index_t> const write{maps{{place{at}}, {first}}, map.data};
  // If the instances of the branch are still to be written, its expressions may turn out to need no map.
  if (cpu::host_executor<Ex> && is_branch && !deferred_steps().empty()) {
    fill_deferred(map.owner,
                  [ex, count, write, kept, kept_too = owner] { visit_indices(ex, count, write); });
  } else {
    visit_indices(ex, count, write);
  }
  spot const result{map.data, at.same_for_all() ? 0 : 1};
  remember(composed, {first, kept, result, map.owner});
  keep.add(map.owner);
  return result;
}

template <class Ex>
using way = std::shared_ptr<route<Ex> const>;

template <class Ex>
way<Ex> way_of(held<index_t const> const& map) {
  return std::make_shared<route<Ex> const>(route<Ex>{map.n, {map.data, 1}, map.owner});
}

}  // namespace ravel::inline v0::flattening
