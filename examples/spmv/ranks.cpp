/// Multiplies on several processes: each keeps a part of the rows, and the elements of x for its
/// columns.

#include "support/ranks.hpp"
#include "check.hpp"
#include "matrix.hpp"
#include "measure.hpp"
#include "operands.hpp"
#include "options.hpp"

#include <ravel/core/cpu/executor.hpp>
#include <ravel/distributed/mpi.hpp>
#include <ravel/distributed/sequence.hpp>
#include <ravel/distributed/spmv.hpp>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <string>
#include <string_view>

namespace ravel::examples {
namespace {

using distributed::mpi;
using rows_of_matrix = host_matrix<index_t, double>;

/// Rows [begin, end) of a matrix.
rows_of_matrix rows_between(rows_of_matrix const& a, index_t begin, index_t end) {
  index_t const first = a.offsets[begin], n = a.offsets[end] - first;
  rows_of_matrix part{end - begin, a.cols, cpu::buffer<index_t>(end - begin + 1),
                      cpu::buffer<index_t>(n), cpu::buffer<double>(n)};
  for (index_t row = begin; row <= end; ++row) part.offsets[row - begin] = a.offsets[row] - first;
  std::copy_n(a.columns.begin() + first, n, part.columns.begin());
  std::copy_n(a.values.begin() + first, n, part.values.begin());
  return part;
}

/// What a rank keeps of the operands, which each rank reads whole.
struct part {
  matrix_source about;
  rows_of_matrix rows;
  index_t first_row;
  cpu::buffer<double> x;  // all of it
};

part read_part_of(arguments const& a, mpi const& ranks, cpu::threads const& ex) {
  auto const keep = [&]<class U>(matrix_source const& about, index_t rows, index_t cols,
                                 matrix_entries<U> const& entries, auto merge) -> part {
    if constexpr (is_complex<U>) {
      throw bad_input("ravel-spmv: --mpi multiplies real matrices");
    } else {
      auto const begins = distributed::even_begins(rows, ranks.size());
      index_t const first = begins[ranks.rank()];
      auto const all = without_duplicates<double, index_t>(ex, rows, cols, entries, merge);
      return {about, rows_between(all, first, begins[ranks.rank() + 1]), first,
              vector_x<double>(ex, a, cols)};
    }
  };
  return agreed(ranks, [&] { return with_entries(ex, a, keep); });
}

int multiply_on(arguments const& a, mpi const& ranks) {
  distributed::executor const ex(cpu::threads(a.where.threads), ranks);
  auto const mine = read_part_of(a, ranks, ex.local());
  auto const rows = view_of_matrix(mine.rows);
  distributed::csr const matrix(ex, rows);
  spmv_plan const plan(ex, matrix);
  auto const x = from(ex, mine.x);
  distributed::sequence<double, std::remove_const_t<decltype(ex)>> product(ex, matrix.rows);
  auto const begun = std::chrono::steady_clock::now();
  spmv(ex, plan, x, product);
  ex.wait();
  std::chrono::duration<double> const took = std::chrono::steady_clock::now() - begun;

  view<double const> const y(product.data(), product.size());
  view<double const> const all_x(mine.x.data(), mine.x.size());
  std::string const wrong = first_sentence(
      ranks, a.check ? what_is_wrong(rows, all_x, y, mine.first_row) : std::string());
  if (!a.output.empty()) {
    auto text = ranks.rank() == 0 ? heading_of_vector<double>(a.output, product.total_size()) : "";
    auto const numbers = text_of_numbers(ex.local(), y);
    write_on_ranks(ranks, a.output, text.append(numbers.data(), numbers.size()));
  }
  auto const seconds = distributed::gather_values(ranks, took.count());
  auto const measures = distributed::gather_values(ranks, measure_of(rows, y));
  if (ranks.rank() > 0) return wrong.empty() ? success : check_failed;
  auto const m =
      std::accumulate(measures.begin() + 1, measures.end(), measures[0],
                      [](product_measure all, product_measure const& next) { return all += next; });
  computed_by const by{device::cpu, "plan", "f64", *std::ranges::max_element(seconds),
                       ranks.size()};
  return finish("ravel-spmv", a, report_product(a, mine.about, by, m, wrong));
}

void refuse_on_ranks(arguments const& a) {
  if (a.type != "f64" || (a.algorithm != "auto" && a.algorithm != "plan") || a.repeats > 0 ||
      a.where.name == "cuda") {
    throw bad_input(
        "ravel-spmv: --mpi multiplies in f64 by a plan, and takes no --type f32, --bench, "
        "--device cuda or other --algorithm");
  }
  if ((a.generate.empty() && a.file == "-") || a.x == "-") {
    throw bad_input("ravel-spmv: --mpi reads files, which each process reads, and no pipes");
  }
  if (a.output == "-") throw bad_input("ravel-spmv: --mpi writes to a file: -o FILE");
}

}  // namespace

int run_on_ranks(arguments const& a) {
  return run_processes([&](mpi const& ranks) {
    refuse_on_ranks(a);
    return multiply_on(a, ranks);
  });
}

}  // namespace ravel::examples
