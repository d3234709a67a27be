/// Multiplies a sparse matrix with a vector, on the CPU or on a GPU.

#include "check.hpp"
#include "matrix.hpp"
#include "measure.hpp"
#include "operands.hpp"
#include "options.hpp"
#include "product.hpp"
#include "support/command_line.hpp"
#include "support/copy_bandwidth.hpp"
#include "support/device.hpp"
#include "support/matrix_market.hpp"
#include "support/numbers.hpp"
#include "support/output.hpp"
#include "support/report.hpp"

#include <ravel/core/cpu/executor.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <string>

namespace ravel::examples {
namespace {

/// Writes y; a complex number is two on a line.
template <class T>
void write_vector(cpu::threads const& ex, view<T const> y, std::string const& path) {
  std::string text = heading_of_vector<T>(path, y.size());
  if constexpr (is_complex<T>) {
    for (T const& value : y) text += fmt::format("{} {}\n", value.real(), value.imag());
    write_text(text, path);
  } else {
    write_numbers(ex, y, path, text);
  }
}

/// Multiplies, checks, and reports.
template <class Index, class T>
int run(cpu::threads const& ex, arguments const& a, matrix_source const& about,
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

  view<T const> const y(result.y.data(), std::ssize(result.y));
  std::string const wrong = a.check ? what_is_wrong(matrix, in, y) : "";
  if (a.writes_results()) write_vector(ex, y, a.target());

  auto const m = measure_of(matrix, y);
  computed_by const by{d, algorithm, is_complex<T> ? "c128" : a.type, result.seconds};
  report r = report_product(a, about, by, m, wrong);
  if (a.repeats > 0) {
    double const copy = with_backend(d, [&]<class B>(std::type_identity<B>) {
      return copy_bandwidth<B>(a.where.threads, m.bytes());
    });
    r.values["copy_fraction"] = m.bytes() / result.seconds / copy;
    r.text += fmt::format("{:.2f} of the bandwidth of a copy\n", m.bytes() / result.seconds / copy);
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

/// Makes the matrix from entries, and continues with it.
template <class T, class U, class M>
int assemble_and_run(cpu::threads const& ex, arguments const& a, matrix_source const& about,
                     index_t rows, index_t cols, matrix_entries<U> const& entries, M merge) {
  constexpr index_t most = std::numeric_limits<std::int32_t>::max();
  if (std::max(entries.values.size(), cols) <= most) {
    return run(ex, a, about, without_duplicates<T, std::int32_t>(ex, rows, cols, entries, merge));
  }
  return run(ex, a, about, without_duplicates<T, index_t>(ex, rows, cols, entries, merge));
}

/// With the value type of the entries, or of the command line.
template <class U, class M>
int run_type(cpu::threads const& ex, arguments const& a, matrix_source const& about, index_t rows,
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
  if (a.mpi) return run_on_ranks(a);
  cpu::threads const ex(a.where.threads);
  return with_entries(
      ex, a,
      [&](matrix_source const& about, index_t rows, index_t cols, auto const& entries, auto merge) {
        return run_type(ex, a, about, rows, cols, entries, merge);
      });
}

}  // namespace

#ifndef RAVEL_EXAMPLE_MPI
int run_on_ranks(arguments const&) {
  throw bad_input("ravel-spmv: --mpi: this program was built without MPI");
}
#endif

report report_product(arguments const& a, matrix_source const& about, computed_by const& by,
                      product_measure const& m, std::string const& wrong) {
  bool const checked = a.check && wrong.empty();
  double const gflops = m.flops() / by.seconds / 1e9, gbytes = m.bytes() / by.seconds / 1e9;
  auto const sum = static_cast<double>(m.sum.real()),
             norm = static_cast<double>(std::sqrt(m.squares));
  auto const on = description_of(by.d, a.where.threads);
  report r{{
               {"file", about.file},
               {"rows", m.rows},
               {"cols", m.cols},
               {"stored", about.stored},
               {"nnz", m.nnz},
               {"explicit_zeros", m.zeros},
               {"empty_rows", m.empty},
               {"longest_row", m.longest},
               {"sum_y", sum},
               {"sum_y_imag", static_cast<double>(m.sum.imag())},
               {"norm2_y", norm},
               {"maxabs_y", m.largest},
               {"seconds", by.seconds},
               {"gflops", gflops},
               {"gbytes_per_s", gbytes},
               {"copy_fraction", nullptr},
               {"device", name_of(by.d)},
               {"algorithm", by.algorithm},
               {"type", by.type},
               {"checked", checked},
           },
           fmt::format("{}: {} by {} with {} entries, the longest row {}, {} rows empty\n"
                       "y = A x in {:.3g} ms on {}: {:.3g} Gflop/s, {:.3g} GB/s{}\n"
                       "sum of y {:.15g}, norm {:.15g}, largest {:.15g}\n",
                       about.file, m.rows, m.cols, m.nnz, m.longest, m.empty, by.seconds * 1e3,
                       by.ranks > 0 ? fmt::format("{} ranks, each on {}", by.ranks, on) : on,
                       gflops, gbytes, checked ? ", checked" : "", sum, norm, m.largest),
           wrong};
  if (by.ranks > 0) r.values["ranks"] = by.ranks;
  return r;
}
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
  app.add_flag("--mpi", a.mpi,
               "multiply on all processes that mpirun has started, of which each keeps a part of "
               "the rows");
  add_output_options(app, a, "y: Matrix Market if its name ends in .mtx, else a number a line");
  app.add_option("--y", a.output, "the same as --output")->type_name("FILE");
  add_work_options(app, a, "multiply again, another way");
  return run_program(app, argc, argv, [&] { return run_input(a); });
}
