/// Products of sparse matrices with several vectors, and transposes, on the GPU, compared with
/// cuSPARSE.

#include "support/sparse.cuh"

#include <ravel/algorithms/spmm.hpp>
#include <ravel/algorithms/transpose.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>

namespace ravel::bench::on_gpu {
namespace {

/// A product with k vectors by one of cuSPARSE's algorithms, after its preprocessing.
class cusparse_products {
  cusparse_matrix a_;
  cusparseDnMatDescr_t x_ = nullptr, y_ = nullptr;
  cusparseSpMMAlg_t how_;
  shared<char> scratch_;
  float one_ = 1, zero_ = 0;
  static constexpr auto type = cusparse_matrix::type<float>;
  static constexpr auto as_is = cusparse_matrix::as_is;

 public:
  cusparse_products(gpu::executor const& ex, pattern const& p, index_t k, float* values, float* x,
                    float* y, cusparseSpMMAlg_t how)
      : a_(ex, p, values), how_(how) {
    char const* const making = cusparse_matrix::describing;
    check_cusparse(cusparseCreateDnMat(&x_, p.rows, k, k, x, type, CUSPARSE_ORDER_ROW), making);
    check_cusparse(cusparseCreateDnMat(&y_, p.rows, k, k, y, type, CUSPARSE_ORDER_ROW), making);
    std::size_t bytes = 0;
    check_cusparse(cusparseSpMM_bufferSize(a_.handle(), as_is, as_is, &one_, a_.described(), x_,
                                           &zero_, y_, type, how_, &bytes),
                   "bench: querying the scratch size of cuSPARSE");
    scratch_ = allocate<char>(ex, static_cast<index_t>(bytes) + 1);
    check_cusparse(cusparseSpMM_preprocess(a_.handle(), as_is, as_is, &one_, a_.described(), x_,
                                           &zero_, y_, type, how_, scratch_->data()),
                   "bench: letting cuSPARSE analyse a matrix");
  }
  cusparse_products(cusparse_products const&) = delete;
  cusparse_products& operator=(cusparse_products const&) = delete;
  ~cusparse_products() {
    cusparseDestroyDnMat(y_);
    cusparseDestroyDnMat(x_);
  }

  void operator()() const {
    check_cusparse(cusparseSpMM(a_.handle(), as_is, as_is, &one_, a_.described(), x_, &zero_, y_,
                                type, how_, scratch_->data()),
                   "bench: multiplying with cuSPARSE");
  }
};

comparison products(gpu::executor const& ex, pattern const& p, index_t k) {
  index_t const n = p.rows, nnz = p.columns->size();
  auto const values = generate<float>(ex, nnz, small_integer<float>{2});
  auto const x = generate<float>(ex, n * k, small_integer<float>{3});
  auto const y = allocate<float>(ex, n * k);
  auto const by_cusparse = [&](cusparseSpMMAlg_t how) {
    return std::make_shared<cusparse_products>(ex, p, k, values->data(), x->data(), y->data(), how);
  };
  auto const alg2 = by_cusparse(CUSPARSE_SPMM_CSR_ALG2), alg3 = by_cusparse(CUSPARSE_SPMM_CSR_ALG3);
  (*alg2)();
  auto const expected = generate<float>(ex, n * k, element<float>{y->data()});
  auto const right = [=] {
    return all_equal(ex, n * k, y->data(), element<float>{expected->data()});
  };

  comparison c;
  c.bytes = 8.0 * double(nnz) + 4.0 * double(n + 1) + 8.0 * double(n * k);
  c.items = double(nnz * k);
  c.poison = poison(ex, y);
  c.contenders.push_back(
      {"ours",
       [=] {
         spmm(ex, csr{n, n, view_of(*p.offsets), view_of(*p.columns), view_of(*values)}, k, *x, *y);
       },
       right});
  c.contenders.push_back({"peer:cuSPARSE 2", [=] { (*alg2)(); }, right});
  c.contenders.push_back({"peer:cuSPARSE 3", [=] { (*alg3)(); }, right});
  add_copies(ex, c);
  return c;
}

/// A cuSPARSE handle that is destroyed with its last owner.
using handle = std::shared_ptr<std::remove_pointer_t<cusparseHandle_t>>;
handle start_cusparse(gpu::executor const& ex) {
  cusparseHandle_t made = nullptr;
  check_cusparse(cusparseCreate(&made), "bench: starting cuSPARSE");
  handle const it(made, [](cusparseHandle_t h) { cusparseDestroy(h); });
  check_cusparse(cusparseSetStream(made, ex.stream()), "bench: giving cuSPARSE a stream");
  return it;
}

/// Buffers of a matrix.
struct rows_of_matrix {
  shared<std::int32_t> offsets, columns;
  shared<float> values;
};

/// Transposes by cuSPARSE into `to`.
std::function<void()> cusparse_transpose(gpu::executor const& ex, pattern const& p,
                                         shared<float> const& values, rows_of_matrix const& to) {
  auto const n = static_cast<int>(p.rows), nnz = static_cast<int>(p.columns->size());
  auto const all = [=](auto call, auto scratch) {
    return call(values->data(), p.offsets->data(), p.columns->data(), to.values->data(),
                to.offsets->data(), to.columns->data(), CUDA_R_32F, CUSPARSE_ACTION_NUMERIC,
                CUSPARSE_INDEX_BASE_ZERO, CUSPARSE_CSR2CSC_ALG1, scratch);
  };
  auto const by = start_cusparse(ex);
  std::size_t bytes = 0;
  auto const query = [=](auto... operands) {
    return cusparseCsr2cscEx2_bufferSize(by.get(), n, n, nnz, operands...);
  };
  check_cusparse(all(query, &bytes), "bench: querying the scratch size of cuSPARSE");
  auto const scratch = allocate<char>(ex, static_cast<index_t>(bytes) + 1);
  auto const run = [=](auto... operands) {
    return cusparseCsr2cscEx2(by.get(), n, n, nnz, operands...);
  };
  return [=] { check_cusparse(all(run, scratch->data()), "bench: transposing with cuSPARSE"); };
}

comparison transposes(gpu::executor const& ex, pattern const& p) {
  index_t const n = p.rows, nnz = p.columns->size();
  auto const values = generate<float>(ex, nnz, small_integer<float>{2});
  auto const room = [&] {
    return rows_of_matrix{allocate<std::int32_t>(ex, n + 1), allocate<std::int32_t>(ex, nnz),
                          allocate<float>(ex, nnz)};
  };
  auto const expected = room(), theirs = room();
  cusparse_transpose(ex, p, values, expected)();
  auto const agrees = [=](auto const& offsets, auto const& columns, auto const& entries) {
    return all_equal(ex, n + 1, offsets.data(), element<std::int32_t>{expected.offsets->data()}) &&
           all_equal(ex, nnz, columns.data(), element<std::int32_t>{expected.columns->data()}) &&
           all_equal(ex, nnz, entries.data(), element<float>{expected.values->data()});
  };
  auto const transposed = [=] {
    return transpose(ex, csr{n, n, view_of(*p.offsets), view_of(*p.columns), view_of(*values)});
  };
  auto const ours = std::make_shared<std::optional<decltype(transposed())>>();

  comparison c;
  c.bytes = 2 * (8.0 * double(nnz) + 4.0 * double(n + 1));
  c.items = double(nnz);
  c.poison = [=, spoil = poison(ex, theirs.offsets, theirs.columns, theirs.values)] {
    spoil();
    ours->reset();
  };
  c.contenders.push_back(
      {"ours", [=] { ours->emplace(transposed()); },
       [=] { return agrees((*ours)->offsets, (*ours)->columns, (*ours)->values); }});
  c.contenders.push_back({"peer:cuSPARSE", cusparse_transpose(ex, p, values, theirs), [=] {
                            return agrees(*theirs.offsets, *theirs.columns, *theirs.values);
                          }});
  add_copies(ex, c);
  return c;
}

suite all(gpu::executor const& ex) {
  suite s = make_sparse_suite("gpu.sparse", ex);
  for (auto const& m : shapes()) {
    if (m.name == "arrow") continue;  // its vectors alone would take 1.3 GB
    for (index_t const k : {8, 32}) {
      s.rows.push_back({"gpu.spmm." + m.name + ".k" + std::to_string(k),
                        "product with " + std::to_string(k) + " vectors f32 " + m.work, m.n,
                        [=](index_t n) { return products(ex, m.make(ex, n), k); }, m.quick});
    }
  }
  for (auto const& m : shapes()) {
    s.rows.push_back({"gpu.transpose." + m.name, "transpose f32 " + m.work, m.n,
                      [=](index_t n) { return transposes(ex, m.make(ex, n)); }, m.quick});
  }
  return s;
}

}  // namespace
}  // namespace ravel::bench::on_gpu

int main(int argc, char** argv) {
  using namespace ravel::bench::on_gpu;
  return run_suite(all, argc, argv);
}
