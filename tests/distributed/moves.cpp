/// Sorts, gathers, pipelines and nested programs on ranks, compared with one process.

#include "distributed/every_call.hpp"

#include <ravel/distributed/checked.hpp>
#include <ravel/distributed/gather.hpp>
#include <ravel/distributed/grid.hpp>
#include <ravel/distributed/nested.hpp>
#include <ravel/distributed/pipelines.hpp>
#include <ravel/distributed/sequence.hpp>
#include <ravel/distributed/sort.hpp>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

namespace ravel::testing {
namespace {

void expect(bool holds, char const* what) {
  if (!holds) throw std::runtime_error(std::string(what) + " is wrong");
}

/// The elements of all ranks are `all`.
template <class Ex, class X, class T>
void expect_elements(Ex const& ex, X const& x, std::vector<T> const& all, char const* what) {
  expect(gather_to(ex, x, 1) == (ex.ranks().rank() == 1 ? all : std::vector<T>{}), what);
}

template <class Ranks>
void moves(Ranks const& ranks) {
  distributed::executor const ex(cpu::sequential(), ranks);
  std::vector<int> all(1000), at(all.size()), taken;
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i] = static_cast<int>(i * 37 % 211);
    at[i] = static_cast<int>(i * 7 % all.size());
  }
  for (int const i : at) taken.push_back(all[static_cast<std::size_t>(i)]);
  auto const x = distributed::from(ex, all);
  auto y = ex.template allocate<int>(1000);
  gather(ex, x, distributed::from(ex, at), y);
  expect_elements(ex, y, taken, "gather");
  auto sorted = all;
  std::sort(sorted.begin(), sorted.end());
  radix_sort(ex, x, y);
  expect_elements(ex, y, sorted, "radix_sort");

  auto const stages = filter([](int i) { return i % 3 == 0; }) | inclusive_scan(plus{}) |
                      filter([](int i) { return i % 2 == 0; });
  auto const sums = on(cpu::sequential(), all) | stages | to_vector();
  expect_elements(ex, on(ex, x) | stages | to_buffer(), sums, "pipeline");

  std::vector<std::vector<int>> rows(50);
  for (std::size_t r = 0; r < rows.size(); ++r) rows[r].assign(r % 7, static_cast<int>(r));
  auto const program = [](auto const& of) {
    return each(of, [](auto row) { return sort(row * row + len(row)); });
  };
  auto const expected = to_host(program(from(cpu::sequential(), rows)));
  auto const nested = program(balance(ex, distributed::from(ex, rows)));
  expect_elements(ex, nested, expected, "each");

  auto const of_rank = [](int r, int s) { return static_cast<std::size_t>(r + 2 * s + 1); };
  std::vector<std::size_t> sent, received;
  std::string bytes, expected_bytes;
  for (int r = 0; r < ranks.size(); ++r) {
    sent.push_back(of_rank(ranks.rank(), r));
    received.push_back(of_rank(r, ranks.rank()));
    bytes.append(sent.back(), static_cast<char>('a' + ranks.rank()));
    expected_bytes.append(received.back(), static_cast<char>('a' + r));
  }
  std::string to(expected_bytes.size(), '-');
  distributed::detail::all_to_all_in_grid(ex, bytes.data(), sent, to.data(), received);
  expect(to == expected_bytes, "an exchange in two levels");
}

}  // namespace

void make_moves(any_ranks const& ranks) {
  moves(ranks);
  moves(distributed::checked(ranks));
}

}  // namespace ravel::testing
