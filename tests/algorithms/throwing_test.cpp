/// Exceptions from functions passed to calls: the call throws the exception, once, with
/// any number of threads; the executor remains usable, with correct results.
/// AddressSanitizer detects leaks.

#include <ravel/algorithms/comparison_sort.hpp>
#include <ravel/algorithms/csr.hpp>
#include <ravel/algorithms/list_ranking.hpp>
#include <ravel/algorithms/merge_segments.hpp>
#include <ravel/algorithms/radix_sort.hpp>
#include <ravel/algorithms/segmented_comparison_sort.hpp>
#include <ravel/algorithms/spmv.hpp>
#include <ravel/core/cpu/executor.hpp>
#include <ravel/core/derived_monoids.hpp>
#include <ravel/primitives/adjacent_difference.hpp>
#include <ravel/primitives/balance.hpp>
#include <ravel/primitives/expand.hpp>
#include <ravel/primitives/histogram.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/merge.hpp>
#include <ravel/primitives/pack.hpp>
#include <ravel/primitives/reduce.hpp>
#include <ravel/primitives/reduce_by_key.hpp>
#include <ravel/primitives/run_length.hpp>
#include <ravel/primitives/scan.hpp>
#include <ravel/primitives/scan_then_pack.hpp>
#include <ravel/primitives/search.hpp>
#include <ravel/primitives/segmented_reduce.hpp>
#include <ravel/primitives/segmented_scan.hpp>
#include <ravel/primitives/split.hpp>
#include <ravel/primitives/split_parts.hpp>
#include <ravel/primitives/unique.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#ifndef RAVEL_CPU_STD_THREADS
#  include <tbb/task_arena.h>
#endif

namespace ravel::throwing_test {
namespace {

/// Calls of the functions below until they throw, as all later calls do.
std::atomic<index_t> calls_left;

void burn() {
  if (calls_left.fetch_sub(1, std::memory_order_relaxed) <= 1) throw std::domain_error("burnt");
}

constexpr index_t plenty = index_t{1} << 50;

struct add {
  static int identity() { return 0; }
  int operator()(int x, int y) const {
    burn();
    return static_cast<int>(static_cast<unsigned>(x) + static_cast<unsigned>(y));
  }
};
struct thrice {
  int operator()(int x) const {
    burn();
    return 3 * x;
  }
};
struct difference {
  int operator()(int x, int y) const {
    burn();
    return y - x;
  }
};
struct is_odd {
  bool operator()(int x) const {
    burn();
    return x % 2 != 0;
  }
};
struct low_digit {
  int operator()(int x) const {
    burn();
    return x & 7;
  }
};
struct before {
  bool operator()(int x, int y) const {
    burn();
    return x < y;
  }
};
struct alike {
  bool operator()(int x, int y) const {
    burn();
    return x == y;
  }
};
struct key_of {
  std::uint32_t operator()(int x) const {
    burn();
    return static_cast<std::uint32_t>(x) % 1009;
  }
};
struct times_rank {
  int operator()(int x, index_t rank) const {
    burn();
    return x + static_cast<int>(rank);
  }
};
struct note_place {
  int* to;
  void operator()(index_t i, index_t s, index_t r) const {
    burn();
    to[i] = static_cast<int>(s + r);
  }
};
struct read_number {
  int const* from;
  int operator()(index_t i) const { return from[i]; }
};
struct half_of_even {
  maybe<int> operator()(index_t, int, int through) const {
    burn();
    return through % 2 == 0 ? maybe<int>(through / 2) : maybe<int>();
  }
};
struct write_kept {
  int* to;
  void operator()(index_t place, int x) const { to[place] = x; }
};

using numbers = std::vector<int>;

struct entry {
  std::string name;
  std::function<numbers(cpu::threads const&)> call;  // allocates its results
};

/// All calls that take a function, on n numbers.
std::vector<entry> entries(index_t n) {
  struct operands {
    numbers in, sorted, keys, next;
    std::vector<index_t> offsets{0};
    std::vector<std::uint8_t> flags;
  };
  auto const made = std::make_shared<operands>();
  auto const many = static_cast<std::size_t>(n);
  std::uint32_t bits = 1;
  for (std::size_t i = 0; i < many; ++i) {
    bits = bits * 1664525 + 1013904223;
    made->in.push_back(static_cast<int>(bits >> 12));
    made->keys.push_back(static_cast<int>(i / 5 % 3));
    made->next.push_back(i + 1 < many ? static_cast<int>(i + 1) : -1);
    made->flags.push_back(bits >> 29 == 0);
    if (bits >> 28 == 0) made->offsets.push_back(static_cast<index_t>(i));
  }
  made->offsets.push_back(n);
  made->sorted = made->in;
  std::sort(made->sorted.begin(), made->sorted.end());

  std::vector<entry> all;
  auto const to = [&](char const* name, index_t results, auto call) {
    all.push_back({name, [=](cpu::threads const& ex) {
                     numbers out(static_cast<std::size_t>(results));
                     call(ex, *made, out);
                     return out;
                   }});
  };
  using from = operands const&;
  using ex = cpu::threads const&;
  to("map", n, [](ex e, from x, numbers& out) { map(e, thrice{}, out, x.in); });
  to("adjacent_difference", n,
     [](ex e, from x, numbers& out) { adjacent_difference(e, x.in, out, difference{}); });
  to("reduce", 1, [](ex e, from x, numbers& out) { reduce(e, x.in, out, add{}); });
  to("inclusive_scan", n, [](ex e, from x, numbers& out) { inclusive_scan(e, x.in, out, add{}); });
  to("exclusive_scan backward", n, [](ex e, from x, numbers& out) {
    exclusive_scan(e, x.in, out, add{}, backward, ravel::from(3));
  });
  to("inclusive_scan of_tuples", n,
     [](ex e, from x, numbers& out) { inclusive_scan(e, x.in, out, add{}, of_tuples<3>); });
  to("segmented_inclusive_scan", n, [](ex e, from x, numbers& out) {
    segmented_inclusive_scan(e, x.in, by_heads(x.flags), out, add{});
  });
  to("segmented_exclusive_scan", n, [](ex e, from x, numbers& out) {
    segmented_exclusive_scan(e, x.in, by_offsets(x.offsets), out, add{});
  });
  to("segmented_reduce", std::ssize(made->offsets) - 1, [](ex e, from x, numbers& out) {
    segmented_reduce(e, x.in, by_offsets(x.offsets), out, add{});
  });
  to("segmented_reduce by heads", n,
     [](ex e, from x, numbers& out) { segmented_reduce(e, x.in, by_heads(x.flags), out, add{}); });
  to("reduce_by_key", 2 * n, [n](ex e, from x, numbers& out) {
    reduce_by_key(e, x.keys, x.in, view_of(out).slice(0, n), view_of(out).slice(n, n), add{});
  });
  to("filter", n, [](ex e, from x, numbers& out) { filter(e, x.in, is_odd{}, out); });
  to("unique", n, [](ex e, from x, numbers& out) { unique(e, x.keys, out, equal_by(alike{})); });
  to("run_length_encode", 2 * n, [n](ex e, from x, numbers& out) {
    run_length_encode(e, x.keys, view_of(out).slice(0, n), view_of(out).slice(n, n),
                      equal_by(alike{}));
  });
  to("split in two", n, [](ex e, from x, numbers& out) { split(e, x.in, is_odd{}, out); });
  to("split in eight", n, [](ex e, from x, numbers& out) { split<8>(e, x.in, low_digit{}, out); });
  to("split to parts", 2 * n, [n](ex e, from x, numbers& out) {
    split(e, x.in, is_odd{}, parts(view_of(out).slice(0, n), view_of(out).slice(n, n)));
  });
  to("histogram", 8, [](ex e, from x, numbers& out) { histogram(e, x.in, out, low_digit{}); });
  to("merge", 2 * n,
     [](ex e, from x, numbers& out) { merge(e, x.sorted, x.sorted, out, before{}); });
  to("lower_bound", n,
     [](ex e, from x, numbers& out) { lower_bound(e, x.in, x.sorted, out, before{}); });
  to("expand", n, [](ex e, from x, numbers& out) {
    auto const some = view_of(x.in).slice(0, std::ssize(x.offsets) - 1);
    expand(e, times_rank{}, some, by_offsets(x.offsets), out);
  });
  to("for_each_in_segments", n, [n](ex e, from x, numbers& out) {
    for_each_in_segments(e, n, by_offsets(x.offsets), note_place{out.data()});
  });
  to("scan_then_pack_on", n, [n](ex e, from x, numbers& out) {
    scan_then_pack_on(e, n, read_number{x.in.data()}, plus<int>{},
                      detail::seed_identity<plus<int>>{}, half_of_even{}, write_kept{out.data()},
                      detail::no_total{});
  });
  to("radix_sort by a key", n,
     [](ex e, from x, numbers& out) { radix_sort(e, x.in, out, by(key_of{})); });
  to("comparison_sort", n,
     [](ex e, from x, numbers& out) { comparison_sort(e, x.in, out, before{}); });
  to("segmented_comparison_sort", n, [](ex e, from x, numbers& out) {
    segmented_comparison_sort(e, x.in, by_offsets(x.offsets), out, before{});
  });
  to("merge_segments", n, [n](ex e, from x, numbers& out) {
    merge_segments(e, x.sorted, uniform(5, n / 5), out, before{});
  });
  to("inclusive_list_scan", n,
     [](ex e, from x, numbers& out) { inclusive_list_scan(e, x.next, x.in, out, add{}); });
  to("spmv", std::ssize(made->offsets) - 1, [n](ex e, from x, numbers& out) {
    index_t const rows = std::ssize(x.offsets) - 1;
    csr const a{rows, n, view_of(x.offsets), view_of(x.keys), view_of(x.in)};
    spmv(e, a, x.in, out, semiring<add, maximum<int>>{});
  });
  return all;
}

numbers call(entry const& what, cpu::threads const& ex) {
  calls_left = plenty;
  return what.call(ex);
}

void expect_that_all_let_out(index_t n, cpu::threads const& ex) {
  for (entry const& each : entries(n)) {
    SCOPED_TRACE(each.name + " of " + std::to_string(n));
    numbers const expected = call(each, ex);
    index_t const calls = plenty - calls_left;
    ASSERT_GT(calls, 0);
    for (index_t const at : {index_t{1}, calls / 3 + 1, calls}) {
      calls_left = at;
      bool is_let_out = false;
      try {
        each.call(ex);
      } catch (std::domain_error const&) {
        is_let_out = true;
      }
      // The number of calls may depend on timing: the last one may not happen.
      EXPECT_EQ(is_let_out, calls_left <= 0) << "at call " << at << " of " << calls;
    }
    EXPECT_EQ(call(each, ex), expected) << "and the executor goes on";
  }
}

constexpr index_t few = 1000, many = 150'000;

TEST(throwing, comes_out_of_every_call) {
  for (int const threads : {1, 3}) {
    expect_that_all_let_out(few, cpu::threads(threads));
    expect_that_all_let_out(many, cpu::threads(threads));
  }
}

#ifndef RAVEL_CPU_STD_THREADS
TEST(throwing, comes_out_of_every_call_in_an_arena_of_the_users) {
  tbb::task_arena arena(2);
  arena.execute([] { expect_that_all_let_out(many, cpu::threads()); });
}
#endif

TEST(throwing, calls_do_not_meet_those_of_other_threads) {
  cpu::threads const ex(3);
  auto const all = entries(many);
  calls_left = plenty;
  std::vector<numbers> expected;
  for (entry const& each : all) expected.push_back(each.call(ex));
  std::vector<std::jthread> users;
  for (std::size_t user = 0; user < 3; ++user) {
    users.emplace_back([&, user] {
      for (std::size_t k = 0; k < all.size(); ++k) {
        std::size_t const mine = (k + user) % all.size();
        EXPECT_EQ(all[mine].call(ex), expected[mine]) << all[mine].name;
      }
    });
  }
}

}  // namespace
}  // namespace ravel::throwing_test
