#include "support/numbers.hpp"

#include "support/command_line.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace ravel::examples {
namespace {

view<char const> view_of_text(std::string_view text) { return {text.data(), std::ssize(text)}; }

template <class T = double>
std::vector<T> read(std::string_view text, index_t column = 0) {
  auto const numbers = read_numbers<T>(cpu::threads(3), view_of_text(text), "some.txt", column);
  return {numbers.begin(), numbers.end()};
}

/// The error for `text`.
template <class T = double>
std::string refusal(std::string_view text, index_t column = 0) {
  try {
    read<T>(text, column);
  } catch (bad_input const& e) {
    return e.what();
  }
  return "it is read";
}

using doubles = std::vector<double>;

TEST(numbers, are_read_as_the_header_shows) {
  EXPECT_EQ(read("1.5, -2  7e3\n    4"), (doubles{1.5, -2, 7000, 4}));
}

TEST(numbers, are_separated_by_white_space_or_one_comma) {
  EXPECT_EQ(read(""), doubles{});
  EXPECT_EQ(read(" \n\t\r\n"), doubles{});
  EXPECT_EQ(read("7"), doubles{7});
  EXPECT_EQ(read("7\n"), doubles{7});
  EXPECT_EQ(read("\n\n1\r\n\r\n2\r\n"), (doubles{1, 2}));
  EXPECT_EQ(read("1,2,3\n4,5,6"), (doubles{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(read(" 1 ,\t2\v3 "), (doubles{1, 2, 3}));
}

TEST(numbers, of_a_column_are_those_of_each_line) {
  EXPECT_EQ(read("1,2,3\n4,5,6\n", 2), (doubles{2, 5}));
  EXPECT_EQ(read("1,2,3\n\n \r\n4,5,6", 3), (doubles{3, 6}));
  EXPECT_EQ(read("a 1 b\r\n  c\t2\n", 2), (doubles{1, 2}));
  EXPECT_EQ(read("a name, 1 , b\n,2,", 2), (doubles{1, 2}));
  EXPECT_EQ(read("1\n2", 1), (doubles{1, 2}));
}

TEST(numbers, have_every_form_of_their_type) {
  double const inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(read("+1 -0.5 .5 5. 1e-3 1E+3 inf -inf INFINITY"),
            (doubles{1, -0.5, 0.5, 5, 0.001, 1000, inf, -inf, inf}));
  EXPECT_TRUE(std::isnan(read("nan")[0]));
  EXPECT_TRUE(std::signbit(read("-0")[0]));
  EXPECT_EQ(read("1e-400 4e-320"), (doubles{0, 4e-320}));
  EXPECT_EQ(read<float>("16777217 0.1"), (std::vector{16777216.0f, 0.1f}));
  EXPECT_EQ(read<std::int32_t>("-2147483648 2147483647"), (std::vector{INT32_MIN, INT32_MAX}));
  EXPECT_EQ(read<std::uint64_t>("18446744073709551615 +7"), (std::vector<std::uint64_t>{~0ull, 7}));
}

TEST(numbers, that_are_malformed_are_reported_with_their_line) {
  EXPECT_EQ(refusal("1\n2 x"), "some.txt:2: 'x' is not a number");
  EXPECT_EQ(refusal("1\n\n\n0x10\ny"), "some.txt:4: '0x10' is not a number");
  EXPECT_EQ(refusal("1;2"), "some.txt:1: '1;2' is not a number");
  EXPECT_EQ(refusal("+-1"), "some.txt:1: '+-1' is not a number");
  EXPECT_EQ(refusal(std::string_view("1 \0 2", 5)), "some.txt:1: '?' is not a number");
  EXPECT_EQ(refusal("1e400"), "some.txt:1: '1e400' does not fit a number of 64 bits");
  EXPECT_EQ(refusal<float>("1e39"), "some.txt:1: '1e39' does not fit a number of 32 bits");
  EXPECT_EQ(refusal<std::int64_t>("1.5"), "some.txt:1: '1.5' is not an integer");
  EXPECT_EQ(refusal<std::int32_t>("2147483648"),
            "some.txt:1: '2147483648' does not fit an integer of 32 bits");
  EXPECT_EQ(refusal<std::uint32_t>("-1"), "some.txt:1: '-1' is not an unsigned integer");
}

TEST(numbers, are_not_made_of_empty_fields) {
  for (auto const* const text :
       {"1\n2,,3", "1\n,2", "1\n2,", "1\n2,\n3", "1\n2 , \r\n", "1\n , 2", "1\n2,\t,3", "1\n,"}) {
    EXPECT_EQ(refusal(text), "some.txt:2: a field is empty") << text;
  }
  EXPECT_EQ(refusal("1,2\n3, \n", 2), "some.txt:2: column 2 is empty");
  EXPECT_EQ(refusal("1,2\n\n3", 2), "some.txt:3: there is no column 2, for the line has 1");
  EXPECT_EQ(refusal("1 2\n3 \r\n", 2), "some.txt:2: there is no column 2, for the line has 1");
}

/// Long enough for many tiles, with each kind of line end.
TEST(numbers, are_read_in_parallel) {
  std::string text;
  doubles expected, second;
  for (int i = 0; i < 30000; ++i) {
    text += std::to_string(i) + (i % 3 == 0 ? " ,  -" : ",-") + std::to_string(i) + ".25" +
            (i % 5 == 0 ? "\r\n\n" : "\n");
    expected.insert(expected.end(), {1.0 * i, -i - 0.25});
    second.push_back(-i - 0.25);
  }
  EXPECT_EQ(read(text), expected);
  EXPECT_EQ(read(text, 2), second);

  // Of many wrong fields the first is reported.
  for (int i = 0; i < 100; ++i) text.append("x").append(std::to_string(i)).append(",y\n");
  auto const line = std::to_string(30000 + 6000 + 1);
  EXPECT_EQ(refusal(text), "some.txt:" + line + ": 'x0' is not a number");
  EXPECT_EQ(refusal(text, 2), "some.txt:" + line + ": 'y' is not a number");
}

TEST(numbers, come_from_bytes) {
  double const values[] = {1.5, -2};
  char bytes[sizeof(values)];
  std::memcpy(bytes, values, sizeof(values));
  auto const numbers = read_binary_numbers<double>({bytes, sizeof(bytes)}, "some.bin");
  EXPECT_EQ(doubles(numbers.begin(), numbers.end()), (doubles{1.5, -2}));
  EXPECT_EQ(read_binary_numbers<float>({bytes, 0}, "some.bin").size(), 0);
  try {
    read_binary_numbers<double>({bytes, 15}, "some.bin");
    FAIL() << "a number that is not whole is read";
  } catch (bad_input const& e) {
    EXPECT_STREQ(e.what(), "some.bin: 15 bytes are not a whole number of numbers of 8 bytes");
  }
}

/// Written numbers are read back with the same bits.
template <class T>
void write_and_read_back(std::string const& path) {
  std::vector<T> numbers{T(0), std::numeric_limits<T>::lowest(), std::numeric_limits<T>::max()};
  for (std::uint64_t i = 0; std::ssize(numbers) < 50000; ++i) {
    std::uint64_t const word = (i + 1) * 0x9e3779b97f4a7c15;
    T x;
    std::memcpy(&x, &word, sizeof(T));
    if (x == x) numbers.push_back(x);  // text does not preserve NaN payloads
  }
  view<T const> const all(numbers.data(), std::ssize(numbers));
  auto const content = [&] {
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  auto const is_all = [&](cpu::buffer<T> const& read) {
    return read.size() == all.size() &&
           std::memcmp(read.data(), all.data(), numbers.size() * sizeof(T)) == 0;
  };
  write_numbers(cpu::threads(3), all, path);
  EXPECT_TRUE(is_all(read_numbers<T>(cpu::threads(3), view_of_text(content()), path)));
  output to(path);
  write_binary_numbers(all, to);
  to.commit();
  EXPECT_TRUE(is_all(read_binary_numbers<T>(view_of_text(content()), path)));
}

TEST(numbers, are_written_so_that_they_read_back) {
  auto const path =
      (std::filesystem::temp_directory_path() / ("ravel-numbers-" + std::to_string(getpid())))
          .string();
  write_and_read_back<std::uint32_t>(path);
  write_and_read_back<std::int32_t>(path);
  write_and_read_back<std::uint64_t>(path);
  write_and_read_back<std::int64_t>(path);
  write_and_read_back<float>(path);
  write_and_read_back<double>(path);
  std::filesystem::remove(path);
}

TEST(numbers, are_not_written_where_nothing_can_be) {
  double const one = 1;
  view<double const> const numbers(&one, 1);
  EXPECT_THROW(write_numbers(cpu::threads(1), numbers, "/no/such/folder/file"), bad_input);
  EXPECT_THROW(write_numbers(cpu::threads(1), numbers, "/dev/full"), bad_input);
  output full("/dev/full");
  EXPECT_THROW(write_binary_numbers(numbers, full), bad_input);
}

}  // namespace
}  // namespace ravel::examples
