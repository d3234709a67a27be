#pragma once

/// Transpose: the columns of sequences of rows.

#include <ravel/flatten/each.hpp>
#include <ravel/flatten/fold.hpp>
#include <ravel/flatten/sequences.hpp>

namespace ravel::inline v0 {

/// The columns of a sequence of rows, which have one length.
///
///     transpose([[1 2 3] [4 5 6]])      [[1 4] [2 5] [3 6]]
///
/// Cost     The columns are expressions: each element is loaded where it is used.
/// Errors   index_error where a row is shorter than the longest.
template <sequence_operand X>
auto transpose(X const& x) {
  static_assert(flattening::is_nested<typename flattening::nested_type<element_of<X>>::of>::value,
                "transpose: the elements must be sequences");
  auto const width = max_or(each(x, [](auto const& row) { return len(row); }), index_t{0});
  return each(iota(width),
              [&](auto const& j) { return each(x, [&](auto const& row) { return at(row, j); }); });
}

}  // namespace ravel::inline v0
