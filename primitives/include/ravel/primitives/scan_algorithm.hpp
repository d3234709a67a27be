#pragma once

/// @file
/// The scans of the literature, by name.
///
///     inclusive_scan(ex, in, out, m, scan_algorithm::work_efficient)
///     segmented_inclusive_scan(ex, in, segments, out, m, segmented_algorithm::mindex)
///
/// An algorithm is an option of inclusive_scan and exclusive_scan like any other, and gives the
/// same results, for every type, monoid, direction and seed; segmented scans take one too, for the
/// operator lifted over head flags.  They are here to be read, compared and measured: without this
/// option a scan takes the fastest form.
///
/// For n elements in tiles of b, with k resident blocks; *work* is the number of operator calls, on
/// the host and on a device, where all lanes of a warp call it in each step; *steps* the longest chain of
/// them; *moves* the accesses to elements, also those that a cache serves; *room* elements of scratch:
///
///     scan_algorithm          work          steps      launches      moves            room
///     naive                   n^2 / 2       n          2             n^2 / 2          n
///     step_doubling           n log n       log n      log n + 2     3 n log n        2 n
///     work_efficient          5 n, 5.6 n    2 log n    2 log_b n - 1 5 n              n
///     work_efficient_unpadded 5 n, 5.6 n    2 log n    2 log_b n - 1 5 n              n
///     brent_kung              5 n, 5.6 n    2 log n    2 log_b n - 1 4 n              n
///     warp_hierarchical       3 n, 10.5 n   log n      2 log_b n - 1 4 n              n
///     reduce_then_scan        2 n, 10.9 n   2 log n    2 log_b n - 1 3 n              n / b
///     chained_cyclic          3.2 n         n / b      1             2 n              k
///     lightscan               7.5 n         n / b      1             2 n              k
///     decoupled_look_back     3.7 n         n / b      1             2 n              2 n / b
///     local_sums              3.7 n         n / (b k)  1             2 n              3 k
///     look_ahead              3.7 n         n / 32 b   1             2 n              n / b
///
///     segmented_algorithm
///     operator_transform      4.4 n         log n      2 log_b n - 1 4 n, flags twice n
///     mindex                  4.4 n         log n      2 log_b n - 1 4 n, flags twice n
///
/// On a host, operator_transform is the executor's own scan, of pairs.
///
/// tests/software_device/counts_test.cpp writes these lines, after it has compared them with what it
/// counts for 2^16 words, and of naive for 2^12; docs/scan.md has counts of memory transactions and
/// bank conflicts.
///
/// Each has a file in named/ or cuda/named/ that follows and cites its paper.  Those in cuda/ need
/// a device: their blocks wait for each other.

#include <ravel/core/config.hpp>
#include <ravel/primitives/named/naive.hpp>
#include <ravel/primitives/named/reduce_then_scan.hpp>
#include <ravel/primitives/named/step_doubling.hpp>
#include <ravel/primitives/named/warp_hierarchical.hpp>
#include <ravel/primitives/named/work_efficient.hpp>
#include <ravel/primitives/segmented_scan.hpp>

namespace ravel::inline v0 {
namespace detail {

template <class Kind>
struct on_the_device {
  using kind = Kind;
  static constexpr bool device_only = true;
};

}  // namespace detail

namespace scan_algorithm {

/// The types of the options below.
struct decoupled_look_back_t : detail::on_the_device<detail::option::scan> {};
struct look_ahead_t : detail::on_the_device<detail::option::scan> {};

/// The type of `chained_cyclic`, and of `lightscan`, which has the paper's tile.
template <bool Lightscan>
struct chained_cyclic_t : detail::on_the_device<detail::option::scan> {};

/// The type of `local_sums`.
template <int Tuple, int Rows = 0>
struct local_sums_t : detail::on_the_device<detail::option::scan> {
  static_assert(1 <= Tuple && Tuple <= 8, "local_sums: tuples are of 1 to 8 elements");
  static_assert(0 <= Rows, "local_sums: a thread has at least one element");
  int order = 1;

  /// `q` consecutive scans, the last of which is the call.
  constexpr local_sums_t of_order(int q) const {
    local_sums_t by = *this;
    by.order = q;
    return by;
  }
  /// Independent scans of every S-th element.
  template <int S>
  constexpr local_sums_t<S, Rows> of_tuples() const {
    return local_sums_t<S, Rows>{}.of_order(order);
  }
  /// R elements for each thread, at most those of the other one-pass scans, which are the default.
  /// With tuples, whole ones.
  template <int R>
  constexpr local_sums_t<Tuple, R> of_rows() const {
    return local_sums_t<Tuple, R>{}.of_order(order);
  }
};

/// cuda/named/chained_cyclic.cuh
inline constexpr chained_cyclic_t<false> chained_cyclic{};
/// The same with the paper's tile of 1024 threads, cuda/named/lightscan_tile.cuh
inline constexpr chained_cyclic_t<true> lightscan{};
/// cuda/named/decoupled_look_back.cuh
inline constexpr decoupled_look_back_t decoupled_look_back{};
/// cuda/named/local_sums.cuh; also local_sums.of_order(3).of_tuples<2>().of_rows<16>()
inline constexpr local_sums_t<1> local_sums{};
/// cuda/scan.cuh: the device's own, and its default.
inline constexpr look_ahead_t look_ahead{};

}  // namespace scan_algorithm

namespace segmented_algorithm {

/// The types of the options below.
struct operator_transform_t {
  using kind = detail::option::segmented_scan;
  static constexpr bool device_only = false;
};
struct mindex_t : detail::on_the_device<detail::option::segmented_scan> {};

/// One scan over pairs of a value and a head flag, with an operator that drops its left operand
/// where a segment starts (`segmented`, core/derived_monoids.hpp); on a device by the three kernels
/// of cuda/named/mindex.cuh.
///
/// Source   Schwartz, "Ultracomputers", ACM TOPLAS 2(4), 1980; Blelloch, "Scans as
///          Primitive Parallel Operations", IEEE Trans. Computers 38(11), 1989.
inline constexpr operator_transform_t operator_transform{};
/// cuda/named/mindex.cuh
inline constexpr mindex_t mindex{};

/// Scans pairs by the executor's own scan; gpu::executor has a form of its own.
template <executor Ex, class Load, class Visit, class M, class Seed, class Total>
void scan_by(operator_transform_t, Ex const& ex, index_t n, Load load, Visit visit, M m, Seed seed,
             Total total) {
  scan_on(ex, n, load, visit, m, seed, total);
}

}  // namespace segmented_algorithm
}  // namespace ravel::inline v0

#ifdef RAVEL_KERNELS
#  include <ravel/primitives/cuda/named/chained_cyclic.cuh>
#  include <ravel/primitives/cuda/named/decoupled_look_back.cuh>
#  include <ravel/primitives/cuda/named/local_sums.cuh>
#  include <ravel/primitives/cuda/named/look_ahead.cuh>
#  include <ravel/primitives/cuda/named/mindex.cuh>
#endif
