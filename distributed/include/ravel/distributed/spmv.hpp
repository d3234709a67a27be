#pragma once

/// A sparse matrix in rows that are distributed, times a distributed vector or several.

#include <ravel/algorithms/csr.hpp>
#include <ravel/algorithms/semiring.hpp>
#include <ravel/algorithms/spmm.hpp>
#include <ravel/algorithms/spmv.hpp>
#include <ravel/algorithms/spmv_plan.hpp>
#include <ravel/core/cpu/executor.hpp>
#include <ravel/core/same_everywhere.hpp>
#include <ravel/core/transfer.hpp>
#include <ravel/distributed/executor.hpp>
#include <ravel/distributed/gather_plan.hpp>
#include <ravel/distributed/sequence.hpp>

#include <algorithm>
#include <iterator>
#include <span>
#include <vector>

namespace ravel::inline v0 {
namespace distributed {
namespace detail {

/// Whether a row reads an element of x after the first `own`.
template <class Rows, class I>
struct flag_remote {
  Rows rows;
  I const* columns;
  index_t own;
  unsigned char* flags;
  RAVEL_HD void operator()(index_t row) const {
    index_t k = rows.begin(row);
    index_t const end = rows.begin(row + 1);
    while (k < end && static_cast<index_t>(columns[k]) < own) ++k;
    flags[row] = k < end;
  }
};

}  // namespace detail

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
///
/// Cost     O(p) work and memory: the block is moved in.
/// Volume   8 bytes to each other rank.
/// Errors   contract_error unless the columns of the block are those of x.
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

/// Whether `A` is a sparse matrix of several ranks.
template <class A>
inline constexpr bool is_csr = false;
/// That of a sparse matrix.
template <class Offsets, class Columns, class Values>
inline constexpr bool is_csr<csr<Offsets, Columns, Values>> = true;
template <class A>
concept some_csr = is_csr<A>;

}  // namespace distributed

/// Finds once which remote elements of x the products of a matrix read:
///
///     spmv_plan const plan(ex, a);
///     spmv(ex, plan, x, y);                     y = A x
///     spmv(ex, alpha, plan, x, beta, y);        y = alpha A x + beta y
///
///     ranks      0           1
///     columns    0 2 1 3   | 0 2            of the matrix of distributed::csr, x in even pieces
///     remote     2 3       | 0              what a plan requests once, and each product fetches
///
/// Shapes   a of rows by cols, a distributed::csr in the memory of the local executors.  The plan
///          refers to its offsets and values, of which the values may change between products.
/// Cost     A gather_plan of the columns, a copy of them and of the offsets, and a local spmv_plan.  In
///          a product, fetch of the gather_plan and the local product.  Where most entries are in
///          consecutive rows that read no remote element, as of a grid, these rows read x in place,
///          while remote elements are on their way, and a product copies only what the others read.
///          Work of a rank, in a product: 2 for each of its entries.  Memory: a column number for each entry,
///          the offsets, and for a product x of the rank and its distinct remote columns, in one sequence.
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
  using buffer = distributed::detail::buffer_of<Ex, T>;

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

  // All rows; or, if most entries are in consecutive rows that read no remote element, first those
  // rows, which read x where it is, and then the rows before and after them, which read copies.
  std::vector<rows_of_part> parts_;
  bool reads_in_place_ = false;
  buffer<I> copied_;             // the elements of this rank that the others read
  buffer<I> columns_of_copies_;  // of the others' entries

  index_t own() const { return remote_.size() - remote_.remote_size(); }

  void add_part(Local const& local, tile rows, tile entries, index_t cols, I const* columns) {
    if (rows.begin == rows.end) return;
    auto offsets = local.template allocate<Offset>(rows.end - rows.begin + 1);
    map(local, distributed::detail::shift_index{-entries.begin}, offsets,
        near_.offsets.slice(rows.begin, offsets.size()));
    index_t const count = entries.end - entries.begin;
    near_matrix const a{
        rows.end - rows.begin, cols, decltype(near_.offsets)(offsets.data(), offsets.size()),
        view<I const, Space>(columns, count), near_.values.slice(entries.begin, count)};
    parts_.push_back({rows.begin, std::move(offsets), a, spmv_plan<Local, near_matrix>(local, a)});
  }

  /// The most consecutive rows that read no remote element.
  tile inner_rows(Local const& local) const {
    index_t const n = near_.rows;
    auto const flags = local.template scratch<unsigned char>(n);
    auto const found = local.template scratch<index_t>(n);
    auto rows = rows_of(near_);
    for_each_index(local, n,
                   distributed::detail::flag_remote<decltype(rows), I>{rows, near_.columns.data(),
                                                                       own(), flags.data()});
    index_t const count = pack_index_sync(local, flags, found);
    auto border = to_host(local, view<index_t const, Space>(found.data(), count));
    border.push_back(n);
    tile inner{0, 0, 0};
    index_t begin = 0;
    for (index_t const row : border) {
      if (row - begin > inner.end - inner.begin) inner = {0, begin, row};
      begin = row + 1;
    }
    return inner;
  }

  /// The same rows but for a few, so that the entries begin at a multiple of 32 if one is near, and warps
  /// read whole cache lines: products of rows that begin elsewhere take 4 % longer.
  tile aligned(Local const& local, tile rows) const {
    auto const few = std::min<index_t>(64, rows.end - rows.begin);
    auto const begins = to_host(local, near_.offsets.slice(rows.begin, few));
    auto const at = std::ranges::find_if(begins, [](Offset k) { return k % 32 == 0; });
    if (at != begins.end()) rows.begin += at - begins.begin();
    return rows;
  }

  void find_parts(Local const& local) {
    index_t const n = near_.rows, nnz = near_.nnz();
    tile const inner = aligned(local, inner_rows(local));
    auto const offset = [&](index_t row) {
      return static_cast<index_t>(at_sync(local, near_.offsets, row));
    };
    index_t const begin = offset(inner.begin), end = offset(inner.end);
    reads_in_place_ = 4 * (end - begin) >= 3 * nnz;
    if (!reads_in_place_) {
      return add_part(local, {0, 0, n}, {0, 0, nnz}, near_.cols, near_.columns.data());
    }

    index_t const outside = begin + nnz - end;
    columns_of_copies_ = local.template allocate<I>(outside);
    auto* const columns = columns_of_copies_.data();
    local.copy(near_.columns.data(), columns, begin);
    local.copy(near_.columns.data() + end, columns + begin, nnz - end);
    // Copies follow the remote elements, as remote elements a piece.
    distributed::detail::is_remote const is_own{own(), remote_.remote_size()};
    distributed::detail::remote_indices<Local, I> const read(local, columns_of_copies_, is_own,
                                                             remote_.size());
    index_t const copies = read.wanted().size();
    copied_ = local.template allocate<I>(copies);
    local.copy(read.wanted().data(), copied_.data(), copies);
    map(local, distributed::detail::renumber<I>{is_own, read.place()}, columns_of_copies_,
        columns_of_copies_);
    index_t const cols = remote_.remote_size() + copies;
    add_part(local, inner, {0, begin, end}, own(), near_.columns.data() + begin);
    add_part(local, {0, 0, inner.begin}, {0, 0, begin}, cols, columns);
    add_part(local, {0, inner.end, n}, {0, end, nnz}, cols, columns + begin);
  }

 public:
  spmv_plan(Ex const& ex, matrix const& a)
      : rows_(a.rows),
        columns_(a.columns),
        remote_(ex, a.columns, a.block.columns, "spmv_plan"),
        near_{a.block.rows, remote_.size(), view_of(a.block.offsets), remote_.numbers(),
              view_of(a.block.values)},
        copied_(ex.local().template allocate<I>(0)),
        columns_of_copies_(ex.local().template allocate<I>(0)) {
    together(ex, "spmv_plan", [&] {
      ravel::detail::expect_csr(near_, "spmv_plan");
      find_parts(ex.local());
    });
  }

  /// Calls multiply(executor, part, x, y) with the matrices of this rank's rows, as part.a and part.plan, the
  /// rows of k elements of x that they read, and their rows of y.
  template <class T, class U, class Multiply>
  void with_near(Ex const& ex, char const* call, index_t k, distributed::sequence<T, Ex> const& x,
                 distributed::sequence<U, Ex>& y, Multiply multiply) const {
    expects(k >= 0, call, ": there are ", k, " vectors");
    auto const has_rows_of = [k](std::span<index_t const> begins,
                                 std::vector<index_t> const& rows) {
      return std::ranges::equal(begins, rows, {}, {}, [k](index_t r) { return k * r; });
    };
    expects(has_rows_of(x.begins(), columns_), call,
            ": x is not in the pieces that the matrix has for its columns");
    expects(has_rows_of(y.begins(), rows_), call,
            ": y is not in the pieces of the rows of the matrix");
    together(ex, call, [&] {
      auto const& local = ex.local();
      index_t const remote = remote_.remote_size();
      index_t const local_count = reads_in_place_ ? copied_.size() : own();
      auto const near = local.template scratch<T>(k * (remote + local_count));
      view<T, Space> const written(near.data(), near.size());
      auto const multiply_rows = [&](Local const& on, rows_of_part const& part,
                                     view<T const, Space> operand) {
        multiply(on, part, operand, y.local().slice(k * part.first, k * part.a.rows));
      };
      if (!reads_in_place_) {
        remote_.fetch_rows(k, x, written);
        for (auto const& part : parts_) multiply_rows(local, part, written);
        return;
      }
      auto const copy_own = [&](Local const& on) {
        auto const dst = written.slice(k * remote, k * local_count);
        if (k == 1) return gather(on, x.local(), copied_, dst);
        for_each_index(
            on, dst.size(),
            distributed::detail::copy_rows<T, I>{x.data(), copied_.data(), k, dst.data()});
      };
      auto const multiply_inner = [&] {
        if (!parts_.empty()) multiply_rows(local, parts_.front(), x.local());
      };
      auto const multiply_others = [&](Local const& on) {
        for (std::size_t i = 1; i < parts_.size(); ++i) multiply_rows(on, parts_[i], written);
      };
      remote_.fetch_remote_rows(
          k, x, written.slice(0, k * remote),
          distributed::work_around{copy_own, multiply_inner, multiply_others});
    });
  }
};

template <class Ex, class Offsets, class Columns, class Values>
class spmv_plan<same_everywhere<Ex>, distributed::csr<Offsets, Columns, Values>> {
  static_assert(sizeof(Ex) == 0,
                "spmv_plan: plans of several ranks are on the executor that same_everywhere was "
                "made of");

 public:
  template <class A>
  spmv_plan(same_everywhere<Ex> const&, A const&) {}
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
/// Order    Products of a row are added in the order of its entries; the grouping is that of the local executor
///          for the rows of the rank.
/// Cost     That of a product, as spmv_plan gives it.
/// Volume   The elements of x for the distinct remote columns of each rank, once.
/// Errors   contract_error if the pieces of x or y are not those of the matrix.
/// See also spmv of one machine, for semirings and sources.
template <distributed::some_executor Ex, class A, class T, class U,
          class R = semiring<plus<>, multiplies<>>>
void spmv(Ex const& ex, spmv_plan<Ex, A> const& plan, distributed::sequence<T, Ex> const& x,
          distributed::sequence<U, Ex>& y, R ring = {}) {
  plan.with_near(ex, "spmv", 1, x, y, [&](auto const& on, auto const& part, auto near, auto rows) {
    spmv(on, part.plan, near, rows, ring);
  });
}
template <distributed::some_executor Ex, class Alpha, class A, class T, class Beta, class U,
          class R = semiring<plus<>, multiplies<>>>
void spmv(Ex const& ex, Alpha alpha, spmv_plan<Ex, A> const& plan,
          distributed::sequence<T, Ex> const& x, Beta beta, distributed::sequence<U, Ex>& y,
          R ring = {}) {
  plan.with_near(ex, "spmv", 1, x, y, [&](auto const& on, auto const& part, auto near, auto rows) {
    spmv(on, alpha, part.plan, near, beta, rows, ring);
  });
}

/// Products without a plan would look for what to exchange each time.
template <distributed::some_executor Ex, distributed::some_csr A, class X, class Y, class... R>
void spmv(Ex const&, A const&, X const&, Y&&, R...) {
  static_assert(detail::has_form<Ex>,
                "spmv: not on several ranks without a plan; use spmv_plan const plan(ex, a)");
}
template <distributed::some_executor Ex, class Alpha, distributed::some_csr A, class X, class Beta,
          class Y, class... R>
void spmv(Ex const&, Alpha, A const&, X const&, Beta, Y&&, R...) {
  static_assert(detail::has_form<Ex>,
                "spmv: not on several ranks without a plan; use spmv_plan const plan(ex, a)");
}
template <distributed::some_executor Ex, distributed::some_csr A, class X, class Y, class... R>
void spmm(Ex const&, A const&, index_t, X const&, Y&&, R...) {
  static_assert(detail::has_form<Ex>,
                "spmm: not on several ranks without a plan; use spmv_plan const plan(ex, a)");
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
/// Cost     One exchange beside a local spmm, as spmv.
/// Volume   The rows of X for the distinct remote columns of each rank, once.
/// Errors   contract_error if the pieces of x or y are not those of the matrix.
template <distributed::some_executor Ex, class A, class T, class U,
          class R = semiring<plus<>, multiplies<>>>
void spmm(Ex const& ex, spmv_plan<Ex, A> const& plan, index_t k,
          distributed::sequence<T, Ex> const& x, distributed::sequence<U, Ex>& y, R ring = {}) {
  plan.with_near(ex, "spmm", k, x, y, [&](auto const& on, auto const& part, auto near, auto rows) {
    spmm(on, part.a, k, near, rows, ring);
  });
}

}  // namespace ravel::inline v0
