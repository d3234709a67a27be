/// Several ranks: the same calls on the pieces of a sequence.  Here ranks are threads; with run_mpi and
/// mpi in place of run_ranks and in_process they are the processes that mpirun starts.

#include <ravel/core/cpu/executor.hpp>
#include <ravel/distributed/in_process.hpp>
#include <ravel/distributed/pipelines.hpp>
#include <ravel/distributed/sort.hpp>

#include "show.hpp"

#include <initializer_list>
#include <string_view>
#include <vector>

using namespace ravel;

void visit(distributed::in_process const& ranks) {
  distributed::executor const ex(cpu::sequential(), ranks);
  auto const show_on_first = [&](std::string_view name, auto const& x,
                                 std::initializer_list<index_t> expected) {
    auto const all = gather_to(ex, x, 0);
    if (ranks.rank() == 0) show(name, all, expected);
  };
  auto const payments = distributed::from(ex, std::vector{50, -20, 30, -70, 40, 10});  // two each
  auto const account = on(ex, payments);

  // Each rank scans its two; the sums of pieces are all that is exchanged.
  show_on_first("balance", account | inclusive_scan(plus{}) | to_buffer(),
                {50, 30, 60, -10, 30, 40});

  // What a filter keeps stays on its rank, until balance makes pieces even.
  auto const received = account | filter([](int x) { return x > 0; }) | to_buffer();
  show_on_first("received", received, {50, 30, 40, 10});
  auto const begins_of = [&](auto const& x) { return distributed::from(ex, x.begins()); };
  show_on_first("in pieces from", begins_of(received), {0, 1, 2, 4});
  show_on_first("and after balance", begins_of(balance(ex, received)), {0, 2, 3, 4});

  // A sort moves each element once, to the rank in whose piece its place is.
  auto sorted = ex.allocate<int>(6);
  radix_sort(ex, payments, sorted);
  show_on_first("sorted", sorted, {-70, -20, 10, 30, 40, 50});
}

int main() { distributed::run_ranks(3, visit); }
