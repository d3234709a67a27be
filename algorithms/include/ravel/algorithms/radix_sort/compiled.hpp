#pragma once

/// Compiled: the commonest radix sorts of cpu::threads, of many keys, which the archive ravel::vectors holds.
///
/// Numbers of four and eight bytes, without values, in either order, by all bits or some.

#include <ravel/algorithms/cpu/row.hpp>
#include <ravel/algorithms/radix_sort/cpu.hpp>
#include <ravel/algorithms/sort_options.hpp>
#include <ravel/core/cpu/executor.hpp>
#include <ravel/primitives/rows.hpp>

#include <cstdint>
#include <optional>

#if !defined(RAVEL_DEFINES_ARCHIVED) && !defined(RAVEL_KERNELS)

#  ifndef RAVEL_COMPILED_SORT  // the source of the archive defines it as `template`
#    define RAVEL_COMPILED_SORT extern template
#  endif

namespace ravel::inline v0::cpu::detail {

#  define RAVEL_COMPILED_SORT_OF(K)                                                               \
    RAVEL_COMPILED_SORT void sort_rows_by(threads const&, index_t, row<K, no_value>*,             \
                                          rows<K const, no_value const>, rows<K, no_value>, bool, \
                                          std::optional<bit_range>, ravel::detail::the_element);
RAVEL_COMPILED_SORT_OF(std::int32_t)
RAVEL_COMPILED_SORT_OF(std::uint32_t)
RAVEL_COMPILED_SORT_OF(std::int64_t)
RAVEL_COMPILED_SORT_OF(std::uint64_t)
RAVEL_COMPILED_SORT_OF(float)
RAVEL_COMPILED_SORT_OF(double)
#  undef RAVEL_COMPILED_SORT_OF

}  // namespace ravel::inline v0::cpu::detail

#  undef RAVEL_COMPILED_SORT
#endif
