/// Counts of what kernels do: of kernels whose counts are known, and of the named scans, whose table in
/// docs/scan.md is written from them: RAVEL_WRITE_COUNTS=1 software_device.counts

#include <ravel/software_device/counts.hpp>
#include <ravel/software_device/forms.hpp>

#include <ravel/core/transfer.hpp>
#include <ravel/primitives/scan_algorithm.hpp>

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

namespace ravel::counts_test {
namespace {

using software::counted;
using software::counting;
using software::counts;
using software::traced;

/// out[i] = in[i * stride], by whole warps.
struct strided {
  int const* in;
  int* out;
  index_t stride;
  RAVEL_HD void operator()(index_t i) const { out[i] = in[i * stride]; }
};

__global__ void copy_by(strided f) { f(blockIdx.x * blockDim.x + threadIdx.x); }

counts of_stride(index_t stride) {
  software_device const ex{1};
  auto const in = ex.allocate<int>(128 * stride), out = ex.allocate<int>(128);
  return counted(ex, [&] { ex.launch({2, 64}, copy_by, strided{in.data(), out.data(), stride}); });
}

TEST(counts, of_neighbours_share_transactions) {
  counts const c = of_stride(1);
  EXPECT_EQ(c.global.reads, 128U);
  EXPECT_EQ(c.global.writes, 128U);
  EXPECT_EQ(c.global.transactions, 2 * 128 * sizeof(int) / 32);
  EXPECT_EQ(c.launches, 1U);
  EXPECT_EQ(c.barriers, 0U);
  EXPECT_EQ(c.steps, 1U);
}

TEST(counts, of_far_elements_are_a_transaction_each) {
  EXPECT_EQ(of_stride(4).global.transactions, 128U / 2 + 128 * sizeof(int) / 32);
  EXPECT_EQ(of_stride(8).global.transactions, 128U + 128 * sizeof(int) / 32);
  EXPECT_EQ(of_stride(100).global.transactions, 128U + 128 * sizeof(int) / 32);
}

/// Each thread writes a word of shared memory, and reads one after a barrier.
__global__ void through_shared(int* out, int stride) {
  __shared__ int words[32 * 33];
  int const t = static_cast<int>(threadIdx.x);
  words[t * stride] = t;
  __syncthreads();
  out[t] = words[(31 - t) * stride];
}

counts of_shared(int stride) {
  software_device const ex{1};
  auto const out = ex.allocate<int>(32);
  return counted(ex, [&] { ex.launch({1, 32}, through_shared, out.data(), stride); });
}

TEST(counts, of_shared_memory_have_a_pass_for_each_word_of_a_bank) {
  counts const c = of_shared(1);
  EXPECT_EQ(c.shared.reads, 32U);
  EXPECT_EQ(c.shared.writes, 32U);
  EXPECT_EQ(c.shared.transactions, 2U);
  EXPECT_EQ(c.bank_conflicts, 0U);
  EXPECT_EQ(c.barriers, 1U);
  EXPECT_EQ(c.steps, 2U);
  EXPECT_EQ(of_shared(2).bank_conflicts, 2U);
  EXPECT_EQ(of_shared(32).bank_conflicts, 2U * 31);
  EXPECT_EQ(of_shared(33).bank_conflicts, 0U);
}

TEST(counts, end_with_the_call_and_nest) {
  software_device const ex{1};
  counts inner;
  counts const outer = counted(ex, [&] {
    of_stride(1);
    inner = of_stride(1);
  });
  EXPECT_EQ(inner, of_stride(1));
  EXPECT_EQ(outer.launches, 2U);
  EXPECT_EQ(outer.global.reads, 2 * inner.global.reads);
}

constexpr index_t n = index_t{1} << 12;

/// Of words; and of words with the lengths of chains, whose accesses are not those of words.
template <class By>
counts of_scan(By by) {
  software_device const ex{1};
  std::vector<int> const ones(n, 1);
  auto const in = to(ex, ones);
  auto const out = ex.template allocate<int>(n);
  counts c = counted(ex, [&] { inclusive_scan(ex, in, out, plus{}, by); });
  std::vector<int> expected(n);
  std::iota(expected.begin(), expected.end(), 1);
  EXPECT_EQ(to_host(ex, out), expected);
  auto const chains = to(ex, std::vector<traced<int>>(n, {1, 0}));
  auto const sums = ex.template allocate<traced<int>>(n);
  counts const of_operations =
      counted(ex, [&] { inclusive_scan(ex, chains, sums, counting{plus<int>{}}, by); });
  EXPECT_EQ(to_host(ex, sums).back().value, n);
  c.work = of_operations.work;
  c.span = of_operations.span;
  return c;
}

/// Of words in segments of 32.
template <class By>
counts of_segments(By by) {
  software_device const ex{1};
  std::vector<int> expected(n), heads(n);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    heads[i] = i % 32 == 0;
    expected[i] = static_cast<int>(i % 32 + 1);
  }
  auto const in = to(ex, std::vector<int>(n, 1)), flags = to(ex, heads);
  auto const out = ex.template allocate<int>(n);
  counts c =
      counted(ex, [&] { segmented_inclusive_scan(ex, in, by_heads(flags), out, plus{}, by); });
  EXPECT_EQ(to_host(ex, out), expected);
  auto const chains = to(ex, std::vector<traced<int>>(n, {1, 0}));
  auto const sums = ex.template allocate<traced<int>>(n);
  counts const of_operations = counted(ex, [&] {
    segmented_inclusive_scan(ex, chains, by_heads(flags), sums, counting{plus<int>{}}, by);
  });
  EXPECT_EQ(to_host(ex, sums).back().value, 32);
  c.work = of_operations.work;
  c.span = of_operations.span;
  return c;
}

std::string of_each(std::size_t all) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.1f", double(all) / double(n));
  return text;
}

std::string row(std::string const& name, counts const& c) {
  return "| " + name + " | " + of_each(c.work) + " n | " + std::to_string(c.span) + " | " +
         std::to_string(c.launches) + " | " + std::to_string(c.steps) + " | " +
         of_each(c.global.reads + c.global.writes) + " n | " + of_each(8 * c.global.transactions) +
         " n | " + of_each(c.shared.transactions) + " n | " + of_each(c.bank_conflicts) + " n |\n";
}

std::string read_page() {
  std::ifstream file(RAVEL_SCAN_PAGE);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(counts, of_scans_are_those_of_the_page) {
  using namespace scan_algorithm;
  counts const padded = of_scan(work_efficient), unpadded = of_scan(work_efficient_unpadded);
  EXPECT_LT(4 * padded.bank_conflicts, unpadded.bank_conflicts);
  EXPECT_EQ(padded.work, unpadded.work);
  counts const by_pairs = of_segments(segmented_algorithm::operator_transform),
               by_mindex = of_segments(segmented_algorithm::mindex);
  EXPECT_LT(by_mindex.exchanges, by_pairs.exchanges);
  EXPECT_EQ(by_mindex.global, by_pairs.global);  // they differ within warps alone
  std::string const table =
      "| | work | span | launches | steps | moves | words of transactions | passes of shared "
      "memory "
      "| of them conflicts |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|\n" +
      row("naive", of_scan(naive)) + row("step_doubling", of_scan(step_doubling)) +
      row("work_efficient", padded) + row("work_efficient_unpadded", unpadded) +
      row("brent_kung", of_scan(brent_kung)) +
      row("warp_hierarchical", of_scan(warp_hierarchical)) +
      row("reduce_then_scan", of_scan(reduce_then_scan)) +
      row("chained_cyclic", of_scan(chained_cyclic)) + row("lightscan", of_scan(lightscan)) +
      row("decoupled_look_back", of_scan(decoupled_look_back)) +
      row("local_sums", of_scan(local_sums)) + row("look_ahead", of_scan(look_ahead)) +
      row("operator_transform", by_pairs) + row("mindex", by_mindex);
  std::string page = read_page();
  std::string const begin = "<!-- written by software_device.counts: begin -->\n\n",
                    end = "\n<!-- written by software_device.counts: end -->";
  auto const first = page.find(begin) + begin.size(), last = page.find(end);
  ASSERT_LE(first, last);
  if (std::getenv("RAVEL_WRITE_COUNTS") != nullptr)
    std::ofstream(RAVEL_SCAN_PAGE) << page.replace(first, last - first, table);
  EXPECT_NE(read_page().find(table), std::string::npos)
      << "docs/scan.md has other counts: run RAVEL_WRITE_COUNTS=1 software_device.counts\n"
      << table;
}

}  // namespace
}  // namespace ravel::counts_test
