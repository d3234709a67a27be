#pragma once

/// Segmented pack by steps that run on any executor, also on one that wraps another.

#include <ravel/core/same_everywhere.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/options.hpp>
#include <ravel/primitives/pack/steps.hpp>
#include <ravel/primitives/scan.hpp>
#include <ravel/primitives/segmented_pack/call.hpp>

namespace ravel::inline v0 {
namespace detail {

/// The number of preceding kept elements is stored once for every `elements_of_note` elements.  The
/// number kept before a segment is that stored number, plus the predicate evaluated again for a few
/// elements.
inline constexpr index_t elements_of_note = 8;

/// Visits kept elements, and stores the number kept before each group of `elements_of_note`.
template <class Visit>
struct visit_and_note {
  Visit visit;
  index_t* notes;
  RAVEL_HD auto on(tile t) const {
    return visit_and_note<on_tile_t<Visit>>{on_tile(visit, t), notes};
  }
  RAVEL_HD void operator()(index_t i, index_t before, index_t through) const {
    if (i % elements_of_note == 0) notes[i / elements_of_note] = before;
    if (before < through) visit(i, before);
  }
};
struct note_total {
  index_t* note;
  RAVEL_HD void operator()(index_t total) const { *note = total; }
};

template <class Segments, class Keep, class Begins>
struct pass_begin {
  Segments segments;
  Keep keep_all;
  Begins begins;
  index_t n;
  index_t const* notes;
  RAVEL_HD void operator()(index_t s) const {
    index_t const begin = segments.begin(s);
    if (begin == n) {
      begins(s, notes[div_up(n, elements_of_note)]);
      return;
    }
    index_t const first = begin / elements_of_note * elements_of_note;
    auto const keep = on_tile(keep_all, {0, first, begin + 1});
    index_t ahead = notes[begin / elements_of_note];
    for (index_t i = first; i < begin; ++i) ahead += keep(i) ? 1 : 0;
    begins(s, ahead);
  }
};

}  // namespace detail

struct segmented_pack_by_steps {
  static constexpr auto name = "by_steps";
  static constexpr auto why =
      "Any executor: a scan that notes how many elements are kept before each eighth one, from "
      "where each segment counts up to seven more.";
  static void run(auto const& ex, auto const& c) {
    using sum = plus<index_t>;
    using Segments = decltype(c.segments);
    using Keep = decltype(c.keep);
    using Visit = decltype(c.visit);
    using Begins = decltype(c.begins);
    index_t const of_total = div_up(c.n, detail::elements_of_note);
    auto const notes = ex.template scratch<index_t>(of_total + 1);
    scan_on(ex, c.n, detail::count_kept<Keep>{c.keep},
            detail::visit_and_note<Visit>{c.visit, notes.data()}, sum{},
            detail::seed_identity<sum>{{}}, detail::note_total{notes.data() + of_total});
    for_each_index(ex, c.segments.count() + 1,
                   detail::pass_begin<Segments, Keep, Begins>{c.segments, c.keep, c.begins, c.n,
                                                              notes.data()});
  }
};

/// The family of calls of segmented packs.
struct segmented_pack_family : call_family_with_devices<segmented_pack_by_steps> {};

template <class Machine>
struct form_table<segmented_pack_family, same_order<Machine>> : forms<on_own_executor> {};

}  // namespace ravel::inline v0
