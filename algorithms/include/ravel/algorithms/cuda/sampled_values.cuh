#pragma once

/// Sort of keys of few values on a device.
///
/// A block ranks the values of a sample, if they are at most 256, and puts them in a hash table, in
/// which every key is looked up and counted.  If all have a rank, each value is written as often as it
/// occurs; rows with values beside their keys move in one stable pass, whose digit is the rank.
/// Otherwise nothing is written, and a flag on the device says that keys are to be sorted otherwise.

#include <ravel/algorithms/cuda/sampled_digits.cuh>
#include <ravel/algorithms/cuda/shares.cuh>
#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/cuda/shared.cuh>
#include <ravel/core/cuda/warp.cuh>
#include <ravel/primitives/cuda/digit_policy.hpp>
#include <ravel/primitives/cuda/digits.hpp>
#include <ravel/primitives/rows.hpp>
#include <ravel/primitives/scan.hpp>

#include <optional>

namespace ravel::inline v0::gpu {
namespace detail {

/// A hash table with linear probing of the ranks of the values of a sample.  Empty slots hold one of the
/// values: a search for it may end at any of them.
template <class U>
struct value_ranks {
  static constexpr int most = 256;  // values
  static constexpr int slot_bits = 11;
  static constexpr int slots = 1 << slot_bits;
  static constexpr int none = most;
  U in_empty;
  U words[slots];
  unsigned char ranks[slots];

  static RAVEL_HD int slot(U word) {
    if constexpr (sizeof(U) == 4) {
      return static_cast<int>((word ^ word >> 15) * 0x2c1b3c6du >> (32 - slot_bits));
    } else {
      return static_cast<int>((word ^ word >> 32) * word64{0xd6e8feb86659fd93} >> (64 - slot_bits));
    }
  }
  static RAVEL_HD int after(int slot) { return (slot + 1) % slots; }
  RAVEL_HD int rank(U word) const {
    for (int s = slot(word);; s = after(s)) {
      U const held = words[s];
      if (held == word) return ranks[s];
      if (held == in_empty) return none;
    }
  }
};

/// The ranks in device memory, and what all keys that are looked up say.
template <class U>
struct sampled_values {
  // that look at the sample
  static constexpr int threads = digit_policy::counting_threads,
                       items = digit_policy::sampled_items;
  static constexpr index_t samples = index_t{items} * threads;
  unsigned found;  // whether all keys that were looked up have a rank
  unsigned rest;   // whether rows with values are still to be sorted
  value_ranks<U> of;
  U ascending[value_ranks<U>::most];
  word64 counts[value_ranks<U>::most];
};

/// The bits of a key that are sorted by.
template <class Bits>
struct sorted_bits {
  digits<Bits> by;
  template <class K>
  RAVEL_HD auto operator()(K const& key) const {
    auto const bits = by.bits(key);
    using U = std::remove_const_t<decltype(bits)>;
    int const above = static_cast<int>(8 * sizeof(U)) - by.end;
    U const word = static_cast<U>(static_cast<U>(bits << above) >> (above + by.begin));
    return by.descending ? static_cast<U>(~word) : word;
  }
};

/// Whether only one key has the word of x.
template <class Word, class K>
__device__ bool is_unique(Word const& word, K const& x) {
  if constexpr (requires { word.is_unique(x); }) {
    return word.is_unique(x);
  } else {
    return true;
  }
}

/// Ranks the values among the words of the threads of a block and `in_empty`, if they are at least
/// `least` and at most 256; else sets *none.
template <class U, int Items>
__device__ void rank_sampled_values(U const (&x)[Items], U first, int least,
                                    sampled_values<U>* result, unsigned* none) {
  using table = value_ranks<U>;
  using word = std::conditional_t<sizeof(U) == 4, unsigned, word64>;
  constexpr int threads = sampled_values<U>::threads, max_values = table::most;
  __shared__ word words[table::slots], values[max_values];
  __shared__ int count;
  int const thread = threadIdx.x, lane = thread % warp_size;
  word const in_empty = first;
  for (int s = thread; s < table::slots; s += threads) words[s] = in_empty;
  if (thread == 0) {
    values[0] = in_empty;
    count = 1;
  }
#pragma unroll
  for (int k = 0; k < Items; ++k) {
    __syncthreads();
    if (count > max_values) break;  // before the table is full
    __syncthreads();
    word was = x[k];
    for (int s = table::slot(x[k]); x[k] != in_empty; s = table::after(s)) {
      was = atomicCAS(&words[s], in_empty, word{x[k]});
      if (was == in_empty || was == x[k]) break;
    }
    bool const is_new = was != x[k];
    unsigned const new_ones = __ballot_sync(whole_warp, is_new);
    int at = 0;
    if (lane == 0 && new_ones != 0) at = atomicAdd(&count, __popc(new_ones));
    at = shuffle_from(at, 0) + __popc(new_ones & ((1u << lane) - 1));
    if (is_new && at < max_values) values[at] = x[k];
  }
  __syncthreads();
  bool const few = least <= count && count <= max_values;
  if (thread == 0) {
    result->found = few;
    if (!few) *none = 1;
    result->of.in_empty = first;
  }
  for (int v = thread; v < max_values; v += threads) result->counts[v] = 0;
  if (!few) return;
  for (int s = thread; s < table::slots; s += threads) {
    word const value = words[s];
    unsigned rank = 0;
    for (int j = 0; j < count; ++j) rank += values[j] < value;
    result->of.words[s] = static_cast<U>(value);
    result->of.ranks[s] = static_cast<unsigned char>(rank);
    result->ascending[rank] = static_cast<U>(value);
  }
}

/// Ranks the values of word(key) in a sample.
template <class U, class K, class Word>
__global__ void __launch_bounds__(sampled_values<U>::threads)
    rank_sampled_values_kernel(index_t n, K const* keys, Word word_of, sampled_values<U>* result) {
  constexpr int threads = sampled_values<U>::threads;
  constexpr int items = sampled_values<U>::items;
  U x[items];
#pragma unroll
  for (int k = 0; k < items; ++k) {
    x[k] = word_of(keys[sampled_row(k * threads + static_cast<int>(threadIdx.x), n,
                                    sampled_values<U>::samples)]);
  }
  if (threadIdx.x == 0) result->rest = 0;
  constexpr int least = 2;  // rows of one value are not moved
  rank_sampled_values<U>(x, word_of(keys[0]), least, result, &result->rest);
}

/// Counts the keys of each rank, by a counter of each rank for each lane, and writes the ranks of all
/// keys if `ranks` is not null.  If a key has none, sets *none.
template <class U, class K, class Word>
__global__ void __launch_bounds__(digit_policy::counting_threads)
    count_sampled_values_kernel(index_t n, K const* keys, Word word_of, sampled_values<U>* values,
                                known_digit* ranks, unsigned* none) {
  constexpr int threads = digit_policy::counting_threads, max_values = value_ranks<U>::most;
  constexpr int at_once = digit_policy::counted_at_once;
  __shared__ value_ranks<U> table;
  await_preceding_kernel();
  // together, since other blocks may find a key without a rank meanwhile
  if (__syncthreads_count(values->found == 0) > 0) return;
  auto* const of_lane = reinterpret_cast<unsigned*>(shared_bytes());
  int const thread = threadIdx.x;
  for (int i = thread; i < max_values * warp_size; i += threads) of_lane[i] = 0;
  for (int s = thread; s < table.slots; s += threads) {
    table.words[s] = values->of.words[s];
    table.ranks[s] = values->of.ranks[s];
  }
  if (thread == 0) table.in_empty = values->of.in_empty;
  __syncthreads();
  unsigned* const lane_counts = of_lane + thread % warp_size;
  auto const look_up = [&](K const& x, index_t i) {
    int const rank = table.rank(word_of(x));
    if (rank == table.none || !is_unique(word_of, x)) {
      values->found = 0;
      *none = 1;
    } else {
      atomicAdd(lane_counts + rank * warp_size, 1u);
      if (ranks != nullptr) ranks[i] = {static_cast<unsigned char>(rank)};
    }
  };
  index_t const step = index_t{threads} * at_once;
  for (index_t begin = blockIdx.x * step; begin < n; begin += gridDim.x * step) {
    index_t const i = begin + thread;
    if (begin + step <= n) {
      K x[at_once];
#pragma unroll
      for (int k = 0; k < at_once; ++k) x[k] = keys[i + k * threads];
#pragma unroll
      for (int k = 0; k < at_once; ++k) look_up(x[k], i + k * threads);
    } else {
      for (index_t j = i; j < n; j += threads) look_up(keys[j], j);
    }
  }
  __syncthreads();
  for (int v = thread; v < max_values; v += threads) {
    unsigned sum = 0;
    for (int c = 0; c < warp_size; ++c) sum += of_lane[v * warp_size + (c + v) % warp_size];
    if (sum != 0) atomicAdd(&values->counts[v], word64{sum});
  }
}

/// Writes each value as often as it was counted.
template <class U, class Order>
__global__ void __launch_bounds__(digit_policy::writing_threads)
    write_sampled_values_kernel(index_t n, U* out, Order order, sampled_values<U> const* values) {
  constexpr int threads = digit_policy::writing_threads, max_values = value_ranks<U>::most;
  constexpr int tile = 32 * threads;
  __shared__ U keys[max_values];
  __shared__ index_t ends[max_values];
  await_preceding_kernel();
  if (values->found == 0) return;
  int const thread = threadIdx.x;
  for (int v = thread; v < max_values; v += threads) {
    keys[v] = order.back(values->ascending[v]);
    ends[v] = 0;
    for (int w = 0; w <= v; ++w) ends[v] += static_cast<index_t>(values->counts[w]);
  }
  __syncthreads();
  // The value at place i is that of the first rank, from `first` to `last`, that ends after i.
  auto const rank_at = [&](index_t i, int first, int last) {
    while (first < last) {
      int const middle = (first + last) / 2;
      if (ends[middle] <= i) {
        first = middle + 1;
      } else {
        last = middle;
      }
    }
    return first;
  };
  for (index_t begin = blockIdx.x * index_t{tile}; begin < n; begin += gridDim.x * index_t{tile}) {
    index_t const end = ::min(begin + tile, n);
    int const first = rank_at(begin, 0, max_values - 1),
              last = rank_at(end - 1, first, max_values - 1);
    for (index_t i = begin + thread; i < end; i += threads) out[i] = keys[rank_at(i, first, last)];
  }
}

template <class T>
__global__ void copy_if_kernel(index_t n, T const* in, T* out, unsigned const* wanted) {
  if (*wanted == 0) return;
  for (index_t i = index_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n;
       i += index_t{gridDim.x} * blockDim.x) {
    out[i] = in[i];
  }
}

}  // namespace detail

/// Counts the keys of each rank if the values of a sample are ranked.
template <class U, class K, class Word>
void count_sampled_values(executor const& ex, index_t n, K const* keys, Word const& word,
                          detail::sampled_values<U>* values, sampled_digit* ranks, unsigned* none) {
  ex.launch_sharing<detail::count_sampled_values_kernel<U, K, Word>>(
      grid{2 * ex.multiprocessors(), digit_policy::counting_threads, false,
           sizeof(unsigned) * detail::value_ranks<U>::most * warp_size}
          .early(),
      n, keys, word, values, ranks, none);
}

/// Sorts keys by order(key), if equal ones are identical and the values of a sample are ranked; if a key
/// has none of them, sets *none instead.
///
/// Cost     A read and a write of the keys; if they are not sorted, at most a read.
template <class U, class Order>
void sort_few_values(executor const& ex, index_t n, U const* in, U* out, Order order,
                     detail::sampled_values<U>* values, unsigned* none) {
  count_sampled_values(ex, n, in, order, values, nullptr, none);
  ex.launch(grid{8 * ex.multiprocessors(), digit_policy::writing_threads}.early(),
            detail::write_sampled_values_kernel<U, Order>, n, out, order, values);
}

/// Sorts rows whose keys are among the values of a sample, if there are many rows: 50 times as many as
/// are sorted by buckets, on an H200 2^26.
template <class U>
class sort_of_few_values {
  using values = detail::sampled_values<U>;
  static constexpr bool has_table = sizeof(U) == 4 || sizeof(U) == 8;
  executor const& ex_;
  index_t n_;
  std::optional<scratch<values>> values_;

 public:
  sort_of_few_values(executor const& ex, index_t n) : ex_(ex), n_(n) {
    if (has_table && n >= values::samples && n / 50 >= ex.tuned().bucketed) {
      values_.emplace(ex.scratch<values>(1));
    }
  }
  /// Rows by their digits, stably.
  ///
  /// Cost     Reads the keys, and reads and writes each row, twice if they are sorted in place.  A byte
  ///          of scratch for each row.  If they are not sorted, at most a read of the keys.
  template <class K, class V, class Bits>
  void rows_by(digits<Bits> radix, rows<K const, V const> in, rows<K, V> out, rows<K, V> spare) {
    if constexpr (has_table) {
      if (radix.passes() < 3) values_.reset();
      if (!values_) return;
      auto const ranks = ex_.scratch<sampled_digit>(n_);
      auto const starts = ex_.scratch<detail::word64>(detail::value_ranks<U>::most);
      auto* const table = values_->data();
      detail::sorted_bits<Bits> const word{radix};
      ex_.launch({1, values::threads},
                 detail::rank_sampled_values_kernel<U, K, detail::sorted_bits<Bits>>, n_, in.keys,
                 word, table);
      count_sampled_values(ex_, n_, in.keys, word, table, ranks.data(), &table->rest);
      exclusive_scan(ex_, view<detail::word64 const, device_space>(table->counts, starts.size()),
                     starts);
      bool const in_place = share_memory(in, out), needs_spare = in_place && spare.keys == nullptr;
      auto const spare_keys = ex_.scratch<K>(needs_spare ? n_ : 0);
      auto const spare_values = ex_.scratch<V>(needs_spare && rows<K, V>::has_values ? n_ : 0);
      if (needs_spare) spare = {spare_keys.data(), spare_values.data()};
      split_by_known_digits(ex_, n_, ranks.data(), in, in_place ? spare : out, starts.data(),
                            &table->found);
      if (!in_place) return;
      auto const copy = [&]<class T>(T const* src, T* dst) {
        ex_.launch({8 * ex_.multiprocessors(), digit_policy::counting_threads},
                   detail::copy_if_kernel<T>, n_, src, dst, &table->found);
      };
      copy(spare.keys, out.keys);
      if constexpr (rows<K, V>::has_values) copy(spare.values, out.values);
    }
  }
  /// The flag, in device memory, which is not 0 if the rows are still to be sorted; null if they are.
  unsigned const* rest() const { return values_ ? &values_->data()->rest : nullptr; }
};

}  // namespace ravel::inline v0::gpu
