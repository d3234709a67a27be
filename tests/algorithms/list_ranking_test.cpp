#include <ravel/algorithms/list_ranking.hpp>

#include "support/executors.hpp"
#include "support/lists.hpp"
#include "support/segment_shapes.hpp"

#include <ravel/core/plan.hpp>
#ifndef __CUDACC__
#  include <ravel/algorithms/cuda/list_walk.cuh>
#endif

#include <algorithm>
#include <concepts>
#include <cstdint>

namespace ravel::list_ranking_test {
namespace {

using namespace testing;
using kind = list_fault_kind;

template <class Ex>
struct list_ranking : testing::on_executor<Ex> {
  template <class Link, class Rank, class... Options>
  void expect_ranks(lists const& all, std::vector<Link> const& next, Options... options) {
    std::vector<Rank> const ones(next.size(), 1);
    auto const links = this->there(next);
    auto ranks = this->template allocate<Rank>(all.n);
    list_rank(this->ex(), links, ranks, options...);
    ASSERT_EQ(this->here(ranks), oracle(all, ones, plus<Rank>{}, Rank(0)).first);
    ASSERT_EQ(this->here(links), next);
  }

  template <class... Options>
  list_fault fault_in(std::vector<int> const& next, Options... options) {
    auto const links = this->there(next);
    auto ranks = this->template allocate<int>(std::ssize(next));
    auto fault = this->there(std::vector<list_fault>{{kind::shared, -5}});
    list_rank(this->ex(), links, ranks, fault_to(fault), options...);
    EXPECT_EQ(this->here(links), next);
    return this->here(fault)[0];
  }
};
TYPED_TEST_SUITE(list_ranking, testing::executors_and_device);

TYPED_TEST(list_ranking, gives_the_example_in_the_header) {
  auto const next = this->there(std::vector{4, 2, -1, 0, -1});
  auto out = this->template allocate<int>(5);
  list_rank(this->ex(), next, out);
  EXPECT_EQ(this->here(out), (std::vector{1, 0, 1, 0, 2}));
}

TYPED_TEST(list_ranking, agrees_with_the_loop_whatever_the_order_in_memory) {
  for (index_t const n : {0, 1, 2, 33, 300, 9001}) {
    for (auto const& order : {in_order(n), backward_order(n), random_order(n), strided_order(n, 8),
                              strided_order(n, 100)}) {
      SCOPED_TRACE(n);
      auto const all = single_list(order);
      this->template expect_ranks<int, int>(all, links_of<int>(all));
      if constexpr (!testing::has_ranks<TypeParam>) {
        if (n == 0) continue;
        auto const head = this->there(std::vector<int>{static_cast<int>(order[0])});
        this->template expect_ranks<int, int>(all, links_of<int>(all, true), heads_at(head));
      }
    }
  }
}

LOCAL_TYPED_TEST(list_ranking, finds_the_head_of_one_list_by_a_sum) {
  for (index_t const n : {0, 1, 2, 33, 9001}) {
    for (auto const& order : {in_order(n), backward_order(n), random_order(n)}) {
      SCOPED_TRACE(n);
      auto const all = single_list(order);
      for (bool const ends_in_itself : {false, true}) {
        this->template expect_ranks<int, int>(all, links_of<int>(all, ends_in_itself), one_list);
      }
      EXPECT_EQ(this->fault_in(links_of<int>(all), one_list), list_fault{});
    }
  }
  // Two lists are no list, and no memory but theirs is touched.
  auto const two = cut(random_order(4000), {3000, 1000});
  EXPECT_NE(this->fault_in(links_of<int>(two), one_list).kind, kind::none);
}

TYPED_TEST(list_ranking, takes_links_and_ranks_of_any_width) {
  auto const all = cut(random_order(5000), {3000, 1, 1999});
  this->template expect_ranks<std::int64_t, std::int64_t>(all, links_of<std::int64_t>(all));
#ifndef RAVEL_TEST_BRIEFLY
  this->template expect_ranks<std::uint32_t, std::int64_t>(all, links_of<std::uint32_t>(all));
  this->template expect_ranks<std::uint64_t, std::uint32_t>(all,
                                                            links_of<std::uint64_t>(all, true));
#endif
}

TYPED_TEST(list_ranking, ranks_many_lists_of_any_mix_of_lengths) {
  for (auto const& shape : testing::segment_shapes()) {
    SCOPED_TRACE(shape);
    index_t const n = testing::offsets_of(shape).back();
    auto const all = cut(random_order(n), shape.lengths);
    this->template expect_ranks<int, int>(all, links_of<int>(all));
    if constexpr (!testing::has_ranks<TypeParam>) {
      auto const heads = this->there(heads_of_lists(all));
      this->template expect_ranks<int, int>(all, links_of<int>(all), heads_at(heads));
    }
  }
}

LOCAL_TYPED_TEST(list_ranking, is_the_same_with_any_spacing_of_splitters) {
  auto const all = cut(random_order(6000), {4000, 50, 1950});
  for (index_t const spacing : {2, 4, 16, 128, 1024}) {
    SCOPED_TRACE(spacing);
    this->template expect_ranks<int, int>(all, links_of<int>(all), splitter_spacing(spacing));
    this->template expect_ranks<int, int>(all, links_of<int>(all), splitter_spacing(spacing),
                                          sublists_in_turn);
  }
  this->template expect_ranks<int, int>(all, links_of<int>(all), sublists_in_turn);
  this->template expect_ranks<int, int>(lists{}, {}, sublists_in_turn);
}

THOROUGH_LOCAL_TYPED_TEST(list_ranking,
                          is_the_same_with_any_number_of_splitters_blocks_and_threads) {
  auto const all = cut(random_order(6000), {4000, 50, 1950});
  for (index_t const count : {1, 3, 7, 61, 1000, 5999, 6000, 61'440}) {
    SCOPED_TRACE(count);
    this->template expect_ranks<int, int>(all, links_of<int>(all), splitter_count(count));
    this->template expect_ranks<int, int>(all, links_of<int>(all), splitter_count(count),
                                          sublists_on_host);
  }
  auto const one = single_list(random_order(6000));
  for (auto const grid : {walk_grid(1, 1), walk_grid(3, 40), walk_grid(1000, 512)}) {
    SCOPED_TRACE(grid.blocks);
    this->template expect_ranks<int, int>(one, links_of<int>(one), grid, sublists_on_host, one_list,
                                          splitter_count(500));
    this->template expect_ranks<int, int>(one, links_of<int>(one), grid);
  }
  this->template expect_ranks<int, int>(lists{}, {}, splitter_count(5), sublists_on_host);
  EXPECT_EQ(this->fault_in(links_of<int>(all), splitter_count(100), sublists_on_host),
            list_fault{});
}

TEST(counted_splitters, are_one_in_each_block_of_as_even_sizes_as_can_be) {
  for (index_t const n :
       {index_t{1}, index_t{10}, index_t{6000}, index_t{1} << 28, index_t{1} << 40}) {
    for (index_t const count : {1, 3, 4096, 61'440}) {
      SCOPED_TRACE(count);
      detail::counted_splitters const by(n, count);
      ASSERT_EQ(by.count, std::min(n, count));
      ASSERT_EQ(by.start(0), 0);
      for (index_t k = 0; k < by.count; ++k) {
        index_t const first = by.start(k), end = k + 1 < by.count ? by.start(k + 1) : n;
        ASSERT_LE(end - first, n / by.count + 2) << k;
        ASSERT_GE(by.node(k), first) << k;
        ASSERT_LT(by.node(k), end) << k;
        ASSERT_TRUE(by.has(by.node(k))) << k;
        ASSERT_EQ(by.block(first), k);
        ASSERT_EQ(by.block(end - 1), k);
      }
    }
  }
}

LOCAL_TYPED_TEST(list_ranking, ends_sublists_early_where_splitters_are_far_apart) {
  // So few splitters that most sublists have more nodes than their ranks have bits for.
  auto const all = single_list(in_order(100'000));
  this->template expect_ranks<int, int>(all, links_of<int>(all), splitter_spacing(1 << 14));
}

LOCAL_TYPED_TEST(list_ranking, finds_no_fault_in_lists) {
  auto const all = cut(random_order(4000), {3000, 1, 999});
  EXPECT_EQ(this->fault_in(links_of<int>(all)), list_fault{});
  auto const heads = this->there(heads_of_lists(all));
  EXPECT_EQ(this->fault_in(links_of<int>(all), heads_at(heads)), list_fault{});
  EXPECT_EQ(this->fault_in({}), list_fault{});
}

LOCAL_TYPED_TEST(list_ranking, reports_the_first_link_out_of_range) {
  auto next = links_of<int>(single_list(random_order(4000)));
  next[3000] = 4000;
  EXPECT_EQ(this->fault_in(next), (list_fault{kind::out_of_range, 3000}));
  next[1234] = -2;
  EXPECT_EQ(this->fault_in(next), (list_fault{kind::out_of_range, 1234}));
}

LOCAL_TYPED_TEST(list_ranking, reports_the_first_node_that_two_link_to) {
  auto const all = cut(in_order(4000), {1000, 3000});
  auto next = links_of<int>(all);
  next[999] = 3001;  // node 3000 links to it too
  EXPECT_EQ(this->fault_in(next), (list_fault{kind::shared, 3001}));
  next[3999] = 1500;
  EXPECT_EQ(this->fault_in(next), (list_fault{kind::shared, 1500}));
  auto const heads = this->there(std::vector<int>{0, 1000, 1700});
  EXPECT_EQ(this->fault_in(links_of<int>(all), heads_at(heads)), (list_fault{kind::shared, 1700}));
}

LOCAL_TYPED_TEST(list_ranking, reports_the_first_node_on_a_cycle) {
  for (index_t const length : {2, 3, 5, 40, 2000}) {
    SCOPED_TRACE(length);
    auto next = links_of<int>(single_list(in_order(4000)));
    next[999] = -1;
    next[static_cast<std::size_t>(1000 + length - 1)] = 1000;  // and a list of the following nodes
    EXPECT_EQ(this->fault_in(next), (list_fault{kind::unreachable, 1000}));
    next[999] = 1000;  // a list that leads into the cycle
    EXPECT_EQ(this->fault_in(next), (list_fault{kind::shared, 1000}));
  }
  EXPECT_EQ(this->fault_in({1, 0}), (list_fault{kind::unreachable, 0}));
}

LOCAL_TYPED_TEST(list_ranking, reports_the_first_node_whose_head_was_not_given) {
  auto const all = cut(random_order(4000), {1500, 2500});
  auto const one_head = this->there(std::vector{all.nodes[0][0]});
  auto const least = *std::min_element(all.nodes[1].begin(), all.nodes[1].end());
  EXPECT_EQ(this->fault_in(links_of<int>(all), heads_at(one_head)),
            (list_fault{kind::unreachable, least}));
}

LOCAL_TYPED_TEST(list_ranking, ranks_lists_beside_a_fault) {
  auto const all = cut(random_order(4000), {1500, 2500});
  auto next = links_of<int>(all);
  next[static_cast<std::size_t>(all.nodes[1].back())] = static_cast<int>(all.nodes[1].front());
  auto const links = this->there(next);
  auto out = this->template allocate<int>(4000);
  list_rank(this->ex(), links, out);
  auto const ranks = this->here(out);
  int rank = 0;
  for (index_t const i : all.nodes[0]) EXPECT_EQ(ranks[static_cast<std::size_t>(i)], rank++);

  auto const heads = this->there(std::vector{all.nodes[1].front(), all.nodes[0].front()});
  list_rank(this->ex(), links, out, heads_at(heads));
  EXPECT_EQ(this->here(out)[static_cast<std::size_t>(all.nodes[0].back())], 1499);
}

LOCAL_TYPED_TEST(list_ranking, refuses_what_does_not_fit) {
  auto const next = this->there(std::vector{-1, -1});
  auto two = this->template allocate<int>(2);
  auto three = this->template allocate<int>(3);
  EXPECT_THROW(list_rank(this->ex(), next, three), contract_error);
  EXPECT_THROW(splitter_spacing(3), contract_error);
  EXPECT_THROW(splitter_count(0), contract_error);
  EXPECT_THROW(walk_grid(0, 32), contract_error);
  EXPECT_THROW(walk_grid(1, 513), contract_error);
  if constexpr (std::same_as<typename TypeParam::space, device_space>) {
    EXPECT_THROW(plan(this->ex(), "ranks",
                      [&](auto const& on) { list_rank(on, next, two, sublists_on_host); }),
                 contract_error);
  }
}

}  // namespace
}  // namespace ravel::list_ranking_test
