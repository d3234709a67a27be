#pragma once

/// The input sizes from which a device's calls take another form, as measured data.

#include <ravel/core/cuda/cut_offs.hpp>
#include <ravel/core/vocabulary.hpp>

namespace ravel::inline v0::gpu {

/// The input sizes that select forms: from each size on, the named form for long inputs is taken.
/// Each is at least 1.
///
///     auto sizes = ex.tuned();
///     sizes.packed_bytes = 4 << 20;
///     ex.tune(sizes);
///
/// Results do not depend on them, except that another form may round floating-point sums
/// differently. ravel-tune measures them for a device.
struct tuning {
  /// Bytes from which scans of contiguous sequences are streamed.  Shorter ones take one wave of
  /// blocks, which supports no more than most_streamed_bytes.
  index_t streamed_bytes = detail::cut_offs::streamed_bytes;
  static constexpr index_t most_streamed_bytes = detail::cut_offs::most_streamed_bytes;

  /// Bytes from which segmented scans, sums of higher order, tuples and recurrences are streamed.
  index_t carried_bytes = detail::cut_offs::carried_bytes;

  /// Bytes from which reductions use vectorised loads.  Segmented reductions use tile rings if
  /// elements and segment ends together have this size.
  index_t reduced_bytes = detail::cut_offs::reduced_bytes;

  /// Bytes from which packs, filters and unique are streamed.
  index_t packed_bytes = detail::cut_offs::packed_bytes;

  /// Bytes from which splits use tile rings.
  index_t split_bytes = detail::cut_offs::split_bytes;

  /// Bytes from which run-length encoding, and splits to an output for each part, are streamed.
  index_t coded_bytes = detail::cut_offs::coded_bytes;

  /// Elements from which all other scans use large tiles.  Shorter ones use small tiles, so that
  /// every multiprocessor has one.
  index_t large_tiles = detail::cut_offs::large_tiles;

  /// Elements from which radix sorts use buckets.
  index_t bucketed = detail::cut_offs::bucketed;

  /// Elements and instances above which a recursion or loop of a nested program stays on the
  /// device.  Once fewer are left, it is finished on the host.
  index_t nested = detail::cut_offs::nested;

  friend bool operator==(tuning const&, tuning const&) = default;
};

/// Calls f(name, size) for each size, by which files of sizes are written and read.
template <class Tuning, class F>
void for_each_size(Tuning& sizes, F f) {
  f("streamed_bytes", sizes.streamed_bytes);
  f("carried_bytes", sizes.carried_bytes);
  f("reduced_bytes", sizes.reduced_bytes);
  f("packed_bytes", sizes.packed_bytes);
  f("split_bytes", sizes.split_bytes);
  f("coded_bytes", sizes.coded_bytes);
  f("large_tiles", sizes.large_tiles);
  f("bucketed", sizes.bucketed);
  f("nested", sizes.nested);
}

/// Throws contract_error, which names `call` and the size, if a size is invalid.
inline void expect_possible(tuning const& sizes, char const* call) {
  for_each_size(sizes, [&](char const* name, index_t size) {
    expects(size >= 1, call, ": ", name, " is ", size, " and must be at least 1");
  });
  expects(sizes.streamed_bytes <= tuning::most_streamed_bytes, call, ": streamed_bytes is ",
          sizes.streamed_bytes, " and may be ", tuning::most_streamed_bytes, " at most");
}

}  // namespace ravel::inline v0::gpu
