#pragma once

/// Moves values from the instances of one context to those of another.

#include <ravel/core/std_memory.hpp>
#include <ravel/flatten/context.hpp>
#include <ravel/flatten/lifted.hpp>
#include <ravel/flatten/storage.hpp>
#include <ravel/primitives/balance.hpp>

#include <tuple>

namespace ravel::inline v0::flattening {

template <class Ex, class E>
cells<E> moved(Ex const& ex, cells<E> const& x, way<Ex> const& path) {
  if (!path) return x;
  cells<E> y{x.e, x.keep};
  y.e = x.e.moved([&](spot at) { return path->after(ex, at, x.keep, y.keep); });
  return y;
}

template <class Ex>
descriptor_ptr<Ex> moved(Ex const& ex, descriptor_ptr<Ex> const& d, way<Ex> const& path) {
  if (!path) return d;
  for (auto const& known : path->rows) {
    if (known.from.lock() != d) continue;
    if (auto const result = known.result.lock()) return result;
  }
  owners keep;
  spot const at = path->after(ex, d->at, d->keep, keep);
  auto const result = std::make_shared<descriptor<Ex> const>(descriptor<Ex>{
      path->n, d->base, d->begins, d->ends, false, at, std::move(keep), d->uniform, -1, d});
  std::erase_if(path->rows, [](auto const& known) { return known.result.expired(); });
  path->rows.push_back({d, result});
  if (path->is_branch) {
    std::erase_if(d->branches, [](auto const& known) { return known.rows.expired(); });
    d->branches.push_back({path, result});
  }
  return result;
}

template <class Ex, class S>
ragged<Ex, S> moved(Ex const& ex, ragged<Ex, S> const& x, way<Ex> const& path) {
  return {moved(ex, x.d, path), x.child};
}
template <class Ex, class R, class... S>
fields<R, S...> moved(Ex const& ex, fields<R, S...> const& x, way<Ex> const& path) {
  return map_members(x, [&](auto const& s) { return moved(ex, s, path); });
}

template <class T>
concept smaller_than_index = sizeof(T) < sizeof(index_t);

template <class T>
struct spread_value {
  T const* from;
  T* to;
  RAVEL_HD T of_segment(index_t s, index_t) const { return from[s]; }
  RAVEL_HD T load(T const& x, index_t) const { return x; }
  RAVEL_HD void store(T const&, index_t i, T const& x) const { to[i] = x; }
  RAVEL_HD void operator()(index_t i, index_t s, index_t) const { to[i] = from[s]; }
  void run(index_t i, index_t end, index_t last, index_t s, index_t) const {
    T const x = from[s];
    fill_run(to, i, end, last, x);
  }
};

/// Caches in c the sequences of y, which are those of x moved there: later uses of x there
/// share their measured sizes, and copies of their elements.
template <class Ex, class E>
void keep_moved(context_ptr<Ex> const&, cells<E> const&, cells<E> const&) {}
template <class Ex, class S>
void keep_moved(context_ptr<Ex> const& c, ragged<Ex, S> const& x, ragged<Ex, S> const& y) {
  c->moved.keep_sequences(x.d, y.d);
  y.d->is_kept_by_context = true;
}
template <class Ex, class R, class... S>
void keep_moved(context_ptr<Ex> const& c, fields<R, S...> const& x, fields<R, S...> const& y) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (keep_moved(c, std::get<I>(x.members), std::get<I>(y.members)), ...);
  }
  (std::index_sequence_for<S...>{});
}

/// The representation of x for the instances of c, which is the context of x or below it.
template <class Ex, class S>
S storage_in(context_ptr<Ex> const& c, lifted<Ex, S> const& x) {
  auto const path = c->to(above(c, x.c->level).get());
  auto y = moved(c->ex(), x.s, path);
  if (path) keep_moved(c, x.s, y);
  return y;
}
/// A scalar smaller than an index is copied for each element of the opened sequences: a map of
/// indices would be larger.  For sequences of one length neither is stored.
template <class Ex, smaller_than_index T>
cells<leaf<T>> storage_in(context_ptr<Ex> const& c, lifted<Ex, cells<leaf<T>>> const& x) {
  bool const of_sequences =
      c->level == x.c->level + 1 && !c->is_branch && !c->begins.is_uniform() && x.c->n > 1;
  leaf<T> const& e = x.s.e;
  if (!of_sequences || c->n == 0 || !e.at.is_identity()) {
    return moved(c->ex(), x.s, c->to(above(c, x.c->level).get()));
  }
  owners keep;
  T const* values = copied_elements::find(c->moved.scalars(), e.data, e.at, keep);
  if (!values) {
    auto const out = hold<T>(c->ex(), c->n);
    auto const memory =
        fill_deferred(out.owner, [on = c->on, n = c->n, begins = c->begins, rows = c->up->n,
                                  kept = x.s.keep, spread = spread_value<T>{e.data, out.data}] {
          count_step("scalar for each element", n);
          for_each_in_segments(on->ex, n, segments_by(on->ex, begins, rows), spread);
        });
    c->moved.keep_scalar({e.data, e.at, x.s.keep, memory, out.data});
    keep.add(out.owner);
    values = out.data;
  }
  return {{values, {}}, std::move(keep)};
}
template <class Ex, atom T>
cells<constant<T>> storage_in(context_ptr<Ex> const&, T const& x) {
  return {{x}, {}};
}
}  // namespace ravel::inline v0::flattening
