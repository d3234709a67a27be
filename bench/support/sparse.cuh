#pragma once

/// Shared by the suites of sparse matrices on the GPU: patterns generated on the device, and calls
/// of cuSPARSE.

#include "support/gpu.cuh"
#include "support/matrices.hpp"

#include <ravel/core/transfer.hpp>

#include <cusparse.h>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace ravel::bench::on_gpu {

struct pattern {
  index_t rows;
  shared<std::int32_t> offsets;
  shared<std::int32_t> columns;
};

template <class M>
pattern by_rows(gpu::executor const& ex, M m) {
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
pattern by_edges(gpu::executor const& ex, index_t rows, index_t count, Edge f) {
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

inline void check_cusparse(cusparseStatus_t status, char const* doing) {
  if (status != CUSPARSE_STATUS_SUCCESS) {
    throw std::runtime_error(std::string(doing) + ": " + cusparseGetErrorString(status));
  }
}

/// A cuSPARSE handle on an executor's stream, and a matrix descriptor.
class cusparse_matrix {
  cusparseHandle_t handle_ = nullptr;
  cusparseSpMatDescr_t described_ = nullptr;

 public:
  static constexpr char const* describing = "bench: describing a matrix to cuSPARSE";
  template <class T>
  static constexpr cudaDataType type = sizeof(T) == 4 ? CUDA_R_32F : CUDA_R_64F;
  static constexpr auto as_is = CUSPARSE_OPERATION_NON_TRANSPOSE;

  template <class T>
  cusparse_matrix(gpu::executor const& ex, pattern const& p, T* values) {
    check_cusparse(cusparseCreate(&handle_), "bench: starting cuSPARSE");
    check_cusparse(cusparseSetStream(handle_, ex.stream()), "bench: giving cuSPARSE a stream");
    check_cusparse(
        cusparseCreateCsr(&described_, p.rows, p.rows, p.columns->size(), p.offsets->data(),
                          p.columns->data(), values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                          CUSPARSE_INDEX_BASE_ZERO, type<T>),
        describing);
  }
  cusparse_matrix(cusparse_matrix const&) = delete;
  cusparse_matrix& operator=(cusparse_matrix const&) = delete;
  ~cusparse_matrix() {
    cusparseDestroySpMat(described_);
    cusparseDestroy(handle_);
  }

  cusparseHandle_t handle() const { return handle_; }
  cusparseSpMatDescr_t described() const { return described_; }
};

struct shape {
  std::string name, work;
  index_t n, quick;
  std::function<pattern(gpu::executor const&, index_t)> make;
};

inline std::vector<shape> shapes() {
  return {
      {"stencil27", "27-point 160^3", 160, 12,
       [](gpu::executor const& on, index_t k) { return by_rows(on, stencil27{k}); }},
      {"stencil7", "7-point 256^3", 256, 12,
       [](gpu::executor const& on, index_t k) { return by_rows(on, stencil7{k}); }},
      {"stencil5", "5-point 4000^2", 4000, 70,
       [](gpu::executor const& on, index_t k) { return by_rows(on, stencil5{k}); }},
      {"rmat", "R-MAT 2^22 rows, degree 16", index_t{1} << 22, 1 << 10,
       [](gpu::executor const& on, index_t n) {
         return by_edges(on, n, 16 * n, rmat_edge{scale_of(n)});
       }},
      {"uniform", "uniform 2^22 rows, degree 16", index_t{1} << 22, 1000,
       [](gpu::executor const& on, index_t n) {
         return by_edges(on, n, 16 * n, uniform_edge{n, 16});
       }},
      {"arrow", "one row of 20 M, the rest two", index_t{20} << 20, 10'000,
       [](gpu::executor const& on, index_t n) {
         return pattern{n, generate<std::int32_t>(on, n + 1, arrow_offset{n}),
                        generate<std::int32_t>(on, 3 * n - 2, arrow_column{n})};
       }},
  };
}

/// A suite that records the version of cuSPARSE.
inline suite make_sparse_suite(std::string name, gpu::executor const& ex) {
  suite s = make_suite(std::move(name), ex);
  s.context["cusparse"] = std::to_string(CUSPARSE_VER_MAJOR) + '.' +
                          std::to_string(CUSPARSE_VER_MINOR) + '.' +
                          std::to_string(CUSPARSE_VER_PATCH);
  return s;
}

}  // namespace ravel::bench::on_gpu
