#pragma once

/// @file
/// Loops over numbers, in vector registers: reduce, scan, segmented scan, tuple and higher-order
/// prefix sums, compress, and the rows of sparse products.
///
/// Programs linked with the library ravel::vectors (CMake target ravel::ravel links it) contain
/// each loop for vectors of 16, 32 and 64 bytes, and select by the processor at run time.  Without
/// that library the vector width is the compiler's.
///
/// The grouping of operands does not depend on the vector width: results have the same bits on all
/// processors.  The exception is rows of sparse products, which use vectors of 64 bytes only.
/// Integers wrap around, and minima and maxima do not depend on grouping.  Floating-point sums are
/// grouped so:
///
///     reduce    Groups of 1024 bytes from the left, then groups of 128 bytes, then the rest
///               serially.  Within a group: a balanced tree over adjacent elements.
///     scan      Blocks of 64 bytes from the left, then the rest serially.  Within a block,
///               x'(l) = x(l - 1) + x(l), x''(l) = x'(l - 2) + x'(l), and so on, with 0 for
///               lanes before the block; then the prefix of the block is added to each
///               (Kogge and Stone 1973).
///     segments  The same, but nothing from before a head is added.
///     strides   For every S-th number, the same with x'(l) = x(l - S) + x(l), and then 2 S, 4 S
///               and so on.  For orders, each round is such a scan of the previous round's result.

#include <ravel/core/config.hpp>
#include <ravel/core/cpu/flow.hpp>
#include <ravel/core/cpu/loops_by_width.hpp>
#include <ravel/core/cpu/simd.hpp>
#include <ravel/core/cpu/simd_gather.hpp>
#include <ravel/core/cpu/simd_reduce.hpp>
#include <ravel/core/cpu/simd_scan.hpp>
#include <ravel/core/cpu/simd_segmented_scan.hpp>
#include <ravel/core/cpu/simd_strided.hpp>
#include <ravel/core/derived_monoids.hpp>
#include <ravel/core/monoid.hpp>
#include <ravel/core/tile.hpp>

#include <concepts>
#include <cstdint>
#include <type_traits>

namespace ravel::inline v0::cpu {

namespace loops {

/// Whether there are loops for this monoid.
template <class M>
inline constexpr bool known = false;
/// ... that support segments.
template <class M, bool = known<M>>
inline constexpr bool known_of_segments = false;
template <class M>
inline constexpr bool known_of_segments<M, true> = sizeof(carrier_t<M>) >= 4;

/// ... that support strides and rounds.
template <class M>
inline constexpr bool known_of_strides = false;

/// ... for sparse rows of gathered products, where `adds_up_rows`.
template <class T>
inline constexpr bool known_of_rows = false;

#if defined(RAVEL_CHOOSES_VECTORS) || (defined(RAVEL_SIMD) && RAVEL_VECTOR_BYTES >= 64)
template <>
inline constexpr bool known_of_rows<float> = true;
template <>
inline constexpr bool known_of_rows<double> = true;
#endif

#if defined(RAVEL_SIMD) || defined(RAVEL_CHOOSES_VECTORS)

template <simd::number T>
inline constexpr bool known_of_strides<plus<T>> = sizeof(T) >= 4;

template <simd::number T>
inline constexpr bool known<plus<T>> = true;
template <simd::number T>
inline constexpr bool known<minimum<T>> = true;
template <simd::number T>
inline constexpr bool known<maximum<T>> = true;
template <simd::number T>
inline constexpr bool known<bit_and<T>> = std::integral<T>;
template <simd::number T>
inline constexpr bool known<bit_or<T>> = std::integral<T>;
template <simd::number T>
inline constexpr bool known<bit_xor<T>> = std::integral<T>;
template <class M>
inline constexpr bool known<flipped<M>> = known<M>;

#endif

/// Elements of a block.  Fewer are scanned serially.
template <class T>
inline constexpr index_t block_width = 64 / index_t{sizeof(T)};
/// Elements combined as one tree: in the large groups, and in the small ones.
template <class T>
inline constexpr index_t group_width = 1024 / index_t{sizeof(T)};
template <class T>
inline constexpr index_t small_group_width = 128 / index_t{sizeof(T)};

#ifndef RAVEL_CHOOSES_VECTORS

#  ifdef RAVEL_SIMD
using simd::reduce_loop;
using simd::scan_loop;
using simd::segmented_scan_loop;
using simd::strided_scan_loop;
#  else
template <class M>
struct reduce_loop;
template <class M, scanned, direction>
struct scan_loop;
template <class M>
struct segmented_scan_loop;
template <class M, scanned>
struct strided_scan_loop;
#  endif
#  if defined(RAVEL_SIMD) && RAVEL_VECTOR_BYTES >= 64
using simd::rows_loop;
#  else
template <class T>
struct rows_loop;
#  endif

namespace detail {

template <class M>
using form = M;

}  // namespace detail

#endif

/// carry * in[0] * ... * in[n - 1], writing * for M.
template <class M, class T = carrier_t<M>>
T reduce(T const* in, index_t n, T carry, prefetch_range const& upcoming = {}) {
#if defined(RAVEL_CHOOSES_VECTORS) && defined(RAVEL_SIMD)
  if (n <= group_width<T>) {  // selecting the width costs more than wider vectors gain
    return simd::reduce_loop<M>::run(in, n, carry, upcoming);
  }
#endif
  using form = detail::form<M>;
  using U = carrier_t<form>;
  return static_cast<T>(
      reduce_loop<form>::run(reinterpret_cast<U const*>(in), n, static_cast<U>(carry), upcoming));
}

/// Writes to `out` the inclusive or exclusive prefix of each of n numbers, starting from `carry`,
/// and returns the last inclusive prefix.  Backward, it reads the numbers before `in` in descending
/// order and writes results in descending order.
///
/// For floating-point numbers, if `total` is not null, it also continues as reduce would, with the
/// same bits, by as many whole groups as there are.
template <scanned What, class M, direction Towards = direction::forward, class T = carrier_t<M>>
T scan(T const* in, index_t n, T carry, results& out, prefetch_range const& upcoming = {},
       T* total = nullptr) {
  using form = detail::form<M>;
  using U = carrier_t<form>;
  return static_cast<T>(scan_loop<form, What, Towards>::run(reinterpret_cast<U const*>(in), n,
                                                            static_cast<U>(carry), out, upcoming,
                                                            reinterpret_cast<U*>(total)));
}

/// The segmented scan: a segment begins at each number whose bit in `heads` is set; the part before
/// the first head continues from `carry`.
template <class M, class T = carrier_t<M>>
T scan_segments(T const* in, std::uint64_t const* heads, index_t n, T carry, results& out,
                prefetch_range const& upcoming = {}) {
  using form = detail::form<M>;
  using U = carrier_t<form>;
  return static_cast<T>(segmented_scan_loop<form>::run(reinterpret_cast<U const*>(in), heads, n,
                                                       static_cast<U>(carry), out, upcoming));
}

/// Scans every `stride`-th of n numbers, for strides of 2 to 8 in one round, or all numbers in up
/// to 8 rounds, each over the result of the round before.  Writes the inclusive or exclusive
/// prefixes of the last round, or nothing if out.to is null.  carried[s] for strides, or carried[q]
/// of round q, holds the prefix before the block on entry, and after it on return.
template <scanned What, class M, class T = carrier_t<M>>
void scan_strided(T const* in, index_t n, int stride, int rounds, T* carried, results& out,
                  prefetch_range const& upcoming = {}) {
  using form = detail::form<M>;
  using U = carrier_t<form>;
  strided_scan_loop<form, What>::run(reinterpret_cast<U const*>(in), n, stride, rounds,
                                     reinterpret_cast<U*>(carried), out, upcoming);
}

/// Whether rows can be added up in vectors, which pays only with vectors of 64 bytes.
inline bool adds_up_rows() {
#ifdef RAVEL_CHOOSES_VECTORS
  return vectors_in_use() == vector_width::of_64_bytes;
#else
  return simd::vector_bytes == 64;
#endif
}

/// For each row r of [0, rows) of a sparse matrix, whose entries are [begins[r], begins[r + 1]) of
/// `entries` in total,
///
///     sums[r] = values[k] x[columns[k]] + values[k + 1] x[columns[k + 1]] + ...
///
/// Every 8th product of doubles, or 16th of floats, is added to one partial sum; a tree over
/// adjacent partial sums follows.  Prefetches later entries.  Requires `adds_up_rows`.
template <class T>
requires known_of_rows<T>
void add_up_rows(index_t const* begins, index_t rows, std::int32_t const* columns, T const* values,
                 T const* x, index_t entries, T* sums) {
  rows_loop<T>::run(begins, rows, columns, values, x, entries, sums);
}

}  // namespace loops
}  // namespace ravel::inline v0::cpu
