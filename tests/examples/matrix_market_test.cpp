#include "support/matrix_market.hpp"

#include "support/command_line.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace ravel::examples {
namespace {

cpu::threads const ex(4);

matrix_market parsed(std::string const& text) {
  return read_matrix_market(ex, {text.data(), std::ssize(text)}, "m.mtx");
}

/// The error for a text; "read" if there is none.
std::string refusal(std::string const& text) {
  try {
    parsed(text);
  } catch (bad_input const& e) {
    return e.what();
  }
  return "read";
}

/// An entry of any field, for comparison.
struct entry {
  index_t row, column;
  std::complex<long double> value;
  friend bool operator==(entry const&, entry const&) = default;
  friend std::ostream& operator<<(std::ostream& os, entry const& e) {
    return os << '(' << e.row << ' ' << e.column << ' ' << e.value << ')';
  }
};

template <class T>
std::complex<long double> wide(T const& x) {
  return static_cast<long double>(x);
}
std::complex<long double> wide(std::complex<double> const& x) { return {x.real(), x.imag()}; }

std::vector<entry> entries_of(matrix_market const& m) {
  return std::visit(
      [](auto const& e) {
        std::vector<entry> all;
        for (index_t k = 0; k < e.values.size(); ++k) {
          all.push_back({e.rows[k], e.columns[k], wide(e.values[k])});
        }
        return all;
      },
      m.entries);
}

TEST(matrix_market, gives_the_example_in_the_header) {
  auto const m = parsed(
      "%%MatrixMarket matrix coordinate real symmetric\n"
      "% a comment\n"
      "2 2 2\n"
      "1 1  4.0\n"
      "2 1 -1.5\n");
  EXPECT_EQ(m.header.rows, 2);
  EXPECT_EQ(m.header.cols, 2);
  EXPECT_EQ(m.header.stored, 2);
  EXPECT_EQ(entries_of(m), (std::vector<entry>{{0, 0, 4}, {1, 0, -1.5}, {0, 1, -1.5}}));
}

TEST(matrix_market, takes_any_case_blanks_comments_and_line_ends) {
  std::vector<entry> const expected{{0, 2, 1.5}, {1, 0, -2}};
  EXPECT_EQ(entries_of(parsed("%%MATRIXMARKET Matrix COORDINATE Double General\r\n"
                              "\r\n%\r\n   % with % signs\r\n"
                              "\t2   3\t2 \r\n"
                              "% between\r\n"
                              " 1\t3  1.5\r\n"
                              "\r\n   \r\n%\r\n"
                              "2 1 -2   \r\n\r\n%")),
            expected);
  EXPECT_EQ(entries_of(parsed("%%matrixmarket matrix coordinate real general\n2 3 2\n"
                              "+1 +3 +1.5\n2 1 -.2e1")),
            expected);
}

TEST(matrix_market, reads_every_field) {
  auto const one = [](std::string const& field, std::string const& value) {
    auto const all = entries_of(
        parsed("%%MatrixMarket matrix coordinate " + field + " general\n1 1 1\n1 1 " + value));
    return all.at(0).value;
  };
  using complex = std::complex<long double>;
  EXPECT_EQ(one("real", "0.1"), complex(0.1));
  EXPECT_EQ(one("real", "1e-310"), complex(1e-310));  // subnormal
  EXPECT_EQ(one("real", "1e-400"), complex(0));       // rounds to zero
  EXPECT_EQ(one("real", "-inf"), complex(-INFINITY));
  EXPECT_TRUE(std::isnan(one("real", "NaN").real()));
  EXPECT_EQ(one("integer", "-9223372036854775808"), complex(-0x1p63L));
  EXPECT_EQ(one("integer", "9007199254740993"), complex(0x1p53L + 1));  // not a double
  EXPECT_EQ(one("unsigned", "18446744073709551615"), complex(0x1p64L - 1));
  EXPECT_EQ(one("unsigned-integer", "7"), complex(7));
  EXPECT_EQ(one("complex", "1.5 -2"), complex(1.5, -2));
  EXPECT_EQ(one("pattern", ""), complex(1));
}

TEST(matrix_market, refuses_what_is_out_of_range_in_single_precision) {
  auto const read = [](std::string const& field, std::string const& value, real_type of_reals) {
    auto const text = "%%MatrixMarket matrix coordinate " + field + " general\n2 2 2\n1 1 1" +
                      (field == "complex" ? " 0\n2 2 " : "\n2 2 ") + value + "\n";
    try {
      read_matrix_market(ex, {text.data(), std::ssize(text)}, "m.mtx", of_reals);
    } catch (bad_input const& e) {
      return std::string(e.what());
    }
    return std::string("read");
  };
  using enum real_type;
  EXPECT_EQ(read("real", "-1e39", f32), "m.mtx:4: the value '-1e39' is out of range for f32");
  EXPECT_EQ(read("real", "3.4028236e38", f32),
            "m.mtx:4: the value '3.4028236e38' is out of range for f32");
  EXPECT_EQ(read("real", "3.4028235e38", f32), "read");
  EXPECT_EQ(read("real", "1e-99", f32), "read");
  EXPECT_EQ(read("real", "inf", f32), "read");
  EXPECT_EQ(read("real", "nan", f32), "read");
  EXPECT_EQ(read("real", "1e39", f64), "read");
  EXPECT_EQ(read("complex", "1e39 0", f32), "read") << "computed in double precision";
  EXPECT_EQ(read("integer", "9223372036854775807", f32), "read");
}

TEST(matrix_market, takes_a_byte_order_mark) {
  std::string const text = "%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1\n";
  EXPECT_EQ(entries_of(parsed("\xef\xbb\xbf" + text)), entries_of(parsed(text)));
  EXPECT_EQ(refusal("\xef\xbb\xbf" + text + "2 1\n"),
            "m.mtx:4: the size line promises 1 entries, and 2 follow");
  EXPECT_EQ(refusal("\xef\xbb" + text), "m.mtx:1: a Matrix Market file begins with %%MatrixMarket");
}

TEST(matrix_market, mirrors_what_is_symmetric) {
  auto const read = [](std::string const& banner, std::string const& body) {
    return entries_of(parsed("%%MatrixMarket matrix coordinate " + banner + "\n" + body));
  };
  EXPECT_EQ(read("pattern symmetric", "2 2 2\n2 1\n2 2\n"),
            (std::vector<entry>{{1, 0, 1}, {0, 1, 1}, {1, 1, 1}}));
  EXPECT_EQ(read("integer skew-symmetric", "2 2 1\n2 1 7\n"),
            (std::vector<entry>{{1, 0, 7}, {0, 1, -7}}));
  EXPECT_EQ(read("complex hermitian", "2 2 2\n1 1 3 0\n2 1 4 5\n"),
            (std::vector<entry>{{0, 0, 3}, {1, 0, {4, 5}}, {0, 1, {4, -5}}}));
  EXPECT_EQ(read("complex symmetric", "2 2 1\n2 1 4 5\n"),
            (std::vector<entry>{{1, 0, {4, 5}}, {0, 1, {4, 5}}}));
  EXPECT_EQ(read("complex skew-symmetric", "2 2 1\n2 1 4 5\n"),
            (std::vector<entry>{{1, 0, {4, 5}}, {0, 1, {-4, -5}}}));
}

TEST(matrix_market, reads_arrays_down_their_columns) {
  auto const read = [](std::string const& banner, std::string const& body) {
    return entries_of(parsed("%%MatrixMarket matrix array " + banner + "\n" + body));
  };
  EXPECT_EQ(read("integer general", "2 3\n1\n2\n3\n4\n5\n6\n"),
            (std::vector<entry>{{0, 0, 1}, {1, 0, 2}, {0, 1, 3}, {1, 1, 4}, {0, 2, 5}, {1, 2, 6}}));
  EXPECT_EQ(read("integer symmetric", "3 3\n1\n2\n3\n4\n5\n6\n"), (std::vector<entry>{{0, 0, 1},
                                                                                      {1, 0, 2},
                                                                                      {0, 1, 2},
                                                                                      {2, 0, 3},
                                                                                      {0, 2, 3},
                                                                                      {1, 1, 4},
                                                                                      {2, 1, 5},
                                                                                      {1, 2, 5},
                                                                                      {2, 2, 6}}));
  EXPECT_EQ(
      read("integer skew-symmetric", "3 3\n2\n3\n5\n"),
      (std::vector<entry>{{1, 0, 2}, {0, 1, -2}, {2, 0, 3}, {0, 2, -3}, {2, 1, 5}, {1, 2, -5}}));
  EXPECT_EQ(read("real general", "0 5\n"), std::vector<entry>{});
  EXPECT_EQ(read("real symmetric", "0 0\n"), std::vector<entry>{});
  EXPECT_EQ(read("real skew-symmetric", "1 1\n"), std::vector<entry>{});
}

TEST(matrix_market, says_where_and_why_it_refuses_a_head) {
  EXPECT_EQ(refusal(""), "m.mtx:1: the file is empty");
  EXPECT_EQ(refusal("3 3 1\n1 1 1\n"), "m.mtx:1: a Matrix Market file begins with %%MatrixMarket");
  auto const head = [](std::string const& rest) { return refusal("%%MatrixMarket " + rest); };
  EXPECT_EQ(head(""), "m.mtx:1: the object is '', and not a matrix");
  EXPECT_EQ(head("vector"), "m.mtx:1: the object is 'vector', and not a matrix");
  EXPECT_EQ(head("matrix"), "m.mtx:1: the first line names no format");
  EXPECT_EQ(head("matrix sparse"),
            "m.mtx:1: the format is 'sparse', and not one of coordinate, array");
  EXPECT_EQ(head("matrix array pattern general\n1 1\n"),
            "m.mtx:1: an array has values, and cannot be a pattern");
  EXPECT_EQ(head("matrix coordinate real hermitian\n1 1 0\n"),
            "m.mtx:1: only a complex matrix can be hermitian");
  EXPECT_EQ(head("matrix coordinate unsigned skew-symmetric\n1 1 0\n"),
            "m.mtx:1: skew-symmetric values have signs, and cannot be pattern or unsigned");
  EXPECT_EQ(head("matrix coordinate real general more\n"),
            "m.mtx:1: 'more' is too much in the first line");
  EXPECT_EQ(head("matrix coordinate real general\n%\n"),
            "m.mtx:2: the file ends before the size line");

  auto const size = [&](std::string const& line) {
    return head("matrix coordinate real symmetric\n%\n\n" + line + "\n");
  };
  EXPECT_EQ(size("3"), "m.mtx:4: the size line gives no number of columns");
  EXPECT_EQ(size("3 3"), "m.mtx:4: the size line gives no number of entries");
  EXPECT_EQ(size("3 3 0 0"), "m.mtx:4: '0' is too much in the size line");
  EXPECT_EQ(size("3 -3 0"), "m.mtx:4: the number of columns is negative: -3");
  EXPECT_EQ(size("3 x 0"), "m.mtx:4: the number of columns is 'x'");
  EXPECT_EQ(size("3 99999999999999999999 0"),
            "m.mtx:4: the number of columns is too large: '99999999999999999999'");
  EXPECT_EQ(size("1152921504606846975 1152921504606846975 0"),
            "m.mtx:4: a matrix of 1152921504606846975 by 1152921504606846975 is too large");
  EXPECT_EQ(size("3 4 0"), "m.mtx:4: a matrix of 3 by 4 has no symmetry");
  EXPECT_EQ(head("matrix array real general\n4000000000 4000000000\n"),
            "m.mtx:2: an array of 4000000000 by 4000000000 is too large");
}

TEST(matrix_market, says_where_and_why_it_refuses_an_entry) {
  auto const entry = [](std::string const& banner, std::string const& line) {
    return refusal("%%MatrixMarket matrix coordinate " + banner + "\n% c\n3 3 2\n3 1 2 1\n\n" +
                   line + "\n");
  };
  auto const complex = [&](std::string const& line) { return entry("complex general", line); };
  EXPECT_EQ(complex("4 1 1 1"), "m.mtx:6: the row is 4, and the matrix has 3");
  EXPECT_EQ(complex("0 1 1 1"), "m.mtx:6: the row is 0, and the matrix has 3");
  EXPECT_EQ(complex("1 -1 1 1"), "m.mtx:6: the column is -1, and the matrix has 3");
  EXPECT_EQ(complex("1 99999999999999999999 1 1"),
            "m.mtx:6: the column is '99999999999999999999', and the matrix has 3");
  EXPECT_EQ(complex("1.5 1 1 1"), "m.mtx:6: the row '1.5' is not an integer");
  EXPECT_EQ(complex("1"), "m.mtx:6: the entry has no column");
  EXPECT_EQ(complex("1 1"), "m.mtx:6: the entry has no real part");
  EXPECT_EQ(complex("1 1 1"), "m.mtx:6: the entry has no imaginary part");
  EXPECT_EQ(complex("1 1 1 i"), "m.mtx:6: the imaginary part 'i' is not a number");
  EXPECT_EQ(complex("1 1 1e999 0"), "m.mtx:6: the real part '1e999' is too large");
  EXPECT_EQ(complex("1 1 +-1 0"), "m.mtx:6: the real part '+-1' is not a number");
  EXPECT_EQ(complex("1 1 1 0 0"), "m.mtx:6: '0' is too much on the line of an entry");
  EXPECT_EQ(complex(std::string("1 1 a\x01") + std::string(60, 'b') + " 0"),
            "m.mtx:6: the real part 'a?" + std::string(38, 'b') + "...' is not a number");
  EXPECT_EQ(entry("complex hermitian", "2 2 1 1"),
            "m.mtx:6: a value that is not real on the diagonal of a hermitian matrix");
  EXPECT_EQ(entry("complex symmetric", "1 2 1 1"),
            "m.mtx:6: an entry above the diagonal, where symmetry already gives one");
  EXPECT_EQ(entry("complex skew-symmetric", "2 2 1 1"),
            "m.mtx:6: an entry on the diagonal of a skew-symmetric matrix");

  auto const integer = [](std::string const& value) {
    return refusal("%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 1\n2 1 " + value);
  };
  EXPECT_EQ(integer("1.0"), "m.mtx:3: the value '1.0' is not an integer");
  EXPECT_EQ(integer("9223372036854775808"),
            "m.mtx:3: the value '9223372036854775808' is too large");
  EXPECT_EQ(integer("-9223372036854775808"), "m.mtx:3: the value has no negative of 64 bits");
}

TEST(matrix_market, says_which_entries_are_missing_or_too_many) {
  std::string const banner = "%%MatrixMarket matrix coordinate pattern general\n";
  EXPECT_EQ(refusal(banner + "2 2 3\n1 1\n2 2\n"),
            "m.mtx:2: the size line promises 3 entries, and 2 follow");
  EXPECT_EQ(refusal(banner + "2 2 1\n1 1\n%\n2 2\n\n1 2\n"),
            "m.mtx:5: the size line promises 1 entries, and 3 follow");
  EXPECT_EQ(refusal(banner + "2 2 9000000000000000000\n1 1\n"),
            "m.mtx:2: the size line promises 9000000000000000000 entries, and 1 follow");
  EXPECT_EQ(refusal(banner + "2 2 0"), "read");
  EXPECT_EQ(refusal(banner + "2 2 0\n1 1\n"),
            "m.mtx:3: the size line promises 0 entries, and 1 follow");
}

/// Long enough for four threads, with comments and both kinds of line ends.
std::string long_file(index_t n, std::vector<entry>& entries) {
  std::ostringstream out;
  out.precision(17);
  out << "%%MatrixMarket matrix coordinate real general\n1000 2000 " << n << '\n';
  for (index_t k = 0; k < n; ++k) {
    entry const e{k * 7 % 1000, k * 13 % 2000, static_cast<double>(k) / 3 - 1000};
    entries.push_back(e);
    if (k % 100 == 0) out << "% comment " << k << '\n';
    if (k % 333 == 0) out << "   \r\n";
    out << e.row + 1 << ' ' << e.column + 1 << ' ' << static_cast<double>(e.value.real())
        << (k % 3 == 0 ? "\r\n" : "\n");
  }
  return out.str();
}

TEST(matrix_market, reads_long_files_in_parallel) {
  std::vector<entry> expected;
  auto const text = long_file(100'000, expected);
  EXPECT_EQ(entries_of(parsed(text)), expected);
}

TEST(matrix_market, names_the_first_of_many_bad_lines) {
  std::vector<entry> entries;
  auto text = long_file(50'000, entries);
  index_t line = 1, first_bad = 0;
  for (std::size_t at = 0; at + 1 < text.size(); ++at) {
    if (text[at] != '\n') continue;
    ++line;
    bool const holds_entry = text[at + 1] >= '0' && text[at + 1] <= '9';
    if (line < 25'000 || line % 50 != 0 || !holds_entry) continue;
    text[at + 1] = 'x';
    if (first_bad == 0) first_bad = line;
  }
  ASSERT_GT(first_bad, 0);
  auto const prefix = "m.mtx:" + std::to_string(first_bad) + ": the row 'x";
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(refusal(text).substr(0, prefix.size()), prefix);
  }
}

/// The rows of a table of tab-separated columns with a first line of names.
std::vector<std::map<std::string, std::string>> table(std::string const& path) {
  auto const split = [](std::string const& line) {
    std::vector<std::string> cells(1);
    for (char const c : line) {
      if (c == '\t') {
        cells.emplace_back();
      } else {
        cells.back() += c;
      }
    }
    return cells;
  };
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  auto const names = split(line);
  std::vector<std::map<std::string, std::string>> rows;
  while (std::getline(file, line)) {
    auto const cells = split(line);
    auto& row = rows.emplace_back();
    for (std::size_t i = 0; i < names.size() && i < cells.size(); ++i) row[names[i]] = cells[i];
  }
  return rows;
}

TEST(matrix_market, accepts_and_rejects_what_the_reference_says) {
  std::string const data = RAVEL_TEST_DATA;
  if (!std::filesystem::exists(data + "/expected_parser.tsv")) {
    GTEST_SKIP() << "no reference data in " << data;
  }
  int accepted = 0, rejected = 0;
  for (auto& expected : table(data + "/expected_parser.tsv")) {
    SCOPED_TRACE(expected["file"] + ": " + expected["reason"]);
    std::ifstream file(data + "/parser/" + expected["file"], std::ios::binary);
    ASSERT_TRUE(file.is_open());
    std::string const text(std::istreambuf_iterator<char>(file), {});
    auto const answer = refusal(text);
    if (answer != "read") {
      EXPECT_NE(expected["verdict"], "accept") << answer;
      EXPECT_EQ(answer.substr(0, 6), "m.mtx:");
      ++rejected;
      continue;
    }
    ++accepted;
    EXPECT_NE(expected["verdict"], "reject");
    auto const m = parsed(text);
    EXPECT_EQ(std::to_string(m.header.rows), expected["rows"]);
    EXPECT_EQ(std::to_string(m.header.cols), expected["cols"]);
    std::set<std::pair<index_t, index_t>> places;
    std::complex<long double> sum = 0;
    for (auto const& e : entries_of(m)) {
      places.emplace(e.row, e.column);
      sum += e.value;
    }
    EXPECT_EQ(std::to_string(places.size()), expected["nnz"]);
    auto const re = std::stold(expected["sum_re"]), im = std::stold(expected["sum_im"]);
    if (std::isnan(re)) {
      EXPECT_FALSE(std::isfinite(sum.real()));
    } else {
      bool const exact = expected["sum_re"].find('.') == std::string::npos;
      EXPECT_LE(std::abs(sum.real() - re), exact ? 0 : 1e-13L * std::abs(re));
      EXPECT_LE(std::abs(sum.imag() - im), 1e-13L * std::abs(im));
    }
  }
  EXPECT_GE(accepted, 16);
  EXPECT_GE(rejected, 17);
}

}  // namespace
}  // namespace ravel::examples
