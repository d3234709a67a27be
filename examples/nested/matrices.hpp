#pragma once

/// Matrices as rows: Strassen's product, linear systems by Gauss and Jordan, conjugate gradients.

#include <ravel/flatten/flatten.hpp>

#include "nested/sparse.hpp"

#include <utility>

namespace ravel::examples {

/// The product of two square matrices by their definition.
inline constexpr auto product_of_rows = [](auto a, auto b) {
  auto const columns = keep(transpose(b));
  return each(a, [&](auto const& row) {
    return each(columns, [&](auto const& column) { return sum(row * column); });
  });
};
inline constexpr auto sum_of_matrices = [](auto a, auto b) { return keep(a + b); };
inline constexpr auto difference_of_matrices = [](auto a, auto b) { return keep(a - b); };

/// The product of two square matrices, whose size is a power of two, by seven of half the size.
/// Source   Strassen, "Gaussian elimination is not optimal", 1969.
inline auto const strassen =
    rec<nested<nested<double>>(nested<nested<double>>, nested<nested<double>>)>([](auto self,
                                                                                   auto a, auto b) {
      return if_(
          len(a) <= 32, [&] { return product_of_rows(a, b); },
          [&] {
            auto const half = keep(len(a) / 2);
            auto const quarter = [&](auto m, auto row, auto column) {
              return each(slice(m, row * half, row * half + half),
                          [&](auto r) { return slice(r, column * half, column * half + half); });
            };
            auto const a11 = quarter(a, 0, 0);
            auto const a12 = quarter(a, 0, 1);
            auto const a21 = quarter(a, 1, 0);
            auto const a22 = quarter(a, 1, 1);
            auto const b11 = quarter(b, 0, 0);
            auto const b12 = quarter(b, 0, 1);
            auto const b21 = quarter(b, 1, 0);
            auto const b22 = quarter(b, 1, 1);
            auto const add = sum_of_matrices;
            auto const less = difference_of_matrices;
            auto const left = list(add(a11, a22), add(a21, a22), keep(a11), keep(a22),
                                   add(a11, a12), less(a21, a11), less(a12, a22));
            auto const right = list(add(b11, b22), keep(b11), less(b12, b22), less(b21, b11),
                                    keep(b22), add(b11, b12), add(b21, b22));
            auto const m = each(left, right, self);
            auto const of = [&](int k) { return at(m, k); };
            auto const top = each(add(less(add(of(0), of(3)), of(4)), of(6)), add(of(2), of(4)),
                                  [](auto x, auto y) { return append(x, y); });
            auto const bottom = each(add(of(1), of(3)), add(less(add(of(0), of(2)), of(1)), of(5)),
                                     [](auto x, auto y) { return append(x, y); });
            return append(top, bottom);
          });
    });

/// The solution of a system of linear equations, rows of coefficients and the right side, by
/// elimination with the greatest pivot of each column.
inline constexpr auto gauss_jordan = [](auto system) {
  auto const n = len(system);
  auto const done = while_(
      [&](auto const&, auto k) { return k < n; },
      [&](auto rows, auto k) {
        auto const pivot =
            keep(k + max_index(each(drop(rows, k), [&](auto row) { return abs(at(row, k)); })));
        auto const chosen = at(rows, pivot);
        auto const scale = keep(1.0 / at(chosen, k));
        auto const next = each(indices(rows), [&](auto i) {
          auto const row =
              at(rows, select(i == pivot, k, i));  // the pivot takes the place of row k
          auto const factor = keep(at(row, k) * scale);
          return each(row, chosen,
                      [&](auto x, auto p) { return select(i == k, p * scale, x - factor * p); });
        });
        return tup(next, k + 1);
      },
      tup(system, n * 0));
  return each(get<0>(done), [&](auto row) { return at(row, n); });
};

/// So many rounds of conjugate gradients for a x = b, from x = 0.
/// Source   Hestenes and Stiefel, "Methods of conjugate gradients for solving linear systems",
///          1952.
inline constexpr auto conjugate_gradients = [](auto a, auto b, auto rounds) {
  auto const done =
      while_([](auto const&, auto const&, auto const&, auto, auto left) { return left > 0; },
             [&](auto x, auto r, auto p, auto rr, auto left) {
               auto const ap = keep(spmv(a, p));
               auto const alpha = keep(rr / sum(p * ap));
               auto const next_r = keep(each(r, ap, [&](auto e, auto f) { return e - alpha * f; }));
               auto const next_rr = keep(sum(next_r * next_r));
               auto const beta = keep(next_rr / rr);
               return tup(keep(each(x, p, [&](auto e, auto f) { return e + alpha * f; })), next_r,
                          keep(each(next_r, p, [&](auto e, auto f) { return e + beta * f; })),
                          next_rr, left - 1);
             },
             tup(keep(b * 0.0), b, b, keep(sum(b * b)), rounds));
  return get<0>(done);
};

}  // namespace ravel::examples
