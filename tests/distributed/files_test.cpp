#include <ravel/distributed/files.hpp>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

#include "distributed/ranks.hpp"

namespace ravel::testing::files_test {
namespace {

/// A folder that ends with the test.
struct folder {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("ravel-files-" + std::to_string(getpid()));
  folder() { std::filesystem::create_directory(path); }
  ~folder() { std::filesystem::remove_all(path); }
  std::string operator()(char const* name) const { return path / name; }
};

void write_bytes(std::string const& path, std::string const& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}
std::string bytes_of(std::string const& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
std::vector<int> numbers(index_t n) {
  std::vector<int> all(n);
  std::iota(all.begin(), all.end(), 1 << 20);
  return all;
}
template <class T>
std::string raw(std::vector<T> const& all) {
  return {reinterpret_cast<char const*>(all.data()), all.size() * sizeof(T)};
}

TEST(DistributedFiles, EachRankReadsAndWritesItsPiece) {
  folder const in;
  for (index_t const n : {0, 1, 7, 1000}) {
    auto const all = numbers(n);
    write_bytes(in("x"), raw(all));
    write_bytes(in("after"), "a header" + raw(all) + "rest");
    on_groups([&](auto const& ex) {
      int const p = ex.ranks().size();
      auto const x = distributed::from_file<int>(ex, in("x"));
      EXPECT_TRUE(std::ranges::equal(x.begins(), distributed::even_begins(n, p)));
      EXPECT_EQ(everywhere(ex, x), all);
      for (auto const& shape : placements(n, p)) {
        distributed::sequence<int, on_ranks> y(ex, shape);
        from_file(ex, in("after"), y, 8);
        EXPECT_EQ(everywhere(ex, y), all);
        to_file(ex, y, in("y"));
        distributed::gather_values(ex.ranks(), 0);
        EXPECT_EQ(bytes_of(in("y")), raw(all));
        distributed::gather_values(ex.ranks(), 0);
      }
    });
    EXPECT_FALSE(std::filesystem::exists(in("y.part")));
  }
}

/// The message of the error that each rank of a group gets from f, after which the group goes on.
template <class F>
std::string error_on_each(F const& f) {
  std::string said;
  distributed::run_ranks(3, [&](auto const& ranks) {
    on_ranks const ex(cpu::sequential(), ranks);
    std::string mine;
    try {
      f(ex);
    } catch (call_error const& e) {
      mine = e.what();
    }
    EXPECT_EQ(distributed::gather_values(ranks, ranks.rank())[2], 2);
    for (auto const n : distributed::gather_values(ranks, mine.size())) EXPECT_EQ(n, mine.size());
    if (ranks.rank() == 2) said = mine;
  });
  return said;
}

TEST(DistributedFiles, WhatCannotBeReadIsOneErrorOnAllRanks) {
  folder const in;
  EXPECT_EQ(error_on_each([&](auto const& ex) { distributed::from_file<int>(ex, in("no")); }),
            "from_file: " + in("no") + ": rank 0: No such file or directory");
  EXPECT_EQ(error_on_each([&](auto const& ex) { distributed::from_file<int>(ex, in("")); }),
            "from_file: " + in("") + ": rank 0: it is no regular file");
  write_bytes(in("odd"), "123456789");
  EXPECT_EQ(error_on_each([&](auto const& ex) { distributed::from_file<int>(ex, in("odd")); }),
            "from_file: " + in("odd") + ": rank 0: it has 9 bytes, and elements have 4");
  EXPECT_EQ(error_on_each([&](auto const& ex) {
              auto x = ex.template allocate<int>(2);
              from_file(ex, in("odd"), x, 1);
              from_file(ex, in("odd"), x, 2);
            }),
            "from_file: " + in("odd") + ": rank 0: it has 9 bytes, and not 10");
  distributed::detail::posix_file const file(in("odd"), false);  // which another program has cut
  std::byte to[20];
  EXPECT_THROW(file.read(4, to, 6), call_error);
}

TEST(DistributedFiles, WhatCannotBeWrittenIsOneErrorAndTheOldFileStays) {
  folder const in;
  auto const write_to = [](std::string const& path) {
    return error_on_each(
        [&](auto const& ex) { to_file(ex, distributed::from(ex, numbers(3000)), path); });
  };
  EXPECT_EQ(write_to(in("no/file")),
            "to_file: " + in("no/file") + ": rank 0: No such file or directory");
  write_bytes(in("old"), "old");
  struct rlimit old {};
  getrlimit(RLIMIT_FSIZE, &old);
  struct rlimit const few{5000, old.rlim_max};
  auto const handler = std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &few);
  std::string const said = write_to(in("old"));
  setrlimit(RLIMIT_FSIZE, &old);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(said, "to_file: " + in("old") + ": rank 1: File too large");
  EXPECT_EQ(bytes_of(in("old")), "old");
  EXPECT_FALSE(std::filesystem::exists(in("old.part")));
}

}  // namespace
}  // namespace ravel::testing::files_test
