/// select, && and ||: an operand that an instance does not use cannot fail, in expressions of any
/// size.

#include "flatten/programs.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace ravel::guards_test {
namespace {

using testing::flags;
using testing::numbers;
using testing::rows;

template <class Ex>
struct guards : testing::on_programs<Ex> {
  numbers const host{5, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4};
  index_t const n = static_cast<index_t>(host.size());

  /// The message of the exception that f throws.
  template <class F>
  static std::string sentence_of(F const& f) {
    try {
      f();
    } catch (error const& e) {
      return e.what();
    }
    return "no error";
  }
  index_t before(index_t i, int k) const { return host[static_cast<std::size_t>(i - k)]; }
};
TYPED_TEST_SUITE(guards, testing::program_executors);

template <int... K, class F>
void for_each_size(std::integer_sequence<int, K...>, F const& f) {
  (f(std::integral_constant<int, K>()), ...);
}
/// Sizes around the limits at which an expression is materialised, once, twice and three times.
#ifdef RAVEL_TEST_BRIEFLY
using sizes = std::integer_sequence<int, 1, 5, 6, 11>;
#else
using sizes = std::integer_sequence<int, 1, 2, 4, 5, 6, 7, 9, 11, 16>;
#endif

/// x[i - 1] + ... + x[i - K]
template <int K>
auto sum_before = []<class X, class I>(X const& x, I const& i) {
  return [&]<int... J>(std::integer_sequence<int, J...>) { return (at(x, i - (J + 1)) + ...); }
  (std::make_integer_sequence<int, K>());
};

TYPED_TEST(guards, of_a_choice_hold_at_every_size) {
  auto const x = this->of(this->host);
  for_each_size(sizes(), [&]<int K>(std::integral_constant<int, K>) {
    numbers wanted;
    for (index_t i = 0; i < this->n; ++i) {
      wanted.push_back(0);
      for (int k = 1; k <= K && i >= K; ++k) wanted.back() += this->before(i, k);
    }
    auto const program = [&] {
      return each(indices(x), [&](auto i) { return select(i >= K, sum_before<K>(x, i), 0); });
    };
    EXPECT_EQ(to_host(program()), wanted) << K;
    EXPECT_FALSE(explain([&] { EXPECT_EQ(to_host(program()), wanted) << K; }).empty());
    // The other operand, and a choice in each: the guard holds at any depth.
    EXPECT_EQ(to_host(each(indices(x),
                           [&](auto i) {
                             return select(i < K, 0,
                                           select(i >= 0, sum_before<K>(x, i), at(x, -1)));
                           })),
              wanted)
        << K;
    EXPECT_EQ(to_host(each(indices(x),
                           [&](auto i) {
                             auto const s = sum_before<K>(x, i);
                             return select(i >= K, select(s > 0, s, s + at(x, i - 1)), 0);
                           })),
              wanted)
        << K;
  });
}

TYPED_TEST(guards, that_let_an_instance_fail_say_the_same_at_every_size) {
  auto const x = this->of(this->host);
  for_each_size(sizes(), [&]<int K>(std::integral_constant<int, K>) {
    auto const sentence = this->sentence_of([&] {
      to_host(each(indices(x), [&](auto i) { return select(i >= K - 1, sum_before<K>(x, i), 0); }));
    });
    EXPECT_EQ(sentence, "at: index -1 is not in [0, 20), at instance " + std::to_string(K - 1));
    // The error is that of the first operation in program order, at its first failing instance.
    auto const several = this->sentence_of([&] {
      to_host(each(indices(x), [&](auto i) {
        auto const far = at(x, i + 17);
        return select(i % 2 == 0, sum_before<K>(x, i + K) + far, 0);
      }));
    });
    EXPECT_EQ(several, "at: index 21 is not in [0, 20), at instance 4");
    EXPECT_EQ(to_host(each(indices(x), [&](auto i) { return select(i >= K, 1, 0); })).size(),
              this->host.size());  // the failure has been reported and reset
  });
}

TYPED_TEST(guards, of_operators_short_circuit_at_every_size) {
  auto const x = this->of(this->host);
  for_each_size(sizes(), [&]<int K>(std::integral_constant<int, K>) {
    flags both, either;
    for (index_t i = 0; i < this->n; ++i) {
      index_t sum = 0;
      for (int k = 1; k <= K && i >= K; ++k) sum += this->before(i, k);
      both.push_back(i >= K && sum > 4 * K);
      either.push_back(i < K || sum > 4 * K);
    }
    EXPECT_EQ(
        to_host(each(indices(x), [&](auto i) { return i >= K && sum_before<K>(x, i) > 4 * K; })),
        both)
        << K;
    EXPECT_EQ(
        to_host(each(indices(x), [&](auto i) { return i < K || sum_before<K>(x, i) > 4 * K; })),
        either)
        << K;
    // With a materialised operand, and nested guards, also in a pack.
    auto const picked = filter(indices(x), [&](auto i) {
      auto const large = sum_before<K>(x, i) > 4 * K;
      return i >= 0 && (i >= K && (i < K || large)) && !(i < K || !(i >= K && large));
    });
    numbers wanted;
    for (index_t i = 0; i < this->n; ++i) {
      if (both[static_cast<std::size_t>(i)]) wanted.push_back(i);
    }
    EXPECT_EQ(to_host(picked), wanted) << K;
    EXPECT_EQ(to_host(count(each(indices(x),
                                 [&](auto i) {
                                   auto const large = sum_before<K>(x, i) > 4 * K;
                                   return i >= K && large;
                                 }))),
              static_cast<index_t>(wanted.size()))
        << K;
    auto const sentence = this->sentence_of([&] {
      to_host(each(indices(x), [&](auto i) { return i >= K - 1 && sum_before<K>(x, i) > 0; }));
    });
    EXPECT_EQ(sentence, "at: index -1 is not in [0, 20), at instance " + std::to_string(K - 1));
  });
}

TYPED_TEST(guards, are_those_of_cpp) {
  auto const x = this->of(numbers{3, 0, 2});
  EXPECT_EQ(this->show(each(indices(x), [&](auto i) { return i < 2 && at(x, i + 1) > 1; })),
            "[f,t,f]");
  EXPECT_EQ(this->show(each(indices(x), [&](auto i) { return i == 2 || at(x, i + 1) > 1; })),
            "[f,t,t]");
  EXPECT_EQ(this->show(each(indices(x), [&](auto i) { return (at(x, i) && 6 / at(x, i) > 2); })),
            "[f,f,t]");
  EXPECT_EQ(this->show(each(x, [](auto d) { return d == 0 || 6 % d == 0; })), "[t,t,t]");
  EXPECT_EQ(this->show((x > 0) && (x < 3)), "[f,f,t]");
  EXPECT_EQ(this->show((x > 2) || (x < 1)), "[t,t,f]");
  EXPECT_EQ(this->show(each(x, [](auto d) { return true && d > 0; })), "[t,f,t]");
  // The first operand is always used.
  EXPECT_EQ(this->sentence_of([&] {
    to_host(each(indices(x), [&](auto i) { return at(x, i + 1) > 1 && i < 2; }));
  }),
            "at: index 3 is not in [0, 3), at instance 2");
  EXPECT_EQ(explain([&] {
              to_host(each(indices(x), [&](auto i) { return i < 2 && at(x, i) > 1; }));
            }).find("&&") != std::string::npos,
            true);
}

THOROUGH_TYPED_TEST(guards, hold_for_divisions_and_searches_at_every_size) {
  auto const d = this->of(numbers{4, 0, 2, 0, 1});
  auto const sorted = this->of(numbers{1, 3, 5, 7});
  auto const quotients = [](auto x, auto y) {
    return x / y + x % y + x / y + x % y + x / y + x % y + x / y + x % y + x / y + x % y;
  };
  EXPECT_EQ(this->show(each(d, [&](auto y) { return select(y != 0, quotients(y + 1, y), -1); })),
            "[10,-1,10,-1,10]");
  EXPECT_EQ(this->sentence_of([&] { to_host(each(d, [&](auto y) { return quotients(y, y); })); }),
            "division by zero, at instance 1");
  auto const places = [&](auto x, auto i) {
    return lower_bound(sorted, at(x, i)) + upper_bound(sorted, at(x, i)) +
           lower_bound(sorted, at(x, i) + 1) + upper_bound(sorted, at(x, i) + 2);
  };
  EXPECT_EQ(
      this->show(each(indices(d), [&](auto i) { return select(i > 0, places(d, i - 1), -1); })),
      "[-1,9,1,5,1]");
}

/// Materialised for rows, and used by some of their elements, and in branches.
TYPED_TEST(guards, hold_in_contexts_within) {
  auto const x = this->of(this->host);
  auto const table = this->of(rows{{1, 2}, {}, {3, 4, 5}, {7}});
  auto const program = [&](auto const& use) {
    return this->show(each(table, indices(table), [&](auto row, auto i) {
      auto const heavy = sum_before<7>(x, i + 6);  // fails for the first row
      return each(row, [&](auto e) { return use(e, i, heavy); });
    }));
  };
  EXPECT_EQ(program([](auto e, auto i, auto heavy) { return select(i >= 2, heavy + e, e); }),
            "[[1,2],[],[31,32,33],[39]]");
  EXPECT_EQ(program([](auto e, auto i, auto heavy) {
              return if_(
                  i >= 2, [&] { return heavy * e; }, [&] { return e + 0; });
            }),
            "[[1,2],[],[84,112,140],[224]]");
  EXPECT_EQ(this->sentence_of([&] {
    program([](auto e, auto i, auto heavy) { return select(i >= 1, e, heavy); });
  }),
            "at: index -1 is not in [0, 20), at instance 0");
  // The row without elements does not fail, as no element uses the value.
  EXPECT_EQ(program([](auto e, auto i, auto heavy) { return select(i != 0, heavy + e, e); }),
            "[[1,2],[],[31,32,33],[39]]");
}

}  // namespace
}  // namespace ravel::guards_test
