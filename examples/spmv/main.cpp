/// Multiplies a sparse matrix with a vector, on the CPU or on a GPU.

#include "check.hpp"
#include "generated.hpp"
#include "matrix.hpp"
#include "product.hpp"
#include "support/command_line.hpp"
#include "support/copy_bandwidth.hpp"
#include "support/device.hpp"
#include "support/input.hpp"
#include "support/matrix_market.hpp"
#include "support/numbers.hpp"
#include "support/output.hpp"
#include "support/report.hpp"

#include <ravel/algorithms/coordinates.hpp>
#include <ravel/algorithms/duplicates.hpp>
#include <ravel/core/cpu/executor.hpp>
#include <ravel/primitives/map.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <new>
#include <utility>
#include <variant>

namespace ravel::examples {
namespace {

struct arguments : tool_options {
  std::string file = "-";
  std::string generate;
  std::string algorithm = "auto";
  std::string type = "f64";
  std::string x = "inverse";
  bool strict = false;
};

template <class T>
inline constexpr bool is_complex = !std::is_arithmetic_v<T>;

matrix_market matrix_of(cpu::threads const& ex, arguments const& a, view<char const> text,
                        std::string const& name) {
  auto file = read_matrix_market(ex, text, name, a.type == "f32" ? real_type::f32 : real_type::f64,
                                 a.strict ? strictness::strict : strictness::lenient);
  if (!file.warning.empty()) note("{}\n", file.warning);
  return file;
}

/// What is reported of a matrix besides its product.
struct description {
  std::string file;
  index_t stored;  // entries in the file
};

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

/// Writes y, as Matrix Market if the name ends in .mtx; a complex number is two on a line.
template <class T>
void write_vector(cpu::threads const& ex, view<T const> y, std::string const& path) {
  std::string text;
  if (path.ends_with(".mtx")) {
    text = fmt::format("%%MatrixMarket matrix array {} general\n{} 1\n",
                       is_complex<T> ? "complex" : "real", y.size());
  }
  if constexpr (is_complex<T>) {
    for (T const& value : y) text += fmt::format("{} {}\n", value.real(), value.imag());
    write_text(text, path);
  } else {
    write_numbers(ex, y, path, text);
  }
}

/// Multiplies, checks, and reports.
template <class Index, class T>
int run(cpu::threads const& ex, arguments const& a, description const& about,
        host_matrix<Index, T> const& owned) {
  auto const matrix = view_of_matrix(owned);
  auto const d = is_complex<T> && a.where.name == "auto" ? device::cpu : chosen_device(a.where);
  auto const x = vector_x<T>(ex, a, matrix.cols);
  view<T const> const in(x.data(), x.size());
  std::string const algorithm = a.algorithm == "auto" ? "merge" : a.algorithm;
  product_job const job{algorithm, a.where.threads, a.repeats};
  auto const result = [&] {
    if constexpr (is_complex<T>) {
      if (d != device::cpu)
        throw bad_input("ravel-spmv: complex matrices are multiplied on the CPU");
      return multiply<cpu_backend, Index, T>(matrix, in, job);
    } else {
      return with_backend(d, [&]<class B>(std::type_identity<B>) {
        return multiply<B, Index, T>(matrix, in, job);
      });
    }
  }();

  std::string const wrong = a.check ? what_is_wrong(matrix, in, result.y) : "";
  if (a.writes_results()) {
    write_vector(ex, view<T const>(result.y.data(), std::ssize(result.y)), a.target());
  }

  index_t zeros = 0, empty = 0, longest = 0;
  for (T const& value : matrix.values) zeros += value == T(0);
  for (index_t row = 0; row < matrix.rows; ++row) {
    index_t const length = matrix.offsets[row + 1] - matrix.offsets[row];
    empty += length == 0;
    longest = std::max(longest, length);
  }
  std::complex<long double> sum = 0;
  long double squares = 0;
  double largest = 0;
  for (T const& value : result.y) {
    sum += std::complex<long double>(value);
    squares += std::norm(std::complex<long double>(value));
    auto const magnitude = static_cast<double>(std::abs(value));
    if (magnitude > largest || std::isnan(magnitude)) largest = magnitude;  // NaN is kept
  }

  // The least traffic: each entry with its column, the offsets, x and y, once.
  auto const nnz = static_cast<double>(matrix.nnz());
  double const bytes = nnz * (sizeof(T) + sizeof(Index)) +
                       static_cast<double>(matrix.rows + 1) * sizeof(Index) +
                       static_cast<double>(matrix.rows + matrix.cols) * sizeof(T);
  double const flops = nnz * (is_complex<T> ? 8 : 2);
  bool const checked = a.check && wrong.empty();
  double const gflops = flops / result.seconds / 1e9, gbytes = bytes / result.seconds / 1e9;
  report r{{
               {"file", about.file},
               {"rows", matrix.rows},
               {"cols", matrix.cols},
               {"stored", about.stored},
               {"nnz", matrix.nnz()},
               {"explicit_zeros", zeros},
               {"empty_rows", empty},
               {"longest_row", longest},
               {"sum_y", static_cast<double>(sum.real())},
               {"sum_y_imag", static_cast<double>(sum.imag())},
               {"norm2_y", static_cast<double>(std::sqrt(squares))},
               {"maxabs_y", largest},
               {"seconds", result.seconds},
               {"gflops", gflops},
               {"gbytes_per_s", gbytes},
               {"copy_fraction", nullptr},
               {"device", name_of(d)},
               {"algorithm", algorithm},
               {"type", is_complex<T> ? "c128" : a.type},
               {"checked", checked},
           },
           fmt::format("{}: {} by {} with {} entries, the longest row {}, {} rows empty\n"
                       "y = A x in {:.3g} ms on {}: {:.3g} Gflop/s, {:.3g} GB/s{}\n"
                       "sum of y {:.15g}, norm {:.15g}, largest {:.15g}\n",
                       about.file, matrix.rows, matrix.cols, matrix.nnz(), longest, empty,
                       result.seconds * 1e3, description_of(d, a.where.threads), gflops, gbytes,
                       checked ? ", checked" : "", static_cast<double>(sum.real()),
                       static_cast<double>(std::sqrt(squares)), largest),
           wrong};
  if (a.repeats > 0) {
    double const copy = with_backend(d, [&]<class B>(std::type_identity<B>) {
      return copy_bandwidth<B>(a.where.threads, bytes);
    });
    r.values["copy_fraction"] = bytes / result.seconds / copy;
    r.text += fmt::format("{:.2f} of the bandwidth of a copy\n", bytes / result.seconds / copy);
  }
  if (auto const& prepared = result.prepared) {
    r.values["seconds_to_prepare"] = prepared->seconds;
    r.text += fmt::format("prepared in {:.3g} ms", prepared->seconds * 1e3);
    if (prepared->without) {
      double const products = prepared->pays_after(result.seconds, *prepared->without);
      bool const pays = std::isfinite(products);
      r.values["seconds_without"] = *prepared->without;
      r.values["pays_after"] = nullptr;
      if (pays) r.values["pays_after"] = products;
      r.text += fmt::format(", which {}: one without takes {:.3g} ms",
                            pays ? fmt::format("pays after {:.0f} products", products)
                                 : "no number of products pays for",
                            *prepared->without * 1e3);
    }
    r.text += '\n';
  }
  return finish("ravel-spmv", a, r);
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

/// Makes the matrix from entries, combines duplicates, and continues with it.  Duplicate integers
/// are added exactly, and the sum is rounded.
template <class T, class U, class M>
int assemble_and_run(cpu::threads const& ex, arguments const& a, description const& about,
                     index_t rows, index_t cols, matrix_entries<U> const& entries, M merge) {
  auto const with_index = [&]<class Index>(std::type_identity<Index>) {
    auto const all = assembled<T, Index>(ex, rows, cols, entries);
    if (count_duplicates_sync(ex, all) == 0) return run<Index, T>(ex, a, about, all);
    if constexpr (std::is_integral_v<U>) {
      auto merged = combine_duplicates_sync(
          ex, assembled<exact_integer, Index>(ex, rows, cols, entries), merge);
      host_matrix<Index, T> const rounded{merged.rows, merged.cols, std::move(merged.offsets),
                                          std::move(merged.columns),
                                          converted<T>(ex, merged.values)};
      return run<Index, T>(ex, a, about, rounded);
    } else {
      return run<Index, T>(ex, a, about, combine_duplicates_sync(ex, all, merge));
    }
  };
  constexpr index_t most = std::numeric_limits<std::int32_t>::max();
  bool const fits = std::max(entries.values.size(), cols) <= most;
  return fits ? with_index(std::type_identity<std::int32_t>{})
              : with_index(std::type_identity<index_t>{});
}

/// With the value type of the entries, or of the command line.
template <class U, class M>
int run_type(cpu::threads const& ex, arguments const& a, description const& about, index_t rows,
             index_t cols, matrix_entries<U> const& entries, M merge) {
  if constexpr (is_complex<U>) {
    return assemble_and_run<U>(ex, a, about, rows, cols, entries, merge);
  } else if (a.type == "f32") {
    return assemble_and_run<float>(ex, a, about, rows, cols, entries, merge);
  } else {
    return assemble_and_run<double>(ex, a, about, rows, cols, entries, merge);
  }
}

int run_input(arguments const& a) {
  cpu::threads const ex(a.where.threads);
  if (!a.generate.empty()) {
    auto const made = generate_matrix(ex, a.generate);
    description const about{a.generate, made.entries.values.size()};
    return made.merges ? run_type(ex, a, about, made.rows, made.rows, made.entries, maximum{})
                       : run_type(ex, a, about, made.rows, made.rows, made.entries, plus{});
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
          return run_type(ex, a, {a.file, h.stored}, h.rows, h.cols, entries, plus{});
        },
        file.entries);
  } catch (contract_error const& e) {
    throw bad_input(refused(e.what()));
  } catch (std::bad_alloc const& e) {
    throw bad_input(refused(e.what()));
  }
}

}  // namespace
}  // namespace ravel::examples

int main(int argc, char** argv) {
  using namespace ravel::examples;
  CLI::App app{
      "Multiplies a sparse matrix with a vector: y = A x. Entries that a file gives twice are\n"
      "added up.",
      "ravel-spmv"};
  arguments a;
  auto* const file = app.add_option(
      "FILE", a.file, "a Matrix Market file, gzipped or not; standard input if absent");
  app.add_option("--generate", a.generate,
                 "a matrix without a file: stencil27:K, stencil5:K, rmat:SCALE,DEGREE or arrow:N")
      ->excludes(file);
  app.add_option("--algorithm", a.algorithm,
                 "merge: parts of entries and rows that are as long as each other; plan: the same, "
                 "after an analysis of the rows; blocks: scattered columns cut into "
                 "blocks beforehand; scan: multiply, scan each row, take the last; rows: a thread "
                 "for each row; auto is merge")
      ->check(CLI::IsMember({"auto", "merge", "plan", "blocks", "scan", "rows"}))
      ->capture_default_str();
  app.add_option("--type", a.type, "compute in f32 or f64; complex matrices have their own")
      ->check(CLI::IsMember({"f32", "f64"}))
      ->capture_default_str();
  app.add_option("--x", a.x,
                 "x[i] = 1 / (i + 1), ones, or the vector in a file: numbers, or Matrix Market")
      ->type_name("inverse|ones|FILE")
      ->capture_default_str();
  app.add_flag("--strict", a.strict,
               "refuse what the format does not have: entries above the diagonal of a symmetric "
               "matrix, comments after an entry, and values out of range, else infinite");
  add_output_options(app, a, "y: Matrix Market if its name ends in .mtx, else a number a line");
  app.add_option("--y", a.output, "the same as --output")->type_name("FILE");
  add_work_options(app, a, "multiply again, another way");
  return run_program(app, argc, argv, [&] { return run_input(a); });
}
