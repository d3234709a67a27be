// must fail: a lifted bool cannot steer C\+\+'s if, while, \?:, && or
// must fail 24 times: a function of a nested program cannot be called with its arguments
// must fail: Of a lifted x, say at\(x, i\) for x\[i\], len\(x\) for x.size\(\), fst\(x\) for x.first
// must fail 4 times: the lambda of a nested program must return a lifted value or a number; a record is tup
// must fail: x\[i\] of a lifted sequence is at\(x, i\)
// must fail: x.push_back\(y\) of a lifted sequence is append\(x, list\(y\)\)
// must fail: a lifted value is not changed by x \+= y or \+\+x: auto const z = x \+ y
// must fail: if_: the branches are lambdas, .* of values use select
// must fail 2 times: each: the operand is a value of the host: lift it by from\(ex, x\)
// must fail: gather: the indices are a value of the host
// must fail: reduce: m is not a monoid
//
// Mistakes of those who know C++ and begin with nested programs.

#include <ravel/core/cpu/executor.hpp>
#include <ravel/flatten/flatten.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

using namespace ravel;

int main() {
  cpu::sequential const ex;
  std::vector<int> const host{1, 2};
  auto const a = from(ex, host);
  auto const reals = from(ex, std::vector<double>{1, 2});
  auto const rows = from(ex, std::vector<std::vector<int>>{{1, 2}, {3}});
  auto const pairs = from(ex, std::vector<std::pair<int, int>>{{1, 2}});
  auto const words = from(ex, std::vector<std::string>{"fox"});

  each(a, [](auto x) { return std::max(x, x); });
  each(rows, [](auto row) { return row[0]; });
  each(rows, [](auto row) { return row.size(); });
  each(rows, [](auto row) { return row.at(0); });
  each(rows, [](auto row) { return row.back(); });
  each(rows, [](auto row) { return select(row.empty(), 0, 1); });
  each(rows, [](auto row) { return std::accumulate(row.begin(), row.end(), 0); });
  each(rows, [](auto row) { return std::max_element(row.begin(), row.end()); });
  each(rows, [](auto row) { return sum(row, [](auto x) { return x; }); });
  each(rows, [&](auto row) { return sum(row * host); });
  each(reals, [](auto x) { return std::sqrt(x); });
  each(reals, [](auto x) { return std::abs(x); });
  each(reals, [](auto x) { return std::pow(x, 2.0); });
  each(a, [](auto x) { return static_cast<double>(x); });
  each(a, [](auto x) { return x << 1; });
  each(a, [](auto x) { return x & 1; });
  each(a, [](auto x) { return len(x); });
  each(a, [](auto x) { return sum(x); });
  each(a, [&](auto i) { return host[i]; });
  each(a, [](auto x, auto y) { return x + y; });
  each(a, [](auto x) {
    return while_(
        x, [](auto y) { return y < 3; }, [](auto y) { return y; });
  });
  each(pairs, [](auto p) { return p.first; });
  each(pairs, [](auto p) { return std::get<0>(p); });
  each(words, [](auto w) { return w == "fox"; });
  each(a, [](auto x) { return std::pair(x, x); });
  each(a, [](auto x) { return std::vector{x, x}; });
  each(a, [](auto) { return std::string("fox"); });
  each(rows, [](auto row) { row.push_back(1); });
  each(a, [](auto x) {
    x += 1;
    return x;
  });
  each(a, [](auto x) {
    ++x;
    return x;
  });
  each(a, [](auto x) { return if_(x > 1, x, x); });
  each(host, [](auto x) { return x; });
  each(5, [](auto x) { return x; });
  gather(a, host);
  reduce(a, [](auto x, auto y) { return x + y; });
}
