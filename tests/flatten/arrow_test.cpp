/// Import from and export to Arrow's form.

#include <ravel/flatten/from_arrow.hpp>
#include <ravel/flatten/to_arrow.hpp>

#include "flatten/programs.hpp"
#include "support/said_by.hpp"

#include <array>
#include <cstdint>
#include <string>

namespace ravel::arrow_test {
namespace {

using testing::numbers;
using testing::rows;

/// Both structs, released in the destructor as their consumer must.
struct exported {
  ArrowSchema schema{};
  ArrowArray array{};

  template <class X>
  explicit exported(X const& x) {
    to_arrow(x, &schema, &array);
  }
  exported(exported const&) = delete;
  exported& operator=(exported const&) = delete;
  ~exported() {
    if (schema.release) schema.release(&schema);
    if (array.release) array.release(&array);
  }
};

/// An array of another producer, which counts its releases.
struct foreign {
  std::vector<void const*> buffers;
  std::vector<ArrowArray*> children;
  ArrowArray array{};
  int released = 0;

  foreign(std::int64_t length, std::int64_t offset, std::vector<void const*> b,
          std::vector<ArrowArray*> c = {}, std::int64_t nulls = 0)
      : buffers(std::move(b)), children(std::move(c)) {
    array = {length,
             nulls,
             offset,
             std::ssize(buffers),
             std::ssize(children),
             buffers.data(),
             children.data(),
             nullptr,
             [](ArrowArray* a) {
               ++static_cast<foreign*>(a->private_data)->released;
               a->release = nullptr;
             },
             this};
  }
};
ArrowSchema type(char const* format, std::vector<ArrowSchema*>* children = nullptr) {
  ArrowSchema s{};
  s.format = format;
  s.name = "";
  if (children) {
    s.n_children = std::ssize(*children);
    s.children = children->data();
  }
  return s;
}

template <class Ex>
struct arrow : testing::on_programs<Ex> {
  /// Exports and imports again.
  template <class T, class H>
  void expect_back(H const& x) const {
    exported e(from(this->ex(), x));
    EXPECT_EQ(to_host(from_arrow<T>(this->ex(), e.schema, &e.array)), x);
    EXPECT_EQ(e.array.release, nullptr);
  }
};
TYPED_TEST_SUITE(arrow, testing::program_executors);

TYPED_TEST(arrow, brings_back_what_was_sent) {
  this->template expect_back<index_t>(numbers{3, 1, 2});
  this->template expect_back<index_t>(numbers{});
  this->template expect_back<nested<index_t>>(rows{{3, 1}, {}, {2}});
  this->template expect_back<bool>(
      std::vector<bool>{true, false, true, true, false, true, false, true, true});
  this->template expect_back<nested<char>>(std::vector<std::string>{"a", "", "bc"});
  this->template expect_back<nested<std::tuple<int, nested<float>>>>(
      std::vector<std::vector<std::tuple<int, std::vector<float>>>>{{{1, {2.5f}}, {2, {}}}, {}});
}

TYPED_TEST(arrow, names_types_as_the_format_does) {
  exported const e(from(this->ex(), std::vector<std::vector<std::pair<std::int16_t, double>>>(2)));
  EXPECT_STREQ(e.schema.format, "+L");
  EXPECT_STREQ(e.schema.children[0]->format, "+s");
  EXPECT_STREQ(e.schema.children[0]->children[0]->format, "s");
  EXPECT_STREQ(e.schema.children[0]->children[1]->format, "g");
  EXPECT_STREQ(e.schema.children[0]->children[1]->name, "1");
  EXPECT_EQ(e.array.length, 2);
}

TYPED_TEST(arrow, takes_lists_of_any_offsets_from_the_middle) {
  // [[9 8] [] [7 6 5]], of which the last two are imported, from the middle of the child array.
  std::array<std::int32_t, 4> const small{2, 4, 4, 7};
  std::array<std::int64_t, 4> const large{2, 4, 4, 7};
  std::array<float, 9> const values{0, 0, 9, 8, 7, 6, 5, 0, 0};
  auto item = type("f");
  std::vector<ArrowSchema*> of{&item};
  for (bool const wide : {false, true}) {
    foreign child(8, 0, {nullptr, values.data()});
    foreign list(2, 1, {nullptr, wide ? static_cast<void const*>(large.data()) : small.data()},
                 {&child.array});
    {
      auto const schema = type(wide ? "+L" : "+l", &of);
      auto const x = from_arrow<nested<float>>(this->ex(), schema, &list.array);
      EXPECT_EQ(list.array.release, nullptr);
      EXPECT_EQ(this->show(x), "[[],[7,6,5]]");
      EXPECT_EQ(this->show(each(x, [](auto row) { return sum(row); })), "[0,18]");
    }
    EXPECT_EQ(list.released, 1);
  }
}

TYPED_TEST(arrow, takes_lists_of_a_fixed_size) {
  std::array<float, 9> const values{0, 0, 9, 8, 7, 6, 5, 4, 0};
  auto item = type("f");
  std::vector<ArrowSchema*> of{&item};
  auto const taken = [&](char const* format) {
    foreign child(7, 1, {nullptr, values.data()});
    foreign list(2, 1, {nullptr}, {&child.array});  // the second and the third
    return this->show(from_arrow<nested<float>>(this->ex(), type(format, &of), &list.array));
  };
  EXPECT_EQ(taken("+w:2"), "[[8,7],[6,5]]");
  EXPECT_EQ(taken("+w:0"), "[[],[]]");
  EXPECT_THROW(taken("+w:"), contract_error);
  EXPECT_THROW(taken("+w:2x"), contract_error);
}

TYPED_TEST(arrow, copies_nothing_on_the_host_that_is_in_order) {
  std::array<std::int64_t, 3> const offsets{0, 1, 3};
  std::array<double, 3> const values{1, 2, 3};
  auto item = type("g");
  std::vector<ArrowSchema*> of{&item};
  foreign child(3, 0, {nullptr, values.data()});
  foreign list(2, 0, {nullptr, offsets.data()}, {&child.array});
  auto const schema = type("+L", &of);
  auto const x = from_arrow<nested<double>>(this->ex(), schema, &list.array);
  exported const e(x);
  EXPECT_EQ(this->show(x), "[[1],[2,3]]");
  if constexpr (std::same_as<space_of_t<TypeParam>, host_space>) {
    EXPECT_EQ(e.array.buffers[1], offsets.data());
    EXPECT_EQ(e.array.children[0]->buffers[1], values.data());
  }
}

TYPED_TEST(arrow, shares_memory_for_as_long_as_it_is_used) {
  std::optional<exported> e;
  {
    auto const x = from(this->ex(), rows{{3, 1}, {}, {2}});
    e.emplace(each(x, [](auto row) { return row + 1; }));
  }
  auto const* values = static_cast<index_t const*>(e->array.children[0]->buffers[1]);
  EXPECT_EQ(std::vector<index_t>(values, values + 3), (numbers{4, 2, 3}));
}

TYPED_TEST(arrow, checks_missing_values_only_among_those_that_are_imported) {
  std::array<double, 4> const values{9, 1, 2, 3};
  std::uint8_t const valid = 0b1110;
  constexpr std::int64_t not_counted = -1;
  foreign part(3, 1, {&valid, values.data()}, {}, not_counted);
  EXPECT_EQ(to_host(from_arrow<double>(this->ex(), type("g"), &part.array)),
            (std::vector<double>{1, 2, 3}));
  foreign all(4, 0, {&valid, values.data()}, {}, not_counted);
  EXPECT_EQ(
      testing::said_by([&] { from_arrow<double>(this->ex(), type("g"), &all.array); }),
      "from_arrow: value 0 of an array is missing, and nested programs have no missing values");
}

TYPED_TEST(arrow, says_what_it_cannot_take) {
  auto const refused = [&](ArrowSchema const& schema, foreign& f) {
    return testing::said_by([&] { from_arrow<double>(this->ex(), schema, &f.array); });
  };
  std::array<double, 1> const values{1};
  std::uint8_t const valid = 0;
  foreign other(1, 0, {nullptr, values.data()});
  EXPECT_EQ(refused(type("f"), other),
            "from_arrow: an array has the format 'f', and 'g' was expected");
  EXPECT_EQ(other.released, 1);
  foreign missing(1, 0, {&valid, values.data()}, {}, 1);
  EXPECT_EQ(refused(type("g"), missing),
            "from_arrow: value 0 of an array is missing, and nested programs have no missing "
            "values");
  EXPECT_EQ(refused(type("g"), missing), "from_arrow: the array has been released");
  foreign indices(1, 0, {nullptr, values.data()});
  auto words = type("U"), coded = type("g");
  coded.dictionary = &words;
  EXPECT_EQ(refused(coded, indices),
            "from_arrow: an array has indices into a dictionary, and not values");
}

}  // namespace
}  // namespace ravel::arrow_test
