// Sparse products and conversions with malformed matrices: they write nothing outside of their
// outputs, and terminate.  Products do not clamp columns, so the columns here are in range.

#include <ravel/algorithms/coordinates.hpp>
#include <ravel/algorithms/duplicates.hpp>
#include <ravel/algorithms/spmm.hpp>
#include <ravel/algorithms/spmspv.hpp>
#include <ravel/algorithms/spmv.hpp>
#include <ravel/algorithms/spmv_blocks.hpp>
#include <ravel/algorithms/spmv_plan.hpp>
#include <ravel/algorithms/transpose.hpp>

#include "support/executors.hpp"
#include "support/guarded.hpp"
#include "support/malformed.hpp"
#include "support/said_by.hpp"

#include <ravel/algorithms/cuda/spmm.cuh>
#include <ravel/algorithms/cuda/spmv_blocks.cuh>
#include <ravel/algorithms/cuda/spmv_plan.cuh>
#include <ravel/primitives/cuda/reduce_by_key.cuh>

#include <chrono>
#include <concepts>
#include <cstdint>
#include <limits>

namespace ravel::malformed_matrix_test {
namespace {

using namespace std::chrono_literals;
using testing::said_by;

template <class Ex>
struct malformed_matrix : testing::on_executor<Ex> {
  testing::time_bound bound{240s};
  static constexpr bool on_device = std::same_as<space_of_t<Ex>, device_space>;
  static constexpr bool in_few_tiles =
      !on_device && !std::same_as<Ex, cpu::sequential> && !std::same_as<Ex, cpu::threads>;
  static constexpr index_t n = in_few_tiles ? 2000 : 12'000, cols = 700;

  auto guarded(index_t size) const {
    return testing::guarded<malformed_matrix, std::int32_t>(*this, size);
  }

  /// Calls f with a view of each matrix of malformed offsets, with many short rows or few long
  /// ones.
  template <class F>
  void for_each_malformed(F f) const {
    std::vector<std::int32_t> all(n);
    for (std::size_t k = 0; k < all.size(); ++k)
      all[k] = static_cast<std::int32_t>(k * 7919 % cols);
    auto const columns = this->there(all);
    for (index_t const rows : {n / 6, index_t{5}}) {
      for (auto const& [name, values] :
           testing::malformed_offsets<std::int64_t>(rows, n, on_device)) {
        SCOPED_TRACE(name);
        auto const offsets = this->there(values);
        f(csr{rows, cols, view_of(offsets), view_of(columns), view_of(columns)});
        if (::testing::Test::HasFailure()) return;
      }
    }
  }
};
TYPED_TEST_SUITE(malformed_matrix, testing::executors_and_device);

TYPED_TEST(malformed_matrix, is_multiplied_within_the_output) {
  auto const x = this->there(std::vector<std::int32_t>(this->cols, 1));
  this->for_each_malformed([&](auto const& a) {
    auto const y = this->guarded(a.rows);
    ravel::spmv(this->ex(), a, x, y.elements());
    ravel::spmv(this->ex(), 2, a, x, 3, y.elements());
    y.expect_untouched_outside();
  });
}

TYPED_TEST(malformed_matrix, is_multiplied_with_vectors_within_the_output) {
  auto const x = this->there(std::vector<std::int32_t>(16 * this->cols, 1));
  this->for_each_malformed([&](auto const& a) {
    for (index_t const k : {3, 16}) {
      auto const y = this->guarded(k * a.rows);
      ravel::spmm(this->ex(), a, k, view_of(x).slice(0, k * a.cols), y.elements());
      y.expect_untouched_outside();
    }
  });
}

TYPED_TEST(malformed_matrix, is_refused_by_plans_on_a_device) {
  this->for_each_malformed([&](auto const& a) {
    auto const planned = said_by([&] { ravel::spmv_plan const plan(this->ex(), a); });
    auto const cut = said_by([&] { ravel::spmv_blocks const blocks(this->ex(), a); });
    if constexpr (std::same_as<TypeParam, gpu::executor>) {
      EXPECT_TRUE(planned.starts_with("spmv_plan: ")) << planned;
      EXPECT_TRUE(cut.starts_with("spmv_blocks: ")) << cut;
    } else {
      EXPECT_EQ(planned, "nothing");
      EXPECT_EQ(cut, "nothing");
    }
  });
}

TYPED_TEST(malformed_matrix, is_transposed_to_as_many_entries) {
  this->for_each_malformed(
      [&](auto const& a) { EXPECT_EQ(size_of(ravel::transpose(this->ex(), a).values), a.nnz()); });
}

TYPED_TEST(malformed_matrix, has_no_more_entries_without_duplicates) {
  this->for_each_malformed([&](auto const& a) {
    index_t const duplicates = count_duplicates_sync(this->ex(), a);
    EXPECT_TRUE(0 <= duplicates && duplicates < a.nnz()) << duplicates;
    auto const made = combine_duplicates_sync(this->ex(), a);
    EXPECT_EQ(made.nnz(), a.nnz() - duplicates);
    for (auto const offset : this->here(made.offsets)) {
      EXPECT_TRUE(0 <= offset && offset <= made.nnz()) << offset;
    }
  });
}

TYPED_TEST(malformed_matrix, of_columns_that_do_not_exist_is_converted) {
  auto const columns = this->there(testing::malformed_indices<std::int32_t>(this->n, this->cols));
  std::vector<std::int32_t> ascending;
  for (index_t r = 0; r <= 100; ++r)
    ascending.push_back(static_cast<std::int32_t>(r * this->n / 100));
  auto const offsets = this->there(ascending);
  csr const a{100, this->cols, view_of(offsets), view_of(columns), view_of(columns)};
  EXPECT_EQ(size_of(ravel::transpose(this->ex(), a).values), a.nnz());
  EXPECT_LE(combine_duplicates_sync(this->ex(), a).nnz(), a.nnz());
  // As columns for a product: columns out of range are detected, or clamped offsets give a result.
  std::vector<std::int32_t> all(100);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::int32_t>(i);
  sparse_vector const x{100, this->there(all), this->there(all)};
  auto const said = said_by([&] { spmspv_sync(this->ex(), a, x); });
  EXPECT_TRUE(said.starts_with("spmspv_sync: products are in ")) << said;
}

TYPED_TEST(malformed_matrix, of_entries_outside_is_refused_or_made) {
  auto const row = this->there(testing::malformed_indices<std::int64_t>(5000, 100));
  auto const column = this->there(testing::malformed_indices<std::int64_t>(5000, 300));
  auto const said = said_by([&] {
    auto const a = csr_from_coordinates<std::int32_t>(this->ex(), 100, 300, row, column, row);
    for (auto const offset : this->here(a.offsets)) EXPECT_TRUE(0 <= offset && offset <= 5000);
  });
  if (this->on_device) {
    EXPECT_EQ(said, "nothing");
  } else {
    EXPECT_TRUE(said.starts_with("csr_from_coordinates: row ")) << said;
  }
}

TYPED_TEST(malformed_matrix, of_more_rows_than_offsets_can_be_is_refused) {
  constexpr index_t most = std::numeric_limits<index_t>::max();
  auto const none = this->there(std::vector<std::int64_t>());
  auto const one = this->there(std::vector<std::int64_t>{0});
  std::string const why =
      ": the matrix is 9223372036854775807 by 1, and there cannot be more than 9223372036854775806 "
      "rows or columns";
  EXPECT_EQ(said_by([&] { csr_from_coordinates(this->ex(), most, 1, none, none, none); }),
            "csr_from_coordinates" + why);
  csr const a{most, 1, view_of(one), view_of(none), view_of(none)};
  EXPECT_EQ(said_by([&] { ravel::transpose(this->ex(), a); }), "transpose" + why);
}

}  // namespace
}  // namespace ravel::malformed_matrix_test
