/// Values of nested programs from and to the host, for every type of element, and
/// from and to flat sequences.

#include "flatten/programs.hpp"

#include <ravel/primitives/reduce.hpp>

#include <boost/hana/adapt_struct.hpp>

#include <array>
#include <cstdint>
#include <map>
#include <ranges>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>

namespace ravel {
namespace {

struct entry {
  int col;
  double val;
  friend bool operator==(entry const&, entry const&) = default;
};
struct city {
  std::string name;
  std::vector<int> districts;
  friend bool operator==(city const&, city const&) = default;
};
enum class color : std::uint8_t { red, green };
struct opaque {
  float x[3];
  friend bool operator==(opaque const&, opaque const&) = default;
};

}  // namespace
}  // namespace ravel

BOOST_HANA_ADAPT_STRUCT(ravel::entry, col, val);
BOOST_HANA_ADAPT_STRUCT(ravel::city, name, districts);

namespace ravel {
namespace {

using testing::numbers;
using testing::rows;

template <class Ex>
struct exchange : testing::on_programs<Ex> {
  template <class H>
  void expect_back(H const& x) const {
    EXPECT_EQ(to_host(from(this->ex(), x)), x);
  }
};
TYPED_TEST_SUITE(exchange, testing::program_executors);

TYPED_TEST(exchange, brings_back_what_was_sent) {
  this->expect_back(3);
  this->expect_back(2.5f);
  this->expect_back(true);
  this->expect_back(color::green);
  this->expect_back(std::string("text"));
  this->expect_back(numbers{});
  this->expect_back(rows{{3, 1}, {}, {2}});
  this->expect_back(std::vector<bool>{true, false});
  this->expect_back(std::vector<std::vector<bool>>{{}, {true}});
  this->expect_back(std::vector<std::string>{"a", "", "bc"});
  this->expect_back(std::vector<opaque>{{{1, 2, 3}}, {{4, 5, 6}}});
  this->expect_back(std::vector<std::vector<entry>>{{{0, 2.0}, {1, -1.0}}, {}});
  this->expect_back(std::vector<city>{{"Ulm", {1, 2}}, {"", {}}});
  this->expect_back(std::tuple{1, std::string("a"), numbers{2, 3}});
  this->expect_back(std::vector<std::tuple<int, std::tuple<char, numbers>>>{{1, {'x', {5}}}});
}

TYPED_TEST(exchange, takes_what_is_like_a_range_or_a_tuple) {
  EXPECT_EQ(this->show(this->of(std::array{1, 2})), "[1,2]");
  EXPECT_EQ(this->show(this->of(std::pair{1, 'a'})), "(1,a)");
  EXPECT_EQ(this->show(this->of(boost::hana::tuple<int, double>{1, 2.5})), "(1,2.5)");
  EXPECT_EQ(this->show(this->of(std::map<int, std::string>{{2, "b"}, {1, "a"}})),
            R"([(1,"a"),(2,"b")])");
  int n = 3;
  std::string const name = "abc";
  EXPECT_EQ(this->show(this->of(std::tie(n, name))), R"((3,"abc"))");
  EXPECT_EQ(to_host(from(this->ex(), "abc")), "abc");
}

TYPED_TEST(exchange, takes_ranges_that_make_their_elements) {
  auto const& ex = this->ex();
  numbers const n{2, 0, 3};
  auto const rows_of = [](auto f) { return std::views::transform(f); };
  auto const counts = n | rows_of([](index_t k) { return numbers(k, k); });
  EXPECT_EQ(this->show(from(ex, counts)), "[[2,2],[],[3,3,3]]");
  auto const pairs = n | rows_of([](index_t k) { return std::pair{k, std::string(40, 'x')}; });
  EXPECT_EQ(to_host(each(from(ex, pairs), [](auto p) { return len(snd(p)); })),
            (numbers{40, 40, 40}));
  auto is_even = [](index_t k) { return k % 2 == 0; };
  EXPECT_EQ(this->show(from(ex, n | std::views::filter(is_even))), "[2,0]");
  auto const evens = n | rows_of([&](index_t k) {
                       return std::views::iota(index_t{0}, k) | std::views::filter(is_even);
                     });
  EXPECT_EQ(this->show(from(ex, evens)), "[[0],[],[0,2]]");
  std::string const line = "ab  c";
  EXPECT_EQ(this->show(from(ex, line | std::views::split(' '))), R"(["ab","","c"])");
}

TYPED_TEST(exchange, keeps_structs_as_columns) {
  auto const matrix = this->of(std::vector<std::vector<entry>>{{{0, 2.0}, {1, -1.0}}, {}});
  EXPECT_EQ(this->show(each(matrix, [](auto row) { return get<0>(row); })), "[[0,1],[]]");
  auto const scaled = each(matrix, [](auto row) {
    return each(row, [](auto e) { return make<entry>(get<0>(e) + 1, get<1>(e) * 2.0); });
  });
  EXPECT_EQ(to_host(scaled), (std::vector<std::vector<entry>>{{{1, 4.0}, {2, -2.0}}, {}}));
}

TYPED_TEST(exchange, carries_structs_through_branches_and_packs) {
  std::vector<city> const all{{"Ulm", {1, 2}}, {"Bonn", {}}, {"Jena", {7}}};
  auto const cities = this->of(all);
  auto const lively = filter(cities, [](auto c) { return len(get<1>(c)) > 0; });
  EXPECT_EQ(to_host(lively), (std::vector<city>{all[0], all[2]}));
  auto const grown = each(cities, [](auto c) {
    return if_(
        len(get<1>(c)) > 1, [&] { return c; },
        [&] {
          return make<city>(get<0>(c), append(get<1>(c), list(9 + 0 * cast<int>(len(get<1>(c))))));
        });
  });
  EXPECT_EQ(to_host(grown), (std::vector<city>{all[0], {"Bonn", {9}}, {"Jena", {7, 9}}}));
}

TYPED_TEST(exchange, borrows_and_lends_flat_sequences) {
  auto const flat = this->there(numbers{3, 1, 4, 1, 5, 9, 2, 6});
  auto const x = borrow(this->ex(), flat);
  EXPECT_EQ(elements(x).data(), flat.data());
  auto const a = unflatten(x, this->of(numbers{4, 0, 3, 1, 0}));  // case 58
  EXPECT_EQ(this->show(a), "[[3,1,4,1],[],[5,9,2],[6],[]]");

  auto const lengths = each(a, [](auto row) { return len(row); });
  EXPECT_EQ(this->here(elements(lengths)), (numbers{4, 0, 3, 1, 0}));
  auto const offsets = append(exclusive_scan(lengths), list(sum(lengths)));
  EXPECT_EQ(this->here(elements(offsets)), (numbers{0, 4, 4, 7, 8, 8}));
  auto const row_ids = flat_each(indices(a), [&](auto i) { return dist(i, len(at(a, i))); });
  EXPECT_EQ(this->here(elements(row_ids)), (numbers{0, 0, 0, 0, 2, 2, 2, 3}));
  EXPECT_EQ(reduce_sync(this->ex(), elements(flatten(a))), 31);
}

TYPED_TEST(exchange, takes_and_gives_flat_forms) {
  auto const& ex = this->ex();
  auto const values = this->there(std::vector<float>{3, 1, 4, 1, 5});
  auto const ends = this->there(std::vector<std::int32_t>{0, 2, 2, 5});
  auto const offsets = this->there(numbers{0, 2, 2, 5});
  auto const lengths = this->there(std::vector<std::uint8_t>{2, 0, 3});
  auto const ids = this->there(std::vector<short>{0, 0, 2, 2, 2});
  std::string const wanted = "[[3,1],[],[4,1,5]]";
  EXPECT_EQ(this->show(from_offsets(ex, values, ends)), wanted);
  EXPECT_EQ(this->show(from_lengths(ex, values, lengths)), wanted);
  EXPECT_EQ(this->show(from_row_ids(ex, values, ids, 3)), wanted);
  EXPECT_EQ(this->show(from_row_ids(ex, values, ids, 4)), "[[3,1],[],[4,1,5],[]]");

  auto const x = from_offsets(ex, values, offsets);
  EXPECT_EQ(this->show(each(x, [](auto row) { return sum(row); })), "[4,0,10]");
  EXPECT_EQ(row_offsets(x).data(), offsets.data());
  EXPECT_EQ(elements(flatten(x)).data(), values.data());
  EXPECT_EQ(this->here(row_lengths(x)), (numbers{2, 0, 3}));
  EXPECT_EQ(this->here(row_ids(x)), (numbers{0, 0, 2, 2, 2}));
  auto const rest = each(x, [](auto row) { return drop(row, select(len(row) > 0, 1, 0)); });
  EXPECT_EQ(this->here(row_offsets(rest)), (numbers{0, 1, 1, 3}));
  EXPECT_EQ(this->here(row_lengths(rest)), (numbers{1, 0, 2}));
  EXPECT_EQ(this->here(row_ids(rest)), (numbers{0, 2, 2}));

  auto const nothing = this->there(std::vector<float>{});
  EXPECT_EQ(this->show(from_offsets(ex, nothing, this->there(numbers{0}))), "[]");
  EXPECT_EQ(this->show(from_row_ids(ex, nothing, this->there(numbers{}), 2)), "[[],[]]");
}

TYPED_TEST(exchange, refuses_flat_forms_that_do_not_fit) {
  auto const& ex = this->ex();
  auto const values = this->there(numbers{3, 1, 4});
  auto const refusal = [](auto const& made) {
    try {
      made();
    } catch (shape_error const& refused) {
      return std::string(refused.what());
    }
    return std::string("nothing");
  };
  auto const of_offsets = [&](numbers const& offsets) {
    return refusal([&] { from_offsets(ex, values, this->there(offsets)); });
  };
  EXPECT_EQ(of_offsets({0, 2, 1, 3}),
            "from_offsets: offset 1 is wrong: they must ascend from 0 to 3");
  EXPECT_EQ(of_offsets({1, 3}), "from_offsets: offset 0 is wrong: they must ascend from 0 to 3");
  EXPECT_EQ(of_offsets({0, 2}), "from_offsets: offset 1 is wrong: they must ascend from 0 to 3");
  EXPECT_NE(of_offsets({}), "nothing");
  auto const of_ids = [&](numbers const& ids) {
    return refusal([&] { from_row_ids(ex, values, this->there(ids), 2); });
  };
  EXPECT_EQ(of_ids({0, 1, 0}), "from_row_ids: row id 2 is wrong: they must ascend, in [0, 2)");
  EXPECT_EQ(of_ids({0, 1, 2}), "from_row_ids: row id 2 is wrong: they must ascend, in [0, 2)");
  EXPECT_NE(of_ids({0, 1}), "nothing");
  EXPECT_EQ(refusal([&] {
              from_lengths(ex, values, this->there(numbers{1, 1}));
            }),
            "from_lengths: the lengths add up to 2, and there are 3 elements, at instance 0");
  EXPECT_EQ(refusal([&] {
              from_lengths(ex, values, this->there(numbers{1, 3, -1}));
            }),
            "from_lengths: length 2 is -1");
}

TYPED_TEST(exchange, case_59_sequences_by_begin_and_size) {
  auto const child = this->of(numbers{1, 2, 3, 4, 5});
  auto const views = each(this->of(numbers{3, 0, 0}), this->of(numbers{2, 0, 3}),
                          [&](auto begin, auto size) { return slice(child, begin, begin + size); });
  EXPECT_EQ(this->show(views), "[[4,5],[],[1,2,3]]");
}

TYPED_TEST(exchange, shows_values_and_types) {
  EXPECT_EQ(ravel::show(this->of(std::vector<std::vector<int>>{{3, 1}, {}, {2}})),
            "[[3, 1], [], [2]] : 3 * var * int32");
  EXPECT_EQ(ravel::show(this->of(std::vector<std::vector<entry>>{{{0, 2.5}}})),
            "[[(0, 2.5)]] : 1 * var * {col: int32, val: float64}");
  EXPECT_EQ(ravel::show(this->of(std::tuple{true, std::string("hi"), 'c'})),
            "(true, \"hi\", 'c') : (bool, var * char, char)");
  EXPECT_EQ(ravel::show(iota(this->of(index_t{100}))), "[0, 1, 2, 3, 4, 5, ..., 99] : 100 * int64");
  EXPECT_EQ(
      ravel::show(this->of(std::vector<std::string>{"a", "b", "", "c", "d", "e", "f", "g", "h"})),
      R"(["a", "b", "", "c", "d", "e", ..., "h"] : 9 * var * char)");
  EXPECT_EQ(ravel::show(this->of(numbers(8, 1))), "[1, 1, 1, 1, 1, 1, 1, 1] : 8 * int64");
  EXPECT_EQ(type_string(this->of(3.5f)), "float32");
  std::ostringstream out;
  out << len(this->of(numbers{7, 8}));
  EXPECT_EQ(out.str(), "2 : int64");
}

}  // namespace
}  // namespace ravel
