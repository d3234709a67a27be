#pragma once

/// @file
/// Input sizes from which a device's calls take another form, as measured data.

#include <ravel/core/cuda/cut_offs.hpp>
#include <ravel/core/error.hpp>
#include <ravel/core/tile.hpp>

namespace ravel::inline v0::gpu {

/// Sizes of inputs from which the forms for long inputs are taken.  Each is at least 1.
///
///     auto sizes = ex.tuned();
///     sizes.packed_bytes = 4 << 20;
///     ex.tune(sizes);
///
/// Results do not depend on them, except that another form may round floating-point sums
/// differently.  ravel-tune measures them for a device.
struct tuning {
  /// Scans of contiguous sequences: streamed; below that in one wave of blocks, which supports no
  /// more than most_streamed_bytes.
  index_t streamed_bytes = detail::cut_offs::streamed_bytes;
  static constexpr index_t most_streamed_bytes = detail::cut_offs::most_streamed_bytes;

  /// Segmented scans, orders, tuples and recurrences: streamed.
  index_t carried_bytes = detail::cut_offs::carried_bytes;

  /// Reductions: by vectors; segmented reductions, elements and segments together: by tile rings.
  index_t reduced_bytes = detail::cut_offs::reduced_bytes;

  /// Packs, filters and unique: streamed.
  index_t packed_bytes = detail::cut_offs::packed_bytes;

  /// Splits: by tile rings.
  index_t split_bytes = detail::cut_offs::split_bytes;

  /// Run-length encoding, and splits to an output for each part: streamed.
  index_t coded_bytes = detail::cut_offs::coded_bytes;

  /// Elements of all other scans: in large tiles; below that in small ones, so that every
  /// multiprocessor has one.
  index_t large_tiles = detail::cut_offs::large_tiles;

  /// Elements of radix sorts: in buckets.
  index_t bucketed = detail::cut_offs::bucketed;

  /// Elements and instances left in a recursion or a loop of a nested program: on the device; below
  /// that it is finished on the host.
  index_t nested = detail::cut_offs::nested;

  friend bool operator==(tuning const&, tuning const&) = default;
};

/// Calls f(name, size) for each size; files are written and read by it.
template <class Tuning, class F>
void for_each_size(Tuning& of, F f) {
  f("streamed_bytes", of.streamed_bytes);
  f("carried_bytes", of.carried_bytes);
  f("reduced_bytes", of.reduced_bytes);
  f("packed_bytes", of.packed_bytes);
  f("split_bytes", of.split_bytes);
  f("coded_bytes", of.coded_bytes);
  f("large_tiles", of.large_tiles);
  f("bucketed", of.bucketed);
  f("nested", of.nested);
}

/// Throws contract_error, which names `call` and the size, if a size is invalid.
inline void expect_possible(tuning const& of, char const* call) {
  for_each_size(of, [&](char const* name, index_t size) {
    expects(size >= 1, call, ": ", name, " is ", size, " and must be at least 1");
  });
  expects(of.streamed_bytes <= tuning::most_streamed_bytes, call, ": streamed_bytes is ",
          of.streamed_bytes, " and may be ", tuning::most_streamed_bytes, " at most");
}

}  // namespace ravel::inline v0::gpu
