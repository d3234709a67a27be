#pragma once

/// @file
/// Moving: values of the instances of one context, as those of another.

#include <ravel/flatten/context.hpp>
#include <ravel/flatten/lifted.hpp>
#include <ravel/flatten/storage.hpp>

#include <memory>

namespace ravel::inline v0::flattening {

template <class Ex, class E>
cells<E> moved(Ex const& ex, cells<E> const& x, way<Ex> const& by) {
  if (!by) return x;
  cells<E> y{x.e, x.keep};
  y.e = x.e.moved([&](spot at) { return by->after(ex, at, x.keep, y.keep); });
  return y;
}

template <class Ex>
descriptor_ptr<Ex> moved(Ex const& ex, descriptor_ptr<Ex> const& d, way<Ex> const& by) {
  if (!by) return d;
  for (auto const& [known, result] : d->moved_by) {
    if (known == by) return result;
  }
  owners at_kept = d->keep, keep;
  spot const at = by->after(ex, d->at, at_kept, keep);
  keep.add(at_kept);
  auto const result = std::make_shared<descriptor<Ex> const>(
      descriptor<Ex>{by->n, d->base, d->begins, d->ends, false, at, std::move(keep)});
  d->moved_by.emplace_back(by, result);
  return result;
}

template <class Ex, class S>
rows<Ex, S> moved(Ex const& ex, rows<Ex, S> const& x, way<Ex> const& by) {
  return {moved(ex, x.d, by), x.child};
}
template <class Ex, class R, class... S>
fields<R, S...> moved(Ex const& ex, fields<R, S...> const& x, way<Ex> const& by) {
  return map_members(x, [&](auto const& s) { return moved(ex, s, by); });
}

/// How x is kept, for the instances of `there`, which its context is or is above.
template <class Ex, class S>
S storage_in(context_ptr<Ex> const& there, lifted<Ex, S> const& x) {
  return moved(there->ex(), x.s, there->to(above(there, x.c->level).get()));
}
template <class Ex, atom T>
cells<constant<T>> storage_in(context_ptr<Ex> const&, T const& x) {
  return {{x}, {}};
}
}  // namespace ravel::inline v0::flattening
