/// ravel-trace: that pictures end in the scan of their input, and show what the papers show.

#include "trace/algorithms.hpp"
#include "trace/nested.hpp"

#include <ravel/core/cpu/executor.hpp>
#include <ravel/flatten/flatten.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace ravel::trace {
namespace {

using ints = std::vector<int>;

ints values_of(row const& r) {
  ints values;
  for (cell const& c : r.cells) values.push_back(c.text.empty() ? -1 : std::stoi(c.text));
  return values;
}

/// The last row of `name`.
ints last(picture const& p, std::string const& name) {
  auto const found =
      std::find_if(p.rows.rbegin(), p.rows.rend(), [&](row const& r) { return r.name == name; });
  return found == p.rows.rend() ? ints{} : values_of(*found);
}

ints scan(ints const& in, ints const& heads, std::string const& op) {
  ints out;
  for (std::size_t i = 0; i < in.size(); ++i) {
    bool const begins = i == 0 || (!heads.empty() && heads[i] != 0);
    out.push_back(begins ? in[i] : op == "max" ? std::max(out[i - 1], in[i]) : out[i - 1] + in[i]);
  }
  return out;
}

ints const example{3, 1, 2, 4, 1, 5, 2, 3};

TEST(trace, ends_in_the_scan_whatever_the_schedule) {
  for (entry const& a : algorithms()) {
    if (a.is_program) continue;
    SCOPED_TRACE(a.name);
    for (std::size_t const n : {1, 4, 5, 8, 9, 16, 21}) {
      for (unsigned const seed : {1, 2, 3}) {
        SCOPED_TRACE(n);
        request r{a.name, {}, {}, {}, seed == 3 ? "max" : "plus", seed};
        for (std::size_t i = 0; i < n; ++i) {
          r.values.push_back(static_cast<int>(1 + i * 7 % 10));
          if (a.segmented) r.heads.push_back(i % 5 == 0 || i == 8);
        }
        EXPECT_EQ(last(trace(r), "out"), scan(r.values, r.heads, r.op));
      }
    }
  }
}

TEST(trace, shows_the_sweeps_as_in_the_paper) {
  picture const p = trace({"work_efficient", example});
  std::vector<ints> swept;
  for (row const& r : p.rows) {
    if (r.name == "shared room") swept.push_back(values_of(r));
  }
  EXPECT_EQ(swept, (std::vector<ints>{{3, 1, 2, 4, 1, 5, 2, 3},
                                      {3, 4, 2, 6, 1, 6, 2, 5},
                                      {3, 4, 2, 10, 1, 6, 2, 11},
                                      {3, 4, 2, 10, 1, 6, 2, 21},
                                      {3, 4, 2, 10, 1, 6, 2, 0},
                                      {3, 4, 2, 0, 1, 6, 2, 10},
                                      {3, 0, 2, 4, 1, 10, 2, 16},
                                      {0, 3, 4, 6, 10, 11, 16, 18}}));
}

TEST(trace, shows_where_each_value_comes_from) {
  picture const p = trace({"step_doubling", example});
  step const& doubling = p.steps[3];  // after the input, its copy, and distance 1
  std::set<std::pair<std::size_t, std::size_t>> arrows, expected;
  for (arrow const& a : doubling.arrows) arrows.emplace(a.from, a.to);
  for (std::size_t i = 0; i < 8; ++i) {
    expected.emplace(i, i);
    if (i >= 2) expected.emplace(i - 2, i);
  }
  EXPECT_EQ(arrows, expected);
  EXPECT_EQ(values_of(p.rows[doubling.rows.back()]), (ints{3, 4, 6, 10, 8, 12, 12, 11}));
  EXPECT_EQ(doubling.threads, 8u);
  EXPECT_EQ(doubling.operations, 6u);
  EXPECT_EQ(doubling.loads, 8u + 6u);
  EXPECT_EQ(doubling.stores, 8u);
  EXPECT_EQ(p.span, 3u);
  EXPECT_EQ(p.launches, 5u);  // one to load, three steps, and one to visit
}

TEST(trace, shows_by_symbols_how_results_were_combined) {
  auto const trees = [](char const* algorithm) {
    return trace({algorithm, {1, 1, 1, 1, 1, 1}, {}, {}, "symbols"}).trees;
  };
  EXPECT_EQ(trees("naive"),
            (std::vector<std::string>{"a", "(a b)", "((a b) c)", "(((a b) c) d)",
                                      "((((a b) c) d) e)", "(((((a b) c) d) e) f)"}));
  EXPECT_EQ(trees("step_doubling"),
            (std::vector<std::string>{"a", "(a b)", "(a (b c))", "((a b) (c d))",
                                      "(a ((b c) (d e)))", "((a b) ((c d) (e f)))"}));
  EXPECT_EQ(trees("brent_kung"),
            (std::vector<std::string>{"a", "(a b)", "((a b) c)", "((a b) (c d))",
                                      "(((a b) (c d)) e)", "(((a b) (c d)) (e f))"}));
  picture const p = trace({"step_doubling", {1, 1, 1, 1, 1}, {}, {}, "symbols"});
  EXPECT_EQ(p.rows.back().cells.back().text, "a-e");
}

TEST(trace, draws_programs_of_several_calls) {
  for (unsigned const seed : {1, 2}) {
    for (std::size_t const n : {1, 5, 8, 13}) {
      SCOPED_TRACE(n);
      ints values, kept, links(n), ranks(n);
      for (std::size_t i = 0; i < n; ++i) values.push_back(static_cast<int>(i * 7 % 10));
      ints sorted = values;
      std::sort(sorted.begin(), sorted.end());
      for (int const x : values) {
        if (x % 2 != 0) kept.push_back(x);
      }
      ints found = last(trace({"compaction", values, {}, {}, "plus", seed}), "out");
      found.resize(kept.size());
      EXPECT_EQ(found, kept);
      EXPECT_EQ(last(trace({"split_radix_sort", values, {}, {}, "plus", seed}), "out"), sorted);
      EXPECT_EQ(values_of(trace({"quicksort_levels", values, {}, {}, "plus", seed}).rows.back()),
                sorted);
      for (std::size_t k = 0; k < n; ++k) {  // the list 0, 3, 6, ... modulo n, but for the last
        links[k * 3 % n] = static_cast<int>(std::min(k + 1, n - 1) * 3 % n);
        ranks[k * 3 % n] = static_cast<int>(k);
      }
      EXPECT_EQ(last(trace({"list_ranking", links, {}, {}, "plus", seed}), "rank"), ranks);
      EXPECT_EQ(last(trace({"list_ranking_by_splitters", links, {}, {}, "plus", seed}), "rank"),
                ranks);
    }
  }
  EXPECT_EQ(last(trace({"compaction", {7, 8, 9}, {0, 1, 1}}), "out"), (ints{8, 9, -1}));
  ints products = last(trace({"spmv", {3, 1, 2, 4, 1, 5, 2, 3}, {1, 0, 0, 1, 0, 0, 1, 0}}), "y");
  products.resize(3);
  EXPECT_EQ(products, (ints{3 + 2 + 6, 4 + 2 + 15, 2 + 6}));
}

TEST(trace, draws_nested_programs_from_nested_to_flat) {
  request r{"", example, {}, {3, 0, 3, 2}};
  auto const values = [&](char const* program) {
    r.algorithm = program;
    ints found = last(trace(r), "values");
    found.erase(std::remove(found.begin(), found.end(), -1), found.end());
    return found;
  };
  EXPECT_EQ(values("nested_sums"), (ints{14, 0, 42, 13}));
  EXPECT_EQ(values("nested_scan"), (ints{3, 4, 6, 4, 5, 10, 2, 5}));
  EXPECT_EQ(values("nested_filter"), (ints{3, 1, 1, 5, 3}));
  EXPECT_EQ(values("nested_choice"), (ints{3, 0, 5, 5}));
  EXPECT_EQ(values("nested_product"), (ints{11, 0, 21, 8}));
  EXPECT_EQ(values("nested_quicksort"), (ints{1, 2, 3, 1, 4, 5, 2, 3}));
}

using columns = std::set<std::pair<std::size_t, std::size_t>>;
columns lines_of(step const& s) {
  columns found;
  for (arrow const& a : s.arrows) found.emplace(a.from, a.to);
  return found;
}

TEST(trace, draws_of_what_the_numbers_of_a_nested_program_are_made) {
  picture const p = trace({"nested_sums", {3, 1, 2, 4}, {1, 0, 1, 1}});
  step const& sums = p.steps.back();
  EXPECT_EQ(sums.title, "3 segmented reduce (number * number), 7 elements");
  EXPECT_EQ(sums.operations, 5u);  // a product of each, and the sum of the first row
  EXPECT_EQ(lines_of(sums), (columns{{0, 0}, {1, 0}, {2, 1}, {3, 2}}));
  EXPECT_EQ(last(p, "offsets"), (ints{0, 2, 3, 4}));
  auto const tree = [&](auto const& self, std::size_t id) -> std::string {
    combination const& c = p.operations[id];
    if (!c.sign) return std::to_string(*c.computed);
    return "(" + self(self, c.left) + c.sign + self(self, c.right) + ")";
  };
  EXPECT_EQ(tree(tree, p.rows.back().cells[0].made_by), "((3*3)+(1*1))");

  picture const kept = trace({"nested_filter", {4, 1, 6, 3}, {1, 0, 1, 0}});
  EXPECT_EQ(lines_of(kept.steps.back()), (columns{{1, 0}, {3, 1}}));
  EXPECT_TRUE(kept.rows.back().cells[0].head && kept.rows.back().cells[1].head);
}

TEST(trace, draws_pipelines) {
  for (unsigned const seed : {1, 2}) {
    ints odd = last(trace({"pipeline", example, {}, {}, "plus", seed}), "out");
    odd.resize(3);
    EXPECT_EQ(odd, (ints{9, 31, 69}));
    EXPECT_EQ(last(trace({"pipeline_backward", example, {}, {}, "plus", seed}), "out"),
              (ints{21, 18, 16, 11, 10, 6, 4, 3}));
  }
}

TEST(trace, draws_any_nested_program) {
  std::vector<std::vector<int>> const rows{{3, 1}, {}, {2, 4, 5}};
  picture const p = trace_program("mine", [&](auto) {
    return each(from(cpu::sequential(), rows), [](auto row) { return sum(row * row); });
  });
  ints sums = values_of(p.rows.back());
  sums.resize(3);
  EXPECT_EQ(sums, (ints{10, 0, 45}));
  EXPECT_NE(svg_of(p).find("segmented reduce"), std::string::npos);
}

TEST(trace, draws_blocks_of_four_warps) {
  ints const values(16, 1);
  picture const narrow = trace({"warp_hierarchical", values});
  picture const wide = trace({"warp_hierarchical", values, {}, {}, "plus", 1, 16});
  EXPECT_EQ(last(wide, "out"), scan(values, {}, "plus"));
  EXPECT_EQ(narrow.launches, 3u);  // two tiles, whose totals are scanned
  EXPECT_EQ(wide.launches, 2u);
  EXPECT_EQ(wide.block, 16u);
}

TEST(trace, draws_where_the_nodes_of_a_list_jump) {
  picture const p = trace({"list_ranking", {4, 2, 2, 0, 1}});
  std::vector<ints> ranks;
  for (row const& r : p.rows) {
    if (r.name == "rank") ranks.push_back(values_of(r));
  }
  EXPECT_EQ(ranks, (std::vector<ints>{
                       {1, 1, 1, 0, 1}, {1, 2, 2, 0, 2}, {1, 3, 4, 0, 2}, {1, 3, 4, 0, 2}}));
}

TEST(trace, writes_text_that_reads_in_a_terminal) {
  std::string const text = text_of(trace({"work_efficient", example}));
  EXPECT_NE(text.find("                 \\__\\      \\__\\      \\__\\      \\__\\\n"
                      "shared room     3    4    2    6    1    6    2    5      4 threads, 4 ops, "
                      "8 shared loads, 4 "
                      "shared stores\n"),
            std::string::npos)
      << text;
}

TEST(trace, refuses_what_it_cannot_run_in_a_sentence) {
  auto const sentence = [](request const& r) -> std::string {
    try {
      trace(r);
    } catch (std::invalid_argument const& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_NE(sentence({"mindex", example}).find("needs segments"), std::string::npos);
  EXPECT_EQ(sentence({"mindex", example, {1, 0}}), "there are 8 values and 2 flags");
  EXPECT_EQ(sentence({"step_doubling", example, {}, {3, 5}}), "step_doubling has no segments");
  EXPECT_EQ(sentence({"step_doubling", {}}), "there are no values");
  EXPECT_EQ(sentence({"list_ranking", {1, 1}, {}, {}, "max"}),
            "list_ranking has no operator to choose");
  EXPECT_EQ(sentence({"list_ranking", {2, 2, 0}}), "two nodes link to node 2");
  EXPECT_EQ(sentence({"list_ranking", {1, 0}}),
            "node 0 leads to no last node: the last links to itself");
  EXPECT_EQ(sentence({"mindex", {1}, {1}, {}, "plus", 1, 16}),
            "mindex has blocks of one width only");
  EXPECT_EQ(sentence({"reduce_then_scan", {1}, {}, {}, "plus", 1, 9}),
            "there are blocks of 8 and of 16 threads, and not of 9");
  EXPECT_EQ(sentence({"compaction", {1, 2}, {1}}), "there are 2 values and 1 flags");
}

}  // namespace
}  // namespace ravel::trace
