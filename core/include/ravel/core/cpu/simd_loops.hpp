#pragma once

/// @file
/// The loops of core/cpu/loops.hpp in vectors of one width.

#include <ravel/core/config.hpp>
#include <ravel/core/cpu/flow.hpp>
#include <ravel/core/cpu/simd.hpp>
#include <ravel/core/cpu/simd_compress.hpp>
#include <ravel/core/cpu/simd_gather.hpp>
#include <ravel/core/cpu/simd_reduce.hpp>
#include <ravel/core/cpu/simd_scan.hpp>
#include <ravel/core/cpu/simd_segmented_scan.hpp>
#include <ravel/core/cpu/simd_strided.hpp>
#include <ravel/core/monoid.hpp>
#include <ravel/core/tile.hpp>

#include <cstdint>

namespace ravel::inline v0::cpu::simd::inline RAVEL_VECTORS {

#ifdef RAVEL_SIMD

/// The loops over numbers with the monoid M, in vectors of this width.
template <class M, class T = carrier_t<M>>
struct loops_over_numbers {
  static T reduce(T const* in, index_t n, T carry, prefetch_range const& upcoming) {
    return simd::reduce<M>(in, n, carry, upcoming);
  }
  static T scan_through(T const* in, index_t n, T carry, results& out,
                        prefetch_range const& upcoming, T* total) {
    return simd::scan<scanned::through, M>(in, n, carry, out, upcoming, total);
  }
  static T scan_before(T const* in, index_t n, T carry, results& out,
                       prefetch_range const& upcoming, T* total) {
    return simd::scan<scanned::before, M>(in, n, carry, out, upcoming, total);
  }
  static T scan_through_back(T const* in, index_t n, T carry, results& out,
                             prefetch_range const& upcoming, T* total) {
    return simd::scan<scanned::through, M, direction::backward>(in, n, carry, out, upcoming, total);
  }
  static T scan_before_back(T const* in, index_t n, T carry, results& out,
                            prefetch_range const& upcoming, T* total) {
    return simd::scan<scanned::before, M, direction::backward>(in, n, carry, out, upcoming, total);
  }
};

/// Scans of every `stride`-th number in one round, or of all numbers in several.
template <class M, class T = carrier_t<M>>
struct loops_over_strides {
  static void scan_through(T const* in, index_t n, int stride, int rounds, T* carried, results& out,
                           prefetch_range const& upcoming) {
    scan<scanned::through>(in, n, stride, rounds, carried, out, upcoming);
  }
  static void scan_before(T const* in, index_t n, int stride, int rounds, T* carried, results& out,
                          prefetch_range const& upcoming) {
    scan<scanned::before>(in, n, stride, rounds, carried, out, upcoming);
  }

 private:
  template <scanned What, int Stride = 8>
  static void scan(T const* in, index_t n, int stride, int rounds, T* carried, results& out,
                   prefetch_range const& upcoming) {
    if constexpr (Stride == 1) {
      switch (rounds) {  // with few rounds the carries stay in registers
        case 2:
          return scan_strided<What, M, 1, 2>(in, n, carried, 2, out, upcoming);
        case 3:
          return scan_strided<What, M, 1, 3>(in, n, carried, 3, out, upcoming);
        default:
          return scan_strided<What, M, 1, 8>(in, n, carried, rounds, out, upcoming);
      }
    } else if (stride == Stride) {
      scan_strided<What, M, Stride, 1>(in, n, carried, 1, out, upcoming);
    } else {
      scan<What, Stride - 1>(in, n, stride, rounds, carried, out, upcoming);
    }
  }
};

/// Compress for elements of the size of a word.
template <class T>
struct loops_over_elements {
  static index_t compress(T const* in, index_t n, std::uint64_t const* keep, T* out,
                          prefetch_range const& upcoming) {
    return simd::compress(in, n, keep, out, upcoming);
  }
};

/// Masks need vectors of 64 bytes.
template <class T>
struct loops_over_rows {
  static void add_up(index_t const* begins, index_t rows, std::int32_t const* columns,
                     T const* values, T const* x, index_t entries, T* sums) {
    add_up_rows(begins, rows, columns, values, x, entries, sums);
  }
};

#endif

}  // namespace ravel::inline v0::cpu::simd::inline RAVEL_VECTORS
