#pragma once

/// @file
/// Flattened quicksort of rows.

#include <ravel/flatten/flatten.hpp>

#include <tuple>
#include <utility>

namespace ravel::examples {

/// The quicksort of examples/nested for pairs of a key and a place, by key: the parts of
/// less, equal and greater elements keep their order, so that the sort is stable.
template <class K, class Place>
inline auto const quicksort_rows = [] {
  using rows = nested<std::tuple<K, Place>>;
  return rec<rows(rows)>([](auto self, auto a) {
    return if_(
        len(a) < 2, [&] { return a; },
        [&] {
          auto const pivot = keep(get<0>(at(a, len(a) * 5 / 8)));
          auto halves = list(filter(a, [&](auto row) { return get<0>(row) < pivot; }),
                             filter(a, [&](auto row) { return get<0>(row) > pivot; }));
          auto const equal = filter(a, [&](auto row) { return get<0>(row) == pivot; });
          discard(a);
          auto const sorted = each(std::move(halves), self);
          return append(at(sorted, 0), equal, at(sorted, 1));
        });
  });
}();

}  // namespace ravel::examples
