#include <ravel/algorithms/duplicates.hpp>

#include "support/executors.hpp"
#include "support/monoids.hpp"
#include "support/segment_shapes.hpp"

#include <cstdint>

namespace ravel::duplicates_test {
namespace {

using testing::affine;
using testing::then;

struct host_matrix {
  std::vector<index_t> offsets;
  std::vector<int> columns;
  std::vector<affine> values;
};

/// Rows with the lengths of `shape`, with ascending columns that often repeat.
host_matrix repeating(testing::segment_shape const& shape) {
  host_matrix a{testing::offsets_of(shape), {}, {}};
  for (index_t const length : shape.lengths) {
    for (index_t k = 0; k < length; ++k) {
      a.columns.push_back(static_cast<int>(k * k / (length + 3)));
      a.values.push_back(testing::nth_affine(static_cast<std::uint32_t>(a.values.size())));
    }
  }
  return a;
}

/// The reference.
host_matrix oracle(host_matrix const& a) {
  host_matrix b{{0}, {}, {}};
  for (std::size_t r = 0; r + 1 < a.offsets.size(); ++r) {
    for (index_t k = a.offsets[r]; k < a.offsets[r + 1]; ++k) {
      auto const at = static_cast<std::size_t>(k);
      if (k > a.offsets[r] && a.columns[at] == a.columns[at - 1]) {
        b.values.back() = then{}(b.values.back(), a.values[at]);
      } else {
        b.columns.push_back(a.columns[at]);
        b.values.push_back(a.values[at]);
      }
    }
    b.offsets.push_back(std::ssize(b.columns));
  }
  return b;
}

template <class Ex>
struct duplicates : testing::on_executor<Ex> {};
TYPED_TEST_SUITE(duplicates, testing::executors);

TYPED_TEST(duplicates, gives_the_example_in_the_header) {
  auto const a = to(this->ex(), csr{3, 3, std::vector{0, 3, 3, 5}, std::vector{0, 0, 2, 1, 1},
                                    std::vector{1, 5, 2, 3, 4}});
  EXPECT_EQ(count_duplicates_sync(this->ex(), a), 2);
  auto const b = combine_duplicates_sync(this->ex(), a);
  EXPECT_EQ(b.rows, 3);
  EXPECT_EQ(b.cols, 3);
  EXPECT_EQ(this->here(b.offsets), (std::vector{0, 2, 2, 3}));
  EXPECT_EQ(this->here(b.columns), (std::vector{0, 2, 1}));
  EXPECT_EQ(this->here(b.values), (std::vector{6, 2, 7}));
  EXPECT_EQ(count_duplicates_sync(this->ex(), b), 0);
}

TYPED_TEST(duplicates, agree_with_the_loop_on_every_shape_of_rows) {
  for (auto const& shape : testing::segment_shapes()) {
    SCOPED_TRACE(shape);
    auto const host = repeating(shape);
    auto const expected = oracle(host);
    auto const a = to(this->ex(), csr{std::ssize(shape.lengths), 1'000'000, host.offsets,
                                      host.columns, host.values});
    EXPECT_EQ(count_duplicates_sync(this->ex(), a),
              std::ssize(host.columns) - std::ssize(expected.columns));
    auto const b = combine_duplicates_sync(this->ex(), a, then{});
    EXPECT_EQ(this->here(b.offsets), expected.offsets);
    EXPECT_EQ(this->here(b.columns), expected.columns);
    EXPECT_EQ(this->here(b.values), expected.values);
  }
}

}  // namespace
}  // namespace ravel::duplicates_test
