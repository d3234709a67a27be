#pragma once

/// The types of the loops of one thread that the nested programs are compared with.

#include <ravel/core/tile.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace ravel::examples::serial {

using numbers = std::vector<index_t>;
using rows = std::vector<numbers>;
using reals = std::vector<double>;
using matrix = std::vector<reals>;
using point = std::pair<double, double>;
using points = std::vector<point>;
using edges = std::vector<std::pair<index_t, index_t>>;

template <class T, class I>
auto& of(std::vector<T>& x, I i) {
  return x[static_cast<std::size_t>(i)];
}
template <class T, class I>
auto const& of(std::vector<T> const& x, I i) {
  return x[static_cast<std::size_t>(i)];
}

}  // namespace ravel::examples::serial
