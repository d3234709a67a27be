/// Sparse matrix-vector product on the GPU, compared with cuSPARSE, and with the two forms used in
/// papers to measure segmented scans: a scan of each row, and a thread for each row.

#include "support/sparse.cuh"

#include <ravel/algorithms/spmv.hpp>
#include <ravel/algorithms/spmv_blocks.hpp>
#include <ravel/algorithms/spmv_plan.hpp>

#include "spmv/forms.hpp"

#include <memory>
#include <string>

namespace ravel::bench::on_gpu {
namespace {

/// A product by one of cuSPARSE's algorithms, after its preprocessing.
template <class T>
class cusparse_product {
  cusparse_matrix a_;
  cusparseDnVecDescr_t x_ = nullptr, y_ = nullptr;
  cusparseSpMVAlg_t how_;
  shared<char> scratch_;
  T one_ = 1, zero_ = 0;
  static constexpr auto type = cusparse_matrix::type<T>;
  static constexpr auto as_is = cusparse_matrix::as_is;

 public:
  cusparse_product(gpu::executor const& ex, pattern const& p, T* values, T* x, T* y,
                   cusparseSpMVAlg_t how)
      : a_(ex, p, values), how_(how) {
    char const* const making = cusparse_matrix::describing;
    check_cusparse(cusparseCreateDnVec(&x_, p.rows, x, type), making);
    check_cusparse(cusparseCreateDnVec(&y_, p.rows, y, type), making);
    std::size_t bytes = 0;
    check_cusparse(cusparseSpMV_bufferSize(a_.handle(), as_is, &one_, a_.described(), x_, &zero_,
                                           y_, type, how_, &bytes),
                   "bench: querying the scratch size of cuSPARSE");
    scratch_ = allocate<char>(ex, static_cast<index_t>(bytes) + 1);
    check_cusparse(cusparseSpMV_preprocess(a_.handle(), as_is, &one_, a_.described(), x_, &zero_,
                                           y_, type, how_, scratch_->data()),
                   "bench: letting cuSPARSE analyse a matrix");
  }
  cusparse_product(cusparse_product const&) = delete;
  cusparse_product& operator=(cusparse_product const&) = delete;
  ~cusparse_product() {
    cusparseDestroyDnVec(y_);
    cusparseDestroyDnVec(x_);
  }

  void operator()() const {
    check_cusparse(cusparseSpMV(a_.handle(), as_is, &one_, a_.described(), x_, &zero_, y_, type,
                                how_, scratch_->data()),
                   "bench: multiplying with cuSPARSE");
  }
};

template <class T>
comparison product(gpu::executor const& ex, pattern const& p) {
  index_t const n = p.rows, nnz = p.columns->size();
  auto const values = generate<T>(ex, nnz, small_integer<T>{2});
  auto const x = generate<T>(ex, n, small_integer<T>{3});
  auto const y = allocate<T>(ex, n);
  auto const alg1 = std::make_shared<cusparse_product<T>>(ex, p, values->data(), x->data(),
                                                          y->data(), CUSPARSE_SPMV_CSR_ALG1);
  auto const alg2 = std::make_shared<cusparse_product<T>>(ex, p, values->data(), x->data(),
                                                          y->data(), CUSPARSE_SPMV_CSR_ALG2);
  (*alg1)();
  auto const expected = generate<T>(ex, n, element<T>{y->data()});
  auto const right = [=] { return all_equal(ex, n, y->data(), element<T>{expected->data()}); };
  auto const matrix = [=] {
    return csr{n, n, view_of(*p.offsets), view_of(*p.columns), view_of(*values)};
  };

  comparison c;
  c.bytes = spmv_bytes<T>(n, n, nnz);
  c.items = double(nnz);
  c.poison = poison(ex, y);
  c.contenders.push_back({"ours", [=] { spmv(ex, matrix(), *x, *y); }, right});
  auto const plan = std::make_shared<spmv_plan<gpu::executor, decltype(matrix())>>(ex, matrix());
  c.contenders.push_back({"named:with a plan", [=] { spmv(ex, *plan, *x, *y); }, right});
  c.contenders.push_back({"named:the plan alone", [=] { spmv_plan(ex, matrix()); }});
  auto const blocks =
      std::make_shared<spmv_blocks<gpu::executor, decltype(matrix())>>(ex, matrix());
  c.contenders.push_back({"named:with blocks", [=] { spmv(ex, *blocks, *x, *y); }, right});
  c.contenders.push_back({"named:the blocks alone", [=] { spmv_blocks(ex, matrix()); }});
  c.contenders.push_back({"named:segmented scan",
                          [=] { examples::spmv_by_scan(ex, matrix(), view_of(*x), view_of(*y)); },
                          right});
  c.contenders.push_back({"named:a thread a row",
                          [=] { examples::spmv_by_rows(ex, matrix(), view_of(*x), view_of(*y)); },
                          right});
  c.contenders.push_back({"peer:cuSPARSE 1", [=] { (*alg1)(); }, right});
  c.contenders.push_back({"peer:cuSPARSE 2", [=] { (*alg2)(); }, right});
  add_copies(ex, c);
  return c;
}

suite all(gpu::executor const& ex) {
  suite s = make_sparse_suite("gpu.spmv", ex);
  for (auto const& m : shapes()) {
    s.rows.push_back({"gpu.spmv." + m.name + ".f32", "SpMV f32 " + m.work, m.n,
                      [=](index_t n) { return product<float>(ex, m.make(ex, n)); }, m.quick});
    s.rows.push_back({"gpu.spmv." + m.name + ".f64", "SpMV f64 " + m.work, m.n,
                      [=](index_t n) { return product<double>(ex, m.make(ex, n)); }, m.quick});
  }
  return s;
}

}  // namespace
}  // namespace ravel::bench::on_gpu

int main(int argc, char** argv) {
  using namespace ravel::bench::on_gpu;
  return run_suite(all, argc, argv);
}
