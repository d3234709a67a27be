#pragma once

/// Products with a 5-point stencil on the processes of an MPI program: its rows, what is right, and the
/// peers of `spmv`.

#include "support/random.hpp"

#include <ravel/algorithms/csr.hpp>
#include <ravel/core/view.hpp>

#ifdef RAVEL_BENCH_COMBBLAS
#  include <CombBLAS/CombBLAS.h>
#endif
#ifdef RAVEL_BENCH_PETSC
#  include <petscmat.h>
#endif

#include <array>
#include <cstdint>
#include <iterator>
#include <memory>
#include <vector>

namespace ravel::bench {

/// The rows from `first` on of the 5-point stencil of a grid of rows of 1024, with numbers of 32 bits, as
/// PETSc has.
inline auto stencil(index_t first, index_t rows, index_t all) {
  csr<std::vector<int>, std::vector<int>, std::vector<double>> a{rows, all, {0}, {}, {}};
  for (index_t r = first; r < first + rows; ++r) {
    for (index_t const c : {r - 1024, r - 1, r, r + 1, r + 1024}) {
      if (c < 0 || c >= all) continue;
      a.columns.push_back(static_cast<int>(c));
      a.values.push_back(c == r ? 4 : -1);
    }
    a.offsets.push_back(static_cast<int>(a.columns.size()));
  }
  return a;
}
inline double element_of_x(index_t i) { return static_cast<double>(random_below(3, i, 16)); }
inline double element_of_product(index_t r, index_t all) {
  double sum = 4 * element_of_x(r);
  for (index_t const c : {r - 1024, r - 1, r + 1, r + 1024}) {
    if (c >= 0 && c < all) sum -= element_of_x(c);
  }
  return sum;
}
/// The elements of the product from `first` on.
template <class Y>
bool is_product(Y const& y, index_t first, index_t all) {
  for (index_t i = 0; i < std::ssize(y); ++i) {
    if (y.data()[i] != element_of_product(first + i, all)) return false;
  }
  return true;
}

#ifdef RAVEL_BENCH_PETSC
/// PETSc's matrix of the rows of this rank, from `first` on, and its vectors.
class petsc_product {
  Mat a_ = nullptr;
  Vec x_ = nullptr, y_ = nullptr;
  index_t first_, n_, all_;

 public:
  template <class Csr>
  petsc_product(Csr const& rows, index_t first, index_t all)
      : first_(first), n_(rows.rows), all_(all) {
    std::vector<PetscInt> const offsets(rows.offsets.begin(), rows.offsets.end());
    auto const own = static_cast<PetscInt>(n_), cols = static_cast<PetscInt>(all);
    MatCreateMPIAIJWithArrays(PETSC_COMM_WORLD, own, own, cols, cols, offsets.data(),
                              rows.columns.data(), rows.values.data(), &a_);
    MatCreateVecs(a_, &x_, &y_);
    double* values = nullptr;
    VecGetArray(x_, &values);
    for (index_t i = 0; i < n_; ++i) values[i] = element_of_x(first + i);
    VecRestoreArray(x_, &values);
  }
  petsc_product(petsc_product const&) = delete;
  petsc_product& operator=(petsc_product const&) = delete;
  ~petsc_product() {
    MatDestroy(&a_);
    VecDestroy(&x_);
    VecDestroy(&y_);
  }
  void multiply() { MatMult(a_, x_, y_); }
  bool is_right() const {
    double const* values = nullptr;
    VecGetArrayRead(y_, &values);
    bool const right = is_product(view<double const>(values, n_), first_, all_);
    VecRestoreArrayRead(y_, &values);
    return right;
  }
};
#endif

#ifdef RAVEL_BENCH_COMBBLAS
/// CombBLAS's matrix, in blocks on a square grid of ranks, and its vectors.
class combblas_product {
  using number = std::int64_t;
  template <class T>
  using elements_of = combblas::FullyDistVec<number, T>;

  index_t all_;
  std::shared_ptr<combblas::CommGrid> grid_ =
      std::make_shared<combblas::CommGrid>(MPI_COMM_WORLD, 0, 0);
  combblas::SpParMat<number, double, combblas::SpDCCols<number, double>> a_;
  elements_of<double> x_, y_;

  template <class T, class F>
  elements_of<T> generated(index_t n, F const& f) const {
    elements_of<T> made(grid_, n, T{});
    made.ApplyInd([&](T, number i) { return static_cast<T>(f(i)); });
    return made;
  }

 public:
  /// Neighbours outside of the grid wrap around, with the factor 0.
  explicit combblas_product(index_t all) : all_(all), a_(grid_), x_(grid_), y_(grid_) {
    auto const row = [](number i) { return i / 5; };
    auto const neighbour = [](number i) {
      return i / 5 + std::array{-1024, -1, 0, 1, 1024}[i % 5];
    };
    auto const column = [=](number i) { return (neighbour(i) + all) % all; };
    auto const factor = [=](number i) {
      return column(i) != neighbour(i) ? 0 : column(i) == row(i) ? 4 : -1;
    };
    a_ = decltype(a_)(all, all, generated<number>(5 * all, row), generated<number>(5 * all, column),
                      generated<double>(5 * all, factor));
    x_ = generated<double>(all, element_of_x);
  }
  static bool can_run_on(index_t ranks) {
    index_t root = 1;
    while (root * root < ranks) ++root;
    return root * root == ranks;
  }
  void multiply() { y_ = combblas::SpMV<combblas::PlusTimesSRing<double, double>>(a_, x_); }
  bool is_right() const {
    return is_product(view<double const>(y_.GetLocArr(), y_.LocArrSize()), y_.LengthUntil(), all_);
  }
};
#endif

}  // namespace ravel::bench
