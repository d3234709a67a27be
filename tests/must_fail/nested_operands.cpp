// must fail: an operator or lifted function is of scalars, not records
// must fail: a lifted function of three or more operands is of scalars: use each
// must fail: the operands of an operation are on executors of different types
// must fail: get: the elements are no records
// must fail: make: a value for each member of the struct is wanted
// must fail: make: a value is not of the type of its member
// must fail: list: the values must be of one type
// must fail: append: the sequences must be of one type
// must fail: serially: the elements must be scalars
// must fail: serially: f is no function of where the elements begin and how many there are

#include <ravel/core/cpu/executor.hpp>
#include <ravel/flatten/flatten.hpp>

#include <boost/hana/adapt_struct.hpp>

#include <vector>

using namespace ravel;

struct entry {
  int column;
  double value;
};
BOOST_HANA_ADAPT_STRUCT(entry, column, value);

struct sum_of_three {
  int operator()(int x, int y, int z) const { return x + y + z; }
};

int main() {
  cpu::sequential const ex;
  auto const a = from(ex, std::vector<int>{1, 2});
  auto const x = from(ex, 1);
  auto const pair = tup(x, x);
  pair + x;
  lift(sum_of_three{})(a, a, a);
  x + from(cpu::threads{}, 1);
  get<0>(a);
  make<entry>(x);
  make<entry>(x, x);
  list(x, a);
  append(a, from(ex, std::vector<double>{1}));
  serially(zip(a, a), sum_of_three{});
  serially(a, sum_of_three{});
}
