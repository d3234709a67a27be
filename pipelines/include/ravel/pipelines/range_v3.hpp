#pragma once

/// The bridge to range-v3, for host code.
///
/// Ranges of range-v3 are sources without this header, and pipelines and their results are ranges to
/// range-v3.  This header makes them, and ravel::view, views of range-v3, which it adapts as rvalues:
///
///     auto const squares = ranges::views::iota(0, 10) | ranges::views::transform(square{});
///     auto const sums = on(ex, squares) | inclusive_scan(plus{}) | to_buffer();
///     ranges::accumulate(view_of(sums) | ranges::views::stride(2), 0);
///     on(ex, squares) | filter(is_odd{}) | ranges::views::take(2) | ranges::to<std::set<int>>();
///
/// Without range-v3 this header is empty.

#include <ravel/core/vocabulary.hpp>

#if __has_include(<range/v3/range_fwd.hpp>)
#  ifdef RAVEL_KERNELS
#    error "ravel/pipelines/range_v3.hpp: nvcc cannot read range-v3; include this in host code"
#  endif

#  include <ravel/pipelines/pipeline.hpp>
#  include <ravel/pipelines/results.hpp>

#  include <range/v3/range/concepts.hpp>
#  include <range/v3/range/traits.hpp>

/// A range that range-v3 says does not end is no source.
template <class R>
requires(::ranges::range<R>&& ::ranges::is_infinite<
         R>::value) inline constexpr bool ravel::is_endless<R> = true;

template <class Ex, class Node>
inline constexpr bool ranges::enable_view<ravel::pipeline<Ex, Node>> = true;
template <class Ex, class T>
inline constexpr bool ranges::enable_view<ravel::collected<Ex, T>> = true;
template <class T, class Space>
inline constexpr bool ranges::enable_view<ravel::view<T, Space>> = true;
template <class T, class Space>
inline constexpr bool ranges::enable_borrowed_range<ravel::view<T, Space>> = true;
#endif
