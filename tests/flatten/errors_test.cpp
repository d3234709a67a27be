/// Cases 114 to 121 and 123 of flattening: which operations fail, where, and which do not.

#include "flatten/programs.hpp"

#include <optional>
#include <string>

namespace ravel::errors_test {
namespace {

using testing::numbers;
using testing::rows;

template <class Ex>
struct program_errors : testing::on_programs<Ex> {
  rows const ragged{{2, 1}, {7, 3, 0}, {4}};

  /// The message of the E that f throws.
  template <class E, class F>
  static std::string sentence_of(F const& f) {
    try {
      f();
    } catch (E const& e) {
      return e.what();
    } catch (std::exception const& e) {
      return std::string("another error: ") + e.what();
    }
    return "no error";
  }
};
TYPED_TEST_SUITE(program_errors, testing::program_executors);

struct itself_as_digit {
  RAVEL_HD int operator()(index_t x) const { return static_cast<int>(x); }
};

TYPED_TEST(program_errors, digit_that_is_none) {
  auto const a = this->of(rows{{1, 0}, {0, 3, 0, 4}, {2}});
  auto const by_itself = [&] {
    return to_host(each(a, [](auto v) { return split<3>(v, itself_as_digit{}); }));
  };
  auto const sentence = this->template sentence_of<domain_error>(by_itself);
  EXPECT_TRUE(sentence == "split: the digit 3 is not in [0, 3), at instance 1" ||
              sentence == "split: the digit 4 is not in [0, 3), at instance 1")
      << sentence;
}

TYPED_TEST(program_errors, case_114_sequences_differ_in_length) {
  auto const a = this->of(this->ragged);
  auto const b = this->of(rows{{1, 2}, {3, 4}, {5}});
  auto const add = [&] { return to_host(each(a, b, [](auto x, auto y) { return x + y; })); };
  EXPECT_EQ(this->template sentence_of<shape_error>(add),
            "each: the sequences differ in length at instance 1: 3 and 2");
}

/// As many elements in all, so that a device finds the lengths while the next step runs.
TYPED_TEST(program_errors, sequences_of_as_many_elements_differ_in_length) {
  auto const a = this->of(rows{{2, 1}, {7, 3, 0}, {4}});
  auto const b = this->of(rows{{1, 2}, {3}, {4, 5, 6}});
  auto const sentence = [&](auto const& call) {
    return this->template sentence_of<shape_error>([&] { to_host(call(a, b)); });
  };
  std::string const why = ": the sequences differ in length at instance 1: 3 and 1";
  EXPECT_EQ(sentence([](auto x, auto y) { return x + y; }), "each" + why);
  EXPECT_EQ(sentence([](auto x, auto y) {
              return each(x, y, [](auto v, auto w) { return pack(v, w > 0); });
            }),
            "pack" + why);
  EXPECT_EQ(sentence([](auto x, auto y) {
              return each(x, y, [](auto v, auto w) { return permute(v, w * 0); });
            }),
            "permute" + why);
  EXPECT_EQ(sentence([](auto x, auto y) {
              return each(x, y, [](auto v, auto w) { return write(v, v * 0, w); });
            }),
            "write" + why);
  EXPECT_EQ(sentence([](auto x, auto y) {
              return each(x, y, [](auto v, auto w) { return reduce_by_index(v, w, 8, plus{}); });
            }),
            "reduce_by_index" + why);
}

TYPED_TEST(program_errors, case_115_lengths_do_not_add_up) {
  auto const cut = [&](numbers const& lengths) {
    return this->template sentence_of<shape_error>([&] {
      to_host(unflatten(this->of(numbers{1, 2, 3}), this->of(lengths)));
    });
  };
  EXPECT_EQ(cut({2, 2}),
            "unflatten: the lengths add up to 4, and there are 3 elements, at instance 0");
  EXPECT_EQ(cut({4, -1}), "unflatten: length 1 is -1");
}

TYPED_TEST(program_errors, case_116_index_outside) {
  auto const a = this->of(this->ragged);
  auto const third = [&] { return to_host(each(a, [](auto v) { return at(v, 2); })); };
  EXPECT_EQ(this->template sentence_of<index_error>(third),
            "at: index 2 is not in [0, 2), at instance 0");
  auto const sliced = [&] { return to_host(each(a, [](auto v) { return take(v, 2); })); };
  EXPECT_EQ(this->template sentence_of<index_error>(sliced),
            "take: of 1 elements the first 2 are wanted, at instance 2");
  auto const dropped = [&] { return to_host(each(a, [](auto v) { return drop(v, 4); })); };
  EXPECT_EQ(this->template sentence_of<index_error>(dropped),
            "drop: of 2 elements all but the first 4 are wanted, at instance 0");
  auto const turned = [&] { return to_host(slice(a, 2, 1)); };
  EXPECT_EQ(this->template sentence_of<index_error>(turned),
            "slice: [2, 1) is not inside the sequence, at instance 0");
  auto const nested_too = [&] { return to_host(at(a, -1)); };
  EXPECT_EQ(this->template sentence_of<index_error>(nested_too),
            "at: index -1 is not in [0, 3), at instance 0");
  auto const written = [&] {
    return to_host(write(at(a, 0), this->of(numbers{7}), this->of(numbers{1})));
  };
  EXPECT_EQ(this->template sentence_of<index_error>(written),
            "write: index 7 is not in [0, 2), at instance 0");
}

/// A list has one length, so that the host checks constant indices.
TYPED_TEST(program_errors, index_outside_of_a_list) {
  auto const of_sequences = [&](index_t k) {
    return this->template sentence_of<index_error>([&] {
      auto const a = this->of(numbers{1, 2}), b = this->of(numbers{3});
      to_host(at(list(a, b), k));
    });
  };
  EXPECT_EQ(of_sequences(2), "at: index 2 is not in [0, 2), at instance 0");
  EXPECT_EQ(of_sequences(-1), "at: index -1 is not in [0, 2), at instance 0");
  EXPECT_EQ(of_sequences(1), "no error");
  auto const of_rows = [&](index_t k) {
    return this->template sentence_of<index_error>([&] {
      to_host(each(this->of(this->ragged), [&](auto v) { return at(list(v, v, v), k); }));
    });
  };
  EXPECT_EQ(of_rows(3), "at: index 3 is not in [0, 3), at instance 0");
  EXPECT_EQ(of_rows(-1), "at: index -1 is not in [0, 3), at instance 0");
  auto const of_numbers = [&](index_t k) {
    return this->template sentence_of<index_error>([&] {
      to_host(each(this->of(this->ragged), [&](auto v) { return at(list(len(v), sum(v)), k); }));
    });
  };
  EXPECT_EQ(of_numbers(2), "at: index 2 is not in [0, 2), at instance 0");
  EXPECT_EQ(of_numbers(-1), "at: index -1 is not in [0, 2), at instance 0");
  EXPECT_EQ(this->show(each(this->of(this->ragged), [](auto v) { return at(list(v, v, v), 2); })),
            "[[2,1],[7,3,0],[4]]");
}

TYPED_TEST(program_errors, case_117_index_guarded) {
  auto const third = each(this->of(this->ragged), [](auto v) {
    return if_(
        len(v) > 2, [&] { return at(v, 2); }, [&] { return index_t{-1}; });
  });
  EXPECT_EQ(this->show(third), "[-1,0,-1]");
}

TYPED_TEST(program_errors, case_118_division_guarded) {
  auto const d = this->of(numbers{4, 0, 2});
  EXPECT_EQ(this->show(each(d,
                            [](auto x) {
                              return if_(
                                  x != 0, [&] { return 8 / x; }, [&] { return index_t{0}; });
                            })),
            "[2,0,4]");
  EXPECT_EQ(this->show(each(d, [](auto x) { return select(x != 0, 8 / x, 0); })), "[2,0,4]");
  EXPECT_EQ(this->template sentence_of<domain_error>([&] { return to_host(8 / d); }),
            "division by zero, at instance 1");
  EXPECT_EQ(this->template sentence_of<domain_error>([&] { return to_host(8 % d); }),
            "division by zero, at instance 1");
}

TYPED_TEST(program_errors, case_119_division_of_rows_without_elements) {
  using row = std::pair<index_t, numbers>;
  auto const a = this->of(std::vector<row>{{2, {1, 2}}, {0, {}}, {5, {3}}});
  auto const result = each(a, [](auto r) {
    auto const k = fst(r);
    return each(snd(r), [&](auto q) { return 10 / k + q; });
  });
  EXPECT_EQ(this->show(result), "[[6,7],[],[5]]");
}

TYPED_TEST(program_errors, case_120_least_of_nothing) {
  auto const a = this->of(rows{{1}, {}});
  EXPECT_EQ(this->template sentence_of<domain_error>(
                [&] { return to_host(each(a, [](auto v) { return max_index(v); })); }),
            "max_index: the sequence is empty, at instance 1");
  EXPECT_EQ(this->template sentence_of<domain_error>(
                [&] { return to_host(each(a, [](auto v) { return min_index(v); })); }),
            "min_index: the sequence is empty, at instance 1");
}

TYPED_TEST(program_errors, case_121_value_that_escaped) {
  std::optional<value<TypeParam, index_t>> escaped;
  each(this->of(numbers{1, 2}), [&](auto x) {
    escaped = keep(x);
    return x;
  });
  EXPECT_THROW(to_host(*escaped), context_error);
  EXPECT_THROW(to_host(*escaped + 1), context_error);
  auto const printed = [&] {
    each(this->of(numbers{1, 2}), [](auto x) {
      to_host(x);
      return x;
    });
  };
  EXPECT_EQ(this->template sentence_of<context_error>(printed),
            "to_host: inside a lambda a value has many instances: return it, and call this "
            "with the result of the program");
  EXPECT_THROW(to_host(each(this->of(numbers{1, 2}), [&](auto x) { return x + *escaped; })),
               context_error);
}

TYPED_TEST(program_errors, case_123_lambda_is_called_once) {
  int calls = 0;
  auto const count = [&](auto x) {
    ++calls;
    return x;
  };
  to_host(each(this->of(numbers{1, 2, 3}), count));
  EXPECT_EQ(calls, 1);
  to_host(each(this->of(numbers{}), count));
  EXPECT_EQ(calls, 2);
}

TYPED_TEST(program_errors, least_instance_is_reported) {
  numbers all(20'000, 0);
  for (std::size_t i = 7'000; i < all.size(); ++i) all[i] = 1;
  auto const v = this->of(numbers{5});
  auto const i = this->of(all);
  EXPECT_EQ(this->template sentence_of<index_error>([&] { return to_host(gather(v, i)); }),
            "at: index 1 is not in [0, 1), at instance 7000");
}

TYPED_TEST(program_errors, what_is_not_wanted_does_not_fail) {
  auto const v = this->of(numbers{5});
  auto const unused = at(v, 3);
  EXPECT_EQ(this->show(v), "[5]");
  EXPECT_THROW(to_host(unused), index_error);
  EXPECT_EQ(this->show(v), "[5]");  // an error is reported once
}

TYPED_TEST(program_errors, neighbours_that_are_none) {
  numbers host(1000, 1);
  auto const x = this->of(host);
  auto const rows_of = [&](auto const& values) {
    return each(unflatten(values, 50), [](auto row) { return sum(row); });
  };
  auto const past_end = each(indices(x), [&](auto i) { return at(x, i + 1); });
  EXPECT_EQ(this->template sentence_of<index_error>([&] { return to_host(rows_of(past_end)); }),
            "at: index 1000 is not in [0, 1000), at instance 999");
  auto const ahead = each(indices(x), [&](auto i) { return at(x, i - 2); });
  EXPECT_EQ(this->template sentence_of<index_error>([&] { return to_host(rows_of(ahead)); }),
            "at: index -2 is not in [0, 1000), at instance 0");
  auto const guarded =
      each(indices(x), [&](auto i) { return select(i >= 2, at(x, i - 2), index_t{7}); });
  numbers wanted(20, 50);
  wanted[0] = 48 + 2 * 7;
  EXPECT_EQ(to_host(rows_of(guarded)), wanted);
  auto const at_end =
      each(indices(x), [&](auto i) { return select(i + 1 < len(x), at(x, i + 1) * 2, 0); });
  EXPECT_EQ(to_host(sum(at_end)), 1998);
}

TYPED_TEST(program_errors, choosing_no_branch) {
  auto const a = this->of(numbers{0, 3, 1, 2, -1});
  auto const choose = [&] {
    return to_host(each(a, [](auto x) {
      return switch_(
          x, [&] { return x; }, [&] { return -x; });
    }));
  };
  EXPECT_EQ(this->template sentence_of<domain_error>(choose),
            "switch_: 3 is the number of none of the 2 branches, at instance 1");
}

TYPED_TEST(program_errors, no_permutation) {
  auto const a = this->of(rows{{1, 2}, {3, 4}});
  auto const move = [&](rows const& i) {
    return to_host(each(a, this->of(i), [](auto v, auto k) { return permute(v, k); }));
  };
  EXPECT_EQ(testing::text(move({{1, 0}, {0, 1}})), "[[2,1],[3,4]]");
  EXPECT_EQ(this->template sentence_of<domain_error>([&] {
    return move({{1, 0}, {1, 1}});
  }),
            "permute: no index is 0, so they are no permutation, at instance 1");
  EXPECT_EQ(this->template sentence_of<domain_error>([&] {
    return move({{1, 2}, {0, 1}});
  }),
            "permute: index 2 is not in [0, 2), at instance 0");
}

TYPED_TEST(program_errors, step_of_zero) {
  auto const a = this->of(numbers{1, 0});
  EXPECT_EQ(this->template sentence_of<domain_error>(
                [&] { return to_host(each(a, [](auto s) { return range(0, 5, s); })); }),
            "range: the step is 0, at instance 1");
}

}  // namespace
}  // namespace ravel::errors_test
