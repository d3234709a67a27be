#pragma once

/// @file
/// A sparse matrix in rows that are distributed, times a distributed vector or several.

#include <ravel/algorithms/csr.hpp>
#include <ravel/algorithms/semiring.hpp>
#include <ravel/algorithms/spmm.hpp>
#include <ravel/algorithms/spmv.hpp>
#include <ravel/algorithms/spmv_plan.hpp>
#include <ravel/core/cpu/executor.hpp>
#include <ravel/core/error.hpp>
#include <ravel/core/tile.hpp>
#include <ravel/core/transfer.hpp>
#include <ravel/core/view.hpp>
#include <ravel/distributed/executor.hpp>
#include <ravel/distributed/gather.hpp>
#include <ravel/distributed/sequence.hpp>

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

namespace ravel::inline v0 {
namespace distributed {

/// A sparse matrix whose rows are distributed: each rank has the rows from rows[r] to rows[r + 1], as
/// a csr of its own with the columns of the whole matrix.
///
///     1 . 2 .     ranks       0          1
///     . 3 . 4     offsets     0 2 4    | 0 1 2
///     5 . . .     columns     0 2 1 3  | 0 2
///     . . 6 .     values      1 2 3 4  | 5 6
///
///     distributed::csr a(ex, block);                    columns, as x has them, in even pieces
///     distributed::csr a(ex, block, x.begins());        ... or in those of x
///
/// block.rows may differ over ranks, and block.cols is the number of all columns.
template <class Offsets, class Columns, class Values>
struct csr {
  std::vector<index_t> rows;     // where the rows of each rank begin
  std::vector<index_t> columns;  // where the pieces of x begin
  ravel::csr<Offsets, Columns, Values> block;

  template <class Ex>
  csr(Ex const& ex, ravel::csr<Offsets, Columns, Values> rows_of_rank,
      std::span<index_t const> columns_at)
      : columns(columns_at.begin(), columns_at.end()), block(std::move(rows_of_rank)) {
    expects(!columns.empty() && block.cols == columns.back(), "distributed::csr: there are ",
            block.cols, " columns, and x has ", columns.empty() ? 0 : columns.back(), " elements");
    rows = begins_of(ex, block.rows);
  }
  template <class Ex>
  csr(Ex const& ex, ravel::csr<Offsets, Columns, Values> rows_of_rank)
      : csr(ex, std::move(rows_of_rank), even_begins(rows_of_rank.cols, ex.ranks().size())) {}
};

}  // namespace distributed

/// Finds once which remote elements of x the products of a matrix read:
///
///     spmv_plan const plan(ex, a);
///     spmv(ex, plan, x, y);                     y = A x
///     spmv(ex, alpha, plan, x, beta, y);        y = alpha A x + beta y
///
/// Shapes   a of rows by cols, a distributed::csr in the memory of the local executors.  The plan
///          refers to its offsets and values, of which the values may change between products.
/// Cost     A gather_plan of the columns, a copy of them, and a local spmv_plan.  In a product,
///          fetch of the gather_plan and the local product.  On hosts, where most entries are in
///          consecutive rows that read no remote element, as of a grid, the plan has another copy of
///          the columns and of the offsets, and a product copies only what the other rows read.
/// Volume   Once the number of each distinct remote column of a rank; in each product the elements of
///          x for these, and nothing else.
/// Errors   contract_error if the sizes of the matrix do not fit; `error` if a column is outside of it.
template <class Local, class C, class Offsets, class Columns, class Values>
class spmv_plan<distributed::executor<Local, C>, distributed::csr<Offsets, Columns, Values>> {
  using Ex = distributed::executor<Local, C>;
  using matrix = distributed::csr<Offsets, Columns, Values>;
  using I = element_t<Columns const&>;
  using near_matrix = decltype(ravel::csr{0, 0, view_of(std::declval<Offsets const&>()),
                                          view<I const, typename Local::space>(),
                                          view_of(std::declval<Values const&>())});

  using Space = typename Local::space;
  using Offset = element_t<Offsets const&>;
  template <class T>
  using buffer = decltype(std::declval<Local const&>().template allocate<T>(0));

  /// Consecutive rows as a matrix of their own.
  struct rows_of_part {
    index_t first;
    buffer<Offset> offsets;
    near_matrix a;
    spmv_plan<Local, near_matrix> plan;
  };

  std::vector<index_t> rows_, columns_;
  distributed::gather_plan<Ex, I> remote_;
  near_matrix near_;
  spmv_plan<Local, near_matrix> plan_;

  // On a host, if most entries are in consecutive rows that read no remote element: those rows, which
  // read x where it is, and the rows before and after them, which read copies.
  std::vector<rows_of_part> parts_;  // the first reads x
  buffer<I> copied_;                 // the elements of this rank that the others read
  buffer<I> columns_of_copies_;      // of the others' entries

  index_t own() const { return remote_.size() - remote_.remote_size(); }

  void add_part(Local const& local, index_t first, index_t last, index_t cols, I const* columns) {
    if (first == last) return;
    Offset const* const offsets = near_.offsets.data();
    auto const begin = offsets[first];
    auto const count = static_cast<index_t>(offsets[last] - begin);
    auto mine = local.template allocate<Offset>(last - first + 1);
    for (index_t r = first; r <= last; ++r) mine.data()[r - first] = offsets[r] - begin;
    near_matrix const a{last - first, cols, view<Offset const, Space>(mine.data(), mine.size()),
                        view<I const, Space>(columns, count),
                        near_.values.slice(static_cast<index_t>(begin), count)};
    parts_.push_back({first, std::move(mine), a, spmv_plan<Local, near_matrix>(local, a)});
  }

  void find_parts(Local const& local) {
    index_t const n = near_.rows;
    I const* const columns = near_.columns.data();
    Offset const* const offsets = near_.offsets.data();
    auto const is_remote = [&](I c) { return std::cmp_greater_equal(c, own()); };
    tile inner{0, 0, 0};  // the most consecutive rows that read nothing remote
    for (index_t r = 0, begin = 0; r < n; ++r) {
      if (std::any_of(columns + offsets[r], columns + offsets[r + 1], is_remote)) begin = r + 1;
      if (r + 1 - begin > inner.end - inner.begin) inner = {0, begin, r + 1};
    }
    if (4 * (near_.nnz() - (offsets[inner.end] - offsets[inner.begin])) > near_.nnz()) return;

    index_t const before = offsets[inner.begin], after = near_.nnz() - offsets[inner.end];
    std::vector<I> others(columns, columns + before);
    others.insert(others.end(), near_.columns.end() - after, near_.columns.end());
    std::vector<I> read;  // by these, of this rank's elements
    std::ranges::remove_copy_if(others, std::back_inserter(read), is_remote);
    std::ranges::sort(read);
    read.erase(std::unique(read.begin(), read.end()), read.end());
    for (I& c : others) {
      c = static_cast<I>(is_remote(c) ? c - own() + std::ssize(read)
                                      : std::ranges::lower_bound(read, c) - read.begin());
    }
    copied_ = to(local, read);
    columns_of_copies_ = to(local, others);
    index_t const copies = std::ssize(read) + remote_.remote_size();
    add_part(local, inner.begin, inner.end, own(), columns + before);
    add_part(local, 0, inner.begin, copies, columns_of_copies_.data());
    add_part(local, inner.end, n, copies, columns_of_copies_.data() + before);
  }

 public:
  spmv_plan(Ex const& ex, matrix const& a)
      : rows_(a.rows),
        columns_(a.columns),
        remote_(ex, a.columns, a.block.columns, "spmv_plan"),
        near_{a.block.rows, remote_.size(), view_of(a.block.offsets), remote_.numbers(),
              view_of(a.block.values)},
        plan_(ex.local(), near_),
        copied_(ex.local().template allocate<I>(0)),
        columns_of_copies_(ex.local().template allocate<I>(0)) {
    if constexpr (cpu::host_executor<Local>) find_parts(ex.local());
  }

  /// Calls multiply(plan, x, y) with matrices of this rank's rows, the elements of x that they read,
  /// and their elements of y.
  template <class T, class U, class Multiply>
  void with_near(Ex const& ex, distributed::sequence<T, Ex> const& x,
                 distributed::sequence<U, Ex>& y, Multiply multiply) const {
    expects(std::ranges::equal(x.begins(), columns_),
            "spmv: x is not in the pieces that the matrix has for its columns");
    expects(std::ranges::equal(y.begins(), rows_),
            "spmv: y is not in the pieces of the rows of the matrix");
    distributed::together(ex, "spmv", [&] {
      auto const& local = ex.local();
      index_t const copies = parts_.empty() ? own() : copied_.size();
      auto const near = local.template scratch<T>(copies + remote_.remote_size());
      view<T const, Space> const read(near.data(), near.size());
      if (parts_.empty()) {
        remote_.fetch(x, near);
        return multiply(plan_, read, y.local());
      }
      gather(local, x.local(), copied_, view<T, Space>(near.data(), copies));
      remote_.fetch_remote(x, view<T, Space>(near.data() + copies, remote_.remote_size()));
      for (rows_of_part const& part : parts_) {
        bool const is_inner = &part == parts_.data();
        multiply(part.plan, is_inner ? view<T const, Space>(x.data(), x.size()) : read,
                 y.local().slice(part.first, part.a.rows));
      }
    });
  }
  /// The same for k vectors: multiply(matrix, x).
  template <class T, class Y, class Multiply>
  void with_near_rows(Ex const& ex, index_t k, distributed::sequence<T, Ex> const& x, Y const& y,
                      Multiply multiply) const {
    expects(k >= 0, "spmm: there are ", k, " vectors");
    auto const has_rows_of = [k](std::span<index_t const> begins,
                                 std::vector<index_t> const& rows) {
      return std::ranges::equal(begins, rows, {}, {}, [k](index_t r) { return k * r; });
    };
    expects(has_rows_of(x.begins(), columns_),
            "spmm: x is not in the pieces that the matrix has for its columns");
    expects(has_rows_of(y.begins(), rows_),
            "spmm: y is not in the pieces of the rows of the matrix");
    distributed::together(ex, "spmm", [&] {
      auto const near = ex.local().template scratch<T>(remote_.size() * k);
      remote_.fetch_rows(k, x, near);
      multiply(near_, near);
    });
  }
};

/// Multiplies a sparse matrix in rows that are distributed with a vector, over any semiring, as on
/// one machine:
///
///     y = A x                             spmv(ex, plan, x, y)
///     y = alpha A x + beta y              spmv(ex, alpha, plan, x, beta, y)
///
///     ranks      0         1
///     x          1 2     | 3 4            with the matrix of distributed::csr
///     y          7 22    | 5 18
///
/// Shapes   x[cols] in the pieces of a.columns, y[rows] in those of a.rows.
/// Order    Products of a row are added in the order of its entries, as by the local executor.
/// Volume   The elements of x for the distinct remote columns of each rank, once.
/// Errors   contract_error if the pieces of x or y are not those of the matrix.
/// See also spmv_plan, whose description gives the cost.
template <class Local, class C, class Offsets, class Columns, class Values, class T, class U,
          class R = semiring<plus<>, multiplies<>>>
void spmv(distributed::executor<Local, C> const& ex,
          spmv_plan<distributed::executor<Local, C>,
                    distributed::csr<Offsets, Columns, Values>> const& plan,
          distributed::sequence<T, distributed::executor<Local, C>> const& x,
          distributed::sequence<U, distributed::executor<Local, C>>& y, R ring = {}) {
  plan.with_near(ex, x, y, [&](auto const& a, auto const& near, auto const& rows) {
    spmv(ex.local(), a, near, rows, ring);
  });
}
template <class Local, class C, class Alpha, class Offsets, class Columns, class Values, class T,
          class Beta, class U, class R = semiring<plus<>, multiplies<>>>
void spmv(distributed::executor<Local, C> const& ex, Alpha alpha,
          spmv_plan<distributed::executor<Local, C>,
                    distributed::csr<Offsets, Columns, Values>> const& plan,
          distributed::sequence<T, distributed::executor<Local, C>> const& x, Beta beta,
          distributed::sequence<U, distributed::executor<Local, C>>& y, R ring = {}) {
  plan.with_near(ex, x, y, [&](auto const& a, auto const& near, auto const& rows) {
    spmv(ex.local(), alpha, a, near, beta, rows, ring);
  });
}

/// Multiplies a sparse matrix in rows that are distributed with k vectors, the columns of X, over any
/// semiring, as on one machine:
///
///     Y = A X                             spmm(ex, plan, k, x, y)
///
///     ranks      0                 1
///     x          1 10  2 20      | 3 30  4 40         k = 2, with the matrix of distributed::csr
///     y          7 70  22 220    | 5 50  18 180
///
/// Shapes   X of cols by k and Y of rows by k, both by rows: X(c, j) is x[c k + j].  Pieces have whole
///          rows: those of x begin at k times those of a.columns, and of y at k times a.rows.
/// Order    As spmv, for each vector.
/// Cost     One exchange, and a local spmm.
/// Volume   The rows of X for the distinct remote columns of each rank, once.
/// Errors   contract_error if the pieces of x or y are not those of the matrix.
template <class Local, class C, class Offsets, class Columns, class Values, class T, class U,
          class R = semiring<plus<>, multiplies<>>>
void spmm(distributed::executor<Local, C> const& ex,
          spmv_plan<distributed::executor<Local, C>,
                    distributed::csr<Offsets, Columns, Values>> const& plan,
          index_t k, distributed::sequence<T, distributed::executor<Local, C>> const& x,
          distributed::sequence<U, distributed::executor<Local, C>>& y, R ring = {}) {
  plan.with_near_rows(ex, k, x, y, [&](auto const& a, auto const& near) {
    spmm(ex.local(), a, k, near, y.local(), ring);
  });
}

}  // namespace ravel::inline v0
