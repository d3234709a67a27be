#pragma once

/// Counting sort on the host, for integers of few distinct values: counts each value, then writes
/// it as often as it occurs.  If one value is frequent among many, only that value is counted.

#include <ravel/algorithms/cpu/digits_of_rows.hpp>
#include <ravel/algorithms/cpu/row.hpp>
#include <ravel/algorithms/cpu/sort_keys_in_cache.hpp>
#include <ravel/algorithms/cpu/value_counts.hpp>
#include <ravel/core/cpu/stream.hpp>
#include <ravel/core/cpu/worker.hpp>
#include <ravel/primitives/cpu/histogram.hpp>
#include <ravel/primitives/cpu/split.hpp>
#include <ravel/primitives/pack.hpp>

#include <atomic>
#include <optional>
#include <vector>

namespace ravel::inline v0::cpu::detail {

/// Integers that differ in so many bits are counted: two counters for each key fit in L2.
inline constexpr int counted_bits = 12;

/// Predicate: whether the bits of a key, as an integer, are less than `than`.
template <class K, class Bits>
struct has_less_bits {
  Bits bits;
  typename Bits::bits than;
  bool operator()(K key) const { return bits(row<K, no_value>{key}) < than; }
};

/// Counts keys of few values by comparing each with all of them, in vectors.
template <class U>
class compared_values {
 public:
  static constexpr index_t block = 1024;

 private:
  static constexpr index_t most = 64 / sizeof(U);  // more take longer than a table
  U values_[most];
  index_t counts_[most] = {};
  index_t size_ = 0;

  // a function of its own, so that compilers vectorise this loop instead of the one over values
  [[gnu::noinline]] static index_t count_equal(U const* keys, U x) {
    std::conditional_t<sizeof(U) < 4, std::uint32_t, U> equal = 0;
    for (index_t k = 0; k < block; ++k) equal += keys[k] == x;
    return static_cast<index_t>(equal);
  }

 public:
  explicit compared_values(value_counts<U> const& sample) {
    if (sample.size() <= most) sample.for_each([&](U x, index_t) { values_[size_++] = x; });
  }
  bool exist() const { return size_ > 0; }

  /// Counts a block of keys.  Returns false, with nothing counted, if one of them has another value.
  bool add(U const* keys) {
    index_t found[most];
    index_t counted = 0;
    for (index_t v = 0; v < size_; ++v) counted += found[v] = count_equal(keys, values_[v]);
    if (counted < block) return false;
    for (index_t v = 0; v < size_; ++v) counts_[v] += found[v];
    return true;
  }

  void for_each(auto const& f) const {
    for (index_t v = 0; v < size_; ++v) f(values_[v], counts_[v]);
  }
};

template <host_executor Ex, class K, class Bits>
class counting_sorter {
  using U = typename Bits::bits;
  using writer = write_row<K, no_value>;
  using starts = std::vector<index_t>;

  Ex const& ex_;
  Bits bits_;

 public:
  counting_sorter(Ex const& ex, Bits bits) : ex_(ex), bits_(bits) {}

  /// Sorts keys row(0), ..., row(n - 1) to `out` by counting; `seen` is their survey.  Returns
  /// false, without having written, if the keys may have many distinct values or are not sorted by
  /// all of their bits.
  bool operator()(auto row, index_t n, key_survey<U> const& seen, writer out) const {
    if (!sorts_by_all_bits(bits_)) return false;
    U const varies = static_cast<U>(seen.any & ~seen.all);
    int const width = width_of(varies);
    if (width <= counted_bits && n >= index_t{16} << width) {
      count_keys(row, n, static_cast<U>(seen.all & ~varies), width, out);
      return true;
    }
    return n >= worth_a_sample && count_values(row, n, out);
  }

  /// If one value has a fourth of a sample, writes that value as often as it occurs to its final
  /// place in `out`, packs the lesser keys and then the greater keys to `spare`, and returns the
  /// numbers of lesser and of greater keys.  Returns nothing if no value is so frequent.
  [[gnu::noinline]] std::optional<std::pair<index_t, index_t>> around_frequent(K const* keys,
                                                                               index_t n, K* spare,
                                                                               writer out) const {
    if (!sorts_by_all_bits(bits_) || n < worth_a_sample) return {};
    auto const value = [&](index_t i) { return bits_(row<K, no_value>{keys[i]}); };
    value_counts<U> sample(value(0), sampled);
    for (index_t k = 1; k < sampled; ++k) sample.add(value(n / sampled * k));
    U frequent{};
    index_t highest = 0;
    sample.for_each([&](U x, index_t count) {
      if (count > highest) frequent = x;
      highest = std::max(highest, count);
    });
    if (4 * highest < sampled) return {};
    view<K const> const in(keys, n);
    auto const inverted = [](U x) { return static_cast<U>(~x); };
    has_less_bits<K, Bits> const is_less{bits_, frequent},
        is_greater{{bits_.key, inverted(bits_.flip), bits_.keep}, inverted(frequent)};
    index_t const less = filter_sync(ex_, in, is_less, view<K>(spare, n));
    index_t const greater = filter_sync(ex_, in, is_greater, view<K>(spare + less, n - less));
    starts const ends{n - less - greater};
    write_runs(
        ends, [=](index_t) { return frequent; }, out.after(less));
    return std::pair{less, greater};
  }

 private:
  /// Sorts keys that agree in all bits (`same`) except the lowest `width`: a counter for each of
  /// 2^width values, then writes each value as often as it was counted.
  template <class From>
  void count_keys(From row, index_t n, U same, int width, writer out) const {
    index_t const ways = index_t{1} << width, max_threads = threads_that_count(ex_, n);
    auto const counts = ex_.template scratch<index_t>(max_threads * ways);
    index_t const counted = count_by_threads(
        ex_, max_threads, n, ways, high_digit<From, Bits>{row, bits_, 0, static_cast<U>(ways - 1)},
        counts.data());
    starts ends(static_cast<std::size_t>(ways));  // one past the last copy of each value
    index_t end = 0;
    for (index_t d = 0; d < ways; ++d) {
      for (index_t r = 0; r < counted; ++r) end += counts[r * ways + d];
      ends[static_cast<std::size_t>(d)] = end;
    }
    write_runs(
        ends, [=](index_t d) { return static_cast<U>(same | static_cast<U>(d)); }, out);
  }

  /// Sorts keys of few distinct values, counted in hash tables.  Returns false, without having
  /// written, if the sample or the whole input has too many distinct values.
  bool count_values(auto row, index_t n, writer out) const {
    using counts = value_counts<U>;
    auto const value = [&](index_t i) { return bits_(row(i)); };
    // a sample of random keys has 226 distinct values if the input has 1000, and 241 if it has 2000
    constexpr index_t many = 232;
    counts sample(value(0), sampled);
    for (index_t k = 1; k < sampled; ++k) sample.add(value(n / sampled * k));
    if (sample.size() > many) return false;
    compared_values<U> const of_sample(sample);
    // a small table for short inputs: it overflows, and the attempt ends, sooner
    index_t const max_values = n < 32 * worth_a_sample ? 1024 : 2048;
    struct run {
      U value;
      index_t count;
    };
    index_t const width = std::max(worth_a_sample, div_up(n, threads_of(ex_)));
    std::vector<std::vector<run>> of_tile(static_cast<std::size_t>(div_up(n, width)));
    std::atomic<bool> few = true;
    ex_.for_each_tile_of(
        width, n,
        [&](worker, tile t) {
          counts counted(value(t.begin), max_values);
          auto compared = of_sample;
          constexpr index_t size = compared_values<U>::block;
          alignas(64) U block[size];
          for (index_t i = t.begin; i < t.end && few.load(std::memory_order_relaxed); i += size) {
            index_t const m = std::min(size, t.end - i);
            for (index_t k = 0; k < m; ++k) block[k] = value(i + k);
            if (compared.exist() && m == size && compared.add(block)) continue;
            bool fit = true;
            for (index_t k = 0; k < m; ++k) fit &= counted.add(block[k]);
            if (!fit) few.store(false, std::memory_order_relaxed);
          }
          compared.for_each([&](U x, index_t count) {
            if (count > 0 && !counted.add(x, count)) few = false;
          });
          auto& runs = of_tile[static_cast<std::size_t>(t.id)];
          runs.reserve(static_cast<std::size_t>(counted.size()));
          counted.for_each([&](U x, index_t count) { runs.push_back({x, count}); });
        },
        nanoseconds{n});
    counts merged(value(0), max_values);
    for (auto const& runs : of_tile) {
      for (run const& r : runs) few = merged.add(r.value, r.count) && few;
    }
    if (!few) return false;
    std::vector<run> runs;
    merged.for_each([&](U x, index_t count) { runs.push_back({x, count}); });
    std::sort(runs.begin(), runs.end(), [](run a, run b) { return a.value < b.value; });
    starts ends;
    for (run const& r : runs) ends.push_back((ends.empty() ? 0 : ends.back()) + r.count);
    write_runs(
        ends, [&](index_t d) { return runs[static_cast<std::size_t>(d)].value; }, out);
    return true;
  }

  /// Writes the key with bits bits_at(d) up to index ends[d], for each d in order.
  void write_runs(starts const& ends, auto bits_at, writer out) const {
    index_t const n = ends.back();
    bool const far = n >= beyond_caches / index_t{sizeof(K)};
    ex_.for_each_tile_of(
        chunk_of_split(n, threads_of(ex_)), n,
        [&](worker, tile t) {
          K* const target = out.to.keys + out.first;
          auto end = std::upper_bound(ends.begin(), ends.end(), t.begin);
          for (index_t i = t.begin; i < t.end; ++end) {
            U const bits = static_cast<U>(bits_at(end - ends.begin()) ^ bits_.flip);
            index_t const count = std::min(*end, t.end) - i;
            if (far && count >= some_copies) {
              stream_copies(key_of_bits<K>(bits), count, target + i);
            } else {
              write_key(key_of_bits<K>(bits), count, target + i, t.end - i);
            }
            i += count;
          }
          if (far) stream_fence();
        },
        nanoseconds{n / 8});
  }

  static constexpr index_t some_copies = 1024;
  static void stream_copies(K key, index_t count, K* out) {
    U copies[some_copies];
    std::fill_n(copies, some_copies, std::bit_cast<U>(key));
    for (index_t i = 0; i < count; i += some_copies) {
      stream(copies, reinterpret_cast<U*>(out) + i, std::min(some_copies, count - i));
    }
  }
};

}  // namespace ravel::inline v0::cpu::detail
