#pragma once

/// @file
/// Unique: the first element of each run of equal ones.

#include <ravel/core/concepts.hpp>
#include <ravel/core/config.hpp>
#include <ravel/core/cpu/flag_words.hpp>
#include <ravel/core/error.hpp>
#include <ravel/core/segments.hpp>
#include <ravel/primitives/options.hpp>
#include <ravel/primitives/pack.hpp>

#include <cstdint>
#include <type_traits>

namespace ravel::inline v0 {
namespace detail {

template <class Segments>
struct keeps_head {
  Segments segments;
  RAVEL_HD bool operator()(index_t i) const { return segments.head(i); }
};
template <class Segments>
keeps_head(Segments) -> keeps_head<Segments>;

template <class A, class B>
struct write_both {
  A a;
  B b;
  RAVEL_HD void operator()(index_t i, index_t place) const {
    a(i, place);
    b(i, place);
  }
};

}  // namespace detail

/// Keeps the first element of each run of equal ones:
///
///     in     7 7 7 4 4 7
///     out    7 4 7
///
/// Neighbours are in one run where x == y, or where the option `equal_by` says
/// so.  The option `total_to` takes the number of runs.
///
/// Shapes   in[n], in the memory of `ex`.  `out` is there too, of any size: runs
///          that it has no room for are counted and not written, and what is
///          behind the last one stays as it was.  `out` overlaps nothing.
///          n may be 0.
/// Order    Stable.  The equality is asked once or twice of each pair of neighbours
///          (left, right), and of no others: it need not be transitive.
/// Cost     O(n) work, O(log n) span.  Reads `in` twice, and moves twice the
///          elements that are kept.
/// Errors   None but those of memory.
/// See also run_length_encode, which also says how long the runs are.
template <executor Ex, class In, class Out, class... Options>
void unique(Ex const& ex, In const& in, Out&& out, Options... options) {
  static_assert(sequence_on<In const&, Ex>,
                "unique: in is not a contiguous sequence in the executor's memory");
  static_assert(writable_on<Out, Ex>,
                "unique: out is not a writable contiguous sequence in the executor's memory");
  static_assert(detail::are_run_options<Options...>,
                "unique: the options are equal_by(...) and total_to(...), each once");
  static_assert(detail::options_on<Ex, Options...>,
                "unique: total_to(...) is not in the executor's memory");
  using T = element_t<In const&>;
  auto const equal = detail::equality_of(options...);
  static_assert(detail::compares<std::remove_const_t<decltype(equal)>, T>,
                "unique: equal_by(...) cannot be asked of two elements of in");
  auto const from = view_of(in);
  auto const to = view_of(out);
  pack_on(ex, from.size(), detail::keeps_head{by_keys(from, equal)},
          write_packed<T, element_t<Out>>{from.data(), to.data(), to.size()},
          detail::total_of(options...));
}

/// unique, and the number of runs.  Waits for it.
template <executor Ex, class In, class Out, class... Options>
index_t unique_sync(Ex const& ex, In const& in, Out&& out, Options... options) {
  static_assert(detail::total_count<Options...> == 0, "unique_sync: it returns the total");
  return detail::total_sync(ex, [&](auto total) { unique(ex, in, out, total, options...); });
}

/// Keeps the first key of each run of equal ones, and its value:
///
///     keys          7 7 7 4 4 7
///     values        a b c d e f
///     out_keys      7 4 7
///     out_values    a d f
///
/// All else is as for unique.
///
/// Errors   contract_error if there are not as many values as keys.
/// See also reduce_by_key, which combines the values of each run.
template <executor Ex, class Keys, class Values, class OutKeys, class OutValues, class... Options>
void unique_by_key(Ex const& ex, Keys const& keys, Values const& values, OutKeys&& out_keys,
                   OutValues&& out_values, Options... options) {
  static_assert(sequence_on<Keys const&, Ex> && sequence_on<Values const&, Ex>,
                "unique_by_key: keys or values is not a contiguous sequence in the executor's "
                "memory");
  static_assert(writable_on<OutKeys, Ex> && writable_on<OutValues, Ex>,
                "unique_by_key: out_keys or out_values is not a writable contiguous sequence in "
                "the executor's memory");
  static_assert(detail::are_run_options<Options...>,
                "unique_by_key: the options are equal_by(...) and total_to(...), each once");
  static_assert(detail::options_on<Ex, Options...>,
                "unique_by_key: total_to(...) is not in the executor's memory");
  using K = element_t<Keys const&>;
  auto const equal = detail::equality_of(options...);
  static_assert(detail::compares<std::remove_const_t<decltype(equal)>, K>,
                "unique_by_key: equal_by(...) cannot be asked of two keys");
  auto const from = view_of(keys);
  auto const beside = view_of(values);
  auto const to_keys = view_of(out_keys);
  auto const to_values = view_of(out_values);
  expects(beside.size() == from.size(), "unique_by_key: there are ", beside.size(), " values, and ",
          from.size(), " keys");
  using write_key = write_packed<K, element_t<OutKeys>>;
  using write_value = write_packed<element_t<Values const&>, element_t<OutValues>>;
  pack_on(ex, from.size(), detail::keeps_head{by_keys(from, equal)},
          detail::write_both<write_key, write_value>{
              {from.data(), to_keys.data(), to_keys.size()},
              {beside.data(), to_values.data(), to_values.size()}},
          detail::total_of(options...));
}

/// unique_by_key, and the number of runs.  Waits for it.
template <executor Ex, class Keys, class Values, class OutKeys, class OutValues, class... Options>
index_t unique_by_key_sync(Ex const& ex, Keys const& keys, Values const& values, OutKeys&& out_keys,
                           OutValues&& out_values, Options... options) {
  static_assert(detail::total_count<Options...> == 0, "unique_by_key_sync: it returns the total");
  return detail::total_sync(ex, [&](auto total) {
    unique_by_key(ex, keys, values, out_keys, out_values, total, options...);
  });
}

}  // namespace ravel::inline v0

namespace ravel::inline v0::cpu {

/// What is kept are the heads of segments, which are words already, or are compared in vectors.
template <class Segments>
struct flag_words<ravel::detail::keeps_head<Segments>> {
  ravel::detail::keeps_head<Segments> keep;

  std::uint64_t operator()(index_t i, index_t n) const {
    return flag_words<Segments>{keep.segments}(i, n);
  }
};

/// The first word has an element of which nobody is asked, and is made one by one if it is the only
/// one.
template <class Segments>
inline constexpr index_t detail::few_kept<ravel::detail::keeps_head<Segments>> = 65;

}  // namespace ravel::inline v0::cpu

#ifdef __CUDACC__
#  include <ravel/primitives/cuda/unique.cuh>  // at the speed of a copy
#endif
