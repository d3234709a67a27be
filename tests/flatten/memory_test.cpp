/// The memory after a program: that of its variables only.

#include <ravel/core/error.hpp>

#include "flatten/programs.hpp"
#include "support/device_forms.hpp"

#include <cstddef>
#include <utility>
#include <vector>

namespace ravel::memory_test {
namespace {

using testing::numbers;
using testing::rows;

template <class Ex>
struct program_memory : testing::on_programs<Ex> {
  /// The factor by which other executors get more elements than a device in software.
  static constexpr index_t more = cpu::host_executor<Ex> ? 16 : 1;

  static index_t bytes() { return stats().bytes; }

  /// Expects f() to leave no more memory than before.
  template <class F>
  static void expect_nothing_left(char const* what, F const& f) {
    for (int run = 0; run < 3; ++run) {
      index_t const before = bytes();
      f();
      EXPECT_EQ(bytes(), before) << what << ", run " << run;
    }
  }
};
TYPED_TEST_SUITE(program_memory, testing::program_executors_and_device_if_thorough);

template <class Ex>
struct program_memory_on_devices : program_memory<Ex> {};
TYPED_TEST_SUITE(program_memory_on_devices, testing::program_executors_and_device);

numbers up_to(index_t n) {
  numbers all(static_cast<std::size_t>(n));
  for (index_t i = 0; i < n; ++i) all[static_cast<std::size_t>(i)] = i;
  return all;
}

TYPED_TEST(program_memory, of_copies_of_a_captured_sequence_is_that_of_one_program) {
  index_t const n = 128 * this->more, many = 16;
  auto const b = this->of(numbers(static_cast<std::size_t>(n), 2));
  index_t const alone = this->bytes();
  for (int program = 0; program < 6; ++program) {
    reset_stats();
    {
      auto const k = this->of(up_to(many));
      auto const sums = each(k, [&](auto x) { return sum(b * x); });
      EXPECT_EQ(to_host(sums).back(), 2 * n * (many - 1));
      EXPECT_LE(this->bytes(), alone + 8 * 8 * many);  // of k, the sums, and a map
    }
    EXPECT_EQ(this->bytes(), alone) << program;
    EXPECT_LE(stats().most_bytes, alone + 3 * 8 * n * many) << program;
  }
}

THOROUGH_TYPED_TEST(program_memory_on_devices, of_operands_that_live_longer_holds_no_copies) {
  index_t const n = 128 * this->more, many = 16;
  auto const b = this->of(numbers(static_cast<std::size_t>(n), 2));
  auto const k = this->of(up_to(many));
  auto const table = this->of(rows(static_cast<std::size_t>(many), up_to(8)));
  auto const warm_up = [&] {
    to_host(each(k, [&](auto x) { return sum(b * x); }));
    to_host(each(table, [&](auto row) { return each(row, [&](auto e) { return sum(row * e); }); }));
  };
  warm_up();
  this->expect_nothing_left(
      "both live on", [&] { to_host(each(k, [&](auto x) { return sum(b * x) + max(b - x); })); });
  this->expect_nothing_left("what is captured dies", [&] {
    auto const fresh = this->of(numbers(static_cast<std::size_t>(n), 3));
    to_host(each(k, [&](auto x) { return sum(fresh * x); }));
  });
  this->expect_nothing_left("two levels down", [&] {
    auto const fresh = this->of(numbers(100, 3));
    to_host(each(table, [&](auto row) {
      return each(row, [&](auto e) { return sum(row * e) + sum(fresh * e) + sum(b) * e; });
    }));
  });
  this->expect_nothing_left("a record of sequences", [&] {
    auto const pairs = zip(this->of(up_to(50)), this->of(numbers(50, 3)));
    to_host(each(k, [&](auto x) {
      return sum(each(pairs, [&](auto pair) { return fst(pair) * snd(pair) + x; }));
    }));
  });
  this->expect_nothing_left("a sequence of sequences", [&] {
    auto const fresh = this->of(rows{{1, 2}, {}, {3}});
    to_host(each(k, [&](auto x) { return each(fresh, [&](auto row) { return sum(row) * x; }); }));
  });
}

TYPED_TEST(program_memory, of_small_scalars_holds_none_for_each_element) {
  index_t const many = 8, rounds = 10 * this->more;
  std::vector<std::vector<int>> host;
  for (index_t i = 0; i < many; ++i) host.emplace_back(static_cast<std::size_t>(100 + i), 1);
  auto const table = this->of(host);
  to_host(each(table, [](auto row) { return sum(row * 2); }));
  for (int program = 0; program < 4; ++program) {
    this->expect_nothing_left("scalars that die", [&] {
      auto const weights = this->of(std::vector<int>(static_cast<std::size_t>(many), 3));
      auto const weighted = each(table, weights, [](auto row, auto w) { return sum(row * w); });
      EXPECT_EQ(to_host(weighted)[1], 303);
    });
  }
  // In one program: a scalar for each round, of rows that live through all rounds.
  reset_stats();
  index_t const before = this->bytes();
  auto const looped = each(table, [&](auto row) {
    return while_([&](auto i, auto) { return i < rounds; },
                  [&](auto i, auto total) { return tup(i + 1, total + sum(row * i)); },
                  tup(cast<int>(len(row) * 0), 0));
  });
  EXPECT_EQ(to_host(snd(looped))[0], 50 * (rounds - 1) * rounds);
  EXPECT_LE(stats().most_bytes - before, 16 * 4 * 110 * many);
}

TYPED_TEST(program_memory_on_devices, of_loops_is_that_of_a_round) {
  index_t const n = 64 * this->more, many = 16;
  auto const b = this->of(numbers(static_cast<std::size_t>(n), 1));
  auto const start = this->of(up_to(many));
  reset_stats();
  index_t const before = this->bytes();
  this->expect_nothing_left("a loop", [&] {
    // An instance leaves in each round, so that each round has a context of its own.
    auto const ends = each(start, [&](auto x) {
      return while_([&](auto y) { return y < many; }, [&](auto y) { return y + max(b * y) / y; },
                    x + 1);
    });
    EXPECT_EQ(to_host(ends), numbers(static_cast<std::size_t>(many), many));
  });
  EXPECT_LE(stats().most_bytes - before, 4 * 8 * n * many);
}

TYPED_TEST(program_memory, of_branches_and_recursions_is_that_of_results) {
  auto const b = this->of(up_to(100));
  auto const x = this->of(up_to(64));
  auto const by_halves = rec<index_t(index_t)>([&](auto self, auto n) {
    return if_(
        n < 2, [&] { return sum(b + n); }, [&] { return self(n / 2) + max(b * n); });
  });
  this->expect_nothing_left("a recursion", [&] { to_host(each(x, by_halves)); });
  this->expect_nothing_left("branches", [&] {
    to_host(each(x, [&](auto n) {
      return if_(
          n % 2 == 0, [&] { return sum(b * n); },
          [&] {
            return switch_(
                n % 3, [&] { return max(b - n); }, [&] { return n + 0; }, [&] { return len(b); });
          });
    }));
  });
  this->expect_nothing_left("a program that throws", [&] {
    EXPECT_THROW(to_host(each(x, [&](auto n) { return sum(b * n) + at(b, n + 50); })), index_error);
  });
}

#ifdef __CUDACC__
/// Rows that turn out to have one length, so many that a device tests it: products read them in place.
TYPED_TEST(program_memory_on_devices, of_products_of_slices_is_that_of_the_rows) {
  if constexpr (!cpu::host_executor<TypeParam>) {
    index_t const n = 256;
    auto const cut = [&](index_t step) {
      return keep(each(this->of(rows(static_cast<std::size_t>(n), up_to(n + 1))),
                       [&](auto row) { return keep(take(row, len(row) - 1) * step); }));
    };
    auto const a = cut(1), b = cut(3);
    reset_stats();
    index_t const before = this->bytes();
    auto const products = each(a, [&](auto const& row) {
      return each(b, [&](auto const& column) { return sum(row * column); });
    });
    index_t const wanted = 3 * (n - 1) * n * (2 * n - 1) / 6;
    EXPECT_EQ(to_host(flatten(products)), numbers(static_cast<std::size_t>(n * n), wanted));
    EXPECT_LT(stats().most_bytes - before, 8 * n * n * n / 4);
  }
}
#endif

/// An operand that is moved into a call is updated where it is, if nothing else holds its elements.
TYPED_TEST(program_memory, of_a_moved_operand_is_updated_in_place) {
  auto const at = this->of(numbers{1, 3, 1}), values = this->of(numbers{5, 7, 5});
  auto const a = this->of(up_to(5));
  auto const once = write(a, at, values);
  EXPECT_EQ(to_host(a), up_to(5));
  auto copy = once;
  auto const twice = write(std::move(copy), list(len(at) - 3), list(len(at)));
  EXPECT_EQ(to_host(once), (numbers{0, 5, 2, 7, 4}));  // as `once` still holds it
  EXPECT_EQ(to_host(twice), (numbers{3, 5, 2, 7, 4}));
  EXPECT_THROW(to_host(copy), context_error);
  EXPECT_THROW(len(copy), context_error);

  auto pairs = zip(keep(a + 0), keep(a * 2));
  auto const firsts = fst(pairs);
  auto const written = write(std::move(pairs), at, zip(values, values + 1));
  EXPECT_EQ(to_host(firsts), up_to(5));
  EXPECT_EQ(this->show(written), "[(0,0),(5,6),(2,4),(7,8),(4,8)]");

  auto const longer = append(zip(keep(a + 0), keep(a * 2)), take(written, 2));
  EXPECT_EQ(this->show(longer), "[(0,0),(1,2),(2,4),(3,6),(4,8),(0,0),(5,6)]");

  // In each row, and of an operand that all rows share.
  auto const table = this->of(rows{{3, 1, 2}, {}, {5, 4}});
  EXPECT_EQ(this->show(each(table,
                            [&](auto row) {
                              auto const zeros =
                                  write(dist(index_t{0}, len(row)), indices(row), row);
                              auto shared = a;
                              return append(write(std::move(row), indices(zeros), zeros + 1),
                                            write(std::move(shared), take(at, 1), take(values, 1)));
                            })),
            "[[4,2,3,0,5,2,3,4],[0,5,2,3,4],[6,5,0,5,2,3,4]]");
  EXPECT_EQ(to_host(a), up_to(5));
}

TYPED_TEST(program_memory, of_discarded_values_is_free) {
  index_t const n = 1024 * this->more;
  auto const a = this->of(numbers(static_cast<std::size_t>(n), 1));
  index_t const before = this->bytes();
  auto rows = list(keep(a + 1), keep(a + 2));
  auto const first = at(rows, 0);
  auto scalar = at(a, 5);
  EXPECT_GE(this->bytes(), before + 2 * 8 * n);
  auto const sums = keep(each(std::move(rows), [&](auto row) {
    auto const total = keep(sum(row));
    discard(row);
    return total;
  }));
  EXPECT_EQ(to_host(sums), (numbers{2 * n, 3 * n}));
  EXPECT_THROW(to_host(rows), context_error);
  EXPECT_THROW(len(rows), context_error);
  EXPECT_EQ(to_host(sum(first)), 2 * n);  // what was made of them remains
  discard(scalar);
  EXPECT_THROW(to_host(scalar), context_error);
  EXPECT_THROW(keep(scalar + 1), context_error);
  EXPECT_EQ(to_host(sum(a)), n);
}

/// Levels that move their arguments into the call hold them no longer.
TYPED_TEST(program_memory, of_moved_arguments_is_that_of_the_level_that_runs) {
  index_t const n = 256 * this->more, levels = 20;
  auto const a = this->of(numbers(static_cast<std::size_t>(n), 1));
  auto const depth = this->of(levels);
  auto const add = rec<nested<index_t>(nested<index_t>, index_t)>([](auto self, auto x, auto k) {
    return if_(
        k == 0, [&] { return x; },
        [&] {
          auto more = keep(x + 1);
          discard(x);
          return self(std::move(more), k - 1);
        });
  });
  to_host(add(a, depth));
  reset_stats();
  index_t const before = this->bytes();
  {
    auto const sums = add(a, depth);
    EXPECT_LE(stats().most_bytes - before, 3 * 8 * n + 1024 * levels);
    EXPECT_EQ(to_host(sums), numbers(static_cast<std::size_t>(n), levels + 1));
  }
  EXPECT_EQ(this->bytes(), before);
}

/// Each round reads what the one before has written, also by copies that a context remembers.
TYPED_TEST(program_memory, of_a_state_is_updated_in_place) {
  index_t const n = 64 * this->more, rounds = 20;
  auto const k = this->of(up_to(3));
  auto const program = [&](auto const& update) {
    auto const start = this->of(numbers(static_cast<std::size_t>(n), 1));
    return to_host(get<1>(while_([&](auto i, auto) { return i < rounds; }, update,
                                 tup(this->of(index_t{0}), start))));
  };
  numbers wanted(static_cast<std::size_t>(n), 1);
  for (index_t i = 0; i < rounds; ++i) {
    index_t sum = 0;
    for (std::size_t j = 0; j < 4; ++j) sum += 3 * wanted[static_cast<std::size_t>(i) + j];
    wanted[static_cast<std::size_t>(i) + 1] = sum % 1000;
  }
  EXPECT_EQ(program([&](auto i, auto x) {
              auto const sums = each(k, [&](auto by) { return sum(slice(x, i, i + 4) * by); });
              return tup(i + 1, write(std::move(x), list(i + 1), list(sum(sums) % 1000)));
            }),
            wanted);

  auto const elements_of = [&](auto const& update) {
    reset_stats();
    program(update);
    return stats().elements;
  };
  auto const one = [](auto i, auto x) { return tup(i + 1, write(std::move(x), list(i), list(i))); };
  auto const grown = [](auto i, auto x) { return tup(i + 1, append(std::move(x), list(i))); };
  wanted.assign(static_cast<std::size_t>(n), 1);
  for (index_t i = 0; i < rounds; ++i) wanted.push_back(i);
  EXPECT_EQ(program(grown), wanted);
  EXPECT_LE(elements_of(grown), 4 * n + 20 * rounds);
  auto const held = [](auto i, auto x) { return tup(i + 1, write(x, list(i), list(i))); };
  EXPECT_LE(elements_of(one), 2 * n + 20 * rounds);
  EXPECT_GE(elements_of(held), n * rounds);
}

/// Operations within one lambda share values moved to it, which would otherwise be copied for each.
TYPED_TEST(program_memory_on_devices, is_shared_by_the_operations_of_a_lambda) {
  index_t const n = 64 * this->more, many = 16;
  auto const b = this->of(numbers(static_cast<std::size_t>(n), 2));
  auto const k = this->of(up_to(many));
  auto const elements_of = [&](auto const& f) {
    reset_stats();
    to_host(each(k, f));
    return stats().elements;
  };
  index_t const once = elements_of([&](auto x) { return sum(b * x); });
  index_t const twice = elements_of([&](auto x) { return sum(b * x) + sum(b * x); });
  index_t const one_reduction = n * many;
  EXPECT_LE(twice, once + one_reduction + 8 * many);
}

TYPED_TEST(program_memory, a_budget_bounds_what_exists_at_a_time) {
  auto const k = this->of(numbers{3, 1, 2, 5});
  auto const sums = each(
      k, [](auto n) { return sum(iota(n)); }, budget(1 << 20));
  EXPECT_EQ(to_host(sums), (numbers{3, 0, 1, 10}));

  index_t const n = 64 * this->more, many = 128;
  auto const b = this->of(up_to(n));
  reset_stats();
  index_t const before = this->bytes(), chunk = 8 * 8 * n;
  auto const least = to_host(each(
      this->of(up_to(many)), [&](auto x) { return min(keep(b + x)); }, budget(chunk)));
  EXPECT_EQ(least, up_to(many));
  EXPECT_LE(stats().most_bytes - before, chunk + 10 * 8 * many);  // and operand, results, indices
  EXPECT_THROW(budget(0), contract_error);
}

}  // namespace
}  // namespace ravel::memory_test
