#pragma once

/// @file
/// An expression as the load of a primitive, whose values are of one type.

#include <ravel/core/config.hpp>
#include <ravel/core/tile.hpp>
#include <ravel/flatten/straight_expression.hpp>

namespace ravel::inline v0::flattening {

template <class T, class E>
struct load_as {
  E e;
  RAVEL_HD T operator()(index_t i) const { return static_cast<T>(e(i)); }
};
template <class T, class E>
requires requires(E const& e, tile t) { e.on(t); }
struct load_as<T, E> {
  E e;
  RAVEL_HD auto on(tile t) const { return load_as<T, decltype(e.on(t))>{e.on(t)}; }
  RAVEL_HD T operator()(index_t i) const { return static_cast<T>(e(i)); }
  RAVEL_HD auto load_index(index_t i) const requires requires { e.load_index(i); }
  { return e.load_index(i); }
  RAVEL_HD bool can_load() const requires requires { e.can_load(); }
  { return e.can_load(); }
  template <class Loaded>
  RAVEL_HD bool valid(index_t i, Loaded const& loaded) const {
    return e.valid(i, loaded);
  }
  template <class Loaded>
  RAVEL_HD T load_at(index_t i, Loaded const& loaded) const {
    return static_cast<T>(e.load_at(i, loaded));
  }
  RAVEL_HD bool inside(index_t begin, index_t end) const requires can_be_inside<E> {
    return e.inside(begin, end);
  }
  bool all_inside(index_t begin, index_t end) const requires can_be_all_inside<E> {
    return e.all_inside(begin, end);
  }
  RAVEL_HD T unchecked(index_t i) const requires can_be_unchecked<E> {
    return static_cast<T>(e.unchecked(i));
  }
  void prefetch(index_t begin, index_t end) const { e.prefetch(begin, end); }
};

}  // namespace ravel::inline v0::flattening
