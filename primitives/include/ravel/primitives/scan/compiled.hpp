#pragma once

/// Compiled: the commonest scans of cpu::threads, of many elements, which the archive ravel::vectors holds.
///
/// Sums of numbers of four and eight bytes, from memory to memory, from the identity on; and of lengths to
/// offsets.

#include <ravel/core/cpu/executor.hpp>
#include <ravel/primitives/options.hpp>
#include <ravel/primitives/scan/cpu.hpp>
#include <ravel/primitives/scan_visits.hpp>

#if !defined(RAVEL_DEFINES_ARCHIVED) && !defined(RAVEL_KERNELS)

#  ifndef RAVEL_COMPILED_SCAN  // the source of the archive defines it as `template`
#    define RAVEL_COMPILED_SCAN extern template
#  endif

namespace ravel::inline v0::cpu::detail {

#  define RAVEL_COMPILED_SUM(T, In, Visit, ...)                                    \
    RAVEL_COMPILED_SCAN void scan_many<scan_numbers>(                              \
        threads const&, index_t, contiguous<In>, ravel::detail::Visit<T>, plus<T>, \
        ravel::detail::seed_identity<plus<T>>, __VA_ARGS__);
#  define RAVEL_COMPILED_SUMS(T)                                     \
    RAVEL_COMPILED_SUM(T, T, write_through, ravel::detail::no_total) \
    RAVEL_COMPILED_SUM(T, T, write_before, ravel::detail::no_total)
#  define RAVEL_COMPILED_OFFSETS(Length) \
    RAVEL_COMPILED_SUM(                  \
        index_t, Length, write_before,   \
        ravel::detail::both_totals<ravel::detail::store_total<index_t>, ravel::detail::no_total>)
RAVEL_COMPILED_SUMS(std::int32_t)
RAVEL_COMPILED_SUMS(std::uint32_t)
RAVEL_COMPILED_SUMS(std::int64_t)
RAVEL_COMPILED_SUMS(std::uint64_t)
RAVEL_COMPILED_SUMS(float)
RAVEL_COMPILED_SUMS(double)
RAVEL_COMPILED_SUM(index_t, std::int32_t, write_before, ravel::detail::no_total)
RAVEL_COMPILED_OFFSETS(std::int32_t)
RAVEL_COMPILED_OFFSETS(index_t)
#  undef RAVEL_COMPILED_OFFSETS
#  undef RAVEL_COMPILED_SUMS
#  undef RAVEL_COMPILED_SUM

}  // namespace ravel::inline v0::cpu::detail

#  undef RAVEL_COMPILED_SCAN
#endif
