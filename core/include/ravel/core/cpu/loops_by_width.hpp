#pragma once

/// The loops of core/cpu/loops.hpp compiled for several widths of vectors, in the library
/// ravel::vectors, which selects one at run time.

#include <ravel/core/cpu/flow.hpp>
#include <ravel/core/derived_monoids.hpp>
#include <ravel/core/word.hpp>

namespace ravel::inline v0::cpu {

template <class U>
struct key_survey;
struct divided_keys;

/// The width of a vector, in bytes.
enum class vector_width { of_16_bytes = 16, of_32_bytes = 32, of_64_bytes = 64 };

#ifdef RAVEL_CHOOSES_VECTORS

namespace loops {

/// The width in use: the greatest that the processor supports, unless the environment variable
/// RAVEL_VECTORS (16 or 32) limits it.
///
/// Errors   contract_error if the variable is not 16, 32 or 64.
vector_width vectors_in_use();

/// The greatest width that the processor supports.
vector_width vectors_of_processor();

/// Sets the width of all loops from now on, for tests and measurements.
///
/// Errors   contract_error if the processor does not support it.
void use_vectors(vector_width width);

/// The loops of the width in use (core/cpu/simd_*.hpp).  The library contains them for the monoids
/// that `of_library` maps to.
template <class M, class T = carrier_t<M>>
struct reduce_loop {
  static T run(T const* in, index_t n, T carry, prefetch_range const& upcoming);
};
template <class M, scanned What, direction Towards, class T = carrier_t<M>>
struct scan_loop {
  static T run(T const* in, index_t n, T carry, results& out, prefetch_range const& upcoming,
               T* total);
};
template <class M, class T = carrier_t<M>>
struct segmented_scan_loop {
  static T run(T const* in, std::uint64_t const* heads, index_t n, T carry, results& out,
               prefetch_range const& upcoming);
};
template <class M, scanned What, class T = carrier_t<M>>
struct strided_scan_loop {
  static void run(T const* in, index_t n, int stride, int rounds, T* carried, results& out,
                  prefetch_range const& upcoming);
};
template <class T>
struct compress_loop {
  static index_t run(T const* in, index_t n, std::uint64_t const* keep, T* out,
                     prefetch_range const& upcoming);
};
template <class T>
struct sort_loop {
  static void run(T* keys, index_t n);
};
template <class T>
struct quicksort_loop {
  static bool run(T* keys, index_t n);
  static divided_keys divide(T* keys, index_t n);
  static void count(T const* keys, index_t n, T const* ends, index_t* below);
  static void scatter(T const* keys, index_t n, T const* ends, T** outs);
};
template <class T>
struct survey_loop {
  static key_survey<ravel::detail::unsigned_of_t<T>> run(T const* keys, index_t n);
};
template <class T>
struct segment_sums_loop {
  static void run(index_t const* begins, index_t count, T const* in, T carry, T* sums);
};
/// Requires vectors of 64 bytes.
template <class T>
struct rows_loop {
  static void run(index_t const* begins, index_t rows, std::int32_t const* columns, T const* values,
                  T const* x, index_t entries, T* sums);
};

namespace detail {

/// The number type that represents all of one size and kind in the library.
template <class T, bool Signed = std::is_signed_v<T>>
struct plain_of : ravel::detail::unsigned_of<sizeof(T)> {};
template <std::signed_integral T>
struct plain_of<T, true> : std::make_signed<ravel::detail::unsigned_of_t<T>> {};
template <std::floating_point T, bool Signed>
struct plain_of<T, Signed> : std::type_identity<T> {};
template <class T>
using plain = typename plain_of<T>::type;
template <class T>
using plain_bits = typename plain_of<T, false>::type;

/// The monoid whose loops in the library serve this one: it has the same results on the bits.
template <class M>
struct of_library;
template <class T>
struct of_library<plus<T>> : std::type_identity<plus<plain_bits<T>>> {};
template <class T>
struct of_library<minimum<T>> : std::type_identity<minimum<plain<T>>> {};
template <class T>
struct of_library<maximum<T>> : std::type_identity<maximum<plain<T>>> {};
template <class T>
struct of_library<bit_and<T>> : std::type_identity<bit_and<plain_bits<T>>> {};
template <class T>
struct of_library<bit_or<T>> : std::type_identity<bit_or<plain_bits<T>>> {};
template <class T>
struct of_library<bit_xor<T>> : std::type_identity<bit_xor<plain_bits<T>>> {};
/// A flipped minimum or maximum has the results of the plain one, except that of two equal operands
/// (-0.0 and 0.0) the other may be returned.
template <class M>
struct of_library<flipped<M>> : of_library<M> {};
template <std::floating_point T>
struct of_library<flipped<minimum<T>>> : std::type_identity<flipped<minimum<T>>> {};
template <std::floating_point T>
struct of_library<flipped<maximum<T>>> : std::type_identity<flipped<maximum<T>>> {};
template <class M>
struct of_library<flipped<flipped<M>>> : of_library<M> {};

template <class M>
using form = typename of_library<M>::type;
template <class T>
using bytes_of = ravel::detail::unsigned_of_t<T>;

}  // namespace detail

}  // namespace loops

#else

namespace loops::detail {

/// Without the library, each monoid has loops of its own.
template <class M>
using form = M;

}  // namespace loops::detail

#endif

}  // namespace ravel::inline v0::cpu
