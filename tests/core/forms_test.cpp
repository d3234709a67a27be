/// Structure, tables and explanations, on the test's own operands and forms.

#include <ravel/core/cpu/buffer.hpp>
#include <ravel/core/cpu/executor.hpp>
#include <ravel/core/explain.hpp>
#include <ravel/core/operands.hpp>
#include <ravel/core/run_call.hpp>
#include <ravel/core/same_everywhere.hpp>
#include <ravel/core/structure.hpp>
#include <ravel/core/table.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace ravel::forms_test {
namespace {

struct doubled {
  template <class T>
  T operator()(T const& x) const {
    return static_cast<T>(x + x);
  }
};
struct negated {
  int operator()(int x) const { return -x; }
};
struct square_of_index {
  index_t operator()(index_t i) const { return i * i; }
};
/// A function object that declares its results.
template <class T>
struct doubles_of {
  T const* in;
  T operator()(index_t i) const { return doubled{}(in[i]); }
  auto structure() const { return mapped<contiguous<T>, doubled>{{in}, {}}; }
};
/// Like thrust::device_vector: a fancy pointer that unwraps.
template <class T>
struct vector_with_data {
  using value_type = T;
  struct pointer {
    T* p;
    T* get() const { return p; }
  };
  T* p;
  index_t n;
  pointer data() const { return {p}; }
  index_t size() const { return n; }
};

template <class S>
std::vector<element_of_t<S>> elements(S const& s, index_t n) {
  std::vector<element_of_t<S>> all;
  for (index_t i = 0; i < n; ++i) all.push_back(s(i));
  return all;
}
template <class X>
auto elements(X const& x) requires is_instance<X, sized_source> {
  return elements(source_of(x), operand_size(x));
}

TEST(structure, memory_has_one_normal_form) {
  using T = int;
  using normal = contiguous<T>;
  static_assert(std::same_as<source_t<std::vector<T>>, normal>);
  static_assert(std::same_as<source_t<T[3]>, normal>);
  static_assert(std::same_as<source_t<std::span<T>>, normal>);
  static_assert(std::same_as<source_t<std::span<T const>>, normal>);
  static_assert(std::same_as<source_t<cpu::buffer<T>>, normal>);
  static_assert(std::same_as<source_t<view<T>>, normal>);
  static_assert(std::same_as<source_t<view<T const>>, normal>);
  static_assert(std::same_as<source_t<view<T const, device_space>>, normal>);
  static_assert(std::same_as<source_t<vector_with_data<T>>, normal>);
  static_assert(std::same_as<sink_t<std::vector<T>&>, into_contiguous<T>>);
  static_assert(std::same_as<sink_t<std::span<T>>, into_contiguous<T>>);
  static_assert(std::same_as<sink_t<cpu::buffer<T>&>, into_contiguous<T>>);
  static_assert(std::same_as<sink_t<view<T, device_space> const&>, into_contiguous<T>>);
  static_assert(std::same_as<sink_t<vector_with_data<T>&>, into_contiguous<T>>);
  std::vector<T> x{3, 1, 2};
  EXPECT_EQ(source_of(std::as_const(x)).data, x.data());
  EXPECT_EQ(sink_of(x).room, 3);
}

TEST(structure, maps_and_mirrors_have_one_normal_form) {
  std::vector<int> const x{3, 1, 2, 5};
  auto const once = map_source(x, doubled{});
  auto const twice = map_source(once, negated{});
  static_assert(std::same_as<source_t<decltype(map_source(x, std::identity{}))>, contiguous<int>>);
  static_assert(
      std::same_as<source_t<decltype(twice)>, mapped<contiguous<int>, composed<doubled, negated>>>);
  static_assert(std::same_as<source_t<decltype(mirror_source(once))>,
                             mapped<mirrored<contiguous<int>>, doubled>>);
  static_assert(std::same_as<source_t<decltype(mirror_source(mirror_source(x)))>, contiguous<int>>);
  static_assert(
      std::same_as<source_t<decltype(mirror_source(count_source(4, 2.0, 0.5)))>, counted<double>>);
  EXPECT_EQ(elements(twice), (std::vector{-6, -2, -4, -10}));
  EXPECT_EQ(elements(mirror_source(once)), (std::vector{10, 4, 2, 6}));
  EXPECT_EQ(elements(mirror_source(mirror_source(x))), x);
  EXPECT_EQ(elements(mirror_source(count_source(4, 2.0, 0.5))), (std::vector{3.5, 3.0, 2.5, 2.0}));
  constexpr int most = std::numeric_limits<int>::max(), least = std::numeric_limits<int>::min();
  EXPECT_EQ(elements(count_source(3, most - 1)), (std::vector{most - 1, most, least}));
  EXPECT_EQ(elements(mirror_source(count_source(3, 0, least))), (std::vector{0, least, 0}));
  // A mirror of a part of a mirror is memory, at another address.
  contiguous<int> const all{x.data()};
  auto const part =
      normal_form(mirrored<mirrored<contiguous<int>>>{mirrored<contiguous<int>>{all, 3}, 2});
  static_assert(std::same_as<decltype(part), contiguous<int> const>);
  EXPECT_EQ(elements(part, 3), (std::vector{1, 2, 5}));
}

TEST(structure, sinks_have_one_normal_form) {
  std::vector<int> x(4);
  auto const to = sink_of(x);
  using To = into_contiguous<int>;
  static_assert(std::same_as<sink_t<into_mapped<identity_function, To>>, To>);
  static_assert(std::same_as<sink_t<into_mapped<doubled, into_mapped<negated, To>>>,
                             into_mapped<composed<doubled, negated>, To>>);
  static_assert(std::same_as<sink_t<into_mirrored<into_mapped<doubled, To>>>,
                             into_mapped<doubled, into_mirrored<To>>>);
  auto const mirrored_twice = sink_of(into_mirrored<into_mapped<doubled, To>>{{{}, to}, 3});
  for (index_t i = 0; i < 4; ++i) mirrored_twice(i, static_cast<int>(i));
  EXPECT_EQ(x, (std::vector{6, 4, 2, 0}));
  EXPECT_TRUE(has_room(mirrored_twice, 3));
  EXPECT_FALSE(has_room(into_mapped<doubled, To>{{}, to}, 4));
}

TEST(structure, a_function_object_may_say_what_it_returns) {
  std::vector<int> const x{3, 1, 2};
  auto const by_hand = compute_source<host_space>(3, doubles_of<int>{x.data()});
  static_assert(
      std::same_as<source_t<decltype(by_hand)>, source_t<decltype(map_source(x, doubled{}))>>);
  static_assert(std::same_as<source_t<square_of_index>, computed<square_of_index>>);
  EXPECT_EQ(elements(by_hand), (std::vector{6, 2, 4}));
  EXPECT_EQ(elements(compute_source(3, square_of_index{})), (std::vector<index_t>{0, 1, 4}));
}

TEST(structure, gathers_and_zips) {
  std::vector<int> const x{3, 1, 2};
  std::vector<short> const index{2, 2, 0, 1};
  EXPECT_EQ(elements(gather_source(x, index)), (std::vector{2, 2, 3, 1}));
  auto const pairs = elements(zip_source(x, count_source<index_t>(3, 5)));
  EXPECT_EQ(pairs[2].first, 2);
  EXPECT_EQ(pairs[2].second, 7);
  EXPECT_THROW(zip_source(x, index), contract_error);
}

TEST(structure, traits_are_of_what_is_stored) {
  using memory = contiguous<float>;
  static_assert(is_in_memory<memory> && is_in_memory<mapped<memory, doubled>>);
  static_assert(!is_in_memory<mirrored<memory>> && !is_in_memory<counted<int>>);
  static_assert(std::same_as<stored_t<mapped<memory, doubled>>, float>);
  static_assert(std::same_as<stored_t<into_mapped<doubled, into_contiguous<int>>>, int>);
  static_assert(std::is_void_v<stored_t<computed<square_of_index>>>);
  alignas(16) float some[5] = {};
  EXPECT_TRUE(is_aligned(memory{some}, 16));
  EXPECT_FALSE(is_aligned(mapped<memory, doubled>{{some + 1}, {}}, 16));
}

TEST(structure, operands_are_in_the_memory_of_an_executor) {
  using host = cpu::sequential;
  using vector = std::vector<int>;
  using there = view<int, device_space>;
  static_assert(operand_on<vector const&, host> && !operand_on<there, host>);
  static_assert(operand_on<decltype(map_source(vector(), doubled{})), host>);
  static_assert(!operand_on<decltype(map_source(there(), doubled{})), host>);
  static_assert(operand_on<decltype(count_source(3, 0)), host>);
  static_assert(!operand_on<decltype(zip_source(count_source(0, 0), there())), host>);
  static_assert(!operand_on<square_of_index, host>);  // has no size
}

// ---- tables -------------------------------------------------------------------------------------

struct toy_family;
template <class In>
struct toy_call {
  using family = toy_family;
  index_t n;
  In in;
  std::string* ran;
};

struct small_form {
  static constexpr auto name = "small";
  static constexpr auto why = "Few elements.";
  template <class Call>
  static constexpr auto types = needs(need{is_in_memory<decltype(Call::in)>, "a source in memory"});
  template <class Call>
  static auto now(Call const& c, cpu::host const& m) {
    static_assert(is_in_memory<decltype(c.in)>, "instantiated only where the types fit");
    return needs(need{c.n < 10, "fewer than 10 elements"},
                 need{m.several_threads, "several threads"});
  }
  template <class Ex, class Call>
  static void run(Ex const&, Call const& c) {
    static_assert(is_in_memory<decltype(c.in)>, "instantiated only where the types fit");
    *c.ran = name;
  }
};
struct memory_form {
  static constexpr auto name = "memory";
  static constexpr auto why = "Neighbours.";
  template <class Call>
  static constexpr auto types =
      needs(need{is_in_memory<decltype(Call::in)>, "a source in memory"}) +
      needs(need{std::is_integral_v<stored_t<decltype(Call::in)>>, "integers"});
  template <class Ex, class Call>
  static void run(Ex const&, Call const& c) {
    *c.ran = name;
  }
};
struct any_form {
  static constexpr auto name = "any";
  static constexpr auto why = "Everything.";
  template <class Ex, class Call>
  static void run(Ex const&, Call const& c) {
    static_assert(
        !std::same_as<Call, toy_call<contiguous<int>>> || !std::same_as<machine_t<Ex>, cpu::host>,
        "not instantiated after a form that needs nothing of values");
    *c.ran = name;
  }
};
struct own_form {
  static constexpr auto name = "own";
  static constexpr auto why = "Passed on.";
  template <class Ex, class Call>
  static void run(Ex const& ex, Call const& c) {
    run_call(ex.own(), c);
  }
  template <class Call, class Machine, class F>
  static void passes_on(Call const& c, same_order<Machine> const& m, F const& f) {
    f(m.own, c);
  }
};
struct toy_family : call_family<any_form> {};

}  // namespace
}  // namespace ravel::forms_test

template <>
struct ravel::form_table<ravel::forms_test::toy_family, ravel::cpu::host>
    : ravel::forms<ravel::forms_test::small_form, ravel::forms_test::memory_form,
                   ravel::forms_test::any_form> {};
template <class Machine>
struct ravel::form_table<ravel::forms_test::toy_family, ravel::same_order<Machine>>
    : ravel::forms<ravel::forms_test::own_form> {};

namespace ravel::forms_test {
namespace {

template <class Ex, class X>
std::string form_that_ran(Ex const& ex, index_t n, X const& in) {
  std::string ran;
  toy_call<source_t<X>> const call{n, source_of(in), &ran};
  run_call(ex, call);
  EXPECT_EQ(ran, std::string(explain(ex, call).inner.empty() ? explain(ex, call).form
                                                             : explain(ex, call).inner[0].form));
  return ran;
}

TEST(table, the_first_form_whose_needs_hold_runs) {
  std::vector<int> const x(3);
  cpu::threads const several(2);
  cpu::sequential const one;
  EXPECT_EQ(form_that_ran(several, 3, x), "small");
  EXPECT_EQ(form_that_ran(several, 30, x), "memory");
  EXPECT_EQ(form_that_ran(one, 3, x), "memory");
  EXPECT_EQ(form_that_ran(several, 3, square_of_index{}), "any");
  EXPECT_EQ(form_that_ran(several, 30, std::vector<float>(1)), "any");
  EXPECT_EQ(form_that_ran(same_everywhere(one), 3, x), "memory");
}

/// Works differently from its base class.
struct derived : cpu::threads {
  using cpu::threads::threads;
};
struct derived_host : cpu::threads {
  using cpu::threads::threads;
  cpu::host machine() const { return {}; }
};

TEST(table, a_derived_executor_inherits_no_tables) {
  std::vector<int> const x(3);
  static_assert(std::same_as<machine_t<derived>, any_machine>);
  static_assert(std::same_as<machine_t<derived_host>, cpu::host>);
  EXPECT_EQ(form_that_ran(derived(2), 3, x), "any");
  EXPECT_EQ(form_that_ran(derived_host(2), 3, x), "small");
}

TEST(table, a_named_form_runs_whatever_stands_before_it) {
  std::vector<int> const x(3);
  std::string ran;
  run_call_by<memory_form>(cpu::threads(2), toy_call<source_t<decltype(x)>>{3, source_of(x), &ran});
  EXPECT_EQ(ran, "memory");
}

TEST(explain, names_what_is_missing) {
  std::vector<int> const x(3);
  toy_call<contiguous<int>> const of_memory{30, source_of(x), nullptr};
  toy_call<computed<square_of_index>> const of_function{3, {}, nullptr};
  EXPECT_EQ(explain_on(cpu::host{.several_threads = false}, of_memory).text(),
            "memory: Neighbours.\n"
            "  not small: needs fewer than 10 elements; needs several threads\n");
  EXPECT_EQ(explain_on(cpu::host{}, of_function).text(),
            "any: Everything.\n"
            "  not small: needs a source in memory\n"
            "  not memory: needs a source in memory; needs integers\n");
  EXPECT_EQ(explain_on(same_order<cpu::host>{}, of_function).text(),
            "own: Passed on.\n"
            "  any: Everything.\n"
            "    not small: needs a source in memory\n"
            "    not memory: needs a source in memory; needs integers\n");
}

}  // namespace
}  // namespace ravel::forms_test
