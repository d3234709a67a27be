#pragma once

/// Kernels that the archive ravel::device holds, for programs that nvcc compiles: they link them, and compile fewer.
///
///     -include ravel/device/kernels.cuh     the sample of README.md for GPUs compiles in two thirds of the time
///
/// They run inclusive_scan, exclusive_scan, reduce and reduce_sync on a gpu::executor of numbers in memory, the same
/// in and out, by plus, minimum or maximum and without options.  All other calls compile as without this header.
///
/// Errors   A program does not link where the archive is compiled for other compute capabilities, or without one of
///          the types that the program scans or reduces.

#include <ravel/core/cuda/executor.cuh>
#include <ravel/device/numbers.hpp>
#include <ravel/primitives/reduce.hpp>
#include <ravel/primitives/scan.hpp>

namespace ravel::inline v0 {
namespace detail::archive {

/// Defined by the archive for the compute capabilities of its code.
template <int... Capabilities>
void compiled_for();

template <class T, class M>
concept held = number<T> && one_of<M, plus<T>, minimum<T>, maximum<T>>;

template <class T, class M, class Visit>
using scan_of = scan_call<contiguous<T>, Visit, M, seed_identity<M>, no_total>;
template <class T, class M>
using reduction_of = reduce_call<contiguous<T>, M, seed_identity<M>, store_total<T>>;

template <class Call>
inline constexpr bool holds = false;
template <class T, class M>
inline constexpr bool holds<scan_of<T, M, write_through<T>>> = held<T, M>;
template <class T, class M>
inline constexpr bool holds<scan_of<T, M, write_before<T>>> = held<T, M>;
template <class T, class M>
inline constexpr bool holds<reduction_of<T, M>> = held<T, M>;

}  // namespace detail::archive

/// Overload of run_call, which the archive defines.
template <class Call>
requires(detail::archive::holds<Call>) void run_call(gpu::executor const&, Call const&);

#ifndef RAVEL_DEVICE_TYPE  // not a source of the archive
/// A program of other compute capabilities does not link.  A constructor, so that no linker drops the reference.
[[gnu::constructor]] static void expect_same_capabilities() {
  detail::archive::compiled_for<RAVEL_CAPABILITIES>();
}
#endif

}  // namespace ravel::inline v0
