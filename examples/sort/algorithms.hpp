#pragma once

/// Sorts of numbers other than radix sort, in a header of their own to limit compile time.

#include "support/backend.hpp"

#include <ravel/core/concepts.hpp>
#include <ravel/core/view.hpp>

#include <cstdint>

namespace ravel::examples {

using backend_executor = decltype(backend::executor(0));
template <class T>
using on_backend = view<T, space_of_t<backend_executor>>;

// All sort stably by in_order, to memory that does not overlap the input.

/// Merge sort: comparison_sort with an order that it does not recognise.
template <class Backend, class T>
void merge_numbers(backend_executor const& ex, on_backend<T const> in, on_backend<T> out,
                   bool downward);
template <class Backend, class T>
void merge_pairs(backend_executor const& ex, on_backend<T const> keys,
                 on_backend<std::int64_t const> values, on_backend<T> keys_out,
                 on_backend<std::int64_t> values_out, bool downward);

/// Sample sort.
template <class Backend, class T>
void sample_numbers(backend_executor const& ex, on_backend<T const> in, on_backend<T> out,
                    bool downward);
template <class Backend, class T>
void sample_pairs(backend_executor const& ex, on_backend<T const> keys,
                  on_backend<std::int64_t const> values, on_backend<T> keys_out,
                  on_backend<std::int64_t> values_out, bool downward);

/// The order of the sorted numbers, by quicksort in levels.
template <class Backend, class T>
void quick_order(backend_executor const& ex, on_backend<T const> in, on_backend<std::int64_t> order,
                 bool downward);

}  // namespace ravel::examples
