#pragma once

/// Tuning constants of products on a device with a matrix whose columns have been cut into blocks.

#include <ravel/core/vocabulary.hpp>

namespace ravel::inline v0::gpu {

/// The tuning constants of these kernels, by the size of an element of x in bytes.
template <std::size_t Bytes>  // of an element of x
struct spmv_blocks_policy {
  // The kernel that reads slices of x and writes their elements to tables.
  static constexpr std::size_t slice_bytes = 200 << 10;
  static constexpr int slice_threads = 1024;
  // 16-byte vectors that a thread writes at once
  static constexpr int at_once = 4;
  // bytes of a slice that are read in the time in which a sector is written
  static constexpr index_t bytes_read_meanwhile = 128;

  // The kernel whose blocks each load a table and add rows.
  static constexpr int items = Bytes <= 8 ? 16 : 8;  // entries of a chunk, for each lane
  // windows of 32 rows whose ends are prefetched to registers
  static constexpr int windows = 4;
  static constexpr int warps = Bytes <= 4 ? 12 : 8;
  static constexpr int blocks = 2;             // thread blocks on a multiprocessor
  static constexpr index_t most_chunks = 8;    // of a run
  static constexpr index_t least_sectors = 2;  // least average part of a table from one slice
  // no tables if more entries on average read an element of a table
  static constexpr index_t most_namings = 2;

  // The single kernel whose multiprocessors each keep a slice of x.
  static constexpr std::size_t kept_bytes = 160 << 10;  // most bytes of a slice
  // consecutive used elements of x that go to the same slice
  static constexpr int granule = 32;
  static constexpr int warps_of_rounds = Bytes <= 4 ? 16 : 8;  // consumer warps, which add rows
  // producer warps; with the copy's warp a multiple of four
  static constexpr int spread_warps = 7;
  // size of the buffer for the tables of some rounds
  static constexpr index_t bytes_of_rooms = 24 << 20;
};

}  // namespace ravel::inline v0::gpu
