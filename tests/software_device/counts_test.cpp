/// Counts of what kernels do: of kernels whose counts are known, and of the named scans, whose tables in
/// docs/scan.md and scan_algorithm.hpp are written from them: RAVEL_WRITE_COUNTS=1 software_device.counts

#include <ravel/software_device/counts.hpp>
#include <ravel/software_device/forms.hpp>

#include <ravel/core/cpu/executor.hpp>
#include <ravel/core/plan.hpp>
#include <ravel/core/transfer.hpp>
#include <ravel/primitives/scan_algorithm.hpp>

#include <gtest/gtest.h>

#include <algorithm>
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
counts of_scan(By by, index_t n = counts_test::n) {
  software_device const ex{1};
  std::vector<int> const ones(static_cast<std::size_t>(n), 1);
  auto const in = to(ex, ones);
  auto const out = ex.template allocate<int>(n);
  counts c = counted(ex, [&] { inclusive_scan(ex, in, out, plus{}, by); });
  std::vector<int> expected(static_cast<std::size_t>(n));
  std::iota(expected.begin(), expected.end(), 1);
  EXPECT_EQ(to_host(ex, out), expected);
  auto const chains = to(ex, std::vector<traced<int>>(static_cast<std::size_t>(n), {1, 0}));
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
counts of_segments(By by, index_t n = counts_test::n) {
  software_device const ex{1};
  auto const size = static_cast<std::size_t>(n);
  std::vector<int> expected(size), heads(size);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    heads[i] = i % 32 == 0;
    expected[i] = static_cast<int>(i % 32 + 1);
  }
  auto const in = to(ex, std::vector<int>(size, 1)), flags = to(ex, heads);
  auto const out = ex.template allocate<int>(n);
  counts c =
      counted(ex, [&] { segmented_inclusive_scan(ex, in, by_heads(flags), out, plus{}, by); });
  EXPECT_EQ(to_host(ex, out), expected);
  auto const chains = to(ex, std::vector<traced<int>>(static_cast<std::size_t>(n), {1, 0}));
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

std::string text_in(char const* file) {
  std::ifstream from(file);
  return {std::istreambuf_iterator<char>(from), {}};
}

/// Expects a file to have a table between two lines, and writes it there if the environment says so.
void expect_in(char const* file, std::string const& begin, std::string const& end,
               std::string const& table) {
  std::string page = text_in(file);
  auto const first = page.find(begin) + begin.size(), last = page.find(end, first);
  ASSERT_LE(first, last) << file;
  ASSERT_NE(last, std::string::npos) << file;
  if (std::getenv("RAVEL_WRITE_COUNTS") != nullptr)
    std::ofstream(file) << page.replace(first, last - first, table);
  EXPECT_NE(text_in(file).find(table), std::string::npos)
      << file << " has others: run RAVEL_WRITE_COUNTS=1 software_device.counts\n"
      << table;
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
  expect_in(RAVEL_SCAN_PAGE, "<!-- written by software_device.counts: begin -->\n\n",
            "\n<!-- written by software_device.counts: end -->", table);
}

/// A quantity as the tables say it, and what that is for `many` elements.
struct said {
  std::string words;
  double value;
};
/// What is said of an algorithm for n elements in tiles of b, with k resident blocks.
struct stated {
  std::string name;
  said steps, launches, moves, room;
  std::string repeats;
  bool at_worst = false;  // whether there are often fewer steps
};

constexpr index_t many = index_t{1} << 16;
constexpr double log_n = 16, tile = 320, log_b = 8.3;  // of most device forms in software

struct measured {
  counts c;
  double host_work = 0, room = 0;  // per element; in words
};
template <class By>
measured measure(By by, index_t n) {
  measured m{of_scan(by, n)};
  software_device const ex{1};
  auto const in = to(ex, std::vector<int>(static_cast<std::size_t>(n), 1));
  auto const out = ex.template allocate<int>(n);
  plan const p(ex, "counts", [&](auto const& on) { inclusive_scan(on, in, out, plus{}, by); });
  m.room = double(p.bytes() + p.bytes_of_executor()) / sizeof(int);
  if constexpr (!By::device_only) {
    std::vector<traced<int>> x(static_cast<std::size_t>(n), {1, 0});
    m.host_work =
        double(counted(cpu::sequential(),
                       [&] { inclusive_scan(cpu::sequential(), x, x, counting{plus<int>{}}, by); })
                   .work) /
        double(n);
  }
  return m;
}
/// The same of a segmented scan, which has no plain form on a host.
template <class By>
measured measure_segments(By by) {
  return {of_segments(by, many), 0, double(many)};
}

std::string in_n(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.1f n", value);
  std::string const whole = ".0 n", found = text;
  auto const at = found.find(whole);
  return at == std::string::npos ? found : found.substr(0, at) + " n";
}

/// Both tables of what is stated, each row checked with what was counted.
struct tables {
  std::string page, header;

  void add(stated const& s, measured const& m, index_t of = many, std::string work = {}) {
    SCOPED_TRACE(s.name);
    double const elements = double(of);
    if (work.empty()) {
      work = in_n(double(m.c.work) / elements);
      if (m.host_work > 0) work = in_n(m.host_work) + ", " + work;
    }
    EXPECT_LE(double(m.c.span), 2 * s.steps.value + 2);
    EXPECT_GE(double(m.c.span), s.at_worst ? 0 : s.steps.value / 2);
    EXPECT_EQ(double(m.c.launches), s.launches.value);
    // A vector or a bulk copy is one access to several words, and a transaction has eight.
    double const accesses = double(m.c.global.reads + m.c.global.writes) / elements,
                 words = 8 * double(m.c.global.transactions) / elements;
    EXPECT_NEAR(std::min(accesses, words), s.moves.value, 0.05 * s.moves.value + 0.2)
        << accesses << ' ' << words;
    EXPECT_LE(m.room, 2 * s.room.value + 128);
    EXPECT_GE(m.room, s.room.value / 4);
    page += "| " + s.name + " | " + work + " | " + s.steps.words + (s.at_worst ? " at worst" : "") +
            " | " + s.launches.words + " | " + s.moves.words + " | " + s.room.words + " | " +
            s.repeats + " |\n";
    char line[160];
    std::snprintf(line, sizeof(line), "///     %-23s %-13s %-10s %-13s %-16s %s\n", s.name.c_str(),
                  work.c_str(), s.steps.words.c_str(), s.launches.words.c_str(),
                  s.moves.words.c_str(), s.room.words.c_str());
    header += line;
  }
};

TEST(counts, are_as_stated_of_each_named_scan) {
  using namespace scan_algorithm;
  double const all = double(many), tiles = all / tile;
  said const levels{"2 log_b n - 1", 3}, once{"1", 1}, four{"4 n", 4}, two{"2 n", 2},
      room_of_all{"n", all}, few{"k", 8};
  tables t;
  t.add({"naive",
         {"n", double(n)},
         {"2", 2},
         {"n^2 / 2", double(n) / 2 + 3},
         {"n", double(n)},
         "yes, as the loop"},
        measure(naive, n), n, "n^2 / 2");
  t.add({"step_doubling",
         {"log n", log_n},
         {"log n + 2", log_n + 2},
         {"3 n log n", 3 * log_n + 1},
         {"2 n", 2 * all},
         "yes"},
        measure(step_doubling, many), many, "n log n");
  t.add({"work_efficient", {"2 log n", 2 * log_n}, levels, {"5 n", 5}, room_of_all, "yes"},
        measure(work_efficient, many));
  t.add({"work_efficient_unpadded", {"2 log n", 2 * log_n}, levels, {"5 n", 5}, room_of_all, "yes"},
        measure(work_efficient_unpadded, many));
  t.add({"brent_kung", {"2 log n", 2 * log_n}, levels, four, room_of_all, "yes"},
        measure(brent_kung, many));
  t.add({"warp_hierarchical", {"log n", log_n}, levels, four, room_of_all, "yes"},
        measure(warp_hierarchical, many));
  t.add({"reduce_then_scan", {"2 log n", 2 * log_n}, levels, {"3 n", 3}, {"n / b", tiles}, "yes"},
        measure(reduce_then_scan, many));
  t.add({"chained_cyclic", {"n / b", tiles + log_b}, once, two, few, "yes"},
        measure(chained_cyclic, many));
  t.add({"lightscan", {"n / b", all / (1024 * 44) + 15}, once, two, few, "yes"},
        measure(lightscan, many));
  t.add({"decoupled_look_back",
         {"n / b", tiles + log_b},
         once,
         two,
         {"2 n / b", 2 * tiles},
         "no",
         true},
        measure(decoupled_look_back, many));
  t.add({"local_sums",
         {"n / (b k)", tiles / 8 + log_b},
         once,
         two,
         {"3 k", 24},
         "on one device",
         true},
        measure(local_sums, many));
  t.add({"look_ahead",
         {"n / 32 b", tiles / 32 + 2 * log_b},
         once,
         two,
         {"n / b", tiles},
         "yes",
         true},
        measure(look_ahead, many));
  std::string const scans = t.header;
  t.header.clear();
  said const with_flags{"4 n, flags twice", 5.2};
  t.add({"operator_transform", {"log n", 5}, levels, with_flags, room_of_all, "yes"},
        measure_segments(segmented_algorithm::operator_transform));
  t.add({"mindex", {"log n", 5}, levels, with_flags, room_of_all, "yes"},
        measure_segments(segmented_algorithm::mindex));
  expect_in(RAVEL_SCAN_PAGE,
            "| | work | steps | launches | moves | needs room for | repeats bit for bit "
            "|\n|---|---|---|---|---|---|---|\n",
            "\nchained_cyclic, lightscan", t.page);
  expect_in(RAVEL_SCAN_HEADER, "moves            room\n", "///\n", scans);
  expect_in(RAVEL_SCAN_HEADER, "///     segmented_algorithm\n", "///\n", t.header);
}

}  // namespace
}  // namespace ravel::counts_test
