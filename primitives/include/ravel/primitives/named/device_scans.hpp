#pragma once

/// The options of named scans that a device alone has, and of operator_transform, which it has in
/// another form.

#include <ravel/primitives/options.hpp>
#include <ravel/primitives/scan_on.hpp>

namespace ravel::inline v0 {

namespace scan_algorithm {

/// The types of the options below.
struct decoupled_look_back_t : detail::named_algorithm<detail::option::scan, true> {};
struct look_ahead_t : detail::named_algorithm<detail::option::scan, true> {};

/// The type of `chained_cyclic`, and of `lightscan`, which has the paper's tile.
template <bool Lightscan>
struct chained_cyclic_t : detail::named_algorithm<detail::option::scan, true> {};

/// The type of `local_sums`.
template <int Tuple, int Rows = 0>
struct local_sums_t : detail::named_algorithm<detail::option::scan, true> {
  static_assert(1 <= Tuple && Tuple <= 8, "local_sums: tuples are of 1 to 8 elements");
  static_assert(0 <= Rows, "local_sums: a thread has at least one element");
  int order = 1;

  /// `q` consecutive scans, the last of which is the call.
  constexpr local_sums_t of_order(int q) const {
    local_sums_t result = *this;
    result.order = q;
    return result;
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
struct operator_transform_t : detail::named_algorithm<detail::option::segmented_scan> {};
struct mindex_t : detail::named_algorithm<detail::option::segmented_scan, true> {};

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
void scan_by(operator_transform_t, executor auto const& ex, index_t n, auto load, auto visit,
             auto m, auto seed, auto total) {
  scan_on(ex, n, load, visit, m, seed, total);
}

}  // namespace segmented_algorithm

}  // namespace ravel::inline v0
