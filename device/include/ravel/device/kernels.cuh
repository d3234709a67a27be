#pragma once

/// @file
/// Kernels that the archive ravel::device holds, for programs that nvcc compiles: they link them, and compile fewer.
///
///     #include <ravel/device/kernels.cuh>     the sample of README.md for GPUs compiles in three quarters of the time
///
/// They run inclusive_scan, exclusive_scan, reduce and reduce_sync on a gpu::executor of numbers of four and eight
/// bytes in memory, the same in and out, by plus, minimum or maximum and without options.  All other calls compile as
/// without this header.
///
/// Errors   A program does not link where the archive is compiled for other compute capabilities, or without one of
///          the types that the program scans or reduces.

#include <ravel/core/cuda/executor.cuh>
#include <ravel/primitives/reduce.hpp>
#include <ravel/primitives/scan.hpp>

#include <cstdint>

namespace ravel::inline v0 {
namespace detail::archive {

/// Defined by the archive for the compute capabilities of its code.
template <int... Capabilities>
void compiled_for();

}  // namespace detail::archive

namespace gpu {

#ifdef RAVEL_KERNELS
#  define RAVEL_SCAN(form, T, M, visit)                                                       \
    RAVEL_KERNELS_OF_ARCHIVE void launch_form(                                                \
        form, executor const&,                                                                \
        scan_call<contiguous<T>, ravel::detail::visit<T>, M, ravel::detail::seed_identity<M>, \
                  ravel::detail::no_total> const&);
#  define RAVEL_SCANS(T, M, visit)         \
    RAVEL_SCAN(scan_in_wave, T, M, visit)  \
    RAVEL_SCAN(scan_streamed, T, M, visit) \
    RAVEL_SCAN(scan_in_blocks, T, M, visit)
#  define RAVEL_REDUCTION(form, T, M)                                  \
    RAVEL_KERNELS_OF_ARCHIVE void launch_form(                         \
        form, executor const&,                                         \
        reduce_call<contiguous<T>, M, ravel::detail::seed_identity<M>, \
                    ravel::detail::store_total<T>> const&);
#  define RAVEL_FOLDS(T, M)                  \
    RAVEL_SCANS(T, M, write_through)         \
    RAVEL_SCANS(T, M, write_before)          \
    RAVEL_REDUCTION(reduce_in_vectors, T, M) \
    RAVEL_REDUCTION(reduce_by_shares, T, M)
#  define RAVEL_KERNELS_OF(T)  \
    RAVEL_FOLDS(T, plus<T>)    \
    RAVEL_FOLDS(T, minimum<T>) \
    RAVEL_FOLDS(T, maximum<T>)

#  ifdef RAVEL_DEVICE_TYPE  // a source of the archive
#    define RAVEL_KERNELS_OF_ARCHIVE template
RAVEL_KERNELS_OF(RAVEL_DEVICE_TYPE)
#  else
#    define RAVEL_KERNELS_OF_ARCHIVE extern template
RAVEL_KERNELS_OF(std::int32_t)
RAVEL_KERNELS_OF(std::uint32_t)
RAVEL_KERNELS_OF(std::int64_t)
RAVEL_KERNELS_OF(std::uint64_t)
RAVEL_KERNELS_OF(float)
RAVEL_KERNELS_OF(double)

/// A program of other compute capabilities does not link.  A constructor, so that no linker drops the reference.
[[gnu::constructor]] static void expect_same_capabilities() {
  ravel::detail::archive::compiled_for<RAVEL_CAPABILITIES>();
}
#  endif

#  undef RAVEL_KERNELS_OF_ARCHIVE
#  undef RAVEL_KERNELS_OF
#  undef RAVEL_FOLDS
#  undef RAVEL_REDUCTION
#  undef RAVEL_SCANS
#  undef RAVEL_SCAN
#endif

}  // namespace gpu
}  // namespace ravel::inline v0
