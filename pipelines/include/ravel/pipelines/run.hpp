#pragma once

/// Runs a pass: writes, combines or visits its results.

#include <ravel/flatten/stats.hpp>
#include <ravel/pipelines/loads.hpp>
#include <ravel/pipelines/pass.hpp>
#include <ravel/pipelines/targets.hpp>
#include <ravel/pipelines/view_steps.hpp>
#include <ravel/pipelines/visits.hpp>
#include <ravel/primitives/adjacent_difference.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/pack.hpp>
#include <ravel/primitives/reduce.hpp>
#include <ravel/primitives/scan.hpp>
#include <ravel/primitives/scan_then_pack.hpp>
#include <ravel/primitives/unique.hpp>

namespace ravel::inline v0::piping {

/// `n` elements in the memory of the executor.
template <class Ex, class T>
auto sequence_at(Ex const&, T* data, index_t n) {
  return ravel::view<T, space_of_t<Ex>>(data, n);
}

/// Scans an unmodified sequence into another: calls the primitive itself.
template <class Ex, class Scan, class In, class Out>
void scan_plain(Ex const& ex, Scan const& scan, In const& in, Out const& out) {
  auto const run = [&](auto... options) {
    if constexpr (Scan::inclusive) {
      ravel::inclusive_scan(ex, in, out, scan.m, options...);
    } else {
      ravel::exclusive_scan(ex, in, out, scan.m, options...);
    }
  };
  auto const run_from = [&](auto... options) {
    if constexpr (std::same_as<decltype(scan.initial), from_identity>) {
      run(options...);
    } else {
      run(scan.initial, options...);
    }
  };
  if constexpr (Scan::backward) {
    run_from(ravel::backward);
  } else {
    run_from();
  }
}

/// Calls scan(load, m, seed) for the scan of a pass, with the identity for dropped
/// elements.
template <class P, class Scan>
void with_scanned(P const& p, Scan const& scan) {
  using Load = loader<decltype(p.view), decltype(p.before)>;
  using M = decltype(p.scan.m);
  Load const load = load_from(p.view, p.before);
  M const m = p.scan.m;
  auto const seed = start_of(m, p.scan.initial);
  if constexpr (P::drops_before) {
    scan(load_or_identity<Load, M>{load, m}, m, seed);
  } else {
    scan(load, m, seed);
  }
}

/// The predicate of elements that a pass loads.
template <class P>
auto loaded_by(P const& p) {
  if constexpr (P::drops_before) {
    using Load = loader<decltype(p.view), decltype(p.before)>;
    return is_some<Load>{load_from(p.view, p.before)};
  } else {
    return is_any{};
  }
}
template <class P>
using loaded = decltype(loaded_by(std::declval<P const&>()));

/// Scans the elements that a pass loads.
template <class Ex, class P, class Visit, class Total = no_count>
void visit_scanned(Ex const& ex, P const& p, Visit visit, Total total = {}) {
  index_t const n = p.most();
  with_scanned(p, [&](auto load, auto m, auto seed) {
    if constexpr (decltype(p.scan)::backward) {
      scan_backward_on(ex, n, load, visit, m, seed, total);
    } else {
      scan_on(ex, n, load, visit, m, seed, total);
    }
  });
}

/// Scans the elements that a pass loads, and packs the results after filters.
template <class Ex, class P, class Visit, class Count>
void pack_scanned(Ex const& ex, P const& p, Visit visit, Count count) {
  using Step = keep_scanned<decltype(p.scan), loaded<P>, decltype(p.after)>;
  with_scanned(p, [&](auto load, auto m, auto seed) {
    scan_then_pack_on(ex, p.most(), load, m, seed, Step{loaded_by(p), p.after}, visit, count);
  });
}

/// Counts the elements that a pass keeps of those loaded.
void count_loaded(auto const& ex, auto const& p, store_count count) {
  using Load = loader<decltype(p.view), decltype(p.before)>;
  using sum = plus<index_t>;
  reduce_on(ex, p.most(), one_if_some<Load>{load_from(p.view, p.before)}, sum{},
            start_of(sum{}, from_identity{}), count);
}

/// Stores the number of results of a pass in `count`.
template <class Ex, class P>
void count(Ex const& ex, P const& p, store_count count) {
  if constexpr (P::drops_after) {
    pack_scanned(ex, p, to_nowhere{}, count);
  } else if constexpr (decltype(p.before)::partial) {
    count_loaded(ex, p, count);
  } else {
    for_each_index(ex, 1, store_size<decltype(p.view)>{p.view, count.total});
  }
}

template <class Ex, class P, class Target, class Count>
void write_scanned(Ex const& ex, P const& p, Target target, index_t room, Count count) {
  using Scan = decltype(p.scan);
  using After = decltype(p.after);
  if constexpr (P::packs && is_instance<Target, to_memory>) {
    pack_scanned(ex, p, write_kept<std::remove_pointer_t<decltype(target.out)>>{target.out, room},
                 count);
  } else if constexpr (P::packs) {
    pack_scanned(ex, p, while_room<Target>{target, room}, count);
  } else if constexpr (P::drops_before) {
    using Put = put_scanned<Scan, loaded<P>, After, while_room<Target>>;
    Put const put{loaded_by(p), p.after, {target, room}};
    if constexpr (std::same_as<Count, no_count>) {
      visit_scanned(ex, p, put);
    } else {
      visit_scanned(ex, p, put, store_size<decltype(p.view)>{p.view, count.total});
    }
  } else if constexpr (P::plain && std::same_as<After, as_it_is> &&
                       is_instance<Target, to_memory>) {
    scan_plain(ex, p.scan, sequence_at(ex, p.view.data, p.most()),
               sequence_at(ex, target.out, p.most()));
  } else if constexpr (std::same_as<After, as_it_is> && is_instance<Target, to_memory>) {
    using Out = std::remove_pointer_t<decltype(target.out)>;
    using Write =
        std::conditional_t<Scan::inclusive, ravel::write_through<Out>, ravel::write_before<Out>>;
    visit_scanned(ex, p, Write{target.out});
  } else if constexpr (is_instance<Target, to_memory>) {
    using Make = make_scanned<Scan, After>;
    using Out = std::remove_pointer_t<decltype(target.out)>;
    visit_scanned(ex, p, ravel::write_made<Make, Out>{{p.after}, target.out});
  } else {
    visit_scanned(ex, p, put_scanned<Scan, is_any, After, Target>{{}, p.after, target});
  }
}

/// Passes the destination of the number kept, if any, as an option of a primitive:
/// call(total_to(...)).
template <class Ex, class Count, class Call>
void with_total(Ex const& ex, [[maybe_unused]] Count count, Call const& call) {
  if constexpr (std::same_as<Count, no_count>) {
    call();
  } else {
    call(total_to(sequence_at(ex, count.total, 1)));
  }
}

template <class Ex, class P, class Target, class Count>
void write_sifted(Ex const& ex, P const& p, Target target, index_t room, Count count) {
  using Load = loader<decltype(p.view), decltype(p.before)>;
  Load const load = load_from(p.view, p.before);
  if constexpr (filters_plainly<decltype(p.view), decltype(p.before)> &&
                is_instance<Target, to_memory>) {
    with_total(ex, count, [&](auto... total) {
      ravel::filter(ex, sequence_at(ex, p.view.data, p.most()), p.before.keep,
                    sequence_at(ex, target.out, room), total...);
    });
  } else if constexpr (is_plain_unique<decltype(p.view), decltype(p.before)> &&
                       is_instance<Target, to_memory>) {
    with_total(ex, count, [&](auto... total) {
      ravel::unique(ex, sequence_at(ex, p.view.view.data, p.most()),
                    sequence_at(ex, target.out, room), equal_by(p.view.step.eq), total...);
    });
  } else if constexpr (alike_everywhere<decltype(p.view)> && is_instance<Target, to_memory>) {
    using In = std::remove_cvref_t<decltype(*p.view.elements())>;
    using Out = std::remove_pointer_t<decltype(target.out)>;
    pack_on(ex, p.most(), is_some_of<Load>{{load}},
            write_made_of_kept<In, made_if_some<Load>, Out>{
                p.view.elements(), {load}, target.out, room},
            count);
  } else {
    pack_on(ex, p.most(), is_some<Load>{load}, put_kept<Load, Target>{load, target, room}, count);
  }
}

/// The same for a pass that neither scans nor drops elements.
template <class Ex, class P, class Target>
void write_mapped(Ex const& ex, P const& p, Target target, index_t room) {
  auto const load = load_from(p.view, p.before);
  if constexpr (is_plain_difference<decltype(p.view), decltype(p.before), Target>) {
    adjacent_difference(ex, sequence_at(ex, p.view.view.data, p.most()),
                        sequence_at(ex, target.out, p.most()), p.view.step.f);
  } else if constexpr (P::counted) {
    map_on(ex, p.most(), load,
           put_while_there<decltype(p.view), while_room<Target>>{p.view, {target, room}});
  } else {
    map_on(ex, p.most(), load, target);
  }
}

/// The same for a pass that moves from what it writes.
template <class Ex, class P, class Out, class Count>
void write_taken(Ex const& ex, P const& p, Out* out, index_t room, Count count) {
  using V = decltype(p.view);
  put_taken<V, Out> const put{p.view, out, room};
  if constexpr (P::packs) {
    pack_on(ex, p.most(), is_kept<V, decltype(p.before.keep)>{p.view, p.before.keep}, put, count);
  } else {
    for_each_index(ex, p.most(), put);
  }
}

/// Whether the primitive of a pass also counts its results.
template <class P>
inline constexpr bool counts_by_the_way = P::packs || (P::scans && P::drops_before);

/// Writes the results of a pass: if it is counted up to the room, else there
/// must be room.  Stores their number in `count`.
template <class Ex, class P, class Target, class Count>
void write_all(Ex const& ex, P const& p, Target target, index_t room, Count count) {
  flattening::note_step(P::step, p.most());
  constexpr bool sifts = decltype(p.before)::partial && !P::scans;
  if constexpr (P::scans) {
    write_scanned(ex, p, target, room, count);
  } else if constexpr (P::moves && is_instance<Target, to_memory>) {
    write_taken(ex, p, target.out, room, count);
  } else if constexpr (sifts) {
    write_sifted(ex, p, target, room, count);
  } else {
    write_mapped(ex, p, target, room);
  }
  if constexpr (!counts_by_the_way<P> && !std::same_as<Count, no_count>) {
    piping::count(ex, p, count);
  }
}

/// Writes the results of a pass, up to the room, and stores their number in `count`;
/// without `count` there must be room.
template <class Ex, class P, class Target, class Count>
void write(Ex const& ex, P const& p, Target target, index_t room, Count count) {
  constexpr bool heeds_room = P::counted || (P::moves && is_instance<Target, to_memory>);
  if constexpr (!heeds_room && !std::same_as<Count, no_count>) {
    if (room < p.most()) {
      return write_all(ex, p, while_room<Target>{target, room}, p.most(), count);
    }
  }
  write_all(ex, p, target, room, count);
}

/// Combines the results of a pass that does not scan.
template <class Ex, class P, class M, class Seed, class Out>
void fold(Ex const& ex, P const& p, M m, Seed seed, Out* out) {
  static_assert(!P::scans);
  flattening::note_step("pass: reduce", p.most());
  using Load = loader<decltype(p.view), decltype(p.before)>;
  Load const load = load_from(p.view, p.before);
  if constexpr (P::drops_before) {
    reduce_on(ex, p.most(), load_or_identity<Load, M>{load, m}, m, seed, store_total<Out>{out});
  } else {
    reduce_on(ex, p.most(), load, m, seed, store_total<Out>{out});
  }
}

/// Calls f with each result of a pass.
template <class Ex, class P, class F>
void for_each(Ex const& ex, P const& p, F f) {
  flattening::note_step(P::step, p.most());
  if constexpr (P::scans) {
    using After = decltype(p.after);
    using Give = give<F, After::partial>;
    visit_scanned(
        ex, p, put_scanned<decltype(p.scan), loaded<P>, After, Give>{loaded_by(p), p.after, {f}});
  } else {
    map_on(ex, p.most(), load_from(p.view, p.before), give<F, P::drops_before>{f});
  }
}

}  // namespace ravel::inline v0::piping
