#include <ravel/algorithms/comparison_sort.hpp>
#include <ravel/algorithms/coordinates.hpp>
#include <ravel/algorithms/csr.hpp>
#include <ravel/algorithms/delta.hpp>
#include <ravel/algorithms/list_ranking.hpp>
#include <ravel/algorithms/merge_segments.hpp>
#include <ravel/algorithms/radix_sort.hpp>
#include <ravel/algorithms/segmented_comparison_sort.hpp>
#include <ravel/algorithms/segmented_sort.hpp>
#include <ravel/algorithms/selection.hpp>
#include <ravel/algorithms/spmm.hpp>
#include <ravel/algorithms/spmv.hpp>
#include <ravel/algorithms/spmv_plan.hpp>
#include <ravel/algorithms/transpose.hpp>

#include "support/calls.hpp"
#include "support/device_forms.hpp"

#ifndef __CUDACC__  // nvcc finds them by itself
#  include <ravel/algorithms/cuda/comparison_sort.cuh>
#  include <ravel/algorithms/cuda/list_walk.cuh>
#  include <ravel/algorithms/cuda/radix_sort.cuh>
#  include <ravel/algorithms/cuda/segmented_sort.cuh>
#  include <ravel/algorithms/cuda/spmm.cuh>
#  include <ravel/algorithms/cuda/spmv_plan.cuh>
#endif

namespace ravel::calls_test {
namespace {

using testing::call_table;

struct even_first {
  RAVEL_HD bool operator()(int x, int y) const { return x % 2 == 0 && y % 2 != 0; }
};

template <class Ex>
void add_sorts(call_table<Ex>& to) {
  auto const& in = to.in;
  index_t const n = in.n;
  to.add("radix_sort", [&in, out = to.template room<int>(n)](Ex const& ex) {
    radix_sort(ex, in.other_numbers, out);
  });
  to.add("radix_sort of floats, downward", [&in, out = to.template room<float>(n)](Ex const& ex) {
    radix_sort(ex, in.whole, out, descending);
  });
  to.add("radix_sort of bytes", [&in, out = to.template room<std::uint8_t>(n)](Ex const& ex) {
    radix_sort(ex, in.digits, out);
  });
  to.add("radix_sort_pairs",
         [&in, keys = to.template room<int>(n), out = to.template room<int>(n)](Ex const& ex) {
           radix_sort_pairs(ex, in.other_numbers, in.numbers, keys, out);
         });
  to.add("radix_sort_pairs by way of others",
         [&in, keys = to.template room<int>(n), out = to.template room<int>(n),
          other_keys = to.template room<int>(n), other = to.template room<int>(n)](Ex const& ex) {
           radix_sort_pairs(ex, in.other_numbers, in.numbers, keys, out,
                            by_way_of(other_keys, other));
           distribute(ex, 0, other_keys);  // their contents are unspecified
           distribute(ex, 0, other);
         });
  to.add("radix_argsort", [&in, out = to.template room<int>(n)](Ex const& ex) {
    radix_argsort(ex, in.other_numbers, out);
  });
  to.add("comparison_sort", [&in, out = to.template room<int>(n)](Ex const& ex) {
    comparison_sort(ex, in.other_numbers, out, even_first{});
  });
  to.add("comparison_sort_pairs",
         [&in, keys = to.template room<int>(n), out = to.template room<int>(n)](Ex const& ex) {
           comparison_sort_pairs(ex, in.other_numbers, in.numbers, keys, out, even_first{});
         });
  to.add("segmented_sort", [&in, out = to.template room<int>(n)](Ex const& ex) {
    segmented_sort(ex, in.other_numbers, by_offsets(in.offsets), out);
  });
  to.add("segmented_sort of floats, in place",
         [&in, out = to.template room<float>(n)](Ex const& ex) {
           ex.copy(in.whole.data(), out.data(), in.n);
           segmented_sort(ex, out, by_offsets(in.offsets), out);
         });
  to.add("segmented_sort_pairs", [&in, keys = to.template room<int>(n),
                                  out = to.template room<int>(n)](Ex const& ex) {
    segmented_sort_pairs(ex, in.other_numbers, in.numbers, by_lengths(in.lengths), keys, out);
  });
  to.add("segmented_comparison_sort", [&in, out = to.template room<int>(n)](Ex const& ex) {
    segmented_comparison_sort(ex, in.other_numbers, by_offsets(in.offsets), out, even_first{});
  });
  to.add("segmented_comparison_sort_pairs",
         [&in, keys = to.template room<int>(n), out = to.template room<int>(n)](Ex const& ex) {
           segmented_comparison_sort_pairs(ex, in.other_numbers, in.numbers, by_lengths(in.lengths),
                                           keys, out, even_first{});
         });
  to.add("merge_segments", [&in, out = to.template room<int>(n)](Ex const& ex) {
    merge_segments(ex, in.sorted, by_offsets(in.offsets), out);
  });
  to.add("merge_segments_pairs",
         [&in, keys = to.template room<int>(n), out = to.template room<int>(n)](Ex const& ex) {
           merge_segments_pairs(ex, in.sorted, in.numbers, by_offsets(in.offsets), keys, out);
         });
  to.add("nth_element", [&in, out = to.template room<int>(1)](Ex const& ex) {
    nth_element(ex, in.other_numbers, in.n / 3, out);
  });
  to.add("top_k", [&in, out = to.template room<int>(n / 5 + 1)](Ex const& ex) {
    top_k(ex, in.other_numbers, out);
  });
  to.add("top_k_pairs",
         [&in, keys = to.template room<int>(n / 5 + 1), out = to.template room<int>(n / 5 + 1)](
             Ex const& ex) { top_k_pairs(ex, in.other_numbers, in.numbers, keys, out); });
  to.add("segmented_top_k", [&in, out = to.template room<int>(2 * in.segments)](Ex const& ex) {
    segmented_top_k(ex, in.other_numbers, by_offsets(in.offsets), 2, -1, out);
  });
  to.add("segmented_nth_element", [&in, out = to.template room<int>(in.segments)](Ex const& ex) {
    segmented_nth_element(ex, in.other_numbers, by_offsets(in.offsets), 1, -1, out);
  });
}

template <class Ex>
void add_lists_and_signals(call_table<Ex>& to) {
  auto const& in = to.in;
  index_t const n = in.n;
  to.add("list_rank",
         [&in, out = to.template room<int>(n)](Ex const& ex) { list_rank(ex, in.next, out); });
  to.add("list_rank with a fault",
         [&in, out = to.template room<int>(n), fault = to.template room<list_fault>(1)](
             Ex const& ex) { list_rank(ex, in.next, out, fault_to(fault)); });
  to.add("inclusive_list_scan", [&in, out = to.template room<int>(n)](Ex const& ex) {
    inclusive_list_scan(ex, in.next, in.numbers, out);
  });
  to.add("exclusive_list_scan", [&in, out = to.template room<int>(n)](Ex const& ex) {
    exclusive_list_scan(ex, in.next, in.numbers, out);
  });
  auto const coded = to.template room<int>(n);
  to.add("delta_encode and delta_decode",
         [&in, coded, out = to.template room<int>(n)](Ex const& ex) {
           delta_encode(ex, in.numbers, coded, of_order<2>);
           delta_decode(ex, coded, out, of_order<2>);
         });
}

/// Copies the result of a call to where results are compared.
template <class Ex, class From, class To>
void keep(Ex const& ex, From const& from, To const& to) {
  ex.copy(view_of(from).data(), to.data(), size_of(from));
}

template <class Ex>
void add_products(call_table<Ex>& to) {
  auto const& in = to.in;
  index_t const n = in.n;
  auto const matrix = [&in] {
    return csr{in.segments, in.n, view_of(in.offsets), view_of(in.places), view_of(in.whole)};
  };
  to.add("spmv", [&in, matrix, y = to.template room<float>(in.segments)](Ex const& ex) {
    spmv(ex, matrix(), in.whole, y);
    spmv(ex, 2.0f, matrix(), in.whole, 3.0f, y);
  });
  // Plans are made of offsets that no operand changes: of short rows, and with one long row.
  for (index_t const of_first : {index_t{0}, n / 2}) {
    std::vector<index_t> offsets{0};
    for (index_t r = 1; r < in.segments; ++r) {
      offsets.push_back(of_first + (n - of_first) * r / in.segments);
    }
    offsets.push_back(n);
    auto const kept =
        std::make_shared<decltype(ravel::to(to.ex, offsets))>(ravel::to(to.ex, offsets));
    auto const planned = [&] {
      return csr{in.segments, n, view_of(*kept), view_of(in.places), view_of(in.whole)};
    };
    using matrix_type = decltype(planned());
    auto const known = std::make_shared<spmv_plan<Ex, matrix_type>>(to.ex, planned());
    to.add(of_first == 0 ? "spmv with a plan, of short rows" : "spmv with a plan, of a long row",
           [&in, kept, known, y = to.template room<float>(in.segments)](Ex const& ex) {
             spmv(ex, *known, in.whole, y);
             spmv(ex, 2.0f, *known, in.whole, 3.0f, y);
           });
  }
  to.add("spmm", [matrix, y = to.template room<float>(3 * in.segments),
                  x = to.template room<float>(3 * n)](Ex const& ex) {
    distribute(ex, 2.0f, x);
    spmm(ex, matrix(), 3, x, y);
  });
  to.add("spmm of many vectors", [matrix, y = to.template room<float>(12 * in.segments),
                                  x = to.template room<float>(12 * n)](Ex const& ex) {
    distribute(ex, 2.0f, x);
    spmm(ex, matrix(), 12, x, y);
  });
  to.add("transpose",
         [matrix, offsets = to.template room<index_t>(n + 1), columns = to.template room<int>(n),
          values = to.template room<float>(n)](Ex const& ex) {
           auto const made = transpose(ex, matrix());
           keep(ex, made.offsets, offsets);
           keep(ex, made.columns, columns);
           keep(ex, made.values, values);
         });
  to.add("csr_from_coordinates",
         [&in, offsets = to.template room<index_t>(n + 1), columns = to.template room<index_t>(n),
          values = to.template room<float>(n)](Ex const& ex) {
           auto const made = csr_from_coordinates(ex, in.n, in.n, in.places, in.places, in.whole);
           keep(ex, made.offsets, offsets);
           keep(ex, made.columns, columns);
           keep(ex, made.values, values);
         });
}

/// Every entry point of this layer that returns before its work is done.
struct add_algorithms {
  template <class Ex>
  void operator()(call_table<Ex>& to) const {
    add_sorts(to);
    add_lists_and_signals(to);
    add_products(to);
  }
};

#ifdef __CUDACC__
struct calls_of_algorithms : ::testing::Test {
  void SetUp() override {
    if (!gpu::available()) GTEST_SKIP() << "no CUDA device";
  }
};
constexpr index_t few = 1003, many = 5'000'003;

TEST_F(calls_of_algorithms, take_the_scratch_that_their_plans_say) {
  testing::expect_plans<gpu::executor>(few, add_algorithms{});
  testing::expect_plans<gpu::executor>(many, add_algorithms{});
}
TEST_F(calls_of_algorithms, are_captured_and_replayed) {
  testing::expect_captures(few, add_algorithms{});
  testing::expect_captures(many, add_algorithms{});
}
TEST_F(calls_of_algorithms, run_on_several_streams_at_once) {
  testing::expect_streams(few, add_algorithms{});
  testing::expect_streams(many, add_algorithms{});
}
TEST_F(calls_of_algorithms, are_the_same_however_the_device_is_tuned) {
  testing::expect_tunings(few, add_algorithms{});
  testing::expect_tunings(many, add_algorithms{});
}
#else
template <class Ex>
struct calls_of_algorithms : ::testing::Test {};
TYPED_TEST_SUITE(calls_of_algorithms, testing::calling_executors);

TYPED_TEST(calls_of_algorithms, take_the_scratch_that_their_plans_say) {
  testing::expect_plans<TypeParam>(1, add_algorithms{});
  testing::expect_plans<TypeParam>(12'003, add_algorithms{});
}

TEST(calls_of_algorithms_on_a_device, are_the_same_however_it_is_tuned) {
  testing::expect_tunings(1, add_algorithms{});
  testing::expect_tunings(12'003, add_algorithms{});
}
#endif

}  // namespace
}  // namespace ravel::calls_test
