/// Every operation and construct once, with the examples of the headers, on
/// rows of which one is empty: the coverage of nested programs on devices.

#include "flatten/programs.hpp"
#include "nested/quicksort.hpp"

namespace ravel::operations_test {
namespace {

using testing::flags;
using testing::numbers;
using testing::rows;

/// The later of two numbers, of which 0 counts as none: a monoid that does not commute.
struct later {
  static RAVEL_HD constexpr index_t identity() { return 0; }
  RAVEL_HD constexpr index_t operator()(index_t x, index_t y) const { return y == 0 ? x : y; }
};

template <class Ex>
struct operations : testing::on_programs<Ex> {
  rows const ragged{{2, 1}, {}, {7, 3, 0, 3}};

  /// The result of f for each row of `ragged`, as text.
  template <class F>
  std::string of_each(F const& f) const {
    return this->show(each(this->of(ragged), f));
  }
};
TYPED_TEST_SUITE(operations, testing::program_executors);

TYPED_TEST(operations, of_scalars_and_elements) {
  EXPECT_EQ(this->of_each([](auto v) { return v * 2 + len(v); }), "[[6,4],[],[18,10,4,10]]");
  EXPECT_EQ(this->of_each([](auto v) { return select(len(v) > 0, at(v, 0), -1); }), "[2,-1,7]");
  EXPECT_EQ(this->of_each([](auto v) { return zip(v, v > 1); }),
            "[[(2,t),(1,f)],[],[(7,t),(3,t),(0,f),(3,t)]]");
  EXPECT_EQ(
      this->of_each([](auto v) { return zip(v, indices(v), -v, v * v, reverse(v)); }),
      "[[(2,0,-2,4,1),(1,1,-1,1,2)],[],[(7,0,-7,49,3),(3,1,-3,9,0),(0,2,0,0,3),(3,3,-3,9,7)]]");
}

TYPED_TEST(operations, that_reduce) {
  EXPECT_EQ(this->of_each([](auto v) { return tup(sum(v), product(v), count(v > 1)); }),
            "[(3,2,1),(0,1,0),(13,0,3)]");
  EXPECT_EQ(this->of_each([](auto v) {
    return if_(
        len(v) > 0, [&] { return tup(min_index(v), max_index(v)); },
        [&] { return tup(index_t{-1}, len(v)); });
  }),
            "[(1,0),(-1,0),(2,0)]");
  EXPECT_EQ(this->of_each([](auto v) { return find(v, [](auto x) { return x == 3; }); }),
            "[-1,-1,1]");
  EXPECT_EQ(this->of_each([](auto v) { return tup(min_or(v, -5), max_or(v, len(v) - 5)); }),
            "[(1,2),(-5,-5),(0,7)]");
}

TYPED_TEST(operations, that_reduce_in_one_pass) {
  EXPECT_EQ(this->of_each([](auto v) {
    return reduce(zip(v, v * v, v > 1), plus{}, maximum{}, logical_and<bool>{});
  }),
            "[(3,4,f),(0,-9223372036854775808,t),(13,49,f)]");
}

/// Rows of several lengths, more elements than one chunk of tests, and a longer row.
/// A reduction takes the place of the pack in its call: of every monoid, with other steps between, and not
/// of a value that has another owner.
TYPED_TEST(operations, that_reduce_what_they_filter) {
  auto const is_odd = [](auto x) { return x % 2 == 1; };
  EXPECT_EQ(this->of_each([&](auto v) {
    return tup(sum(filter(v, is_odd)), product(filter(v, is_odd)), max(filter(v, is_odd)),
               min(filter(v, is_odd)), reduce(filter(v, is_odd), later{}));
  }),
            "[(1,1,1,1,1),(0,1,-9223372036854775808,9223372036854775807,0),(13,63,7,3,3)]");
  EXPECT_EQ(this->of_each([&](auto v) {
    auto const flags = each(v, is_odd);
    return tup(count(pack(flags, v > 2)), any(pack(flags, v < 2)), all(pack(flags, v > 2)));
  }),
            "[(0,t,t),(0,f,t),(3,f,t)]");
  EXPECT_EQ(this->of_each([&](auto v) {
    auto odd = filter(v, is_odd);
    auto const same = odd;
    auto const total = sum(std::move(odd));
    return tup(total, len(same), same, sum(same), max_or(filter(v, is_odd), -1));
  }),
            "[(1,1,[1],1,1),(0,0,[],0,-1),(13,3,[7,3,3],13,7)]");
  EXPECT_EQ(this->of_each([&](auto v) {
    auto odd = filter(v, is_odd);
    auto const squares = each(odd, [](auto x) { return x * x; });  // reads what is moved next
    auto const total = sum(std::move(odd));
    return tup(total, squares, sum(filter(v * 2 + 1, [](auto x) { return x > 3; })));
  }),
            "[(1,[1],5),(0,[],0),(13,[49,9,9],29)]");
  EXPECT_EQ(this->show(sum(filter(this->of(numbers{}), is_odd))), "0");
  EXPECT_EQ(this->show(filter(this->of(numbers{}), is_odd)), "[]");
  // In an inner lambda that not every instance of the outer one has an instance of.
  EXPECT_EQ(this->of_each([&](auto v) {
    auto const odd = filter(v, is_odd);
    return each(v, [&](auto x) { return x + sum(pack(odd, odd > 0)); });
  }),
            "[[3,2],[],[20,16,13,16]]");
}

THOROUGH_TYPED_TEST(operations, that_reduce_what_is_looked_up) {
  index_t const n = 20'011;
  rows graph(1);
  std::vector<float> weights;
  for (index_t i = 0; i < n; ++i) {
    graph.back().push_back(i * 7919 % n);
    weights.push_back(static_cast<float>(i * 31 % 1009) - 500);
    bool const is_in_the_long_row = 2000 < i && i < 8000;
    if (!is_in_the_long_row && (i % 97 == 5 || i % 13 == 1)) graph.emplace_back();
  }
  auto const at_neighbours = [&](numbers const& row, auto init, auto const& f) {
    for (index_t const k : row) init = f(init, weights[static_cast<std::size_t>(k)]);
    return init;
  };
  std::vector<float> greatest, least;
  numbers above;
  for (auto const& row : graph) {
    greatest.push_back(at_neighbours(row, maximum<float>::identity(), maximum<float>()));
    least.push_back(at_neighbours(row, minimum<float>::identity(), minimum<float>()));
    above.push_back(at_neighbours(row, index_t{0}, [](index_t k, float w) { return k + (w > 0); }));
  }
  auto const from = this->of(weights);
  auto const all = this->of(graph);
  EXPECT_EQ(to_host(each(all, [&](auto row) { return max(gather(from, row)); })), greatest);
  EXPECT_EQ(to_host(each(all, [&](auto row) { return min(gather(from, row)); })), least);
  EXPECT_EQ(to_host(each(all, [&](auto row) { return count(gather(from, row) > 0.0f); })), above);

  // The first and the last element have no neighbour to fetch.
  auto const flat = this->of(weights);
  auto const around = each(
      indices(flat), [&](auto i) { return select((i > 0) && (i < n - 1), at(flat, i - 1), 0.0f); });
  std::vector<float> greatest_around;
  numbers lengths;
  for (index_t i = 0, end = 0; i < n; ++i) {
    if (i == end) {
      lengths.push_back(std::min(n - i, 1 + i * 37 % 61));
      end += lengths.back();
      greatest_around.push_back(maximum<float>::identity());
    }
    float const here = 0 < i && i < n - 1 ? weights[static_cast<std::size_t>(i - 1)] : 0.0f;
    greatest_around.back() = std::max(greatest_around.back(), here);
  }
  EXPECT_EQ(to_host(each(unflatten(around, this->of(lengths)), [](auto row) { return max(row); })),
            greatest_around);

  graph[40].push_back(n);
  auto const wrong = this->of(graph);
  EXPECT_THROW(to_host(each(wrong, [&](auto row) { return max(gather(from, row)); })), index_error);
  EXPECT_THROW(to_host(each(wrong, [&](auto row) { return count(gather(from, row) > 0.0f); })),
               index_error);
}

TYPED_TEST(operations, that_scan) {
  EXPECT_EQ(this->of_each([](auto v) { return exclusive_scan(v); }), "[[0,2],[],[0,7,10,10]]");
  EXPECT_EQ(this->of_each([](auto v) { return inclusive_scan(v, maximum{}); }),
            "[[2,2],[],[7,7,7,7]]");
}

TYPED_TEST(operations, that_make_sequences) {
  EXPECT_EQ(this->of_each([](auto v) { return flat_each(v, [](auto n) { return iota(n); }); }),
            "[[0,1,0],[],[0,1,2,3,4,5,6,0,1,2,0,1,2]]");
  EXPECT_EQ(this->of_each([](auto v) {
    return flat_each(v, indices(v), [](auto n, auto i) { return dist(i, n); });
  }),
            "[[0,0,1],[],[0,0,0,0,0,0,0,1,1,1,3,3,3]]");
  EXPECT_EQ(this->of_each([](auto v) {
    return flat_each(v, indices(v), v, [](auto a, auto i, auto b) { return list(a, i, b); });
  }),
            "[[2,0,2,1,1,1],[],[7,0,7,3,1,3,0,2,0,3,3,3]]");
  EXPECT_EQ(this->of_each([](auto v) { return list(len(v), index_t{5}); }), "[[2,5],[0,5],[4,5]]");
  EXPECT_EQ(this->of_each([](auto v) { return list(1, len(v), 5); }), "[[1,2,5],[1,0,5],[1,4,5]]");
  EXPECT_EQ(this->of_each([](auto v) { return append(v, dist(index_t{9}, len(v))); }),
            "[[2,1,9,9],[],[7,3,0,3,9,9,9,9]]");
  EXPECT_EQ(this->of_each([](auto v) { return unflatten(v, list(len(v), 0 * len(v))); }),
            "[[[2,1],[]],[[],[]],[[7,3,0,3],[]]]");
}

TYPED_TEST(operations, that_pick_and_move) {
  EXPECT_EQ(this->of_each([](auto v) { return split(v, v > 1); }),
            "[[[1],[2]],[[],[]],[[0],[7,3,3]]]");
  EXPECT_EQ(this->of_each([](auto v) { return drop(reverse(v), len(v) / 2); }), "[[2],[],[3,7]]");
  EXPECT_EQ(this->of_each([](auto v) { return permute(v, rotate(indices(v), 1)); }),
            "[[1,2],[],[3,0,3,7]]");
  EXPECT_EQ(this->of_each([](auto v) {
    return write(v, filter(indices(v), [](auto i) { return i == 1; }),
                 filter(v, [](auto x) { return x == 2 || x == 7; }));
  }),
            "[[2,2],[],[7,7,0,3]]");
  EXPECT_EQ(this->of_each([](auto v) { return histogram(v, 4); }),
            "[[0,1,1,0],[0,0,0,0],[1,0,0,2]]");
  EXPECT_EQ(this->of_each([](auto v) { return reduce_by_index(v % 2, v, index_t{2}, plus{}); }),
            "[[2,1],[0,0],[0,13]]");
}

/// Rows that one thread handles, and one longer than a tile.
TYPED_TEST(operations, that_count_long_rows) {
  rows all;
  std::vector<numbers> counts;
  for (index_t const n : {3, 0, 10'007, 5}) {
    numbers row, of_row(4);
    for (index_t i = 0; i < n; ++i) {
      row.push_back(i * 7919 % 6 - 1);
      if (0 <= row.back() && row.back() < 4) ++of_row[static_cast<std::size_t>(row.back())];
    }
    all.push_back(row);
    counts.push_back(of_row);
  }
  EXPECT_EQ(to_host(each(this->of(all), [](auto row) { return histogram(row, 4); })), counts);
}

TYPED_TEST(operations, that_find_in_one_row_and_in_many) {
  auto const find_3 = [](auto v) { return find(v, [](auto x) { return x == 3; }); };
  numbers row(100'003, 1);
  EXPECT_EQ(to_host(find_3(this->of(numbers{}))), -1);
  EXPECT_EQ(to_host(find_3(this->of(row))), -1);
  for (index_t const place : {100'002, 50'000, 77, 0}) {
    row[static_cast<std::size_t>(place)] = 3;
    EXPECT_EQ(to_host(find_3(this->of(row))), place);
    EXPECT_EQ(to_host(find_3(drop(this->of(row), place))), 0);
    EXPECT_EQ(to_host(find_3(take(this->of(row), place))), -1);
  }
  rows many;
  numbers wanted;
  for (index_t n = 0; n < 1'000; ++n) {
    many.push_back(numbers(static_cast<std::size_t>(n % 50), 1));
    wanted.push_back(n % 3 && n % 50 > n % 7 ? n % 7 : -1);
    if (wanted.back() >= 0) many.back()[static_cast<std::size_t>(n % 7)] = 3;
  }
  EXPECT_EQ(to_host(each(this->of(many), find_3)), wanted);
  EXPECT_EQ(to_host(each(this->of(many), [&](auto v) { return find_3(drop(v, len(v) / 2)); })),
            to_host(each(this->of(many),
                         [&](auto v) { return find_3(reverse(reverse(drop(v, len(v) / 2)))); })));
}

/// One row, of which threads of the host count parts, in few bins and in many.
TYPED_TEST(operations, that_count_one_row) {
  numbers row(100'003);
  for (std::size_t i = 0; i < row.size(); ++i) row[i] = static_cast<index_t>(i * 7919 % 70'001) - 1;
  for (index_t const bins : {index_t{3}, index_t{60'000}, index_t{1'000'000}}) {
    numbers counts(static_cast<std::size_t>(bins));
    for (index_t const x : row) {
      if (1 <= x && x <= bins) ++counts[static_cast<std::size_t>(x - 1)];
    }
    auto const x = this->of(row);
    EXPECT_EQ(to_host(histogram(x - 1, bins)), counts);
    EXPECT_EQ(to_host(histogram(keep(x - 1), bins)), counts);
    EXPECT_EQ(to_host(histogram(drop(keep(x - 1), 1), bins)), counts);
  }
}

TYPED_TEST(operations, that_combine_by_index_in_order) {
  rows all;
  std::vector<numbers> latest;
  for (index_t const n : {3, 0, 10'007, 5}) {
    numbers row, of_row(5);
    for (index_t i = 1; i <= n; ++i) {
      row.push_back(i);
      if (index_t const bin = i % 7 - 1; 0 <= bin && bin < 5)
        of_row[static_cast<std::size_t>(bin)] = i;
    }
    all.push_back(row);
    latest.push_back(of_row);
  }
  auto const found = each(this->of(all), [](auto row) {
    return reduce_by_index(row % 7 - 1, row, index_t{5}, later{});
  });
  EXPECT_EQ(to_host(found), latest);
}

TYPED_TEST(operations, that_order) {
  EXPECT_EQ(this->of_each([](auto v) { return tup(sort(v), rank(v)); }),
            "[([1,2],[1,0]),([],[]),([0,3,3,7],[3,1,0,2])]");
  EXPECT_EQ(this->of_each([](auto v) { return lower_bound(sort(v), 3); }), "[2,0,1]");
  EXPECT_EQ(this->of_each([](auto v) { return collect(v % 3, v); }),
            "[[(1,[1]),(2,[2])],[],[(0,[3,0,3]),(1,[7])]]");
  EXPECT_EQ(this->of_each([](auto v) { return tup(union_(v, v % 3), intersect(v, v % 3)); }),
            "[([1,2],[1,2]),([],[]),([0,1,3,7],[0])]");
}

TYPED_TEST(operations, that_steer) {
  EXPECT_EQ(this->of_each([](auto v) {
    return switch_(
        len(v) / 2, [&] { return sum(v); }, [&] { return max(v); }, [&] { return min(v); });
  }),
            "[2,0,0]");
  EXPECT_EQ(this->of_each([](auto v) {
    return while_([](auto x, auto) { return x < 100; },
                  [](auto x, auto n) { return tup(x * x + 1, n + 1); }, tup(len(v), len(v) * 0));
  }),
            "[(677,3),(677,5),(290,2)]");
  EXPECT_EQ(this->of_each(examples::quicksort<index_t, 2>), "[[1,2],[],[0,3,3,7]]");
}

struct side_of {
  RAVEL_HD int operator()(index_t x, index_t pivot) const {
    return (pivot <= x ? 1 : 0) + (pivot < x ? 1 : 0);
  }
};
struct last_bit {
  RAVEL_HD int operator()(index_t x) const { return static_cast<int>(x & 1); }
};

TYPED_TEST(operations, that_take_records_apart) {
  EXPECT_EQ(this->of_each([](auto v) { return unzip(zip(v, v + 1)); }),
            "[([2,1],[3,2]),([],[]),([7,3,0,3],[8,4,1,4])]");
}

TYPED_TEST(operations, that_split_by_a_digit) {
  auto const around = [](auto v, auto pivot) { return split<3>(v, side_of{}, pivot); };
  EXPECT_EQ(this->of_each([&](auto v) { return around(v, at(v, 0)); }),  // not at() for it
            "[[[1],[2],[]],[[],[],[]],[[3,0,3],[7],[]]]");
  EXPECT_EQ(this->of_each([&](auto v) { return around(v, 3); }),
            "[[[2,1],[],[]],[[],[],[]],[[0],[3,3],[7]]]");
  EXPECT_EQ(this->of_each([&](auto v) { return split<2>(drop(v * 3, len(v) / 2), last_bit{}); }),
            "[[[],[3]],[[],[]],[[0],[9]]]");
  EXPECT_EQ(this->of_each([&](auto v) { return split<2>(dist(len(v), 2), last_bit{}); }),
            "[[[2,2],[]],[[0,0],[]],[[4,4],[]]]");
  EXPECT_EQ(this->of_each([&](auto v) {
    return if_(
        len(v) < 3, [&] { return flatten(around(v, 1)); },
        [&] { return flatten(around(v, at(v, 1))); });
  }),
            "[[1,2],[],[0,3,3,7]]");
  EXPECT_EQ(this->show(split<2>(this->of(numbers{}), last_bit{})), "[[],[]]");
  EXPECT_EQ(this->show(each(this->of(rows{}), [&](auto v) { return split<2>(v, last_bit{}); })),
            "[]");
}

/// Differences of adjacent elements, from the last on.
struct to_differences {
  template <class T>
  RAVEL_HD void operator()(T* first, index_t n) const {
    for (index_t i = n - 1; i > 0; --i) first[i] = first[i] - first[i - 1];
  }
};

TYPED_TEST(operations, that_loop_over_each_sequence) {
  auto const f = [](auto v) { return serially(v, to_differences{}); };
  EXPECT_EQ(this->of_each(f), "[[2,-1],[],[7,-4,-3,3]]");
  EXPECT_EQ(this->of_each([&](auto v) { return f(v * 2 + len(v)); }), "[[6,-2],[],[18,-8,-6,6]]");
  EXPECT_EQ(this->of_each([&](auto v) { return f(drop(v, len(v) / 2)); }), "[[1],[],[0,3]]");
  EXPECT_EQ(this->of_each([&](auto v) { return tup(f(v), v); }),
            "[([2,-1],[2,1]),([],[]),([7,-4,-3,3],[7,3,0,3])]");
  EXPECT_EQ(this->of_each([&](auto v) {
    return if_(
        len(v) < 3, [&] { return f(v); }, [&] { return reverse(v); });
  }),
            "[[2,-1],[],[3,0,3,7]]");
  auto const same_length = this->of(rows{{2, 1, 5}, {7, 3, 0}});
  EXPECT_EQ(this->show(each(same_length, f)), "[[2,-1,4],[7,-4,-3]]");
  EXPECT_EQ(this->show(f(this->of(numbers{}))), "[]");
  EXPECT_EQ(this->show(each(this->of(rows{}), f)), "[]");
}

TYPED_TEST(operations, of_the_least_and_the_greatest_numbers) {
  constexpr auto least = bounds<index_t>::lowest(), greatest = bounds<index_t>::highest();
  auto const a = this->of(numbers{least, 7});
  EXPECT_EQ(to_host(a / -1), (numbers{least, -7}));
  EXPECT_EQ(to_host(a % -1), (numbers{0, 0}));
  EXPECT_EQ(to_host(a / this->of(numbers{-1, 2})), (numbers{least, 3}));
  auto const greatest_unsigned = this->of(~std::uint32_t{0});  // not -1
  EXPECT_EQ(to_host(a / greatest_unsigned), (numbers{least / 0xffffffff, 0}));
  EXPECT_EQ(to_host(a % greatest_unsigned), (numbers{least % 0xffffffff, 7}));
  EXPECT_EQ(this->show(range(0, this->of(index_t{10}), greatest)), "[0]");
  EXPECT_EQ(this->show(range(this->of(index_t{10}), 0, least)), "[10]");
  EXPECT_EQ(this->show(range(this->of(index_t{10}), 0, -4)), "[10,6,2]");
  EXPECT_EQ(this->of_each([](auto v) { return rotate(v, std::uint64_t{1}); }),
            "[[1,2],[],[3,7,3,0]]");
  EXPECT_EQ(this->of_each([&](auto v) { return rotate(v, least); }), "[[2,1],[],[7,3,0,3]]");
}

/// An element of rows of rows, after the maps that it was fetched through have been destroyed.
TYPED_TEST(operations, are_of_values_that_outlive_what_they_were_made_of) {
  auto const made = [&] {
    return flatten(flatten(each(this->of(rows{{1, 2}, {3}, {}, {4, 5, 6}}), [](auto row) {
      auto const all = sum(row);
      return each(row,
                  [&](auto x) { return each(list(x, x + 1), [&](auto y) { return y + all; }); });
    })));
  };
  auto const from = made();
  std::vector<value<TypeParam, nested<index_t>>> others;
  for (index_t n = 1; n < 20; ++n) others.push_back(keep(iota(this->of(n)) + 1000));
  EXPECT_EQ(this->show(from), "[4,5,5,6,6,7,19,20,20,21,21,22]");
}

TYPED_TEST(operations, report_the_first_instance_that_fails) {
  auto const message = [&](auto const& f) {
    try {
      return this->of_each(f);
    } catch (error const& e) {
      return std::string(e.what());
    }
  };
  EXPECT_EQ(message([](auto v) { return at(v, 2); }),
            "at: index 2 is not in [0, 2), at instance 0");
  EXPECT_EQ(message([](auto v) { return max_index(v); }),
            "max_index: the sequence is empty, at instance 1");
  EXPECT_EQ(message([](auto v) { return 1 / len(v); }), "division by zero, at instance 1");
}

}  // namespace
}  // namespace ravel::operations_test
