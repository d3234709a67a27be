#pragma once

/// @file
/// The bridge to range-v3, for host code.
///
/// A range of range-v3 with random access and a size is a source without this header, and a
/// pipeline's results in memory are a contiguous range to range-v3.  This header makes ravel::view
/// one of its views, which can be adapted as an rvalue:
///
///     auto const squares = ranges::views::iota(0, 10) | ranges::views::transform(square{});
///     auto const sums = on(ex, squares) | inclusive_scan(plus{}) | to_buffer();
///     ranges::accumulate(view_of(sums) | ranges::views::stride(2), 0);
///
/// Without range-v3 this header is empty.

#include <ravel/core/config.hpp>
#include <ravel/core/view.hpp>

#if __has_include(<range/v3/range_fwd.hpp>)
#  ifdef RAVEL_KERNELS
#    error "ravel/pipelines/range_v3.hpp: nvcc cannot read range-v3; include this in host code"
#  endif

#  include <range/v3/range/concepts.hpp>

template <class T, class Space>
inline constexpr bool ranges::enable_view<ravel::view<T, Space>> = true;
template <class T, class Space>
inline constexpr bool ranges::enable_borrowed_range<ravel::view<T, Space>> = true;
#endif
