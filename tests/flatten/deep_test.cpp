/// Recursions whose depth is data: a million levels, limits, and exceptions from the deepest level.

#include <ravel/core/config.hpp>
#include <ravel/core/cpu/executor.hpp>
#include <ravel/flatten/flatten.hpp>

#include <gtest/gtest.h>

#include <pthread.h>
#include <algorithm>
#include <cstddef>
#include <exception>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

namespace ravel::deep_test {
namespace {

using numbers = std::vector<index_t>;
cpu::sequential const ex;

#if defined(RAVEL_UNDER_ASAN) || defined(RAVEL_UNDER_TSAN)
constexpr index_t million = 20'000, many = 20'000;  // frames are several times larger
#else
constexpr index_t million = 1'000'000, many = 100'000;
#endif

auto const depth_of = rec<index_t(index_t)>([](auto self, auto k) {
  return if_(
      k == 0, [&] { return k * 0; }, [&] { return self(k - 1) + 1; });
});

TEST(deep_recursion, of_a_scalar) { EXPECT_EQ(to_host(depth_of(from(ex, million))), million); }

TEST(deep_recursion, that_instances_leave_on_the_way) {
  numbers const depths{many, 3, many / 2, 0, many, many - 1, 1'000};
  EXPECT_EQ(to_host(each(from(ex, depths), depth_of)), depths);
}

TEST(deep_recursion, with_sequences_for_arguments) {
  auto const sum_below = rec<index_t(nested<index_t>, index_t)>([](auto self, auto x, auto k) {
    return if_(
        k == 0, [&] { return sum(x); }, [&] { return self(x, k - 1) + 1; });
  });
  auto const rows = from(ex, std::vector<numbers>{{1, 2}, {}, {4}});
  EXPECT_EQ(to_host(each(rows, from(ex, numbers{many / 4, 20'000, 7}), sum_below)),
            (numbers{many / 4 + 3, 20'000, 11}));
}

/// Arguments and results of each level own their own memory, not that of all other levels.
TEST(deep_recursion, keeps_no_list_of_all_levels) {
  std::size_t most = 0;
  auto const note = [&](auto const& keep) { most = std::max(most, keep.size()); };
  auto const made = rec<nested<index_t>(nested<index_t>, index_t, index_t)>(
      [&](auto self, auto x, auto k, auto same) {
        note(x.s.d->keep);
        note(same.s.keep);
        return if_(
            k == 0, [&] { return keep(each(iota(same % 3), [&](auto i) { return i + same; })); },
            [&] {
              auto const below = self(x, k - 1, same);
              note(below.s.child.keep);
              return below;
            });
      });
  index_t const n = 300;
  auto const all = each(iota(from(ex, n)), [&](auto i) { return made(iota(i % 5), i, i); });
  EXPECT_EQ(to_host(len(flatten(all))), n);
  EXPECT_LE(most, flattening::max_arrays_described);
}

/// Opening a slice copies its elements; deeper levels do not keep the copies of the levels above.
TEST(deep_recursion, keeps_no_copies_of_elements) {
  auto const walk = rec<index_t(nested<index_t>, index_t)>([](auto self, auto x, auto k) {
    return if_(
        k == 0, [&] { return k + 0; },
        [&] {
          auto const total = keep(sum(each(x, [](auto e) { return e * e; })));
          return self(drop(x, 1), k - 1) + total;
        });
  });
  index_t const n = 1'000, levels = 50;
  auto const rows = from(ex, std::vector<numbers>(2, numbers(static_cast<std::size_t>(n), 1)));
  auto const depths = from(ex, numbers{levels, levels - 1});
  reset_stats();
  index_t const before = stats().bytes;
  auto const sums = each(rows, depths, walk);
  EXPECT_LE(stats().most_bytes - before, 6 * n * index_t{sizeof(index_t)});
  index_t const all = levels * n - levels * (levels - 1) / 2;
  EXPECT_EQ(to_host(sums), (numbers{all, all - (n - levels + 1)}));
}

TEST(deep_recursion, that_captures_values_of_outer_instances) {
  auto const rows = from(ex, std::vector<numbers>{{1, 2}, {3, 4}, {5, 6}});
  auto const depths = from(ex, numbers{many / 2, 5, many / 4});
  auto const sums = each(rows, depths, [](auto row, auto depth) {
    auto const step = at(row, 1);
    auto const walk = rec<index_t(index_t)>([&](auto self, auto k) {
      return if_(
          k == 0, [&] { return at(row, 0); }, [&] { return self(k - 1) + step - 1; });
    });
    return walk(depth);
  });
  EXPECT_EQ(to_host(sums), (numbers{1 + many / 2, 3 + 5 * 3, 5 + many / 4 * 5}));
}

TEST(deep_recursion, minimax_of_a_path) {
  index_t const depth = many / 5;
  std::vector<numbers> children(static_cast<std::size_t>(depth + 1));
  for (index_t v = 0; v < depth; ++v) children[static_cast<std::size_t>(v)] = {v + 1};
  auto const tree = from(ex, children);
  auto const best = rec<index_t(index_t)>([&](auto self, auto v) {
    auto const below = at(tree, v);
    return if_(
        len(below) == 0, [&] { return v; }, [&] { return -max(each(below, self)); });
  });
  EXPECT_EQ(to_host(best(from(ex, index_t{0}))), depth);
}

TEST(deep_recursion, first_pivot_quicksort_of_a_sorted_row) {
  auto const sorted = rec<nested<index_t>(nested<index_t>)>([](auto self, auto a) {
    return if_(
        len(a) < 2, [&] { return a; },
        [&] {
          auto const pivot = at(a, 0);
          auto const less = filter(a, [&](auto x) { return x < pivot; });
          auto const same = filter(a, [&](auto x) { return x == pivot; });
          auto const more = filter(a, [&](auto x) { return x > pivot; });
          auto const both = each(list(less, more), self);
          return append(at(both, 0), same, at(both, 1));
        });
  });
  numbers row(5'000);
  std::iota(row.begin(), row.end(), 0);
  EXPECT_EQ(to_host(sorted(from(ex, row))), row);
}

TEST(deep_recursion, takes_little_of_the_stack_of_its_thread) {
  pthread_attr_t small;
  ASSERT_EQ(pthread_attr_init(&small), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&small, std::size_t{1} << 20), 0);
  index_t depth = 0;
  pthread_t thread;
  auto const run = [](void* found) -> void* {
    *static_cast<index_t*>(found) = to_host(depth_of(from(ex, index_t{20'000})));
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &small, run, &depth), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&small);
  EXPECT_EQ(depth, 20'000);
}

/// The message of the E that f throws.
template <class E, class F>
std::string sentence_of(F const& f) {
  try {
    f();
  } catch (E const& e) {
    return e.what();
  } catch (std::exception const& e) {
    return std::string("another error: ") + e.what();
  }
  return "no error";
}

TEST(deep_recursion, throws_what_an_instance_at_the_bottom_fails_with) {
  auto const walk = rec<index_t(nested<index_t>, index_t)>([](auto self, auto x, auto k) {
    return if_(
        k == 0, [&] { return at(x, len(x)); }, [&] { return self(x, k - 1); });
  });
  auto const rows = from(ex, std::vector<numbers>{{1, 2}, {4}});
  auto const run = [&] { return to_host(each(rows, from(ex, numbers{10'000, 9'000}), walk)); };
  EXPECT_EQ(sentence_of<index_error>(run), "at: index 1 is not in [0, 1), at instance 0");
  // The thread can recurse again afterwards.
  EXPECT_EQ(to_host(depth_of(from(ex, index_t{9'000}))), 9'000);
}

TEST(deep_recursion, ends_at_its_limit) {
  for (index_t const limit : {index_t{1}, index_t{7}, many / 5}) {
    auto const below = rec<index_t(index_t)>(
        [](auto self, auto k) {
          return if_(
              k == 0, [&] { return k; }, [&] { return self(k - 1); });
        },
        depth_limit{limit});
    auto const deepest = numbers{limit - 1, 0};
    EXPECT_EQ(to_host(each(from(ex, deepest), below)), numbers(2, 0));
    auto const run = [&] { to_host(each(from(ex, numbers{limit, 0, limit + 3, 0}), below)); };
    EXPECT_EQ(sentence_of<context_error>(run),
              "rec: a call at depth " + std::to_string(limit + 1) + " is beyond depth_limit{" +
                  std::to_string(limit) + "}; instances that still call: 2");
    EXPECT_EQ(to_host(each(from(ex, deepest), below)), numbers(2, 0));
  }
}

TEST(deep_recursion, counts_calls_of_its_own_function) {
  auto const inner = rec<index_t(index_t)>(
      [](auto self, auto k) {
        return if_(
            k == 0, [&] { return k * 0 + 1; }, [&] { return self(k - 1); });
      },
      depth_limit{3});
  auto const outer = rec<index_t(index_t)>([&](auto self, auto k) {
    return if_(
        k == 0, [&] { return inner(k + 2); }, [&] { return self(k - 1) + inner(k * 0 + 2); });
  });
  EXPECT_EQ(to_host(outer(from(ex, index_t{10}))), 11);
}

/// A chain of contexts of one instance each, innermost last.
flattening::context_ptr<cpu::sequential> chain(index_t levels) {
  auto c = flattening::root_on(ex);
  for (index_t k = 0; k < levels; ++k) {
    auto const first = flattening::hold<index_t>(ex, 1);
    *first.data = 0;
    c = flattening::restricted_to(c, first.shared());
  }
  return c;
}

TEST(contexts, ancestors_of_a_short_chain) {
  auto const deepest = chain(300);
  std::vector<flattening::context<cpu::sequential> const*> all(301);
  for (auto const* c = deepest.get(); c != nullptr; c = c->up.get()) {
    all[static_cast<std::size_t>(c->level)] = c;
  }
  for (auto c = deepest; c->level > 0; c = c->up) {
    for (int level = 0; level <= c->level; ++level) {
      EXPECT_EQ(flattening::above(c, level).get(), all[static_cast<std::size_t>(level)]);
      EXPECT_EQ(flattening::covered_above(c, level).get(), all[static_cast<std::size_t>(level)]);
    }
  }
}

TEST(contexts, that_do_not_cover_end_the_search) {
  auto const wide = flattening::opened_in(chain(50), 2, {{}, 2}, true);
  auto const first = flattening::hold<index_t>(ex, 1);
  *first.data = 0;
  auto narrow = flattening::restricted_to(wide, first.shared());
  auto deepest = narrow;
  for (int k = 0; k < 100; ++k) deepest = flattening::opened_in(deepest, 1, {{}, 1}, true);
  for (int level = 0; level <= deepest->level; ++level) {
    int const expected = std::max(level, narrow->level);
    EXPECT_EQ(flattening::covered_above(deepest, level)->level, expected) << level;
  }
}

/// Walking each chain by single steps would take 10^12 of them; a recursive destructor
/// would need a hundred megabytes of stack.
TEST(contexts, a_million_levels) {
  auto const deepest = chain(million);
  auto const* const start = flattening::above(deepest, 1).get();
  index_t found = 0;
  for (auto c = deepest; c->level > 1; c = c->up) {
    found += flattening::above(c, 1).get() == start;
    found += flattening::covered_above(c, 1).get() == start;
  }
  EXPECT_EQ(found, 2 * (million - 1));
  EXPECT_NE(deepest->to(start), nullptr);
}

}  // namespace
}  // namespace ravel::deep_test
