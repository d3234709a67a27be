/// List ranking on the GPU, compared with the limit of random memory access.

#include "support/gpu.cuh"
#include "support/list_orders.hpp"

#include <ravel/algorithms/list_ranking.hpp>
#include <ravel/core/transfer.hpp>
#include <ravel/primitives/reduce.hpp>
#include <ravel/primitives/scan.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <string>
#include <utility>

namespace ravel::bench::on_gpu {
namespace {

struct list {
  list_order order;
  shared<std::uint32_t> next;
  shared<std::uint32_t> head;
};
list make_list(gpu::executor const& ex, list_order order) {
  auto const next = allocate<std::uint32_t>(ex, order.n);
  for_each_index(ex, order.n, write_link<std::uint32_t>{order, next->data()});
  return {order, next, generate<std::uint32_t>(ex, 1, order)};
}

struct wrong_rank {
  list_order order;
  std::uint32_t const* ranks;
  __device__ bool operator()(index_t rank) const { return ranks[order(rank)] != rank; }
};

/// Reads and writes a word of each node at a random position that is known in advance.
struct change_anywhere {
  list_order order;
  std::uint32_t* words;
  __device__ void operator()(index_t rank) const { words[order(rank)] += 1; }
};
template <class F>
__global__ void __launch_bounds__(512) each(index_t n, F f) {
  index_t const i = index_t{blockIdx.x} * 512 + threadIdx.x;
  if (i < n) f(i);
}

/// An executor that records when the steps of list ranking begin and end.
struct stepping : gpu::executor {
  enum moment { begin, walks_begin, walks_end, ranks_begin, ranks_end, end, moments };
  std::array<cudaEvent_t, moments> events{};

  explicit stepping(gpu::executor const& ex) : gpu::executor(ex) {
    for (auto& e : events) gpu::check(cudaEventCreate(&e), "bench: creating an event");
  }
  void note(moment now) const {
    gpu::check(cudaEventRecord(events[now], stream()), "bench: noting a step");
  }
  double seconds(moment from, moment to) const {
    float milliseconds = 0;
    gpu::check(cudaEventElapsedTime(&milliseconds, events[from], events[to]),
               "bench: reading the time of a step");
    return double(milliseconds) * 1e-3;
  }
};
template <class Walks>
void walk_all(stepping const& ex, Walks const& walks) {
  ex.note(stepping::walks_begin);
  walk_all(static_cast<gpu::executor const&>(ex), walks);
  ex.note(stepping::walks_end);
}
template <class Word, class T, class M>
void rank_sublists(stepping const& ex, ravel::detail::list_of_sublists<Word, T> const& lists, M m) {
  ex.note(stepping::ranks_begin);
  rank_sublists(static_cast<gpu::executor const&>(ex), lists, m);
  ex.note(stepping::ranks_end);
}
int log_splitter_spacing(stepping const& ex, index_t n) {
  return log_splitter_spacing(static_cast<gpu::executor const&>(ex), n);
}

/// The median time of each step, in seconds, of a ranking that must find the heads.  Step 2 takes
/// no time: splitters are chosen by a hash.
template <class Next, class Out>
std::map<std::string, double> seconds_of_steps(gpu::executor const& on, Next const& next,
                                               Out const& out) {
  stepping const ex(on);
  constexpr std::size_t rounds = 5;
  std::map<std::string, std::array<double, rounds>> all;
  for (std::size_t k = 0; k < rounds; ++k) {
    ex.note(stepping::begin);
    list_rank(ex, next, out);
    ex.note(stepping::end);
    ex.wait();
    all["step 1, heads"][k] = ex.seconds(stepping::begin, stepping::walks_begin);
    all["step 3, walks"][k] = ex.seconds(stepping::walks_begin, stepping::walks_end);
    all["step 4, sublists"][k] = ex.seconds(stepping::ranks_begin, stepping::ranks_end);
    all["step 5, finish"][k] = ex.seconds(stepping::ranks_end, stepping::end);
  }
  std::map<std::string, double> medians;
  for (auto& [step, times] : all) {
    std::nth_element(times.begin(), times.begin() + rounds / 2, times.end());
    medians[step] = times[rounds / 2];
  }
  return medians;
}

comparison ranks(gpu::executor const& ex, list_order::kind kind, index_t n) {
  auto const l = make_list(ex, {kind, n});
  auto const out = allocate<std::uint32_t>(ex, n);
  auto const fault = allocate<list_fault>(ex, 1);
  auto const right = [=] { return none(ex, n, wrong_rank{l.order, out->data()}); };

  comparison c;
  c.bytes = 8 * double(n);
  c.poison = poison(ex, out);
  if (n > 1 << 17) c.counters = seconds_of_steps(ex, *l.next, *out);
  c.contenders.push_back({"ours", [=] { list_rank(ex, *l.next, *out, heads_at(*l.head)); }, right});
  c.contenders.push_back({"named:heads to find", [=] { list_rank(ex, *l.next, *out); }, right});
  c.contenders.push_back(
      {"named:one list", [=] { list_rank(ex, *l.next, *out, one_list); }, right});
  c.contenders.push_back(
      {"named:checked", [=] { list_rank(ex, *l.next, *out, fault_to(*fault)); }, right});
  for (index_t const spacing : {8, 16, 32, 64, 128, 256}) {
    c.contenders.push_back(
        {"named:a splitter in " + std::to_string(spacing),
         [=] { list_rank(ex, *l.next, *out, heads_at(*l.head), splitter_spacing(spacing)); },
         right});
  }
  c.contenders.push_back(
      {"named:a scan of as many", [=] { inclusive_scan(ex, *l.next, *out, plus{}); }});
  auto const apart = static_cast<index_t>(std::bit_floor(static_cast<std::size_t>(n) / 4096));
  c.contenders.push_back({"named:4096 splitters, ranked by one walk",
                          [=] {
                            list_rank(ex, *l.next, *out, heads_at(*l.head),
                                      splitter_spacing(std::max(apart, index_t{2})),
                                      sublists_in_turn);
                          },
                          right});
  c.contenders.push_back({"peer:random access", [=] {
                            change_anywhere const change{l.order, out->data()};
                            ex.launch({div_up(n, 512), 512}, each<change_anywhere>, n, change);
                          }});
  add_copies(ex, c);
  return c;
}

/// The nodes from a splitter, or the head, to the next splitter.
struct length_of_sublist {
  list_order order;
  ravel::detail::counted_splitters by;
  RAVEL_HD std::uint32_t operator()(index_t rank) const {
    index_t end = rank;
    if (rank > 0 && !by.has(order(rank))) return 0;
    do ++end;
    while (end < order.n && !by.has(order(end)));
    return static_cast<std::uint32_t>(end - rank);
  }
};
/// The longest sublist of a list over the mean, with `count` splitters.
double longest_sublist(gpu::executor const& ex, list_order const& order, index_t count) {
  length_of_sublist const length{order, {order.n, count}};
  auto const lengths = generate<std::uint32_t>(ex, order.n, length);
  return double(reduce_sync(ex, *lengths, maximum{})) * double(count) / double(order.n);
}

/// A list, its ranks, and calls that rank it from its head with given options.
struct ranked {
  gpu::executor ex;
  list l;
  shared<std::uint32_t> out;
  comparison c;

  ranked(gpu::executor const& on, list_order const& order)
      : ex(on), l(make_list(on, order)), out(allocate<std::uint32_t>(on, order.n)) {
    c.bytes = 8 * double(order.n);
    c.poison = poison(on, out);
    add("ours");
  }
  template <class... Options>
  void add(std::string const& name, Options... options) {
    c.contenders.push_back({name,
                            [ex = ex, l = l, out = out, options...] {
                              list_rank(ex, *l.next, *out, heads_at(*l.head), options...);
                            },
                            [ex = ex, l = l, out = out] {
                              return none(ex, l.order.n, wrong_rank{l.order, out->data()});
                            }});
  }
};

/// The parameters of Wei and JaJa: the number of splitters, and who ranks their sublists.
comparison by_splitters(gpu::executor const& ex, list_order::kind kind, index_t n) {
  ranked r(ex, {kind, n});
  for (index_t const count : {1024, 4096, 15'360, 61'440, 245'760, 983'040}) {
    auto const name = "named:" + std::to_string(count) + " splitters";
    r.add(name, splitter_count(count));
    if (count <= 61'440) r.add(name + ", by one walk", splitter_count(count), sublists_in_turn);
    r.add(name + ", on the host", splitter_count(count), sublists_on_host);
    r.c.counters["longest:" + std::to_string(count)] = longest_sublist(ex, r.l.order, count);
  }
  return r.c;
}
/// Blocks, and threads of each.
comparison by_grid(gpu::executor const& ex, index_t n) {
  ranked r(ex, {list_order::random, n});
  for (int const threads : {64, 128, 256, 512}) {
    for (index_t const blocks : {30, 60, 120, 240, 480, 960}) {
      r.add("named:" + std::to_string(blocks) + " blocks of " + std::to_string(threads),
            splitter_count(245'760), walk_grid(blocks, threads));
    }
  }
  return r.c;
}
comparison by_stride(gpu::executor const& ex, index_t n, index_t stride) {
  ranked r(ex, {list_order::strided, n, stride});
  r.add("named:61440 splitters", splitter_count(61'440));
  r.c.contenders.push_back({"named:random access", [ex, l = r.l, out = r.out, n] {
                              change_anywhere const change{l.order, out->data()};
                              ex.launch({div_up(n, 512), 512}, each<change_anywhere>, n, change);
                            }});
  return r.c;
}

/// Sums of these values are exact in any order.
struct value_of_rank {
  static RAVEL_HD double at(index_t rank) { return static_cast<double>(rank % 1000 - 300); }
  static RAVEL_HD double through(index_t rank) {
    index_t const whole = (rank + 1) / 1000, rest = (rank + 1) % 1000;
    return static_cast<double>(whole * (999 * 500 - 300'000) + rest * (rest - 1) / 2 - 300 * rest);
  }
};
struct write_value {
  list_order order;
  double* values;
  RAVEL_HD void operator()(index_t rank) const { values[order(rank)] = value_of_rank::at(rank); }
};
struct wrong_sum {
  list_order order;
  double const* sums;
  __device__ bool operator()(index_t rank) const {
    return sums[order(rank)] != value_of_rank::through(rank);
  }
};

comparison sums(gpu::executor const& ex, index_t n) {
  auto const l = make_list(ex, {list_order::random, n});
  auto const values = allocate<double>(ex, n);
  for_each_index(ex, n, write_value{l.order, values->data()});
  auto const out = allocate<double>(ex, n);
  comparison c;
  c.bytes = 20 * double(n);
  c.poison = poison(ex, out);
  c.contenders.push_back(
      {"ours", [=] { inclusive_list_scan(ex, *l.next, *values, *out, plus{}, heads_at(*l.head)); },
       [=] {
         return none(ex, n, wrong_sum{l.order, out->data()});
       }});
  add_copies(ex, c);
  return c;
}

suite all(gpu::executor const& ex) {
  suite s = make_suite("gpu.list_ranking", ex);
  auto const add = [&](std::string const& name, list_order::kind kind, int log_n) {
    s.rows.push_back({"gpu.list_ranking." + name + ".2^" + std::to_string(log_n),
                      "list ranking, " + name + " list", index_t{1} << log_n,
                      [=](index_t n) { return ranks(ex, kind, n); }});
  };
  for (int const log_n : {20, 22, 24, 26, 28}) {
    add("ordered", list_order::ordered, log_n);
    add("strided", list_order::strided, log_n);
    add("random", list_order::random, log_n);
  }
  index_t const many = index_t{1} << 24;
  for (auto const& [name, kind] : {std::pair{"ordered", list_order::ordered},
                                   {"strided", list_order::strided},
                                   {"random", list_order::random}}) {
    s.rows.push_back({"gpu.list_ranking.splitters." + std::string(name),
                      std::string("numbers of splitters, ") + name + " list", many,
                      [=, kind = kind](index_t n) { return by_splitters(ex, kind, n); }});
  }
  s.rows.push_back({"gpu.list_ranking.grid.random", "numbers of blocks and threads, random list",
                    many, [=](index_t n) { return by_grid(ex, n); }});
  for (index_t const stride : {1, 3, 5, 9, 17, 33, 65, 129, 257, 1025, 4097, 16'385, 65'537}) {
    s.rows.push_back({"gpu.list_ranking.stride." + std::to_string(stride),
                      "list ranking, each node so many after the one before", many,
                      [=](index_t n) { return by_stride(ex, n, stride); }});
  }
  for (int const log_n : {24, 28}) {
    s.rows.push_back({"gpu.list_scan.f64.2^" + std::to_string(log_n),
                      "sums of f64 along a random list", index_t{1} << log_n,
                      [=](index_t n) { return sums(ex, n); }});
  }
  return s;
}

}  // namespace
}  // namespace ravel::bench::on_gpu

int main(int argc, char** argv) {
  using namespace ravel::bench::on_gpu;
  return run_suite(all, argc, argv);
}
