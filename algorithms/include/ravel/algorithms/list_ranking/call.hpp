#pragma once

/// The descriptions of list rankings, and of their walks and sublists.

#include <ravel/algorithms/list_options.hpp>

namespace ravel::inline v0 {

struct list_walk_family;
struct sublist_ranking_family;
struct list_ranking_family;

/// All walks of a pass (list_walk.hpp).
template <class Walks>
struct list_walk_call {
  using family = list_walk_family;
  Walks walks;
};

/// Each sublist's place in its list, and the prefix before it, by the monoid m.
template <class Lists, class M>
struct sublist_ranking_call {
  using family = sublist_ranking_family;
  Lists lists;
  M m;
};

/// Ranks of the nodes of lists with links `next`, counted in words of type Word.
template <class Word, class By, class Next, class Given, class Out>
struct list_ranking_call {
  using family = list_ranking_family;
  using heads = Given;
  By by;        ///< the splitters
  Next next;    ///< a view
  Given given;  ///< the heads, or heads_to_find
  list_fault* fault;
  Out* out;
};

}  // namespace ravel::inline v0
