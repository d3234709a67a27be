/// Loops whose instances leave at different times: results, memory and work.

#include "flatten/programs.hpp"

#include <cstddef>
#include <string>
#include <tuple>

namespace ravel::loops_test {
namespace {

using testing::numbers;
using testing::rows;

template <class Ex>
struct leaving_loops : testing::on_programs<Ex> {
  /// Rounds of each instance: some leave at once, some together, and the last instance is not the
  /// last to.
  numbers const rounds{3, 0, 5, 1, 3, 0, 7, 2, 6};

  /// The result of the loop for a state that `start` makes from the instance's number, with `next`
  /// in
  /// every round.
  template <class Start, class Next>
  auto run(Start const& start, Next const& next) const {
    return this->show(each(indices(this->of(rounds)), this->of(rounds), [&](auto i, auto k) {
      return get<0>(while_([](auto const&, auto left) { return left > 0; },
                           [&](auto x, auto left) { return tup(next(x), left - 1); },
                           tup(start(i), k)));
    }));
  }
};
TYPED_TEST_SUITE(leaving_loops, testing::program_executors);

TYPED_TEST(leaving_loops, of_numbers) {
  EXPECT_EQ(this->run([](auto i) { return i * 10; }, [](auto x) { return x + 1; }),
            "[3,10,25,31,43,50,67,72,86]");
  EXPECT_EQ(this->run([](auto i) { return i % 2 == 0; }, [](auto x) { return !x; }),
            "[f,f,f,t,f,f,f,f,t]");
}

THOROUGH_TYPED_TEST(leaving_loops, of_records) {
  EXPECT_EQ(this->run([](auto i) { return tup(i, tup(i * 0, i % 2 == 0)); },
                      [](auto x) {
                        return tup(get<0>(x), tup(get<0>(get<1>(x)) + 1, get<1>(get<1>(x))));
                      }),
            "[(0,(3,t)),(1,(0,f)),(2,(5,t)),(3,(1,f)),(4,(3,t)),(5,(0,f)),(6,(7,t)),"
            "(7,(2,f)),(8,(6,t))]");
}

TYPED_TEST(leaving_loops, of_sequences_of_one_length) {
  EXPECT_EQ(this->run([](auto i) { return list(i, i * 10); },
                      [](auto x) { return each(x, [](auto e) { return e + 1; }); }),
            "[[3,3],[1,10],[7,25],[4,31],[7,43],[5,50],[13,67],[9,72],[14,86]]");
}

TYPED_TEST(leaving_loops, of_sequences_that_grow) {
  EXPECT_EQ(
      this->run([](auto i) { return list(i); }, [](auto x) { return append(x, x + 1); }),
      "[[0,1,1,2,1,2,2,3],[1],"
      "[2,3,3,4,3,4,4,5,3,4,4,5,4,5,5,6,3,4,4,5,4,5,5,6,4,5,5,6,5,6,6,7],"
      "[3,4],[4,5,5,6,5,6,6,7],[5]," +
          [] {
            std::string all;
            for (int k = 0; k < 128; ++k) {
              all += (k > 0 ? "," : "[") + std::to_string(6 + __builtin_popcount(k));
            }
            return all;
          }() +
          "],[7,8,8,9]," +
          [] {
            std::string all;
            for (int k = 0; k < 64; ++k) {
              all += (k > 0 ? "," : "[") + std::to_string(8 + __builtin_popcount(k));
            }
            return all;
          }() +
          "]]");
}

THOROUGH_TYPED_TEST(leaving_loops, of_slices) {
  EXPECT_EQ(this->run([](auto i) { return iota(i + 4); },
                      [](auto x) { return drop(x, select(len(x) > 2, 1, 0)); }),
            "[[2,3],[0,1,2,3,4],[4,5],[1,2,3,4,5,6],[3,4,5,6,7],[0,1,2,3,4,5,6,7,8],[7,8,9],"
            "[2,3,4,5,6,7,8,9,10],[6,7,8,9,10,11]]");
}

THOROUGH_TYPED_TEST(leaving_loops, of_sequences_of_sequences_of_records) {
  EXPECT_EQ(this->run(
                [](auto i) {
                  return each(iota(i % 3), [&](auto j) {
                    return each(iota(j + 1), [&](auto k) { return tup(i, k); });
                  });
                },
                [](auto x) {
                  return each(x, [](auto row) {
                    return each(row, [](auto p) { return tup(get<0>(p), get<1>(p) + 1); });
                  });
                }),
            "[[],[[(1,0)]],[[(2,5)],[(2,5),(2,6)]],[],[[(4,3)]],[[(5,0)],[(5,0),(5,1)]],[],"
            "[[(7,2)]],[[(8,6)],[(8,6),(8,7)]]]");
}

TYPED_TEST(leaving_loops, of_no_elements_at_all) {
  EXPECT_EQ(this->run([](auto i) { return iota(i * 0); }, [](auto x) { return x; }),
            "[[],[],[],[],[],[],[],[],[]]");
}

/// Loops of scalars, which one thread runs for each instance.
template <class Ex>
struct scalar_loops : testing::on_programs<Ex> {
  template <class F>
  static std::string message_of(F const& f) {
    try {
      f();
    } catch (call_error const& e) {
      return e.what();
    }
    return "no error";
  }
};
TYPED_TEST_SUITE(scalar_loops, testing::program_executors);

TYPED_TEST(scalar_loops, divide_and_choose) {
  auto const collatz = [](auto x) {
    return get<1>(
        while_([](auto y, auto) { return y != 1; },
               [](auto y, auto k) { return tup(select(y % 2 == 0, y / 2, 3 * y + 1), k + 1); },
               tup(x, x * 0)));
  };
  EXPECT_EQ(this->show(each(this->of(numbers{6, 7, 1, 27}), collatz)), "[8,16,0,111]");
  // Quotients of negative numbers round towards 0, by shifts as by divisions.
  auto const halves = [](auto x) {
    return while_(
        [](auto, auto, auto k) { return k < 3; },
        [](auto y, auto z, auto k) { return tup(y / 4, z * 100 + y % 4 * 10 + y % -3, k + 1); },
        tup(x, x * 0, x * 0));
  };
  EXPECT_EQ(this->show(each(this->of(numbers{-27, 26, -1}), halves)),
            "[(0,-302011,3),(0,222011,3),(0,-110000,3)]");
}

TYPED_TEST(scalar_loops, read_captured_sequences_at_computed_indices) {
  auto const next = this->of(rows{{1, 2, 3, 3}, {2, 0, 1}, {0}});
  auto const limit = this->of(numbers{2, 4, 1});
  EXPECT_EQ(this->show(each(next, limit,
                            [](auto row, auto most) {
                              return each(indices(row), [&](auto i) {
                                return while_(
                                    [&](auto, auto k) { return k < most; },
                                    [&](auto at_, auto k) { return tup(at(row, at_), k + 1); },
                                    tup(i, i * 0));
                              });
                            })),
            "[[(2,2),(3,2),(3,2),(3,2)],[(2,4),(0,4),(1,4)],[(0,1)]]");
}

TYPED_TEST(scalar_loops, use_what_is_chosen_only) {
  auto const row = this->of(numbers{5, 0, 7, 2});
  // Without the guards both an index and a divisor would fail, in the last round.
  EXPECT_EQ(this->show(each(this->of(numbers{4, 2}),
                            [&](auto n) {
                              return while_(
                                  [&](auto i, auto) { return (i > 0) && (at(row, i - 1) != 1); },
                                  [&](auto i, auto sum) {
                                    auto const x = select(i < len(row), at(row, i), 1);
                                    return tup(i - 1, sum + select(x == 0, 100, 70 / x));
                                  },
                                  tup(n, n * 0));
                            })),
            "[(0,215),(0,110)]");
}

TYPED_TEST(scalar_loops, have_states_of_records_and_flags) {
  EXPECT_EQ(this->show(each(this->of(numbers{1, 5, 3}),
                            [](auto n) {
                              return while_(
                                  [](auto p, auto goes) { return goes && (get<0>(p) < 100); },
                                  [](auto p, auto) {
                                    return tup(tup(get<0>(p) + get<1>(p), get<0>(p)),
                                               get<0>(p) % 7 != 0);
                                  },
                                  tup(tup(n, n * 0), n > 0));
                            })),
            "[((34,21),f),((105,65),t),((102,63),f)]");
}

TYPED_TEST(scalar_loops, run_steps_of_their_bodies_each_round) {
  EXPECT_EQ(this->show(each(this->of(numbers{3, 0, 6}),
                            [](auto n) {
                              return while_(
                                  [](auto x, auto) { return x > 0; },
                                  [](auto x, auto s) { return tup(x - 1, s + sum(iota(x))); },
                                  tup(n, n * 0));
                            })),
            "[(0,4),(0,0),(0,35)]");
}

TYPED_TEST(scalar_loops, take_branches) {
  auto const row = this->of(numbers{5, 0, 7, 2});
  // Guards, branches of records, and branches in branches.
  auto const walk = [&](auto n) {
    return while_([](auto i, auto) { return i > 0; },
                  [&](auto i, auto s) {
                    return if_(
                        i < len(row),
                        [&] {
                          auto const x = if_(
                              at(row, i) == 0, [&] { return i * 100; },
                              [&] { return 70 / at(row, i); });
                          return tup(i - 1, s + x);
                        },
                        [&] { return tup(i - 1, s + 1); });
                  },
                  tup(n, n * 0));
  };
  EXPECT_EQ(this->show(each(this->of(numbers{5, 2, 0}), walk)), "[(0,147),(0,110),(0,0)]");
  // A branch that runs steps: only for the instances that take it.
  auto const sums = [](auto n) {
    return while_([](auto x, auto) { return x > 0; },
                  [](auto x, auto s) {
                    auto const more = if_(
                        x % 2 == 0, [&] { return sum(iota(x)); }, [&] { return x; });
                    return tup(x - 1, s + more);
                  },
                  tup(n, n * 0));
  };
  EXPECT_EQ(this->show(each(this->of(numbers{3, 0, 6}), sums)), "[(0,5),(0,0),(0,31)]");
}

TYPED_TEST(scalar_loops, are_within_loops) {
  auto const grow = [](auto n) {
    return while_([](auto, auto k) { return k < 3; },
                  [](auto x, auto k) {
                    auto const limit = 10 * (k + 1);
                    auto const next = while_([&](auto y) { return y < limit; },
                                             [&](auto y) { return y + x + 1; }, x);
                    return tup(next, k + 1);
                  },
                  tup(n, n * 0));
  };
  EXPECT_EQ(this->show(each(this->of(numbers{1, 5, 30}), grow)), "[(47,3),(47,3),(30,3)]");
}

TYPED_TEST(scalar_loops, report_the_instance_that_fails_and_end) {
  auto const row = this->of(numbers{1, 2, 3, 9, 0, 4});
  auto const follow = [&](auto start) {
    return while_([](auto i) { return i != 4; }, [&](auto i) { return at(row, i); }, start);
  };
  EXPECT_EQ(this->message_of([&] {
    to_host(each(this->of(numbers{5, 1, 0}), follow));
  }),
            "at: index 9 is not in [0, 6), at instance 1");
  auto const shrink = [](auto start) {
    return while_([](auto x) { return x >= 0; }, [](auto x) { return 7 / x - 2; }, start);
  };
  EXPECT_EQ(this->message_of([&] {
    to_host(each(this->of(numbers{9, 3, 3}), shrink));
  }),
            "division by zero, at instance 1");
}

#ifndef __CUDACC__

/// Memory and steps do not grow with the number of rounds.
TEST(loop_cost, one_step_for_all_rounds) {
  cpu::sequential const ex;
  index_t const n = 1'000;
  auto const starts = keep(iota(from(ex, n)));
  auto const cost = [&](index_t rounds, auto const& next) {
    reset_stats();
    index_t const before = stats().bytes;
    auto const last = each(starts, [&](auto x) {
      return while_([&](auto, auto k) { return k < rounds; },
                    [&](auto y, auto k) { return next(x, y, k); }, tup(x, x * 0));
    });
    auto found = stats();
    found.most_bytes -= before;
    return found;
  };
  auto const expect_one = [&](auto const& next) {
    auto const few = cost(2, next), many = cost(2'000, next);
    EXPECT_EQ(many.steps, few.steps);
    EXPECT_EQ(many.elements, few.elements);
    EXPECT_EQ(many.most_bytes, few.most_bytes);
    EXPECT_LE(many.most_bytes, 6 * 8 * n);
  };
  expect_one([](auto x, auto y, auto k) { return tup(y * 3 + x, k + 1); });
  expect_one([](auto x, auto y, auto k) {
    return if_(
        y % 2 == 0, [&] { return tup(y / 2, k + 1); }, [&] { return tup(y * 3 + x, k + 1); });
  });
}

/// A loop of n instances, of which instance i makes rounds_of(i) rounds with a state of 16 bytes.
template <class F>
program_stats cost_of_loop(index_t n, F const& rounds_of) {
  cpu::sequential const ex;
  auto const start = each(iota(from(ex, n)), [&](auto i) { return tup(i + 0, rounds_of(i)); });
  auto const states = keep(start);
  reset_stats();
  index_t const before = stats().bytes;
  auto const last = each(states, [](auto state) {
    return while_([](auto, auto left) { return left > 0; },
                  [](auto x, auto left) { return tup(x + 1, left - 1); }, state);
  });
  auto cost = stats();
  EXPECT_EQ(to_host(sum(get<1>(last))), 0);
  cost.most_bytes -= before;
  return cost;
}

TEST(loop_cost, memory_is_that_of_the_instances_that_are_left) {
  index_t const n = 4'000, state = 16 * n;
  for (index_t const rounds : {10, 200}) {
    auto const evenly = cost_of_loop(n, [&](auto i) { return i * rounds / n; });
    EXPECT_LE(evenly.most_bytes, 4 * state + 1'000) << rounds;
    auto const late = cost_of_loop(n, [&](auto i) { return select(i % 8 == 0, 1, rounds); });
    EXPECT_LE(late.most_bytes, 4 * state + 1'000) << rounds;
  }
}

/// A member that the body returns unchanged is not read through the maps of all rounds.
TEST(loop_cost, memory_of_what_is_passed_on) {
  cpu::sequential const ex;
  index_t const n = 4'000, rounds = 200, state = 16 * n;
  auto const states =
      keep(each(iota(from(ex, n)), [&](auto i) { return tup(i + 0, i * rounds / n); }));
  reset_stats();
  index_t const before = stats().bytes;
  auto const last = each(states, [](auto s) {
    return while_([](auto, auto left) { return left > 0; },
                  [](auto x, auto left) { return tup(x, left - 1); }, s);
  });
  EXPECT_LE(stats().most_bytes - before, 5 * state + 1'000);
  EXPECT_EQ(to_host(sum(get<0>(last))), n * (n - 1) / 2);
}

TEST(loop_cost, instances_that_leave_cost_no_more_than_those_that_stay) {
  index_t const n = 2'000, rounds = 100;
  auto const stay = cost_of_loop(n, [&](auto i) { return i * 0 + rounds; });
  auto const evenly = cost_of_loop(n, [&](auto i) { return i * rounds / n; });
  // On average half of all instances remain, and each result is written once more.
  EXPECT_LE(evenly.elements, stay.elements * 55 / 100 + 3 * n);
  // One in ten leaves in each round, and nine stay until the end.
  auto const few = cost_of_loop(n, [&](auto i) { return select(i % 10 == 0, i / 20, rounds); });
  EXPECT_LE(few.elements, stay.elements + 2 * n);
}

TEST(loop_cost, results_that_are_sequences_are_copied_once) {
  cpu::sequential const ex;
  index_t const n = 2'000, rounds = 50;
  auto const starts =
      keep(each(iota(from(ex, n)), [&](auto i) { return tup(dist(i, i % 7), i * rounds / n); }));
  index_t const state = 8 * (3 * n + 2 * n);  // elements, offsets and rounds
  reset_stats();
  index_t const before = stats().bytes;
  auto const last = each(starts, [](auto x) {
    return while_(
        [](auto const&, auto left) { return left > 0; },
        [](auto row, auto left) { return tup(each(row, [](auto e) { return e + 1; }), left - 1); },
        x);
  });
  EXPECT_LE(stats().most_bytes - before, 6 * state);
  EXPECT_LE(stats().elements, 6 * rounds * state / 8);
  EXPECT_EQ(to_host(len(get<0>(last))), n);
}

#endif

}  // namespace
}  // namespace ravel::loops_test
