#pragma once

/// Loops over numbers, in vector registers: reduce, scan, segmented scan, tuple and higher-order
/// prefix sums, compress, and the rows of sparse products.
///
/// This file states which monoids have vector loops.  Each loop is in core/cpu/simd_*.hpp, together
/// with the function that calls it.
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
///     sums of segments     Those of 256 bytes or more as reduce; of others each eight numbers from
///               the left as a balanced tree, then the rest serially.
///     scan      Blocks of 64 bytes from the left, then the rest serially.  Within a block,
///               x'(l) = x(l - 1) + x(l), x''(l) = x'(l - 2) + x'(l), and so on, with 0 for
///               lanes before the block; then the prefix of the block is added to each
///               (Kogge and Stone 1973).
///     scan of segments     The same, but nothing from before a head is added.
///     strides   For every S-th number, the same with x'(l) = x(l - S) + x(l), and then 2 S, 4 S
///               and so on.  For orders, each round is such a scan of the previous round's result.

#include <ravel/core/cpu/flow.hpp>
#include <ravel/core/cpu/loops_by_width.hpp>
#include <ravel/core/cpu/simd.hpp>
#include <ravel/core/cpu/simd_reduce.hpp>
#include <ravel/core/cpu/simd_scan.hpp>
#include <ravel/core/cpu/simd_segmented_scan.hpp>
#include <ravel/core/cpu/simd_strided.hpp>

#ifndef RAVEL_CHOOSES_VECTORS  // otherwise of the archive alone
#  include <ravel/core/cpu/simd_gather.hpp>
#  include <ravel/core/cpu/simd_segment_sums.hpp>
#endif

namespace ravel::inline v0::cpu {

namespace loops {

/// Whether there are vector loops for this monoid.
template <class M>
inline constexpr bool known = false;
/// Whether there are vector loops of segmented scans for this monoid.
template <class M, bool = known<M>>
inline constexpr bool known_of_segments = false;
template <class M>
inline constexpr bool known_of_segments<M, true> = sizeof(carrier_t<M>) >= 4;

/// Whether there are vector loops of strided scans and scans of higher order for this monoid.
template <class M>
inline constexpr bool known_of_strides = false;

/// Whether there is a vector loop for sums of segments of T.
template <class T>
inline constexpr bool known_of_segment_sums = false;

/// Whether there is a vector loop for rows of sparse products of T, used where `adds_up_rows`.
template <class T>
inline constexpr bool known_of_rows = false;

#if defined(RAVEL_CHOOSES_VECTORS) || (defined(RAVEL_SIMD) && RAVEL_VECTOR_BYTES >= 64)
template <>
inline constexpr bool known_of_rows<float> = true;
template <>
inline constexpr bool known_of_rows<double> = true;
#endif

#if defined(RAVEL_SIMD) || defined(RAVEL_CHOOSES_VECTORS)

template <>
inline constexpr bool known_of_segment_sums<float> = true;
template <>
inline constexpr bool known_of_segment_sums<double> = true;

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

/// Elements of a block of 64 bytes.  Shorter sequences are scanned serially.
template <class T>
inline constexpr index_t block_width = 64 / index_t{sizeof(T)};

#ifndef RAVEL_CHOOSES_VECTORS
#  ifdef RAVEL_SIMD
using simd::segment_sums_loop;
#  else
template <class T>
struct segment_sums_loop;
#  endif
#  if defined(RAVEL_SIMD) && RAVEL_VECTOR_BYTES >= 64
using simd::rows_loop;
#  else
template <class T>
struct rows_loop;
#  endif
#endif

/// For each segment s of [0, count), of numbers [begins[s], begins[s + 1]) of `in`,
///
///     sums[s] = carry + in[begins[s]] + in[begins[s] + 1] + ...
///
template <class T>
requires known_of_segment_sums<T>
void add_up_segments(index_t const* begins, index_t count, T const* in, T carry, T* sums) {
  segment_sums_loop<T>::run(begins, count, in, carry, sums);
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
