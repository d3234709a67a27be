#pragma once

/// A table of calls, each with its own operands, and the properties that all of them must have: a
/// plan knows its scratch, a CUDA graph can be captured, and calls on several streams are
/// independent.

#include <ravel/core/plan.hpp>
#include <ravel/core/transfer.hpp>
#include <ravel/primitives/distribute.hpp>
#include <ravel/primitives/reduce.hpp>

#include "support/executors.hpp"
#ifdef __CUDACC__
#  include "support/recording.hpp"
#endif

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace ravel::testing {

#ifndef __CUDACC__
/// The host with its own forms, and the device with its own, in software.
using calling_executors = ::testing::Types<cpu::threads, gpu::executor>;
#endif

/// The inputs of calls, made on the host.
struct read_by_calls {
  index_t n, segments;
  std::vector<int> numbers, other_numbers, places, sorted, also_sorted, next, lengths;
  std::vector<index_t> offsets;
  std::vector<std::uint32_t> runs;  // long runs of few keys
  std::vector<std::uint8_t> flags, digits;
  std::vector<std::uint64_t> bits;
  std::vector<float> whole;

  read_by_calls(index_t size, unsigned seed) : n(size), segments(size / 8 + 1) {
    std::minstd_rand random(seed);
    auto const made = [&]<class T>(std::vector<T>& x, index_t many, auto value) {
      for (index_t i = 0; i < many; ++i) x.push_back(static_cast<T>(value(i)));
    };
    auto const below = [&](index_t most) {
      return [&random, most](index_t) { return static_cast<index_t>(random() >> 4) % most; };
    };
    made(numbers, n, [&](index_t) { return static_cast<int>(random() >> 4) % 15 - 7; });
    made(other_numbers, n, below(1000));
    made(places, n, below(n));
    made(sorted, n, below(1 << 20));
    made(also_sorted, n, below(1 << 20));
    std::sort(sorted.begin(), sorted.end());
    std::sort(also_sorted.begin(), also_sorted.end());
    made(next, n, [&](index_t i) { return i + 1 == n ? -1 : i + 1; });  // one shuffled list:
    std::vector<int> order(next.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
    std::shuffle(order.begin(), order.end(), random);
    for (std::size_t i = 0; i < order.size(); ++i) {
      next[static_cast<std::size_t>(order[i])] = i + 1 < order.size() ? order[i + 1] : -1;
    }
    lengths.resize(static_cast<std::size_t>(segments));
    for (index_t i = 0; i < n; ++i) ++lengths[random() / 7 % lengths.size()];
    offsets.push_back(0);
    for (int const length : lengths) offsets.push_back(offsets.back() + length);
    std::uint32_t key = 0;
    made(runs, n, [&](index_t) { return random() / 7 % 5 == 0 ? key = random() / 7 % 4 : key; });
    made(flags, n, [&](index_t) { return random() / 7 % 3 == 0; });
    made(digits, n, below(8));
    made(bits, div_up(n, index_t{64}),
         [&](index_t) { return random() * std::uint64_t{0x9e3779b97f4a7c15}; });
    made(whole, n, [&](index_t i) { return i * 31 % 19 - 9; });
  }
};

/// The inputs in the memory of an executor.
template <class Ex>
struct operands {
  template <class T>
  using buffer_of = decltype(std::declval<Ex const&>().template allocate<T>(0));

  index_t n, segments;
  buffer_of<int> numbers, other_numbers, places, sorted, also_sorted, next, lengths;
  buffer_of<index_t> offsets;
  buffer_of<std::uint32_t> runs;
  buffer_of<std::uint8_t> flags, digits;
  buffer_of<std::uint64_t> bits;
  buffer_of<float> whole;

  operands(Ex const& ex, index_t size)
      : n(size),
        segments(size / 8 + 1),
        numbers(ex.template allocate<int>(n)),
        other_numbers(ex.template allocate<int>(n)),
        places(ex.template allocate<int>(n)),
        sorted(ex.template allocate<int>(n)),
        also_sorted(ex.template allocate<int>(n)),
        next(ex.template allocate<int>(n)),
        lengths(ex.template allocate<int>(segments)),
        offsets(ex.template allocate<index_t>(segments + 1)),
        runs(ex.template allocate<std::uint32_t>(n)),
        flags(ex.template allocate<std::uint8_t>(n)),
        digits(ex.template allocate<std::uint8_t>(n)),
        bits(ex.template allocate<std::uint64_t>(div_up(n, index_t{64}))),
        whole(ex.template allocate<float>(n)) {}

  void load(Ex const& ex, read_by_calls const& from) const {
    auto const copy = [&](auto const& host, auto const& there) {
      ex.copy(host.data(), there.data(), std::ssize(host));
    };
    copy(from.numbers, numbers);
    copy(from.other_numbers, other_numbers);
    copy(from.places, places);
    copy(from.sorted, sorted);
    copy(from.also_sorted, also_sorted);
    copy(from.next, next);
    copy(from.lengths, lengths);
    copy(from.offsets, offsets);
    copy(from.runs, runs);
    copy(from.flags, flags);
    copy(from.digits, digits);
    copy(from.bits, bits);
    copy(from.whole, whole);
    ex.wait();
  }
};

struct a_byte_differs {
  unsigned char const *a, *b;
  RAVEL_HD index_t operator()(index_t i) const { return a[i] != b[i]; }
};

/// The table.  Calls are issued on the table's own executor, unless another is given.
template <class Ex>
class call_table {
  using bytes = view<unsigned char, space_of_t<Ex>>;
  struct call {
    std::string name;
    std::function<void(Ex const&)> make;
    std::vector<bytes> results;
  };
  std::vector<std::shared_ptr<void>> kept_;
  std::vector<bytes> results_;  // of the next call
  std::vector<call> calls_;

 public:
  Ex const ex;
  operands<Ex> const in;

  explicit call_table(index_t n, Ex on = make_executor<Ex>()) : ex(std::move(on)), in(ex, n) {}
  call_table(call_table const&) = delete;

  /// Allocates results for the next call.
  template <class T>
  auto room(index_t n) {
    auto const made =
        std::make_shared<decltype(ex.template allocate<T>(n))>(ex.template allocate<T>(n));
    kept_.push_back(made);
    auto const there = view_of(*made);
    results_.push_back(
        {reinterpret_cast<unsigned char*>(there.data()), n * static_cast<index_t>(sizeof(T))});
    return there;
  }
  template <class Make>
  void add(std::string name, Make make) {
    calls_.push_back({std::move(name), std::move(make), std::exchange(results_, {})});
  }

  std::vector<call> const& calls() const { return calls_; }

  /// Overwrites the results with values that no call produces.
  void spoil() const {
    for (call const& each : calls_) {
      for (bytes const& result : each.results)
        distribute(ex, static_cast<unsigned char>(0xcd), result);
    }
    ex.wait();
  }
  void make_all() const {
    for (call const& each : calls_) each.make(ex);
  }
  /// Expects the same results as another table, byte for byte.
  void expect_those_of(call_table const& other) const {
    ex.wait();
    other.ex.wait();
    for (std::size_t k = 0; k < calls_.size(); ++k) {
      for (std::size_t r = 0; r < calls_[k].results.size(); ++r) {
        auto const& a = calls_[k].results[r];
        auto const& b = other.calls_[k].results[r];
        auto const count = ex.template allocate<index_t>(1);
        reduce_on(ex, a.size(), a_byte_differs{a.data(), b.data()}, plus<index_t>{},
                  detail::seed_identity<plus<index_t>>{},
                  detail::store_total<index_t>{count.data()});
        EXPECT_EQ(at_sync(ex, count), 0) << calls_[k].name << ": bytes of result " << r;
      }
    }
  }
};

/// Expects each call to use exactly the scratch that its plan states.
///
/// `fill` adds the calls to a table.
template <class Ex, class Fill>
void expect_plans(index_t n, Fill fill) {
  SCOPED_TRACE(n);
  call_table<Ex> usual(n), planned(n);
  fill(usual);
  fill(planned);
  read_by_calls const data(n, 1);
  for (auto const* table : {&usual, &planned}) {
    table->in.load(table->ex, data);
    table->spoil();
  }
  usual.make_all();
  for (auto const& call : planned.calls()) {
    SCOPED_TRACE(call.name);
    auto const make = [&](Ex const& ex) { call.make(ex); };
    plan const known(planned.ex, call.name, make);
    index_t const after = 1000;
    auto const scratch = planned.ex.template allocate<unsigned char>(known.bytes() + after);
    distribute(planned.ex, static_cast<unsigned char>(0xcd), scratch);
    known(view_of(scratch).slice(0, known.bytes()));
    auto const left = to_host(planned.ex, scratch);
    EXPECT_EQ(std::count(left.end() - after, left.end(), 0xcd), after) << "after the scratch";
    if (known.bytes() > 0) {
      EXPECT_THROW(known(view_of(scratch).slice(0, known.bytes() - 1)), contract_error);
    }
  }
  planned.expect_those_of(usual);
}

/// Expects the same results if all inputs count as long, and if none does.
template <class Fill>
void expect_tunings(index_t n, Fill fill) {
  SCOPED_TRACE(n);
  call_table<gpu::executor> usual(n);
  fill(usual);
  read_by_calls const data(n, 1);
  auto const make = [&](call_table<gpu::executor> const& table) {
    table.in.load(table.ex, data);
    table.spoil();
    table.make_all();
  };
  make(usual);
  for (index_t const size : {index_t{1}, gpu::tuning::most_streamed_bytes}) {
    SCOPED_TRACE(size);
    gpu::tuning sizes;
    gpu::for_each_size(sizes, [size](char const*, index_t& each) { each = size; });
    gpu::executor tuned;
    tuned.tune(sizes);
    call_table<gpu::executor> otherwise(n, tuned);
    fill(otherwise);
    make(otherwise);
    otherwise.expect_those_of(usual);
  }
}

#ifdef __CUDACC__

/// Captures each call, before any other run of it, and replays it on other operands.
template <class Fill>
void expect_captures(index_t n, Fill fill) {
  SCOPED_TRACE(n);
  call_table<gpu::executor> issued(n), replayed(n);
  fill(issued);
  fill(replayed);
  std::vector<std::unique_ptr<recording>> graphs;
  for (auto const& call : replayed.calls()) {
    SCOPED_TRACE(call.name);
    ASSERT_NO_THROW(graphs.push_back(
        std::make_unique<recording>(replayed.ex, [&] { call.make(replayed.ex); })));
  }
  for (unsigned seed = 1; seed <= 2; ++seed) {
    read_by_calls const data(n, seed);
    for (auto const* table : {&issued, &replayed}) {
      table->in.load(table->ex, data);
      table->spoil();
    }
    issued.make_all();
    for (auto const& graph : graphs) graph->replay();
    replayed.expect_those_of(issued);
  }
}

/// Calls on several streams at once, half issued and half replayed, by one thread each.
template <class Fill>
void expect_streams(index_t n, Fill fill) {
  SCOPED_TRACE(n);
  constexpr std::size_t streams = 4;
  std::vector<std::unique_ptr<call_table<gpu::executor>>> tables;
  std::vector<std::vector<std::unique_ptr<recording>>> graphs(streams);
  read_by_calls const data(n, 3);
  for (std::size_t k = 0; k <= streams; ++k) {  // the last is issued alone
    tables.push_back(std::make_unique<call_table<gpu::executor>>(n));
    fill(*tables[k]);
    tables[k]->in.load(tables[k]->ex, data);
    tables[k]->spoil();
    if (k % 2 == 1 && k < streams) {
      for (auto const& call : tables[k]->calls()) {
        graphs[k].push_back(
            std::make_unique<recording>(tables[k]->ex, [&] { call.make(tables[k]->ex); }));
      }
    }
  }
  tables[streams]->make_all();
  tables[streams]->ex.wait();
  {
    std::vector<std::jthread> threads;
    for (std::size_t k = 0; k < streams; ++k) {
      threads.emplace_back([&, k] {
        for (int repeat = 0; repeat < 3; ++repeat) {
          if (graphs[k].empty()) {
            tables[k]->make_all();
          } else {
            for (auto const& graph : graphs[k]) graph->replay();
          }
        }
      });
    }
  }
  for (std::size_t k = 0; k < streams; ++k) {
    SCOPED_TRACE(k);
    tables[k]->expect_those_of(*tables[streams]);
  }
}

#endif

}  // namespace ravel::testing
