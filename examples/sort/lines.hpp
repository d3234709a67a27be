#pragma once

/// Sorts strings on a backend, and measures the time.

#include "sorting.hpp"

namespace ravel::examples {

struct string_order {
  std::vector<index_t> order;  // the stable permutation that sorts the strings by bytes
  double seconds;              // of the sort alone: the median of the repeats
};

/// String i is the bytes [begins[i], ends[i]) of the text.
template <class Backend>
string_order sort_strings(view<char const> text, view<index_t const> begins,
                          view<index_t const> ends, sort_job const& job);

}  // namespace ravel::examples
