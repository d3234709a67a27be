#pragma once

/// Shared by rows of few elements on the CPU: operands, and the comparison of a call with the
/// equivalent serial loop.

#include "support/host.hpp"

#include <ravel/core/cpu/buffer.hpp>
#include <ravel/core/segments.hpp>
#include <ravel/core/view.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ravel::bench::host::few {

using T = std::uint32_t;
template <class X>
using buffer = ravel::cpu::buffer<X>;

/// f(0), ..., f(n - 1)
template <class X, class F>
buffer<X> made(index_t n, F f) {
  buffer<X> out(n);
  for (index_t i = 0; i < n; ++i) out[i] = static_cast<X>(f(i));
  return out;
}

/// The results of a call.
struct results {
  buffer<T> out, other;
  buffer<float> sums;
  buffer<index_t> counts{16};

  explicit results(index_t n) : out(n), other(n), sums(n) { spoil(); }
  template <class F>
  void for_each(F f) const {
    f(out), f(other), f(sums), f(counts);
  }
  void spoil() const {
    for_each([](auto const& some) {
      std::memset(static_cast<void*>(some.data()), 0xcd,
                  sizeof(some[0]) * std::size_t(some.size()));
    });
  }
  void copy(results const& from) const {
    std::copy_n(from.out.data(), out.size(), out.data());
    std::copy_n(from.other.data(), other.size(), other.data());
    std::copy_n(from.sums.data(), sums.size(), sums.data());
    std::copy_n(from.counts.data(), counts.size(), counts.data());
  }
  bool operator==(results const& right) const {
    auto const same = [](auto const& x, auto const& y) {
      return std::memcmp(x.data(), y.data(), sizeof(x[0]) * std::size_t(x.size())) == 0;
    };
    return same(out, right.out) && same(other, right.other) && same(sums, right.sums) &&
           same(counts, right.counts);
  }
};

/// Operands for a call of any row: random data from index `first` on.  Segments and runs have four
/// elements on average.
struct operands {
  index_t n, first;
  buffer<T> in = made<T>(n, [this](index_t i) { return reached<T>{}(first + i); });
  buffer<float> reals = made<float>(n, [this](index_t i) { return step<float>{}(first + i); });
  buffer<T> little = made<T>(n, [this](index_t i) { return random_below(5, first + i, 256); });
  buffer<std::uint8_t> flags =
      made<std::uint8_t>(n, [this](index_t i) { return random_below(6, first + i, 2); });
  buffer<std::uint8_t> heads = made<std::uint8_t>(
      n, [this](index_t i) { return i == 0 || random_below(7, first + i, 4) == 0; });
  buffer<T> keys{n}, sorted{n}, two_sorted{n};
  index_t of_first = 0;  // number of elements in the first of the two sequences
  buffer<std::int32_t> at = made<std::int32_t>(n, [](index_t i) { return i; });
  buffer<std::uint64_t> bits = made<std::uint64_t>(div_up(n, 64), zero<std::uint64_t>{});
  buffer<std::int32_t> offsets;
  T factor = 3;
  results made_here{n};
  buffer<T> const& out = made_here.out;
  buffer<T> const& other = made_here.other;
  buffer<float> const& sums = made_here.sums;
  buffer<index_t> const& counts = made_here.counts;

  operands(index_t size, index_t from) : n(size), first(from) {
    index_t segments = 0;
    for (index_t i = 0; i < n; ++i) {
      segments += heads[i];
      of_first += flags[i];
      keys[i] = static_cast<T>(segments);
      bits[i / 64] |= std::uint64_t{heads[i]} << i % 64;
      std::swap(at[i], at[random_below(8, first + i, i + 1)]);
    }
    offsets = buffer<std::int32_t>(segments + 1);
    for (index_t i = n; i-- > 0;) {
      if (heads[i] != 0) offsets[--segments] = static_cast<std::int32_t>(i);
    }
    offsets[offsets.size() - 1] = static_cast<std::int32_t>(n);
    std::copy_n(in.data(), n, sorted.data());
    std::sort(sorted.begin(), sorted.end());
    for (index_t i = 0, j = 0, k = of_first; i < n; ++i) {
      two_sorted[flags[i] != 0 ? j++ : k++] = sorted[i];
    }
  }

  auto first_sorted() const { return view<T const>(two_sorted.data(), of_first); }
  auto second_sorted() const { return view<T const>(two_sorted.data() + of_first, n - of_first); }
  auto one_for_each_segment() const { return view<T const>(in.data(), offsets.size() - 1); }
  auto count() const { return view<index_t>(counts.data(), 1); }
  auto heads_as_bits() const { return by_head_bits(bits, n); }
};

using ex_t = executor const&;
using on_t = operands const&;

/// The operands of each of several calls.
using operands_of_calls = std::vector<std::unique_ptr<operands>>;

/// Makes all calls from one place, so that they run the same code.
template <class F>
[[gnu::noinline]] void call_each(operands_of_calls const& all, F const& f) {
  for (auto const& on : all) f(*on);
}

/// Whether the results are those of the loop.
template <class Loop>
bool are_right(operands_of_calls const& all, Loop const& loop) {
  return std::all_of(all.begin(), all.end(), [&](auto const& on) {
    results const made(on->n);
    made.copy(on->made_here);
    on->made_here.spoil();
    loop(*on);
    return on->made_here == made;
  });
}

/// The operands of the calls of a timing.
enum class data {
  the_same,   ///< those of the timing before, many times, where no branch depends on the data
  new_to_all  ///< new data for each call, once, while the code is cached
};

/// Compares ours(ex, operands) with loop(operands), which defines the correct result: many calls,
/// each with its own operands.
///
/// Where branches depend on the data, it is new in each timing: a processor learns ten thousand
/// branches of repeated data, and a loop that packs seems ten times as fast as it is.
template <class Ours, class Loop>
comparison beside(executor const& ex, index_t n, Ours ours, Loop loop, data are) {
  index_t const calls = std::clamp<index_t>(8192 / n, 1, 128);
  auto const make = [=](index_t timing) {
    operands_of_calls all;
    for (index_t k = 0; k < calls; ++k) {
      all.push_back(std::make_unique<operands>(n, (timing * calls + k) * n));
    }
    return all;
  };
  auto const all = std::make_shared<operands_of_calls>(make(0));
  auto const others = std::make_shared<operands_of_calls>(make(1));
  comparison c;
  c.bytes = 2.0 * double(calls * n) * sizeof(T);
  c.poison = [=] {
    for (auto const& on : *all) on->made_here.spoil();
  };
  auto const add = [&](std::string const& name, auto const& call) {
    std::function<void()> prepare;
    if (are == data::new_to_all) {
      prepare = [=, timing = index_t{2}]() mutable {
        *all = make(timing++);
        call_each(*others, call);
      };
    }
    c.contenders.push_back(
        {name, [=] { call_each(*all, call); }, [=] { return are_right(*all, loop); }, prepare});
  };
  add("ours", [=](on_t on) { ours(ex, on); });
  add("peer:serial loop", loop);
  return c;
}

using rows_of_all = std::vector<row>;

/// A row for each size.
template <class Ours, class Loop>
void add(rows_of_all& rows, executor const& ex, std::string const& name, std::string const& work,
         Ours ours, Loop loop, data are = data::the_same) {
  for (int const log : {0, 1, 2, 3, 4, 5, 6, 8, 10, 12}) {
    rows.push_back({"cpu.small." + name + ".2^" + std::to_string(log), work, index_t{1} << log,
                    [=](index_t n) { return beside(ex, n, ours, loop, are); }, 333});
  }
}

}  // namespace ravel::bench::host::few
