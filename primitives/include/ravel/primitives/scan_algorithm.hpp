#pragma once

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

#include <ravel/primitives/named/device_scans.hpp>
#include <ravel/primitives/named/naive.hpp>
#include <ravel/primitives/named/reduce_then_scan.hpp>
#include <ravel/primitives/named/step_doubling.hpp>
#include <ravel/primitives/named/warp_hierarchical.hpp>
#include <ravel/primitives/named/work_efficient.hpp>
#include <ravel/primitives/segmented_scan.hpp>

#ifdef RAVEL_KERNELS
#  include <ravel/primitives/cuda/named/chained_cyclic.cuh>
#  include <ravel/primitives/cuda/named/decoupled_look_back.cuh>
#  include <ravel/primitives/cuda/named/local_sums.cuh>
#  include <ravel/primitives/cuda/named/look_ahead.cuh>
#  include <ravel/primitives/cuda/named/mindex.cuh>
#endif
