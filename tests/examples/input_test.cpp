#include "support/input.hpp"

#include "support/command_line.hpp"

#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace ravel::examples {
namespace {

/// A temporary directory for the test.
struct input : ::testing::Test {
  std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("ravel-input-" + std::to_string(getpid()));

  void SetUp() override { std::filesystem::create_directories(folder); }
  void TearDown() override { std::filesystem::remove_all(folder); }

  std::string write(std::string const& name, std::string const& content) const {
    auto const path = (folder / name).string();
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }
};

std::string gzipped(std::string const& content) {
  z_stream z = {};
  deflateInit2(&z, Z_BEST_SPEED, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&z, content.size()), '\0');
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  z.avail_in = static_cast<uInt>(content.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = static_cast<uInt>(out.size());
  deflate(&z, Z_FINISH);
  out.resize(z.total_out);
  deflateEnd(&z);
  return out;
}

std::string content_of(std::string const& path) {
  auto const b = read_input(path);
  return {b.all().begin(), b.all().end()};
}

std::string refusal(std::string const& path) {
  try {
    read_input(path);
  } catch (bad_input const& e) {
    return e.what();
  }
  return "read";
}

/// 9 million bytes that compress well, so that they are read in many pieces.
std::string long_text() {
  std::string text;
  for (int i = 0; text.size() < 9'000'000; ++i) text += std::to_string(i) + '\n';
  return text;
}

TEST_F(input, gives_the_bytes_of_a_file) {
  EXPECT_EQ(content_of(write("empty", "")), "");
  EXPECT_EQ(content_of(write("short", std::string("a\0b\n", 4))), std::string("a\0b\n", 4));
  auto const text = long_text();
  EXPECT_TRUE(content_of(write("long", text)) == text);
}

TEST_F(input, decompresses_gzip_whatever_its_name) {
  EXPECT_EQ(content_of(write("empty.gz", gzipped(""))), "");
  auto const text = long_text();
  EXPECT_TRUE(content_of(write("long.gz", gzipped(text))) == text);
  EXPECT_EQ(content_of(write("short", gzipped("hello"))), "hello");
  auto const two = gzipped("hello ") + gzipped("world") + std::string(100, '\0');
  EXPECT_EQ(content_of(write("two.gz", two)), "hello world");
  auto const packed = write("raw.gz", gzipped("hello"));
  EXPECT_EQ(read_input(packed, reading::raw).size, std::ssize(gzipped("hello")));
}

TEST_F(input, expands_what_compresses_a_thousandfold) {
  std::string const zeros(20'000'000, '0');
  EXPECT_TRUE(content_of(write("zeros.gz", gzipped(zeros))) == zeros);
}

TEST_F(input, has_parts_of_whole_lines_or_records) {
  std::string const lines = "a header\n1\n22\n\n333 4444\n55555\n66";
  auto const path = write("lines", lines);
  auto const parts_of = [&](index_t record, index_t header, index_t parts) {
    std::string all;
    for (index_t k = 0; k < parts; ++k) {
      auto const part = read_part(path, record, header, k, parts);
      std::string const text(part.all().begin(), part.all().end());
      if (record > 0) {
        EXPECT_EQ(part.size % record, 0);
      } else if (!text.empty() && text.back() != '\n') {
        EXPECT_EQ(text.back(), lines.back());
      }
      all += text;
    }
    return all;
  };
  for (index_t const parts : {1, 2, 3, 8, 50}) {
    EXPECT_EQ(parts_of(0, 0, parts), lines);
    EXPECT_EQ(parts_of(0, 1, parts), lines.substr(9));
    EXPECT_EQ(parts_of(0, 9, parts), "");
    EXPECT_EQ(parts_of(std::ssize(lines) / 4, 0, parts), lines);
  }
  EXPECT_THROW(read_part(path, 7, 0, 0, 1), bad_input);
  EXPECT_THROW(read_part(folder.string(), 0, 0, 0, 2), bad_input);
  EXPECT_THROW(read_part(write("packed", gzipped("1")), 0, 0, 0, 2), bad_input);
  EXPECT_EQ(read_part(write("empty", ""), 0, 1, 1, 2).size, 0);
}

TEST_F(input, says_why_it_cannot_be_read) {
  EXPECT_EQ(refusal("/no/such/file"), "/no/such/file: cannot be opened: No such file or directory");
  EXPECT_EQ(refusal(folder.string()), folder.string() + ": cannot be read: Is a directory");
  auto whole = gzipped("hello, world");
  auto const cut = write("cut.gz", whole.substr(0, whole.size() - 3));
  EXPECT_EQ(refusal(cut), cut + ": is not whole: the gzip data end too early");
  auto const longer = write("longer.gz", whole + "more");
  EXPECT_EQ(refusal(longer), longer + ": is not valid gzip: incorrect header check");
  whole[whole.size() - 6] ^= 1;
  auto const damaged = write("damaged.gz", whole);
  EXPECT_EQ(refusal(damaged), damaged + ": is not valid gzip: incorrect data check");
}

}  // namespace
}  // namespace ravel::examples
