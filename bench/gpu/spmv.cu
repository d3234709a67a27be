/// Sparse matrix times vector on the GPU, beside cuSPARSE's.

#include "support/gpu.cuh"
#include "support/matrices.hpp"

#include <ravel/algorithms/spmv.hpp>
#include <ravel/core/transfer.hpp>

#include <cusparse.h>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>

#include <functional>
#include <stdexcept>
#include <string>

namespace ravel::bench::gpu {
namespace {

struct pattern {
  index_t rows;
  shared<std::int32_t> offsets;
  shared<std::int32_t> columns;
};

template <class M>
pattern by_rows(cuda::executor const& ex, M m) {
  auto const lengths = generate<std::int32_t>(ex, m.rows() + 1, row_length<M>{m});
  auto const offsets = allocate<std::int32_t>(ex, m.rows() + 1);
  with_scratch(ex, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(scratch, bytes, lengths->data(), offsets->data(),
                                         int(m.rows() + 1), ex.stream());
  })();
  auto const columns = allocate<std::int32_t>(ex, at_sync(ex, *offsets, m.rows()));
  for_each_index(ex, m.rows(), write_row<M>{m, offsets->data(), columns->data()});
  return {m.rows(), offsets, columns};
}

template <class Edge>
pattern by_edges(cuda::executor const& ex, index_t rows, index_t count, Edge f) {
  auto const edges = generate<std::uint64_t>(ex, count, f);
  auto const sorted = allocate<std::uint64_t>(ex, count);
  with_scratch(ex, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortKeys(scratch, bytes, edges->data(), sorted->data(), count, 0,
                                          64, ex.stream());
  })();
  auto const kept = allocate<index_t>(ex, 1);
  with_scratch(ex, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceSelect::Unique(scratch, bytes, sorted->data(), edges->data(), kept->data(),
                                     count, ex.stream());
  })();
  index_t const nnz = at_sync(ex, *kept);
  return {rows, generate<std::int32_t>(ex, rows + 1, first_edge{edges->data(), nnz}),
          generate<std::int32_t>(ex, nnz, column_of_edge{edges->data()})};
}

void check_cusparse(cusparseStatus_t status, char const* doing) {
  if (status != CUSPARSE_STATUS_SUCCESS) {
    throw std::runtime_error(std::string(doing) + ": " + cusparseGetErrorString(status));
  }
}

/// A product by one of cuSPARSE's algorithms, analysed beforehand as it can be.
template <class T>
class cusparse_product {
  cusparseHandle_t handle_ = nullptr;
  cusparseSpMatDescr_t a_ = nullptr;
  cusparseDnVecDescr_t x_ = nullptr, y_ = nullptr;
  cusparseSpMVAlg_t how_;
  shared<char> scratch_;
  T one_ = 1, zero_ = 0;
  static constexpr auto type = sizeof(T) == 4 ? CUDA_R_32F : CUDA_R_64F;
  static constexpr auto as_is = CUSPARSE_OPERATION_NON_TRANSPOSE;

 public:
  cusparse_product(cuda::executor const& ex, pattern const& p, T* values, T* x, T* y,
                   cusparseSpMVAlg_t how)
      : how_(how) {
    char const* const making = "bench: describing a matrix to cuSPARSE";
    check_cusparse(cusparseCreate(&handle_), "bench: starting cuSPARSE");
    check_cusparse(cusparseSetStream(handle_, ex.stream()), "bench: giving cuSPARSE a stream");
    check_cusparse(cusparseCreateCsr(&a_, p.rows, p.rows, p.columns->size(), p.offsets->data(),
                                     p.columns->data(), values, CUSPARSE_INDEX_32I,
                                     CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, type),
                   making);
    check_cusparse(cusparseCreateDnVec(&x_, p.rows, x, type), making);
    check_cusparse(cusparseCreateDnVec(&y_, p.rows, y, type), making);
    std::size_t bytes = 0;
    check_cusparse(
        cusparseSpMV_bufferSize(handle_, as_is, &one_, a_, x_, &zero_, y_, type, how_, &bytes),
        "bench: asking cuSPARSE how much scratch it needs");
    scratch_ = allocate<char>(ex, static_cast<index_t>(bytes) + 1);
    check_cusparse(cusparseSpMV_preprocess(handle_, as_is, &one_, a_, x_, &zero_, y_, type, how_,
                                           scratch_->data()),
                   "bench: letting cuSPARSE analyse a matrix");
  }
  cusparse_product(cusparse_product const&) = delete;
  cusparse_product& operator=(cusparse_product const&) = delete;
  ~cusparse_product() {
    cusparseDestroyDnVec(y_);
    cusparseDestroyDnVec(x_);
    cusparseDestroySpMat(a_);
    cusparseDestroy(handle_);
  }

  void operator()() const {
    check_cusparse(
        cusparseSpMV(handle_, as_is, &one_, a_, x_, &zero_, y_, type, how_, scratch_->data()),
        "bench: multiplying with cuSPARSE");
  }
};

template <class T>
comparison product(cuda::executor const& ex, pattern const& p) {
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
  auto const ours = [=] {
    spmv(ex, csr{n, n, view_of(*p.offsets), view_of(*p.columns), view_of(*values)}, *x, *y);
  };

  comparison c;
  c.bytes = spmv_bytes<T>(n, n, nnz);
  c.items = double(nnz);
  c.poison = poison(ex, y);
  c.contenders.push_back({"ours", ours, right});
  c.contenders.push_back({"peer:cuSPARSE 1", [=] { (*alg1)(); }, right});
  c.contenders.push_back({"peer:cuSPARSE 2", [=] { (*alg2)(); }, right});
  add_copies(ex, c);
  return c;
}

struct shape {
  std::string name, work;
  index_t n, quick;
  std::function<pattern(cuda::executor const&, index_t)> make;
};

suite all(cuda::executor const& ex) {
  suite s = make_suite("gpu.spmv", ex);
  s.context["cusparse"] = std::to_string(CUSPARSE_VER_MAJOR) + '.' +
                          std::to_string(CUSPARSE_VER_MINOR) + '.' +
                          std::to_string(CUSPARSE_VER_PATCH);
  shape const shapes[] = {
      {"stencil27", "27-point 160^3", 160, 12,
       [](cuda::executor const& on, index_t k) { return by_rows(on, stencil27{k}); }},
      {"stencil5", "5-point 4000^2", 4000, 70,
       [](cuda::executor const& on, index_t k) { return by_rows(on, stencil5{k}); }},
      {"rmat", "R-MAT 2^22 rows, degree 16", index_t{1} << 22, 1 << 10,
       [](cuda::executor const& on, index_t n) {
         return by_edges(on, n, 16 * n, rmat_edge{scale_of(n)});
       }},
      {"uniform", "uniform 2^22 rows, degree 16", index_t{1} << 22, 1000,
       [](cuda::executor const& on, index_t n) {
         return by_edges(on, n, 16 * n, uniform_edge{n, 16});
       }},
      {"arrow", "one row of 20 M, the rest two", index_t{20} << 20, 10'000,
       [](cuda::executor const& on, index_t n) {
         return pattern{n, generate<std::int32_t>(on, n + 1, arrow_offset{n}),
                        generate<std::int32_t>(on, 3 * n - 2, arrow_column{n})};
       }},
  };
  for (auto const& m : shapes) {
    s.rows.push_back({"gpu.spmv." + m.name + ".f32", "SpMV f32 " + m.work, m.n,
                      [=](index_t n) { return product<float>(ex, m.make(ex, n)); }, m.quick});
    s.rows.push_back({"gpu.spmv." + m.name + ".f64", "SpMV f64 " + m.work, m.n,
                      [=](index_t n) { return product<double>(ex, m.make(ex, n)); }, m.quick});
  }
  return s;
}

}  // namespace
}  // namespace ravel::bench::gpu

int main(int argc, char** argv) {
  using namespace ravel::bench::gpu;
  return run_suite(all, argc, argv);
}
