/// List ranking on the CPU, compared with a serial walk and with the limit of random access.

#include "support/host.hpp"
#include "support/list_orders.hpp"

#include <ravel/algorithms/list_ranking.hpp>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace ravel::bench::host {
namespace {

struct node_of_rank {
  list_order order;
  std::uint32_t operator()(index_t rank) const { return static_cast<std::uint32_t>(order(rank)); }
};

comparison ranks(executor const& ex, list_order::kind kind, index_t n) {
  list_order const order{kind, n};
  auto const next = allocate<std::uint32_t>(ex, n);
  for_each_index(ex, n, write_link<std::uint32_t>{order, next->data()});
  auto const out = allocate<std::uint32_t>(ex, n);
  auto const places = generate<std::uint32_t>(ex, n, node_of_rank{order});
  auto const head = std::vector{static_cast<std::uint32_t>(order(0))};
  auto const fault = std::make_shared<std::vector<list_fault>>(1);
  auto const right = [=] {
    for (index_t rank = 0; rank < n; ++rank) {
      if ((*out)[(*places)[rank]] != rank) return false;
    }
    return true;
  };

  comparison c;
  c.bytes = 8 * double(n);
  c.poison = poison(out);
  add_ours(
      ex, c, [=](executor const& by) { list_rank(by, *next, *out, heads_at(head)); }, right);
  c.contenders.push_back({"named:heads to find", [=] { list_rank(ex, *next, *out); }, right});
  c.contenders.push_back({"named:one list", [=] { list_rank(ex, *next, *out, one_list); }, right});
  c.contenders.push_back(
      {"named:checked", [=] { list_rank(ex, *next, *out, fault_to(*fault)); }, right});
  auto const walk = [=, first = head[0]] {
    std::uint32_t rank = 0;
    for (std::uint32_t i = first; i != std::uint32_t(-1); i = (*next)[i]) (*out)[i] = rank++;
  };
  c.contenders.push_back({"peer:serial walk", walk, right});
  // A limit, not a ranking: reads and writes each node at a random position that is known in
  // advance.
  auto const known = [=] {
    tbb::parallel_for(index_t{0}, n, [=](index_t rank) { (*out)[(*places)[rank]] += 1; });
  };
  c.contenders.push_back({"read:random access", known});
  add_copy(ex, c);
  return c;
}

suite all(executor const& ex) {
  suite s = make_suite("cpu.list_ranking", ex);
  auto const add = [&](std::string const& name, list_order::kind kind,
                       std::initializer_list<int> logs) {
    add_sizes(s, "cpu.list_ranking." + name, "list ranking, " + name + " list", logs,
              index_t{1} << 24, [=](index_t n) { return ranks(ex, kind, n); });
  };
  add("random", list_order::random, {12, 16, 20});
  add("ordered", list_order::ordered, {});
  add("strided", list_order::strided, {});
  return s;
}

}  // namespace
}  // namespace ravel::bench::host

int main(int argc, char** argv) {
  using namespace ravel::bench::host;
  return run_suite(all, argc, argv);
}
