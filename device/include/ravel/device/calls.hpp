#pragma once

/// Calls that the archive ravel::device holds, compiled for every type of numbers.

#include <ravel/algorithms/csr.hpp>
#include <ravel/algorithms/sort_options.hpp>
#include <ravel/core/transfer.hpp>
#include <ravel/device/compiled_executor.hpp>
#include <ravel/device/numbers.hpp>

namespace ravel::inline v0 {
namespace detail::archive {

template <class T>
concept offset = one_of<T, std::int32_t, std::int64_t>;

template <class T>
using in = view<T const, device_space>;
template <class T>
using out = view<T, device_space>;

/// What combines elements of type T by M.  All of this is defined in the archive alone.
template <class T, class M>
struct folds {
  static void scan(gpu::executor const& ex, bool exclusive, in<T> from, out<T> to);
  static void reduce(gpu::executor const& ex, in<T> from, out<T> to);
};
template <class T, class M, class I>
struct segmented_folds {
  static void scan(gpu::executor const& ex, bool exclusive, in<T> from, in<I> offsets, out<T> to);
  static void reduce(gpu::executor const& ex, in<T> from, in<I> offsets, out<T> to);
};
template <class K>
struct sorts {
  static void keys(gpu::executor const& ex, bool descending, in<K> from, out<K> to);
  /// V is an unsigned integer as wide as the values.
  template <class V>
  static void pairs(gpu::executor const& ex, bool descending, in<K> keys, in<V> values,
                    out<K> keys_to, out<V> values_to);
};
template <class T, class I>
struct products {
  static void spmv(gpu::executor const& ex, csr<in<I>, in<std::int32_t>, in<T>> const& a, in<T> x,
                   out<T> y);
};

template <class R, class T>
concept sequence_of = sequence_on<R, gpu::compiled_executor> && std::same_as<element_t<R>, T>;
template <class R>
concept sequence_of_numbers = sequence_on<R, gpu::compiled_executor> && number<element_t<R>>;

/// The monoid of a call whose result is elements of T, if the archive has it.
template <number T, class M>
using monoid_t = std::remove_const_t<decltype(monoid_on<T>(M{}))>;
template <class M, class T>
concept monoid_of = one_of<monoid_t<T, M>, plus<T>, minimum<T>, maximum<T>>;

}  // namespace detail::archive

/// The calls of the same names on a gpu::executor, for sequences in device memory of
/// std::int8_t ... std::uint64_t, float or double, the same in and out; `m` is plus, minimum or
/// maximum.  Meaning, sizes, order and errors are those of primitives/scan.hpp and
/// primitives/reduce.hpp.  Other types, operators and options need nvcc.
///
///     gpu::compiled_executor const ex;
///     auto const in = to(ex, std::vector{3, 1, 2, 4, 1, 5});
///     inclusive_scan(ex, in, in, maximum{});              // 3 3 3 4 4 5
template <detail::archive::sequence_of_numbers Out, detail::archive::sequence_of<element_t<Out>> In,
          detail::archive::monoid_of<element_t<Out>> M = plus<>>
void inclusive_scan(gpu::compiled_executor const& ex, In const& in, Out&& out, M = {}) {
  using T = element_t<Out>;
  detail::archive::folds<T, detail::archive::monoid_t<T, M>>::scan(ex.native(), false, view_of(in),
                                                                   view_of(out));
}
/// As inclusive_scan above, of what precedes each element.
///
///     exclusive_scan(ex, in, out);                        // 0 3 4 6 10 11
template <detail::archive::sequence_of_numbers Out, detail::archive::sequence_of<element_t<Out>> In,
          detail::archive::monoid_of<element_t<Out>> M = plus<>>
void exclusive_scan(gpu::compiled_executor const& ex, In const& in, Out&& out, M = {}) {
  using T = element_t<Out>;
  detail::archive::folds<T, detail::archive::monoid_t<T, M>>::scan(ex.native(), true, view_of(in),
                                                                   view_of(out));
}
/// All elements combined, written to out[0].
///
///     reduce(ex, in, out, minimum{});                     // 1
template <detail::archive::sequence_of_numbers Out, detail::archive::sequence_of<element_t<Out>> In,
          detail::archive::monoid_of<element_t<Out>> M = plus<>>
void reduce(gpu::compiled_executor const& ex, In const& in, Out&& out, M = {}) {
  using T = element_t<Out>;
  detail::archive::folds<T, detail::archive::monoid_t<T, M>>::reduce(ex.native(), view_of(in),
                                                                     view_of(out));
}
/// All elements combined, on the host.  Waits.
///
///     reduce_sync(ex, in)                                 // 16
template <detail::archive::sequence_of_numbers In,
          detail::archive::monoid_of<element_t<In>> M = plus<>>
element_t<In> reduce_sync(gpu::compiled_executor const& ex, In const& in, M m = {}) {
  auto const result = ex.allocate<element_t<In>>(1);
  reduce(ex, in, result, m);
  return at_sync(ex, result);
}

/// The same calls of each segment, by offsets of std::int32_t or std::int64_t:
/// primitives/segmented_scan.hpp and primitives/segmented_reduce.hpp.
///
///     auto const offsets = to(ex, std::vector{0, 3, 5, 5, 6});      // [3 1 2] [4 1] [] [5]
///     segmented_inclusive_scan(ex, in, by_offsets(offsets), out);   // 3 4 6 | 4 5 | | 5
template <detail::archive::sequence_of_numbers Out, detail::archive::sequence_of<element_t<Out>> In,
          detail::archive::offset I, detail::archive::monoid_of<element_t<Out>> M = plus<>>
void segmented_inclusive_scan(gpu::compiled_executor const& ex, In const& in,
                              offset_segments<I, device_space> segments, Out&& out, M = {}) {
  using T = element_t<Out>;
  detail::archive::segmented_folds<T, detail::archive::monoid_t<T, M>, I>::scan(
      ex.native(), false, view_of(in), segments.offsets, view_of(out));
}
/// As segmented_inclusive_scan, of what precedes each element in its segment.
///
///     segmented_exclusive_scan(ex, in, by_offsets(offsets), out);   // 0 3 4 | 0 4 | | 0
template <detail::archive::sequence_of_numbers Out, detail::archive::sequence_of<element_t<Out>> In,
          detail::archive::offset I, detail::archive::monoid_of<element_t<Out>> M = plus<>>
void segmented_exclusive_scan(gpu::compiled_executor const& ex, In const& in,
                              offset_segments<I, device_space> segments, Out&& out, M = {}) {
  using T = element_t<Out>;
  detail::archive::segmented_folds<T, detail::archive::monoid_t<T, M>, I>::scan(
      ex.native(), true, view_of(in), segments.offsets, view_of(out));
}
/// The elements of each segment combined; of an empty one the identity.
///
///     segmented_reduce(ex, in, by_offsets(offsets), sums);          // 6 5 0 5
template <detail::archive::sequence_of_numbers Out, detail::archive::sequence_of<element_t<Out>> In,
          detail::archive::offset I, detail::archive::monoid_of<element_t<Out>> M = plus<>>
void segmented_reduce(gpu::compiled_executor const& ex, In const& in,
                      offset_segments<I, device_space> segments, Out&& out, M = {}) {
  using T = element_t<Out>;
  detail::archive::segmented_folds<T, detail::archive::monoid_t<T, M>, I>::reduce(
      ex.native(), view_of(in), segments.offsets, view_of(out));
}

/// Sorts of algorithms/radix_sort.hpp, ascending or, with `descending`, descending.
///
///     radix_sort(ex, in, out);                            // 1 1 2 3 4 5
///     radix_sort(ex, in, out, descending);                // 5 4 3 2 1 1
template <detail::archive::sequence_of_numbers Out, detail::archive::sequence_of<element_t<Out>> In,
          std::same_as<descending_t>... Order>
requires(sizeof...(Order) < 2) void radix_sort(gpu::compiled_executor const& ex, In const& in,
                                               Out&& out, Order...) {
  detail::archive::sorts<element_t<Out>>::keys(ex.native(), sizeof...(Order) == 1, view_of(in),
                                               view_of(out));
}
/// The same of keys, and of values of any type of 4 or 8 bytes, which move with them.  Values of equal
/// keys keep their order.
///
///     radix_sort_pairs(ex, in, values, out, values_out);  // values 0 1 2 3 4 5: 1 4 2 0 3 5
template <detail::archive::sequence_of_numbers KeysOut,
          detail::archive::sequence_of<element_t<KeysOut>> Keys,
          sequence_on<gpu::compiled_executor> ValuesOut,
          detail::archive::sequence_of<element_t<ValuesOut>> Values,
          std::same_as<descending_t>... Order>
requires(sizeof...(Order) < 2 &&
         (sizeof(element_t<ValuesOut>) == 4 ||
          sizeof(element_t<ValuesOut>) ==
              8)) void radix_sort_pairs(gpu::compiled_executor const& ex, Keys const& keys,
                                        Values const& values, KeysOut&& keys_out,
                                        ValuesOut&& values_out, Order...) {
  using V = std::conditional_t<sizeof(element_t<ValuesOut>) == 4, std::uint32_t, std::uint64_t>;
  auto const bits = [](auto of) {
    using B =
        std::conditional_t<std::is_const_v<std::remove_pointer_t<decltype(of.data())>>, V const, V>;
    return device_view(reinterpret_cast<B*>(of.data()), of.size());
  };
  detail::archive::sorts<element_t<KeysOut>>::template pairs<V>(
      ex.native(), sizeof...(Order) == 1, view_of(keys), bits(view_of(values)), view_of(keys_out),
      bits(view_of(values_out)));
}

/// y = A x of algorithms/spmv.hpp, for a matrix whose offsets are std::int32_t or std::int64_t and
/// whose columns are std::int32_t, of numbers of the type of x and y.
///
///     // the rows (1 . 2), (. . .) and (. 3 .), times (1 2 3)
///     auto const a = to(ex, csr{3, 3, std::vector{0, 2, 2, 3}, std::vector{0, 2, 1},
///                               std::vector{1.0f, 2.0f, 3.0f}});
///     spmv(ex, a, x, y);                                  // 7 0 6
template <detail::archive::sequence_of_numbers Y, detail::archive::sequence_of<element_t<Y>> X,
          class Offsets, detail::archive::sequence_of<std::int32_t> Columns,
          detail::archive::sequence_of<element_t<Y>> Values>
requires detail::archive::offset<element_t<Offsets>>
void spmv(gpu::compiled_executor const& ex, csr<Offsets, Columns, Values> const& a, X const& x,
          Y&& y) {
  using T = element_t<Y>;
  using I = element_t<Offsets>;
  detail::archive::in<I> const offsets = view_of(a.offsets);
  detail::archive::in<std::int32_t> const columns = view_of(a.columns);
  detail::archive::in<T> const values = view_of(a.values);
  detail::archive::products<T, I>::spmv(ex.native(), csr{a.rows, a.cols, offsets, columns, values},
                                        view_of(x), view_of(y));
}

}  // namespace ravel::inline v0
