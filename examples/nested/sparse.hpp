#pragma once

/// Sparse matrices as nested sequences; products with dense and sparse vectors.

#include <ravel/flatten/flatten.hpp>

namespace ravel::examples {

/// A matrix by rows, each a sequence of (column, value), times a dense vector.
inline constexpr auto spmv = [](auto a, auto x) {
  return each(a, [&](auto row) { return sum(snd(row) * gather(x, fst(row))); });
};

/// A matrix by columns, each a sequence of (row, value), times a sparse vector of
/// (column, value).  The result is sparse, with ascending rows.
inline constexpr auto spmspv = [](auto columns, auto x) {
  auto const products = flat_each(x, [&](auto e) {
    auto const value = snd(e);
    return each(at(columns, fst(e)), [&](auto c) { return tup(fst(c), snd(c) * value); });
  });
  return each(collect(fst(products), snd(products)),
              [](auto group) { return tup(fst(group), sum(snd(group))); });
};

}  // namespace ravel::examples
