#pragma once

/// @file
/// Loops over plain numbers, in vector registers: reduce, scan, scan by segments, sums of tuples
/// and of orders, compress, and the rows of sparse products.
///
/// A program that is linked with the library ravel::vectors, as one that is linked with
/// ravel::ravel by CMake is, has each in vectors of 16, 32 and 64 bytes, and takes what the
/// processor has on which it runs.  Without that library they are as wide as the compiler may
/// use.
///
/// Which operands are combined with which does not depend on the width: results are the
/// same, bit for bit, on all processors; but rows of sparse products are added up only in vectors
/// of 64 bytes.  Integers wrap around, and minima and maxima are
/// the same in any grouping.  Sums in floating point are made so:
///
///     reduce    Groups of 1024 bytes from the left, then of 128, and then what is left, one by
///               one.  In a group neighbours are added, and neighbours of these sums, and so on.
///     scan      Blocks of 64 bytes from the left, and then what is left, one by one.  In a
///               block, x'(l) = x(l - 1) + x(l), x''(l) = x'(l - 2) + x'(l), and so on, where 0
///               stands for what is ahead of the block; then what is ahead of it is added to
///               each (Kogge and Stone 1973).
///     segments  The same, but nothing is added from ahead of a head.
///     strides   Of every S-th number, the same with x'(l) = x(l - S) + x(l), and then 2 S, 4 S and
///               so on.  Of orders, each round is such a scan of what the one before it gave.

#include <ravel/core/config.hpp>
#include <ravel/core/cpu/flow.hpp>
#include <ravel/core/cpu/simd.hpp>
#include <ravel/core/cpu/simd_loops.hpp>
#include <ravel/core/derived_monoids.hpp>
#include <ravel/core/monoid.hpp>
#include <ravel/core/tile.hpp>
#include <ravel/core/word.hpp>

#include <concepts>
#include <cstdint>
#include <type_traits>

namespace ravel::inline v0::cpu {

/// Vectors of so many bytes.
enum class vector_width { of_16_bytes = 16, of_32_bytes = 32, of_64_bytes = 64 };

namespace loops {

/// Whether there are loops over the numbers of this monoid.
template <class M>
inline constexpr bool known = false;
/// ... of which there may be segments.
template <class M, bool = known<M>>
inline constexpr bool known_of_segments = false;
template <class M>
inline constexpr bool known_of_segments<M, true> = sizeof(carrier_t<M>) >= 4;

/// ... of which there may be strides and rounds.
template <class M>
inline constexpr bool known_of_strides = false;

/// ... whose products with elements from all over memory may be added up by rows, where
/// `adds_up_rows`.
template <class T>
inline constexpr bool known_of_rows = false;

#if defined(RAVEL_CHOOSES_VECTORS) || (defined(RAVEL_SIMD) && defined(__AVX512BW__))
template <>
inline constexpr bool known_of_rows<float> = true;
template <>
inline constexpr bool known_of_rows<double> = true;
#endif

#if defined(RAVEL_SIMD) || defined(RAVEL_CHOOSES_VECTORS)

template <simd::number T>
inline constexpr bool known_of_strides<plus<T>> = sizeof(T) >= 4;

template <simd::number T>
inline constexpr bool known<plus<T>> = true;
template <simd::number T>
inline constexpr bool known<minimum<T>> = true;
template <simd::number T>
inline constexpr bool known<maximum<T>> = true;
template <simd::number T>
inline constexpr bool known<bit_and<T>> = std::integral<T>;
template <simd::number T>
inline constexpr bool known<bit_or<T>> = std::integral<T>;
template <simd::number T>
inline constexpr bool known<bit_xor<T>> = std::integral<T>;
template <class M>
inline constexpr bool known<flipped<M>> = known<M>;

#endif

/// Elements that are scanned together.  Fewer are scanned one by one.
template <class T>
inline constexpr index_t block_width = 64 / index_t{sizeof(T)};
/// Numbers that are added as a tree, where there are many, and where there are fewer.
template <class T>
inline constexpr index_t group_width = 1024 / index_t{sizeof(T)};
template <class T>
inline constexpr index_t small_group_width = 128 / index_t{sizeof(T)};

#ifdef RAVEL_CHOOSES_VECTORS

/// The width that is in use: the greatest that the processor has, of which the environment
/// variable RAVEL_VECTORS may allow less: 16 or 32.
///
/// Errors   contract_error if that is neither, nor 64.
vector_width vectors_in_use();

/// The greatest width that the processor has.
vector_width vectors_of_processor();

/// Has all loops from now on use this width, for tests and measurements.
///
/// Errors   contract_error if the processor does not have it.
void use_vectors(vector_width width);

/// Loops of whatever width is in use: the library has one for each monoid of `of_library`.
template <class M, class T = carrier_t<M>>
struct loops_over_numbers {
  static T reduce(T const* in, index_t n, T carry, asked_ahead const& ask);
  static T scan_through(T const* in, index_t n, T carry, results& out, asked_ahead const& ask,
                        T* total);
  static T scan_before(T const* in, index_t n, T carry, results& out, asked_ahead const& ask,
                       T* total);
  static T scan_through_back(T const* in, index_t n, T carry, results& out, asked_ahead const& ask,
                             T* total);
  static T scan_before_back(T const* in, index_t n, T carry, results& out, asked_ahead const& ask,
                            T* total);
};
template <class M, class T = carrier_t<M>>
struct loops_over_segments {
  static T scan(T const* in, std::uint64_t const* heads, index_t n, T carry, results& out,
                asked_ahead const& ask);
};
template <class M, class T = carrier_t<M>>
struct loops_over_strides {
  static void scan_through(T const* in, index_t n, int stride, int rounds, T* carried, results& out,
                           asked_ahead const& ask);
  static void scan_before(T const* in, index_t n, int stride, int rounds, T* carried, results& out,
                          asked_ahead const& ask);
};
template <class T>
struct loops_over_elements {
  static index_t compress(T const* in, index_t n, std::uint64_t const* keep, T* out,
                          asked_ahead const& ask);
};
/// Vectors of 64 bytes are to be in use.
template <class T>
struct loops_over_rows {
  static void add_up(index_t const* begins, index_t rows, std::int32_t const* columns,
                     T const* values, T const* x, index_t entries, T* sums);
};

namespace detail {

/// A number of the same bytes, of which there is one for each size and kind.
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

/// The monoid whose loops serve this one.
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
/// Of equal ones, as zeros of two signs, the last is the least or greatest.
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

#else

#  ifdef RAVEL_SIMD
using simd::loops_over_numbers;
using simd::loops_over_rows;
using simd::loops_over_segments;
using simd::loops_over_strides;
#  else
template <class M>
struct loops_over_numbers;
template <class M>
struct loops_over_segments;
template <class M>
struct loops_over_strides;
template <class T>
struct loops_over_rows;
#  endif

namespace detail {

template <class M>
using form = M;

}  // namespace detail

#endif

/// carry * in[0] * ... * in[n - 1], writing * for M.
template <class M, class T = carrier_t<M>>
T reduce(T const* in, index_t n, T carry, asked_ahead const& ask = {}) {
#if defined(RAVEL_CHOOSES_VECTORS) && defined(RAVEL_SIMD)
  if (n <= group_width<T>) {  // to choose takes longer than wider vectors gain
    return simd::reduce<M>(in, n, carry, ask);
  }
#endif
  using form = detail::form<M>;
  using U = carrier_t<form>;
  return static_cast<T>(loops_over_numbers<form>::reduce(reinterpret_cast<U const*>(in), n,
                                                         static_cast<U>(carry), ask));
}

/// Leaves in `out` what is through each of n numbers, or ahead of it, on from `carry`, and
/// returns what is through the last.  Backward, the numbers are those up to `in`, from the last to the
/// first, and results go from the last place to the first.
///
/// Of floating-point numbers `total`, if it is not null, goes on as reduce would, with the same bits:
/// by as many whole groups as there are.
template <scanned What, class M, direction Towards = direction::forward, class T = carrier_t<M>>
T scan(T const* in, index_t n, T carry, results& out, asked_ahead const& ask = {},
       T* total = nullptr) {
  using form = detail::form<M>;
  using U = carrier_t<form>;
  using of = loops_over_numbers<form>;
  auto const* numbers = reinterpret_cast<U const*>(in);
  auto const first = static_cast<U>(carry);
  auto* const sum = reinterpret_cast<U*>(total);
  if constexpr (Towards == direction::backward) {
    return static_cast<T>(What == scanned::through
                              ? of::scan_through_back(numbers, n, first, out, ask, sum)
                              : of::scan_before_back(numbers, n, first, out, ask, sum));
  } else {
    return static_cast<T>(What == scanned::through
                              ? of::scan_through(numbers, n, first, out, ask, sum)
                              : of::scan_before(numbers, n, first, out, ask, sum));
  }
}

/// The same by segments, which begin at each number whose bit in `heads` is set; what is
/// ahead of the first of them goes on from `carry`.
template <class M, class T = carrier_t<M>>
T scan_segments(T const* in, std::uint64_t const* heads, index_t n, T carry, results& out,
                asked_ahead const& ask = {}) {
  using form = detail::form<M>;
  using U = carrier_t<form>;
  return static_cast<T>(loops_over_segments<form>::scan(reinterpret_cast<U const*>(in), heads, n,
                                                        static_cast<U>(carry), out, ask));
}

/// Scans every `stride`-th of n numbers, for strides of 2 to 8 in one round, or each number in up
/// to 8 rounds of what the round before gave, and leaves in `out` what is through each in the last
/// round, or ahead of it there; nothing if out.to is null.  carried[s], or carried[q] of round q,
/// is what is ahead of the s-th number, and then of the s-th behind the last.
template <scanned What, class M, class T = carrier_t<M>>
void scan_strided(T const* in, index_t n, int stride, int rounds, T* carried, results& out,
                  asked_ahead const& ask = {}) {
  using form = detail::form<M>;
  using U = carrier_t<form>;
  using of = loops_over_strides<form>;
  auto const* numbers = reinterpret_cast<U const*>(in);
  auto* ahead = reinterpret_cast<U*>(carried);
  if constexpr (What == scanned::through) {
    of::scan_through(numbers, n, stride, rounds, ahead, out, ask);
  } else {
    of::scan_before(numbers, n, stride, rounds, ahead, out, ask);
  }
}

/// Whether rows can be added up, which only vectors of 64 bytes are good for.
inline bool adds_up_rows() {
#ifdef RAVEL_CHOOSES_VECTORS
  return vectors_in_use() == vector_width::of_64_bytes;
#else
  return simd::vector_bytes == 64;
#endif
}

/// For each row r of [0, rows) of a sparse matrix, whose entries are [begins[r], begins[r + 1]) of
/// `entries` there are,
///
///     sums[r] = values[k] x[columns[k]] + values[k + 1] x[columns[k + 1]] + ...
///
/// Every 8th product of doubles, or 16th of floats, is added to one sum, and then neighbours of these
/// sums, and so on.  Asks for entries some way on.  `adds_up_rows` must be so.
template <class T>
requires known_of_rows<T>
void add_up_rows(index_t const* begins, index_t rows, std::int32_t const* columns, T const* values,
                 T const* x, index_t entries, T* sums) {
  loops_over_rows<T>::add_up(begins, rows, columns, values, x, entries, sums);
}

}  // namespace loops
}  // namespace ravel::inline v0::cpu
