/// Sparse products and list ranking on the GPUs of one host, beside the same calls on one GPU.
///
///     bench.distributed.sparse_gpus [--gpus N] [--processes] --record bench/record
///
/// n of a row counts rows or nodes; gpu_ranks.cuh describes rows and options.  Every result is checked.

#include "distributed/gpu_ranks.cuh"
#include "nested/sparse.hpp"
#include "support/list_orders.hpp"

#include <ravel/algorithms/csr.hpp>
#include <ravel/algorithms/list_ranking.hpp>
#include <ravel/algorithms/spmv.hpp>
#include <ravel/algorithms/spmv_plan.hpp>
#include <ravel/core/segments.hpp>
#include <ravel/distributed/gather_plan.hpp>
#include <ravel/distributed/list_rank.hpp>
#include <ravel/distributed/spmv.hpp>
#include <ravel/flatten/flatten.hpp>
#include <ravel/primitives/scan.hpp>

#include <bit>
#include <cstdint>
#include <optional>

namespace ravel::bench {
namespace {

/// A cube of side^3 cells for each GPU, one after another along z, and the 7-point stencil.
struct stencil {
  index_t side, depth;  // depth: of all cubes
  RAVEL_HD index_t plane() const { return side * side; }
  RAVEL_HD index_t rows() const { return plane() * depth; }
  /// Calls f(column, value) for each entry of a row, in order.
  template <class F>
  RAVEL_HD void for_each_entry(index_t cell, F f) const {
    index_t const x = cell % side, y = cell / side % side, z = cell / plane();
    if (z > 0) f(cell - plane(), -1.0);
    if (y > 0) f(cell - side, -1.0);
    if (x > 0) f(cell - 1, -1.0);
    f(cell, 6.0);
    if (x + 1 < side) f(cell + 1, -1.0);
    if (y + 1 < side) f(cell + side, -1.0);
    if (z + 1 < depth) f(cell + plane(), -1.0);
  }
};

/// Rows of an R-MAT graph (0.57, 0.19, 0.19, 0.05) of 2^scale vertices and about 16 edges for each: a row
/// has as many entries as expected, whose columns are drawn by the bits of the row.  Vertices are
/// numbered at random, so that pieces have about the same number of edges.
struct rmat {
  int scale;
  RAVEL_HD index_t rows() const { return index_t{1} << scale; }
  RAVEL_HD index_t mixed(index_t v) const { return v * 0x9e3779b1 & (rows() - 1); }  // a bijection
  template <class F>
  RAVEL_HD void for_each_entry(index_t row, F f) const {
    index_t const vertex = mixed(row);
    double edges = 16.0 * static_cast<double>(rows());
    for (int b = 0; b < scale; ++b) edges *= (vertex >> b & 1) != 0 ? 0.24 : 0.76;
    auto const some = static_cast<double>(hash_of(row) >> 11) * 0x1p-53;
    auto const count = static_cast<index_t>(edges + some);
    for (index_t k = 0; k < count; ++k) {
      index_t column = 0;
      for (int b = 0; b < scale; ++b) {
        auto const draw = static_cast<double>(hash_of(row * 64 + b + (k << 40)) >> 11) * 0x1p-53;
        bool const is_one = draw < ((vertex >> b & 1) != 0 ? 0.05 / 0.24 : 0.19 / 0.76);
        column |= index_t{is_one} << b;
      }
      f(mixed(column), 1.0);
    }
  }
};

template <class Matrix>
struct count_entries {
  Matrix m;
  index_t first;
  RAVEL_HD index_t operator()(index_t row) const {
    index_t n = 0;
    index_t* const count = &n;
    m.for_each_entry(first + row, [count](index_t, double) { ++*count; });
    return n;
  }
};
template <class Matrix>
struct write_entries {
  Matrix m;
  index_t first;
  index_t const* offsets;
  int* columns;
  double* values;
  RAVEL_HD void operator()(index_t row) const {
    index_t k = offsets[row];
    index_t* const at = &k;
    int* const to_columns = columns;
    double* const to_values = values;
    m.for_each_entry(first + row, [at, to_columns, to_values](index_t column, double value) {
      to_columns[*at] = static_cast<int>(column);
      to_values[(*at)++] = value;
    });
  }
};
/// The product of a vector of ones is the sum of each row; sums of these values are exact.
template <class Matrix>
struct is_no_product {
  Matrix m;
  index_t first;
  double const* y;
  __device__ bool operator()(index_t row) const {
    double sum = 0;
    double* const to = &sum;
    m.for_each_entry(first + row, [to](index_t, double value) { *to += value; });
    return y[row] != sum;
  }
};
struct one {
  RAVEL_HD double operator()(index_t) const { return 1; }
};

template <class Matrix>
auto block_of(gpu::executor const& device, Matrix const& m, index_t first, index_t rows) {
  auto offsets = device.allocate<index_t>(rows + 1);
  exclusive_scan(device, compute_source<device_space>(rows, count_entries<Matrix>{m, first}),
                 offsets);
  index_t const nnz = at_sync(device, offsets, rows);
  auto columns = device.allocate<int>(nnz);
  auto values = device.allocate<double>(nnz);
  for_each_index(device, rows,
                 write_entries<Matrix>{m, first, offsets.data(), columns.data(), values.data()});
  return csr{rows, m.rows(), std::move(offsets), std::move(columns), std::move(values)};
}

/// `whole` is the matrix of all GPUs, and `own` that of one.
template <class Matrix>
std::vector<part> products(on_gpus const& ex, Matrix const& whole, Matrix const& own) {
  auto const& device = ex.local();
  index_t const rows = whole.rows() / ex.ranks().size();
  auto const x = piece<double>(ex, rows, one());
  auto const y = std::make_shared<elements<double>>(ex, *x);
  using block = decltype(block_of(device, whole, 0, 0));
  using matrix =
      distributed::csr<decltype(block::offsets), decltype(block::columns), decltype(block::values)>;
  auto const a =
      std::make_shared<matrix>(ex, block_of(device, whole, x->first(), rows), x->begins());
  auto const plan = std::make_shared<spmv_plan<on_gpus, matrix>>(ex, *a);

  auto const alone_rows = ex.ranks().rank() == 0 ? own.rows() : index_t{0};
  auto const b = std::make_shared<block>(block_of(device, own, 0, alone_rows));
  auto const plan_alone = std::make_shared<spmv_plan<gpu::executor, block>>(device, *b);
  auto const in = alone<double>(ex, own.rows(), one());
  auto const out = alone<double>(ex, own.rows());
  return {
      {"ours", [=, keep = a] { spmv(ex, *plan, *x, *y); },
       [=] {
         return none(ex.local(), y->size(), is_no_product<Matrix>{whole, y->first(), y->data()});
       }},
      {"peer:one GPU", [=, keep = b] { spmv(ex.local(), *plan_alone, *in, *out); },
       [=] {
         return none(ex.local(), out->size(), is_no_product<Matrix>{own, 0, out->data()});
       },
       true}};
}

struct length_of_row {
  index_t const* offsets;
  RAVEL_HD index_t operator()(index_t row) const { return offsets[row + 1] - offsets[row]; }
};
/// A block of rows as a nested sequence of (column, value), with other numbers of columns.
template <class Block, class Columns>
auto nested_rows(gpu::executor const& device, Block const& a, gpu::buffer<index_t>& lengths,
                 Columns const& columns) {
  for_each_index(device, a.rows,
                 store_each<index_t, length_of_row>{lengths.data(), 0, {a.offsets.data()}});
  return unflatten(zip(borrow(device, columns), borrow(device, a.values)), borrow(device, lengths));
}

/// The same as a nested program, whose rows read the elements of a gather_plan; beside spmv.
template <class Matrix>
std::vector<part> nested_products(on_gpus const& ex, Matrix const& whole, Matrix const& own) {
  auto const& device = ex.local();
  index_t const rows = whole.rows() / ex.ranks().size();
  auto const begins = distributed::even_begins(whole.rows(), ex.ranks().size());
  using block = decltype(block_of(device, whole, 0, 0));
  auto const a = std::make_shared<block>(block_of(device, whole, begins[ex.ranks().rank()], rows));
  auto const halo =
      std::make_shared<distributed::gather_plan<on_gpus, int>>(ex, begins, a->columns);
  auto const lengths = std::make_shared<gpu::buffer<index_t>>(device.allocate<index_t>(rows));
  auto const x = std::make_shared<elements<double>>(halo->template allocate<double>());
  for_each_index(device, rows, store_each<double, one>{x->data(), 0, {}});
  auto const nested = nested_rows(device, *a, *lengths, halo->numbers());
  auto const y = std::make_shared<std::optional<computed_elements<double, device_space>>>();

  auto const alone_rows = ex.ranks().rank() == 0 ? own.rows() : index_t{0};
  auto const b = std::make_shared<block>(block_of(device, own, 0, alone_rows));
  auto const lengths_alone =
      std::make_shared<gpu::buffer<index_t>>(device.allocate<index_t>(alone_rows));
  auto const nested_alone = nested_rows(device, *b, *lengths_alone, b->columns);
  auto const in = alone<double>(ex, own.rows(), one());
  auto const out = std::make_shared<std::optional<computed_elements<double, device_space>>>();
  auto all = products(ex, whole, own);
  all[0].name = "peer:spmv";
  all[1] = {
      "peer:one GPU",
      [=, keep = std::pair(b, lengths_alone)] {
        out->emplace(ravel::elements(examples::spmv(nested_alone, borrow(ex.local(), *in))));
      },
      [=] {
        return none(ex.local(), (*out)->size(), is_no_product<Matrix>{own, 0, (*out)->data()});
      },
      true};
  all.insert(
      all.begin(),
      {"ours",
       [=, keep = std::pair(a, lengths)] {
         auto const near = halo->fetch(*x);
         y->emplace(ravel::elements(examples::spmv(nested, borrow(ex.local(), near))));
       },
       [=] {
         return none(ex.local(), rows, is_no_product<Matrix>{whole, x->first(), (*y)->data()});
       }});
  return all;
}

/// Calls make(ex, matrix of all GPUs, matrix of one).
template <class Make>
auto of_stencils(Make const& make) {
  return [make](on_gpus const& ex, sizes n) {
    index_t side = 1;
    while ((side + 1) * (side + 1) * (side + 1) <= n.each) ++side;
    return make(ex, stencil{side, side * ex.ranks().size()}, stencil{side, side});
  };
}
/// As many vertices in all as a power of 2.
template <class Make>
auto of_rmats(Make const& make) {
  return [make](on_gpus const& ex, sizes n) {
    auto const scale = [](index_t rows) {
      return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(rows))) - 1;
    };
    return make(ex, rmat{scale(n.each * ex.ranks().size())}, rmat{scale(n.each)});
  };
}

template <class I>
struct link_of_rank {
  list_order order;
  I* next;
  index_t first, size;  // of the nodes that are written
  RAVEL_HD void operator()(index_t rank) const {
    index_t const node = order(rank) - first;
    if (0 <= node && node < size) {
      next[node] = static_cast<I>(rank + 1 < order.n ? order(rank + 1) : -1);
    }
  }
};
template <class I>
struct is_no_rank {
  list_order order;
  I const* ranks;
  index_t first, size;
  __device__ bool operator()(index_t rank) const {
    index_t const node = order(rank) - first;
    return 0 <= node && node < size && static_cast<index_t>(ranks[node]) != rank;
  }
};
/// One list in a random order over all nodes.
std::vector<part> list_ranks(on_gpus const& ex, sizes n) {
  using I = std::int64_t;
  auto const& device = ex.local();
  index_t const all = n.each * ex.ranks().size();
  list_order const order{list_order::random, all}, order_alone{list_order::random, n.alone};
  auto const next = std::make_shared<elements<I>>(ex, all);
  auto const ranks = std::make_shared<elements<I>>(ex, *next);
  for_each_index(device, all, link_of_rank<I>{order, next->data(), next->first(), next->size()});
  auto const in = alone<I>(ex, n.alone);
  auto const out = alone<I>(ex, n.alone);
  if (in->size() > 0) {
    for_each_index(device, n.alone, link_of_rank<I>{order_alone, in->data(), 0, n.alone});
  }
  return {{"ours", [=] { list_rank(ex, *next, *ranks); },
           [=] {
             return none(ex.local(), all,
                         is_no_rank<I>{order, ranks->data(), ranks->first(), ranks->size()});
           }},
          {"peer:one GPU", [=] { list_rank(ex.local(), *in, *out); },
           [=] {
             return none(ex.local(), n.alone, is_no_rank<I>{order_alone, out->data(), 0, n.alone});
           },
           true}};
}

gpus_rows rows() {
  gpus_rows all;
  auto const flat = [](auto const&... x) { return products(x...); };
  auto const nested = [](auto const&... x) { return nested_products(x...); };
  for (int const log : {21, 24, 26}) {
    all.add(log, "spmv.stencil", "spmv f64, 7-point stencil", 7 * 12 + 24, of_stencils(flat));
  }
  all.add(21, "spmv.rmat", "spmv f64, R-MAT", 16 * 12 + 24, of_rmats(flat));
  for (int const log : {24, 26}) {
    all.add(log, "each.spmv.stencil", "spmv f64 as a nested program, 7-point stencil", 7 * 12 + 24,
            of_stencils(nested));
  }
  all.add(21, "each.spmv.rmat", "spmv f64 as a nested program, R-MAT", 16 * 12 + 24,
          of_rmats(nested));
  for (int const log : {24, 26}) {
    all.add(log, "list_rank", "list_rank, one list at random", 16, list_ranks);
  }
  return all;
}

}  // namespace
}  // namespace ravel::bench

int main(int argc, char** argv) {
  return ravel::bench::run_on_gpus("sparse_gpus", ravel::bench::rows(), argc, argv);
}
