#pragma once

/// Reads the matrix and the vector of a product, or makes them.

#include "generated.hpp"
#include "matrix.hpp"
#include "options.hpp"
#include "support/input.hpp"
#include "support/matrix_market.hpp"
#include "support/numbers.hpp"
#include "support/output.hpp"

#include <ravel/algorithms/coordinates.hpp>
#include <ravel/algorithms/duplicates.hpp>
#include <ravel/core/cpu/executor.hpp>
#include <ravel/core/error.hpp>
#include <ravel/primitives/map.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <new>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

namespace ravel::examples {

template <class T>
inline constexpr bool is_complex = !std::is_arithmetic_v<T>;

inline matrix_market matrix_of(cpu::threads const& ex, arguments const& a, view<char const> text,
                               std::string const& name) {
  auto file = read_matrix_market(ex, text, name, a.type == "f32" ? real_type::f32 : real_type::f64,
                                 a.strict ? strictness::strict : strictness::lenient);
  if (!file.warning.empty()) note("{}\n", file.warning);
  return file;
}

/// The vector of n elements in a Matrix Market file.
template <class T>
cpu::buffer<T> vector_of(matrix_market const& file, std::string const& name, index_t n) {
  if (file.header.cols != 1 || file.header.rows != n) {
    throw bad_input(fmt::format("{}: x is a matrix of {} by {}, and has to be one of {} by 1", name,
                                file.header.rows, file.header.cols, n));
  }
  cpu::buffer<T> x(n);
  std::fill(x.begin(), x.end(), T(0));
  using real = decltype(std::abs(T()));
  std::visit(
      [&]<class U>(matrix_entries<U> const& entries) {
        if constexpr (is_complex<U> && !is_complex<T>) {
          throw bad_input(name + ": x is complex, and the matrix is real");
        } else {
          for (index_t k = 0; k < entries.rows.size(); ++k) {
            if constexpr (is_complex<U>) {
              x[entries.rows[k]] += entries.values[k];
            } else {
              x[entries.rows[k]] += static_cast<real>(entries.values[k]);
            }
          }
        }
      },
      file.entries);
  return x;
}

template <class T>
cpu::buffer<T> vector_x(cpu::threads const& ex, arguments const& a, index_t n) {
  if (a.x == "inverse" || a.x == "ones") {
    cpu::buffer<T> x(n);
    bool const ones = a.x == "ones";
    for_each_index(ex, n, [&](index_t i) {
      x[i] = ones ? T(1) : T(static_cast<double>(1) / static_cast<double>(i + 1));
    });
    return x;
  }
  auto const input = read_input(a.x);
  auto const text = input.all();
  if (is_matrix_market(text)) {
    return vector_of<T>(matrix_of(ex, a, text, a.x), a.x, n);
  }
  if constexpr (is_complex<T>) {
    throw bad_input(a.x + ": x of a complex matrix is inverse, ones, or Matrix Market");
  } else {
    auto x = read_numbers<T>(ex, text, a.x);
    if (x.size() != n) {
      throw bad_input(
          fmt::format("{}: x has {} numbers, and the matrix {} columns", a.x, x.size(), n));
    }
    return x;
  }
}

/// What precedes the numbers of a vector of n elements in a file: Matrix Market has a heading.
template <class T>
std::string heading_of_vector(std::string const& path, index_t n) {
  if (!path.ends_with(".mtx")) return {};
  return fmt::format("%%MatrixMarket matrix array {} general\n{} 1\n",
                     is_complex<T> ? "complex" : "real", n);
}

/// Can hold the sum of as many 64-bit integers, signed or unsigned, as fit in memory.
__extension__ using exact_integer = __int128;

template <class T, class U>
cpu::buffer<T> converted(cpu::threads const& ex, cpu::buffer<U> const& values) {
  cpu::buffer<T> made(values.size());
  for_each_index(ex, values.size(), [&](index_t k) { made[k] = static_cast<T>(values[k]); });
  return made;
}

/// The `rows` by `cols` matrix of entries of type U, with values of type T.
template <class T, class Index, class U>
host_matrix<Index, T> assembled(cpu::threads const& ex, index_t rows, index_t cols,
                                matrix_entries<U> const& entries) {
  return csr_from_coordinates<Index>(ex, rows, cols, entries.rows, entries.columns,
                                     converted<T>(ex, entries.values));
}

/// The `rows` by `cols` matrix of entries, of which duplicates are combined.  Duplicate integers are
/// added exactly, and the sum is rounded.
template <class T, class Index, class U, class M>
host_matrix<Index, T> without_duplicates(cpu::threads const& ex, index_t rows, index_t cols,
                                         matrix_entries<U> const& entries, M merge) {
  auto all = assembled<T, Index>(ex, rows, cols, entries);
  if (count_duplicates_sync(ex, all) == 0) return all;
  if constexpr (std::is_integral_v<U>) {
    auto merged = combine_duplicates_sync(
        ex, assembled<exact_integer, Index>(ex, rows, cols, entries), merge);
    return {merged.rows, merged.cols, std::move(merged.offsets), std::move(merged.columns),
            converted<T>(ex, merged.values)};
  } else {
    return combine_duplicates_sync(ex, all, merge);
  }
}

/// Calls f(about, rows, cols, entries, merge) with the matrix of the command line, of which entries
/// at one position are combined by `merge`.
///
/// Errors   bad_input if it cannot be read, or is too large for f.
template <class F>
auto with_entries(cpu::threads const& ex, arguments const& a, F const& f) {
  if (!a.generate.empty()) {
    auto const made = generate_matrix(ex, a.generate);
    matrix_source const about{a.generate, made.entries.values.size()};
    return made.merges ? f(about, made.rows, made.rows, made.entries, maximum{})
                       : f(about, made.rows, made.rows, made.entries, plus{});
  }
  auto const file = matrix_of(ex, a, read_input(a.file).all(), a.file);
  auto const& h = file.header;
  auto const refused = [&](char const* why) {
    return fmt::format("{}:{}: a matrix of {} by {} with {} entries is too large: {}", a.file,
                       h.size_line, h.rows, h.cols, h.stored, why);
  };
  try {
    return std::visit(
        [&](auto const& entries) {
          return f(matrix_source{a.file, h.stored}, h.rows, h.cols, entries, plus{});
        },
        file.entries);
  } catch (contract_error const& e) {
    throw bad_input(refused(e.what()));
  } catch (std::bad_alloc const& e) {
    throw bad_input(refused(e.what()));
  }
}

}  // namespace ravel::examples
