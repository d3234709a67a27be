/// Streamed packs: long contiguous sequences of numbers on a device.

#include <ravel/primitives/pack.hpp>
#include <ravel/primitives/reduce_by_key.hpp>
#include <ravel/primitives/run_length.hpp>
#include <ravel/primitives/unique.hpp>

#include "support/streams.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace ravel::stream_pack_test {
namespace {

struct stream_pack : device_test {};

template <class T>
struct is_odd {
  RAVEL_HD bool operator()(T const& x) const { return (x & 1) != 0; }
};

/// Tests a function of an element, and writes another function of it.
template <class T>
struct odd_of_next {
  T const* in;
  RAVEL_HD T const* elements() const { return in; }
  RAVEL_HD bool of(T const& x) const { return is_odd<T>{}(static_cast<T>(x + 1)); }
  RAVEL_HD bool operator()(index_t i) const { return of(in[i]); }
};
template <class T>
struct three_times {
  RAVEL_HD T operator()(T const& x) const { return static_cast<T>(3 * x); }
};

template <class T>
void expect_packed(gpu::executor const& ex, index_t n, unsigned mean) {
  auto const in = numbers<T>(n);
  auto const flags = random_heads(n, mean);
  auto const size = static_cast<std::size_t>(n);
  std::vector<std::uint32_t> bits((size + 31) / 32);
  std::vector<T> flagged_ones, odd, made;
  for (std::size_t i = 0; i < size; ++i) {
    bits[i / 32] |= std::uint32_t{flags[i]} << (i % 32);
    if (flags[i]) flagged_ones.push_back(in[i]);
    if (in[i] & 1) odd.push_back(in[i]);
    if (!(in[i] & 1)) made.push_back(three_times<T>{}(in[i]));
  }
  auto const there = to(ex, in);
  auto const there_flags = to(ex, flags);
  auto const there_bits = to(ex, bits);
  auto const out = ex.allocate<T>(n);
  auto const total = ex.allocate<index_t>(1);
  auto const expect = [&](std::vector<T> wanted, index_t room, char const* form, auto call) {
    ASSERT_EQ(cudaMemsetAsync(out.data(), 0x5a, size * sizeof(T), ex.stream()), cudaSuccess);
    call(device_view(out.data(), room));
    ASSERT_EQ(at_sync(ex, total), std::ssize(wanted)) << form << " " << n << " " << mean;
    T untouched;
    std::memset(&untouched, 0x5a, sizeof(T));
    wanted.resize(static_cast<std::size_t>(std::min<index_t>(room, std::ssize(wanted))));
    wanted.resize(size, untouched);
    ASSERT_EQ(to_host(ex, out), wanted) << form << " " << n << " " << mean;
  };
  std::vector<T> runs;
  for (std::size_t i = 0; i < size; ++i) {
    if (i == 0 || in[i] != in[i - 1]) runs.push_back(in[i]);
  }
  for (index_t const room : {n, n / 7}) {
    expect(runs, room, "changes", [&](auto to) { unique(ex, there, to, total_to(total)); });
    expect(odd, room, "predicate",
           [&](auto to) { filter(ex, there, is_odd<T>{}, to, total_to(total)); });
    expect(made, room, "made", [&](auto to) {
      pack_on(ex, n, odd_of_next<T>{there.data()},
              write_made_of_kept<T, three_times<T>, T>{there.data(), {}, to.data(), room},
              detail::store_total<index_t>{total.data()});
    });
    expect(flagged_ones, room, "bytes",
           [&](auto to) { pack(ex, there, there_flags, to, total_to(total)); });
    expect(flagged_ones, room, "bits",
           [&](auto to) { pack(ex, there, by_bits(there_bits, n), to, total_to(total)); });
  }
}

TEST_F(stream_pack, agrees_with_the_loop) {
  gpu::executor const ex;
  constexpr index_t least = gpu::tuning{}.packed_bytes;
  for (unsigned const mean : {1u, 2u, 33u, 100'000u}) {
    expect_packed<std::uint32_t>(ex, least / 4 + mean % 1000, mean);
    expect_packed<std::int64_t>(ex, least / 8 + 3 * (mean % 1000) + 1, mean);
  }
  expect_packed<int>(ex, 7168 * 512, 10);
  expect_packed<std::uint8_t>(ex, least + 77, 2);
  expect_packed<std::int16_t>(ex, least / 2 + 1234, 33);
}

/// Filters and makes unique from element `from` of a sequence to element `to` of another, and checks that
/// nothing around the output is written.
template <class T>
void expect_packed_between(gpu::executor const& ex, index_t n, index_t from, index_t to_element) {
  auto const all = numbers<T>(n + from);
  std::vector<T> odd, runs;
  for (std::size_t i = static_cast<std::size_t>(from); i < all.size(); ++i) {
    if (all[i] & 1) odd.push_back(all[i]);
    if (std::ssize(runs) == 0 || all[i] != all[i - 1]) runs.push_back(all[i]);
  }
  auto const there = to(ex, all);
  auto const out = ex.allocate<T>(n + to_element + 1);
  auto const total = ex.allocate<index_t>(1);
  view<T const, device_space> const in(there.data() + from, n);
  auto const expect = [&](std::vector<T> const& wanted, auto call) {
    T untouched;
    std::memset(&untouched, 0x5a, sizeof(T));
    std::vector<T> whole(static_cast<std::size_t>(out.size()), untouched);
    ASSERT_EQ(cudaMemsetAsync(out.data(), 0x5a, whole.size() * sizeof(T), ex.stream()),
              cudaSuccess);
    std::copy(wanted.begin(), wanted.end(), whole.begin() + to_element);
    call(device_view(out.data() + to_element, n));
    ASSERT_EQ(at_sync(ex, total), std::ssize(wanted)) << n << " " << from << " " << to_element;
    ASSERT_EQ(to_host(ex, out), whole) << n << " " << from << " " << to_element;
  };
  expect(odd, [&](auto to) { filter(ex, in, is_odd<T>{}, to, total_to(total)); });
  expect(runs, [&](auto to) { unique(ex, in, to, total_to(total)); });
}

/// As above, for the lengths and sums of runs of `length` keys, whose results begin at elements of their
/// own.
template <class Key = std::uint32_t, class Value = std::uint32_t>
void expect_runs_between(gpu::executor const& ex, index_t n, index_t length, index_t from,
                         index_t to_key, index_t to_value) {
  std::vector<Key> keys;
  std::vector<Value> values;
  for (index_t i = 0; i < n + from; ++i) {
    keys.push_back(static_cast<Key>(i / length));
    values.push_back(static_cast<Value>(i * 2654435761 % 1'000'003));
  }
  constexpr std::uint32_t untouched = 0x5a5a5a5a;
  auto const size = static_cast<std::size_t>(n + 4);
  Key no_key;
  std::memset(&no_key, 0x5a, sizeof(Key));
  std::vector<Key> heads(size, no_key);
  std::vector<std::uint32_t> lengths(size, untouched);
  Value not_written;
  std::memset(&not_written, 0x5a, sizeof(Value));
  std::vector<Value> sums(size, not_written);
  index_t runs = 0;
  for (index_t i = from; i < n + from; ++i) {
    if (i == from || keys[i] != keys[i - 1]) {
      heads[to_key + runs] = keys[i];
      lengths[to_value + runs] = 0;
      sums[to_value + runs] = 0;
      ++runs;
    }
    lengths[to_value + runs - 1] += 1;
    sums[to_value + runs - 1] = static_cast<Value>(sums[to_value + runs - 1] + values[i]);
  }
  auto const there = to(ex, keys);
  auto const beside = to(ex, values);
  auto const out_keys = ex.allocate<Key>(n + 4);
  auto const out_lengths = ex.allocate<std::uint32_t>(n + 4);
  auto const out_sums = ex.allocate<Value>(n + 4);
  auto const total = ex.allocate<index_t>(1);
  view<Key const, device_space> const in(there.data() + from, n);
  view<Value const, device_space> const in_values(beside.data() + from, n);
  auto const expect = [&]<class T>(std::vector<T> const& wanted, auto const& out, auto call) {
    ASSERT_EQ(cudaMemsetAsync(out_keys.data(), 0x5a, size * sizeof(Key), ex.stream()), cudaSuccess);
    ASSERT_EQ(cudaMemsetAsync(out.data(), 0x5a, size * sizeof(T), ex.stream()), cudaSuccess);
    call(device_view(out_keys.data() + to_key, n), device_view(out.data() + to_value, n));
    ASSERT_EQ(at_sync(ex, total), runs) << length << " " << from << " " << to_key;
    ASSERT_EQ(to_host(ex, out_keys), heads) << length << " " << from << " " << to_key;
    ASSERT_EQ(to_host(ex, out), wanted) << length << " " << from << " " << to_value;
  };
  expect(lengths, out_lengths,
         [&](auto k, auto v) { run_length_encode(ex, in, k, v, total_to(total)); });
  expect(sums, out_sums, [&](auto k, auto v) {
    reduce_by_key(ex, in, in_values, k, v, plus<>{}, total_to(total));
  });
}

TEST_F(stream_pack, runs_begin_anywhere) {
  gpu::executor const ex;
  // So many tiles that the last one, in which a thread has elements in part, lies in a stage that has held
  // another.
  for (index_t const length : {1000, 1 << 22}) expect_runs_between(ex, 5'000'009, length, 0, 0, 0);
  for (index_t const length : {1, 3, 1000, 1 << 20}) {
    for (index_t const from : {0, 1, 3}) {
      expect_runs_between(ex, 300'000 + from, length, from, from % 2, 2);
      expect_runs_between(ex, 300'000 + from, length, from, 3, from);
    }
    // Results at any place; and where all begin at multiples of 16 bytes, as sums are streamed.
    expect_runs_between<std::uint8_t>(ex, 300'005, length, 5, 3, 1);
    expect_runs_between<std::uint16_t, std::uint8_t>(ex, 300'003, length, 3, 1, 2);
    expect_runs_between<std::uint8_t>(ex, 300'005, length, 0, 0, 0);
    expect_runs_between<std::uint16_t, std::uint8_t>(ex, 300'003, length, 0, 0, 0);
    expect_runs_between<std::uint32_t, double>(ex, 300'003, length, 0, 0, 0);
    expect_runs_between<std::uint64_t>(ex, 1'300'003, length, 0, 0, 0);
  }
}

TEST_F(stream_pack, begins_anywhere) {
  gpu::executor const ex;
  constexpr index_t least = gpu::tuning{}.packed_bytes;
  for (index_t const from : {0, 1, 3}) {
    for (index_t const to_element : {0, 1, 2}) {
      expect_packed_between<std::uint8_t>(ex, least + 5 * from, 5 * from, 7 * to_element);
      expect_packed_between<std::uint16_t>(ex, least / 2 + from, 2 * from, 3 * to_element);
      expect_packed_between<std::uint32_t>(ex, least / 4 + from, from, to_element);
      expect_packed_between<std::uint64_t>(ex, least / 8 + from, from, to_element);
    }
  }
}

}  // namespace
}  // namespace ravel::stream_pack_test
