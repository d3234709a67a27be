/// Sparse matrix-vector product on the CPU, compared with Eigen and two loops over rows, and with
/// the two forms used in papers to measure segmented scans.

#include "support/host.hpp"
#include "support/matrices.hpp"

#include <ravel/algorithms/spmv.hpp>

#include "spmv/forms.hpp"

#include <tbb/parallel_sort.h>

#ifdef RAVEL_BENCH_EIGEN
#  include <Eigen/SparseCore>
#endif

#include <algorithm>
#include <functional>
#include <string>

namespace ravel::bench::host {
namespace {

struct pattern {
  index_t rows;
  shared<std::int32_t> offsets;
  shared<std::int32_t> columns;
};

template <class M>
pattern by_rows(executor const& ex, M m) {
  auto const offsets = generate<std::int32_t>(ex, m.rows() + 1, row_length<M>{m});
  std::int32_t sum = 0;
  for (auto& x : *offsets) sum += std::exchange(x, sum);
  auto const columns = allocate<std::int32_t>(ex, sum);
  for_each_index(ex, m.rows(), write_row<M>{m, offsets->data(), columns->data()});
  return {m.rows(), offsets, columns};
}

template <class Edge>
pattern by_edges(executor const& ex, index_t rows, index_t count, Edge f) {
  auto const edges = generate<std::uint64_t>(ex, count, f);
  tbb::parallel_sort(edges->begin(), edges->end());
  index_t const nnz = std::unique(edges->begin(), edges->end()) - edges->begin();
  return {rows, generate<std::int32_t>(ex, rows + 1, first_edge{edges->data(), nnz}),
          generate<std::int32_t>(ex, nnz, column_of_edge{edges->data()})};
}

/// The sum of a row's products.
struct row_product {
  std::int32_t const* offsets;
  std::int32_t const* columns;
  double const* values;
  double const* x;
  double operator()(index_t row) const {
    double sum = 0;
    for (std::int32_t k = offsets[row]; k < offsets[row + 1]; ++k) sum += values[k] * x[columns[k]];
    return sum;
  }
};

comparison product(executor const& ex, pattern const& p) {
  index_t const n = p.rows, nnz = p.columns->size();
  auto const values = generate<double>(ex, nnz, small_integer<double>{2});
  auto const x = generate<double>(ex, n, small_integer<double>{3});
  auto const y = allocate<double>(ex, n);
  row_product const row{p.offsets->data(), p.columns->data(), values->data(), x->data()};
  auto const right = [=] { return all_equal(n, y->data(), row); };

  comparison c;
  c.bytes = spmv_bytes<double>(n, n, nnz);
  c.items = double(nnz);
  c.poison = poison(y);
  auto const matrix = [=] {
    return csr{n, n, view_of(*p.offsets), view_of(*p.columns), view_of(*values)};
  };
  add_ours(
      ex, c, [=](executor const& by) { spmv(by, matrix(), *x, *y); }, right);
  c.contenders.push_back({"named:segmented scan",
                          [=] { examples::spmv_by_scan(ex, matrix(), view_of(*x), view_of(*y)); },
                          right});
  c.contenders.push_back({"named:a thread a row",
                          [=] { examples::spmv_by_rows(ex, matrix(), view_of(*x), view_of(*y)); },
                          right});
  auto const by_loop = [row, n, to = y->data()] {
    for (index_t r = 0; r < n; ++r) to[r] = row(r);
  };
  if (nnz <= index_t{1} << 13) c.contenders.push_back({"peer:serial loop", by_loop, right});
#ifdef RAVEL_BENCH_EIGEN
  using eigen_matrix = Eigen::SparseMatrix<double, Eigen::RowMajor, int>;
  auto const by_eigen = [=] {
    Eigen::Map<eigen_matrix const> const a(n, n, nnz, p.offsets->data(), p.columns->data(),
                                           values->data());
    Eigen::Map<Eigen::VectorXd const> const from(x->data(), n);
    Eigen::Map<Eigen::VectorXd>(y->data(), n).noalias() = a * from;
  };
  c.contenders.push_back({"peer:Eigen", by_eigen, right});
#endif
#ifdef _OPENMP
  auto const by_openmp = [row, n, to = y->data()] {
#  pragma omp parallel for schedule(dynamic, 1024)
    for (index_t r = 0; r < n; ++r) to[r] = row(r);
  };
  c.contenders.push_back({"peer:OpenMP rows", by_openmp, right, {}, openmp_rest});
#endif
  auto const by_onetbb = [row, n, to = y->data()] {
    tbb::parallel_for(index_t{0}, n, [=](index_t r) { to[r] = row(r); });
  };
  c.contenders.push_back({"peer:oneTBB rows", by_onetbb, right});
  add_copy(ex, c);
  return c;
}

suite all(executor const& ex) {
  suite s = make_suite("cpu.spmv", ex);
#ifdef RAVEL_BENCH_EIGEN
  s.context["eigen"] = std::to_string(EIGEN_WORLD_VERSION) + '.' +
                       std::to_string(EIGEN_MAJOR_VERSION) + '.' +
                       std::to_string(EIGEN_MINOR_VERSION);
#endif
  auto const add = [&](std::string const& name, std::string const& work, index_t n, index_t quick,
                       std::function<pattern(index_t)> const& make) {
    s.rows.push_back({"cpu.spmv." + name, "SpMV f64 " + work, n,
                      [=](index_t k) { return product(ex, make(k)); }, quick});
  };
  add("stencil27", "27-point 120^3", 120, 12,
      [ex](index_t k) { return by_rows(ex, stencil27{k}); });
  add("stencil5", "5-point 2000^2", 2000, 70, [ex](index_t k) { return by_rows(ex, stencil5{k}); });
  for (index_t const k : {1, 4, 10, 29, 114, 458}) {
    add("stencil5." + std::to_string(k) + "^2", "5-point " + std::to_string(k) + "^2", k, k,
        [ex](index_t side) { return by_rows(ex, stencil5{side}); });
  }
  add("rmat", "R-MAT 2^20 rows, degree 16", index_t{1} << 20, 1 << 10,
      [ex](index_t n) { return by_edges(ex, n, 16 * n, rmat_edge{scale_of(n)}); });
  add("arrow", "one row of 2^20, the rest two", index_t{1} << 20, 10'000, [ex](index_t n) {
    return pattern{n, generate<std::int32_t>(ex, n + 1, arrow_offset{n}),
                   generate<std::int32_t>(ex, 3 * n - 2, arrow_column{n})};
  });
  return s;
}

}  // namespace
}  // namespace ravel::bench::host

int main(int argc, char** argv) {
  using namespace ravel::bench::host;
  return run_suite(all, argc, argv);
}
