// Verification by algorithms on a checked executor: they name the first wrong value, before any
// write.

#include <ravel/core/checked.hpp>

#include <ravel/algorithms/coordinates.hpp>
#include <ravel/algorithms/duplicates.hpp>
#include <ravel/algorithms/list_ranking.hpp>
#include <ravel/algorithms/merge_segments.hpp>
#include <ravel/algorithms/segmented_comparison_sort.hpp>
#include <ravel/algorithms/segmented_sort.hpp>
#include <ravel/algorithms/selection.hpp>
#include <ravel/algorithms/spmm.hpp>
#include <ravel/algorithms/spmspv.hpp>
#include <ravel/algorithms/spmv.hpp>
#include <ravel/algorithms/spmv_plan.hpp>
#include <ravel/algorithms/string_sort.hpp>
#include <ravel/algorithms/transpose.hpp>

#include "support/executors.hpp"
#include "support/guarded.hpp"
#include "support/said_by.hpp"

#include <ravel/algorithms/cuda/comparison_sort.cuh>
#include <ravel/algorithms/cuda/list_walk.cuh>
#include <ravel/algorithms/cuda/segmented_sort.cuh>
#include <ravel/algorithms/cuda/selection.cuh>
#include <ravel/algorithms/cuda/spmm.cuh>
#include <ravel/algorithms/cuda/spmv_plan.cuh>
#include <ravel/primitives/cuda/reduce_by_key.cuh>

#include <concepts>
#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>

namespace ravel::checked_test {
namespace {

using testing::said_by;
using ints = std::vector<int>;

struct is_less {
  RAVEL_HD bool operator()(int x, int y) const { return x < y; }
};

template <class Ex>
struct checked_algorithms : testing::on_executor<Ex> {
  auto ex() const { return checked(testing::on_executor<Ex>::ex()); }

  auto guarded(index_t n) const { return testing::guarded<checked_algorithms, int>(*this, n); }

  /// Tests `call`(segments, out) with a wrong value in each of the three inner offsets.
  template <class Call>
  void expect_offsets_verified(std::string const& name, index_t results, Call call) const {
    struct wrong {
      ints offsets;
      std::string sentence;
    };
    for (auto const& [offsets, sentence] :
         {wrong{{0, -1, 3, 5, 8}, ": offset 1 is -1, less than offset 0, which is 0"},
          wrong{{0, 2, 9, 5, 8}, ": offset 3 is 5, less than offset 2, which is 9"},
          wrong{{0, 2, 3, 9, 8}, ": offset 4 is 8, less than offset 3, which is 9"}}) {
      auto const there = this->there(offsets);
      auto const out = guarded(results);
      EXPECT_EQ(said_by([&] { call(by_offsets(there), out.elements()); }), name + sentence);
      out.expect_unwritten();
    }
  }

  /// Tests `call`(matrix) with a 3 by 4 matrix of five entries, with a wrong offset or column.
  template <class Call>
  void expect_matrix_verified(std::string const& name, Call call) const {
    struct wrong {
      ints offsets, columns;
      std::string sentence;
    };
    for (auto const& [offsets, columns, sentence] :
         {wrong{{0, 6, 3, 5}, {0, 1, 2, 0, 3}, ": offset 2 is 3, less than offset 1, which is 6"},
          wrong{{0, 2, -7, 5}, {0, 1, 2, 0, 3}, ": offset 2 is -7, less than offset 1, which is 2"},
          wrong{{0, 2, 3, 5}, {4, 1, 2, 0, 3}, ": column 4 at position 0 is outside [0, 4)"},
          wrong{{0, 2, 3, 5}, {0, 1, -2, 0, 3}, ": column -2 at position 2 is outside [0, 4)"},
          wrong{{0, 2, 3, 5}, {0, 1, 2, 0, 44}, ": column 44 at position 4 is outside [0, 4)"}}) {
      csr const a{3, 4, this->there(offsets), this->there(columns), this->there(ints(5, 1))};
      EXPECT_EQ(said_by([&] { call(a); }), name + sentence);
    }
  }
};
TYPED_TEST_SUITE(checked_algorithms, testing::device_if_thorough);

TYPED_TEST(checked_algorithms, verify_offsets_of_segments) {
  auto const ex = this->ex();
  auto const in = this->there(ints{5, 3, 8, 1, 2, 2, 9, 0});
  auto const aside = this->guarded(8);
  this->expect_offsets_verified("segmented_sort", 8, [&](auto segments, auto out) {
    ravel::segmented_sort(ex, in, segments, out);
  });
  this->expect_offsets_verified("segmented_sort_pairs", 8, [&](auto segments, auto out) {
    segmented_sort_pairs(ex, in, in, segments, out, aside.elements());
  });
  this->expect_offsets_verified("segmented_comparison_sort", 8, [&](auto segments, auto out) {
    ravel::segmented_comparison_sort(ex, in, segments, out, is_less{});
  });
  this->expect_offsets_verified("segmented_comparison_sort_pairs", 8, [&](auto segments, auto out) {
    segmented_comparison_sort_pairs(ex, in, in, segments, out, aside.elements(), is_less{});
  });
  this->expect_offsets_verified("merge_segments", 8, [&](auto segments, auto out) {
    ravel::merge_segments(ex, in, segments, out, is_less{});
  });
  this->expect_offsets_verified("merge_segments_pairs", 8, [&](auto segments, auto out) {
    merge_segments_pairs(ex, in, in, segments, out, aside.elements(), is_less{});
  });
  this->expect_offsets_verified("segmented_nth_element", 4, [&](auto segments, auto out) {
    segmented_nth_element(ex, in, segments, 1, 0, out);
  });
  this->expect_offsets_verified("segmented_top_k", 8, [&](auto segments, auto out) {
    segmented_top_k(ex, in, segments, 2, 0, out);
  });
  aside.expect_unwritten();
}

TYPED_TEST(checked_algorithms, verify_lengths_of_segments) {
  auto const in = this->there(ints{5, 3, 8, 1, 2, 2, 9, 0});
  auto const out = this->guarded(8);
  auto const lengths = this->there(ints{5, -3, 6});
  EXPECT_EQ(
      said_by([&] { ravel::segmented_sort(this->ex(), in, by_lengths(lengths), out.elements()); }),
      "segmented_sort: length 1 is -3 and must not be negative");
  out.expect_unwritten();
}

TYPED_TEST(checked_algorithms, verify_that_segments_are_sorted) {
  auto const in = this->there(ints{1, 4, 7, 2, 4, 3, 1});
  auto const out = this->guarded(7);
  auto const offsets = this->there(ints{0, 3, 5, 5, 7});
  EXPECT_EQ(said_by([&] {
              ravel::merge_segments(this->ex(), in, by_offsets(offsets), out.elements(), is_less{});
            }),
            "merge_segments: element 6 belongs before element 5 of its segment");
  out.expect_unwritten();
  auto const sorted = this->there(ints{0, 3, 5, 6, 7});
  ravel::merge_segments(this->ex(), in, by_offsets(sorted), out.elements(), is_less{});
  EXPECT_EQ(out.expect_untouched_outside(), (ints{1, 1, 2, 3, 4, 4, 7}));
}

TYPED_TEST(checked_algorithms, verify_links) {
  auto const expect_refused = [&](ints const& links, ints const& heads, std::string const& why) {
    SCOPED_TRACE(why);
    auto const next = this->there(links);
    auto const n = std::ssize(links);
    auto const out = this->guarded(n);
    auto const values = this->there(ints(links.size(), 1));
    auto const refused_with = [&](auto... options) {
      EXPECT_EQ(said_by([&] { list_rank(this->ex(), next, out.elements(), options...); }),
                "list_rank: " + why);
      EXPECT_EQ(said_by([&] {
                  inclusive_list_scan(this->ex(), next, values, out.elements(), plus<>{},
                                      options...);
                }),
                "inclusive_list_scan: " + why);
    };
    if (heads.empty()) {
      refused_with();
    } else {
      auto const given = this->there(heads);
      refused_with(heads_at(given));
    }
    out.expect_unwritten();
  };
  expect_refused({7, 2, -1, 4, -1}, {}, "link 7 at node 0 is outside [0, 5)");
  expect_refused({1, 2, -3, 4, -1}, {}, "link -3 at node 2 is outside [0, 5)");
  expect_refused({1, 2, -1, 4, 5}, {}, "link 5 at node 4 is outside [0, 5)");
  expect_refused({1, 2, -1, 2, -1}, {},
                 "two nodes link to node 2, or one does and it is a given head");
  expect_refused({1, 2, 0, 4, -1}, {},
                 "no head leads to node 0: it is on a cycle, or its head was not given");
  expect_refused({1, 2, -1, 4, -1}, {0},
                 "no head leads to node 3: it is on a cycle, or its head was not given");
  expect_refused({1, 2, -1, 4, -1}, {0, 3, 5}, "head 5 at position 2 is outside [0, 5)");
  expect_refused({1, 2, -1, 4, -1}, {0, 3, 4},
                 "two nodes link to node 4, or one does and it is a given head");
}

TYPED_TEST(checked_algorithms, verify_matrices) {
  auto const ex = this->ex();
  auto const y = this->guarded(3);
  auto const y_of_two = this->guarded(6);
  auto const x = this->there(ints(4, 1));
  auto const x_of_two = this->there(ints(8, 1));
  this->expect_matrix_verified("spmv", [&](auto const& a) { ravel::spmv(ex, a, x, y.elements()); });
  this->expect_matrix_verified("spmv",
                               [&](auto const& a) { ravel::spmv(ex, 2, a, x, 1, y.elements()); });
  this->expect_matrix_verified("spmv_plan",
                               [&](auto const& a) { ravel::spmv_plan const plan(ex, a); });
  this->expect_matrix_verified(
      "spmm", [&](auto const& a) { ravel::spmm(ex, a, 2, x_of_two, y_of_two.elements()); });
  this->expect_matrix_verified("transpose", [&](auto const& a) { ravel::transpose(ex, a); });
  this->expect_matrix_verified("count_duplicates_sync",
                               [&](auto const& a) { count_duplicates_sync(ex, a); });
  this->expect_matrix_verified("combine_duplicates_sync",
                               [&](auto const& a) { combine_duplicates_sync(ex, a); });
  this->expect_matrix_verified("spmspv_sync", [&](auto const& a) {
    spmspv_sync(ex, a, sparse_vector{3, this->there(ints{1}), this->there(ints{1})});
  });
  y.expect_unwritten();
  y_of_two.expect_unwritten();
}

TYPED_TEST(checked_algorithms, verify_a_planned_matrix_at_each_product) {
  csr a{2, 3, this->there(ints{0, 1, 3}), this->there(ints{0, 2, 1}), this->there(ints{1, 2, 3})};
  auto const x = this->there(ints{1, 10, 100});
  auto const y = this->guarded(2);
  auto const ex = this->ex();
  ravel::spmv_plan const plan(ex, a);
  auto const wrong = this->there(ints{0, 2, 3});
  this->ex().copy(wrong.data(), a.columns.data(), 3);
  EXPECT_EQ(said_by([&] { ravel::spmv(ex, plan, x, y.elements()); }),
            "spmv: column 3 at position 2 is outside [0, 3)");
  y.expect_unwritten();
  this->ex().copy(this->there(ints{0, 2, 1}).data(), a.columns.data(), 3);
  ravel::spmv(ex, plan, x, y.elements());
  EXPECT_EQ(y.expect_untouched_outside(), (ints{1, 230}));
}

TYPED_TEST(checked_algorithms, verify_that_columns_ascend_where_they_must) {
  csr const a{3, 4, this->there(ints{0, 2, 2, 5}), this->there(ints{1, 3, 0, 3, 2}),
              this->there(ints(5, 1))};
  std::string const why = ": column 2 at position 4 is less than column 3, before it in its row";
  EXPECT_EQ(said_by([&] { count_duplicates_sync(this->ex(), a); }), "count_duplicates_sync" + why);
  EXPECT_EQ(said_by([&] { combine_duplicates_sync(this->ex(), a); }),
            "combine_duplicates_sync" + why);
}

TYPED_TEST(checked_algorithms, verify_coordinates) {
  auto const refusal = [&](ints const& rows, ints const& columns) {
    auto const row = this->there(rows);
    auto const column = this->there(columns);
    auto const value = this->there(ints(rows.size(), 1));
    return said_by([&] { csr_from_coordinates(this->ex(), 3, 4, row, column, value); });
  };
  EXPECT_EQ(refusal({3, 0, 0}, {0, 1, 2}),
            "csr_from_coordinates: row 3 at position 0 is outside [0, 3)");
  EXPECT_EQ(refusal({0, -1, 0}, {0, 1, 9}),
            "csr_from_coordinates: row -1 at position 1 is outside [0, 3)");
  EXPECT_EQ(refusal({0, 1, 0}, {0, 1, 4}),
            "csr_from_coordinates: column 4 at position 2 is outside [0, 4)");
  EXPECT_EQ(refusal({0, 1, 2}, {0, 1, 3}), "nothing");
}

/// Verified on any executor, since the calls wait.
TYPED_TEST(checked_algorithms, verify_strings_and_sparse_vectors_always) {
  auto const& ex = testing::on_executor<TypeParam>::ex();
  std::string_view const letters = "pearfig";
  auto const text = this->there(std::vector<char>(letters.begin(), letters.end()));
  auto const order = this->guarded(3);
  auto const refusal = [&](ints const& begins, ints const& ends) {
    auto const from = this->there(begins);
    auto const until = this->there(ends);
    return said_by([&] { string_argsort_sync(ex, text, from, until, order.elements()); });
  };
  std::string const name = "string_argsort_sync: ";
  EXPECT_EQ(refusal({-1, 0, 4}, {4, 4, 7}), name + "string 0 is [-1, 4) of a text of 7 bytes");
  EXPECT_EQ(refusal({0, 5, 4}, {4, 4, 7}), name + "string 1 is [5, 4) of a text of 7 bytes");
  EXPECT_EQ(refusal({0, 4, 4}, {4, 4, 8}), name + "string 2 is [4, 8) of a text of 7 bytes");
  auto const offsets = this->there(ints{0, 5, 4, 7});
  EXPECT_EQ(said_by([&] { string_argsort_sync(ex, text, by_offsets(offsets), order.elements()); }),
            name + "string 1 is [5, 4) of a text of 7 bytes");
  order.expect_unwritten();

  csr const a{3, 4, this->there(ints{0, 2, 3, 5}), this->there(ints{0, 1, 2, 0, 3}),
              this->there(ints(5, 1))};
  auto const product_with = [&](ints const& indices) {
    sparse_vector const x{3, this->there(indices), this->there(ints(indices.size(), 1))};
    return said_by([&] { spmspv_sync(ex, a, x); });
  };
  EXPECT_EQ(product_with({3, 1, 0}), "spmspv_sync: index 3 at position 0 is outside [0, 3)");
  EXPECT_EQ(product_with({0, 1, -5}), "spmspv_sync: index -5 at position 2 is outside [0, 3)");
  EXPECT_EQ(product_with({0, 2}), "nothing");
}

TYPED_TEST(checked_algorithms, are_the_calls_of_their_executor_otherwise) {
  auto const& own = testing::on_executor<TypeParam>::ex();
  auto const in = this->there(ints{5, 3, 8, 1, 2, 2, 9, 0});
  auto const offsets = this->there(ints{0, 3, 3, 8});
  auto const out = this->guarded(8);
  auto const both = [&](auto call) {
    call(own);
    auto const expected = out.expect_untouched_outside();
    call(this->ex());
    EXPECT_EQ(out.expect_untouched_outside(), expected);
  };
  both([&](auto const& ex) { ravel::segmented_sort(ex, in, by_offsets(offsets), out.elements()); });
  both([&](auto const& ex) { radix_sort(ex, in, out.elements(), descending); });
  both([&](auto const& ex) { radix_argsort(ex, in, out.elements()); });
  both([&](auto const& ex) { ravel::comparison_sort(ex, in, out.elements(), is_less{}); });
  both([&](auto const& ex) { top_k(ex, in, out.elements()); });
  auto const next = this->there(ints{1, 2, 3, 4, 5, 6, 7, -1});
  both([&](auto const& ex) { list_rank(ex, next, out.elements()); });
  both([&](auto const& ex) { exclusive_list_scan(ex, next, in, out.elements()); });
  csr const a{8, 8, this->there(ints{0, 1, 2, 3, 4, 5, 6, 7, 8}),
              this->there(ints{7, 6, 5, 4, 3, 2, 1, 0}), view_of(in)};
  both([&](auto const& ex) { ravel::spmv(ex, a, in, out.elements()); });
  both([&](auto const& ex) { ravel::spmm(ex, a, 1, in, out.elements()); });
  both([&](auto const& ex) {
    auto const t = ravel::transpose(ex, a);
    ravel::spmv(ex, t, in, out.elements());
  });
}

}  // namespace
}  // namespace ravel::checked_test
