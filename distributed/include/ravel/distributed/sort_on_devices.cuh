#pragma once

/// Radix sort over all ranks on devices: keys are split by a digit, go to their ranks, and are sorted there.
///
/// The digit is the highest one of integers, if it is even enough; else the number of bounds up to a
/// key, where bounds are quantiles of a sample.  Nothing is merged.  Each rank's digits are exchanged in a
/// few chunks, one after another: while one is on its way, those before it are sorted.  Integers
/// without values are sorted by the other digits, so that no split is made twice: this is the bucket
/// sort of one device (algorithms/cuda/bucket_sort.cuh) with an exchange between its two splits.
///
/// All ranks know how many keys of each digit each of them has, and so where everything goes.  A digit
/// that two ranks share is sent to both of them as a whole, which sort it, and keep their part; unless
/// its keys are equal.
///
/// Source   Stehle and Jacobsen, "A Memory Bandwidth-Efficient Hybrid Radix Sort on GPUs",
///          SIGMOD 2017, whose sort of several devices overlaps transfers and sorts too.

#include <ravel/algorithms/cuda/radix_sort.cuh>
#include <ravel/algorithms/cuda/sampled_digits.cuh>
#include <ravel/algorithms/cuda/sort_pieces.cuh>
#include <ravel/algorithms/radix_sort.hpp>
#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/radix_key.hpp>
#include <ravel/core/transfer.hpp>
#include <ravel/distributed/communicator.hpp>
#include <ravel/distributed/digits_of_ranks.hpp>
#include <ravel/distributed/exchange.hpp>
#include <ravel/distributed/sort_orders.hpp>
#include <ravel/primitives/cuda/count_values.cuh>
#include <ravel/primitives/rows.hpp>

#include <algorithm>
#include <span>
#include <vector>

namespace ravel::inline v0::distributed::detail {

/// The word of a key, in the order of a sort.
template <class Before>
struct word_of_key {
  Before before;
  template <class K>
  RAVEL_HD auto operator()(K const& x) const {
    return before.rank(x);
  }
};

/// Sorts rows of all ranks by an order that has words of keys.
template <class Ex, class K, class V, class Order>
class sort_on_devices : sort_over_ranks<Ex, Order> {
  using base = sort_over_ranks<Ex, Order>;
  using base::begins_, base::ex_, base::local_, base::order_, base::rank_, base::ranks_;
  using Local = local_of<Ex>;
  using U = decltype(std::declval<Order const&>().before.rank(std::declval<K const&>()));
  using word64 = gpu::detail::word64;
  static constexpr bool has_values = rows<K, V>::has_values;

  index_t n_;
  rows<K const, V const> in_;
  rows<K, V> out_;

  /// With 2^24 rows on each of two H100, two chunks are faster than six: 0.71 ms and 0.93.
  index_t least_chunk() const { return 6 * local_.tuned().bucketed; }

 public:
  sort_on_devices(Ex const& ex, index_t n, rows<K const, V const> in, rows<K, V> out,
                  std::span<index_t const> begins, Order const& order)
      : base(ex, begins, order), n_(n), in_(in), out_(out) {}

  /// Sorts, if there are enough rows and some digits of theirs are even enough; returns whether it did, the
  /// same on all ranks.
  bool operator()() const {
    if (begins_[ranks_] / ranks_ < local_.tuned().bucketed) return false;
    if constexpr (is_integer_by_itself) {
      if (order_.before.sorts_by_all_bits() && sort_by_highest_digits()) return true;
    }
    return sort_by_sampled_digits();
  }

 private:
  /// How many keys of each rank have each digit: count(counts) adds those of this one.  The host waits,
  /// within the time limit.
  template <class Count>
  std::vector<index_t> count_on_all_ranks(Count const& count) const {
    constexpr index_t ways = digits_of_ranks::ways;
    static_assert(ways == gpu::highest_digits && ways == gpu::sampled_bounds + 1);
    auto const own_counts = local_.template scratch<word64>(ways);
    auto const gathered = local_.template scratch<word64>(ways * ranks_);
    local_.clear(own_counts);
    count(own_counts.data());
    gather_pieces(ex_, own_counts.data(), ways, gathered.data());
    ex_.wait();
    auto const counts = to_host(local_, gathered);
    return {counts.begin(), counts.end()};
  }

  // ---- rows between ranks

  static constexpr index_t aligned = 16;  // rows, whatever the sizes of keys and values
  static std::size_t values_at(index_t n) {
    constexpr index_t of_copies = 256;
    return static_cast<std::size_t>(
        digits_of_ranks::round_up(n * static_cast<index_t>(sizeof(K)), of_copies));
  }
  /// As much on all ranks.
  rows<K, V> open_room(index_t n) const {
    std::size_t const values = has_values ? sizeof(V) * static_cast<std::size_t>(n) : 0;
    std::byte* const room = ex_.ranks().open_room(local_, values_at(n) + values);
    return {reinterpret_cast<K*>(room),
            has_values ? reinterpret_cast<V*>(room + values_at(n)) : nullptr};
  }
  auto start_exchanges(digits_of_ranks const& digits, places_of_rows const& places,
                       rows<K, V> room) const {
    std::vector<places_of_rows::column> columns{{sizeof(K), 0}};
    if (has_values) columns.push_back({sizeof(V), values_at(places.size_of_room())});
    std::vector<exchange_step> steps;
    for (std::size_t k = 0; k < digits.most_chunks_of_a_rank(); ++k) {
      steps.push_back(places.step(k, columns, reinterpret_cast<std::byte*>(room.keys)));
    }
    return ex_.ranks().start_exchanges(local_, steps);
  }
  static std::vector<word64> starts(places_of_rows const& places) {
    auto const& of_digit = places.mine().of_digit;
    return {of_digit.begin(), of_digit.end()};
  }
  void copy(index_t n, rows<K const, V const> in, rows<K, V> out) const {
    local_.copy(in.keys, out.keys, n);
    if constexpr (has_values) local_.copy(in.values, out.values, n);
  }

  /// Where the sorted rows of a chunk go: to their place, or aside if only a part of them stays here.
  class sorted_chunk {
    sort_on_devices const& of_;
    index_t begin_, end_;
    bool is_aside_;
    gpu::buffer<K> keys_;
    gpu::buffer<std::conditional_t<has_values, V, char>> values_;
    index_t aside(bool needed) const { return needed && is_aside_ ? end_ - begin_ : 0; }

   public:
    sorted_chunk(sort_on_devices const& sort, chunk_of_digits const& c)
        : of_(sort),
          begin_(c.begin),
          end_(c.end),
          is_aside_(c.begin < sort.begin() || c.end > sort.end()),
          keys_(sort.local_.template allocate_pooled<K>(aside(true))),
          values_(sort.local_.template allocate_pooled<std::conditional_t<has_values, V, char>>(
              aside(has_values))) {}
    rows<K, V> place() const {
      if (!is_aside_) return of_.out_.from(begin_ - of_.begin());
      if constexpr (has_values) return {keys_.data(), values_.data()};
      return {keys_.data(), nullptr};
    }
    /// Copies that part to its place, once the chunk is sorted.
    void keep() const {
      if (!is_aside_) return;
      index_t const low = std::max(begin_, of_.begin()), high = std::min(end_, of_.end());
      of_.copy(high - low, place().from(low - begin_).read(), of_.out_.from(low - of_.begin()));
    }
  };

  /// Moves rows to their ranks by split(out, starts), and sorts each chunk there by sort(n, in, out, chunk).
  template <class Split, class Sort>
  void split_and_sort(digits_of_ranks const& digits, Split const& split, Sort const& sort) const {
    places_of_rows const places(digits, begins_, rank_, aligned, false);
    rows<K, V> const room = open_room(places.size_of_room());
    auto const starts = this->starts(places);
    split(room, starts);
    auto const arrive = start_exchanges(digits, places, room);
    auto const& chunks = digits.chunks(rank_);
    auto const& arrivals = places.mine().arrivals;
    for (std::size_t k = 0; k < arrive.size(); ++k) {
      arrive[k].wait(local_);
      if (k >= chunks.size()) continue;
      chunk_of_digits const& c = chunks[k];
      if (places.is_shared(rank_, c)) {
        run_of_rows const own = places.sent(rank_, c);
        copy(own.size, room.from(own.begin).read(), room.from(arrivals[k][rank_]));
      }
      auto const src = room.from(arrivals[k][0]).read();
      sorted_chunk const sorted(*this, c);
      if (digits.is_of_one_value(c)) {
        copy(c.end - c.begin, src, sorted.place());
      } else {
        sort(c.end - c.begin, src, sorted.place(), c);
      }
      sorted.keep();
    }
    ex_.wait();  // what was copied from the host's memory has been
  }

  // ---- keys of any distribution

  bool sort_by_sampled_digits() const {
    constexpr index_t each = 2048;
    word_of_key<std::remove_cvref_t<decltype(order_.before)>> const word{order_.before};
    auto const sample = local_.template scratch<U>(each * ranks_);
    auto const bounds = local_.template scratch<U>(gpu::sampled_bounds);
    U* const piece = sample.data() + each * rank_;
    gpu::sample_words(local_, n_, in_.keys, word, each, piece);
    gather_pieces(ex_, piece, each, sample.data());
    radix_sort(local_, sample);
    gpu::bounds_of_sample(local_, each * ranks_, sample.data(), bounds.data());

    auto const found = local_.template scratch<gpu::sampled_digit>(n_);
    auto counts = count_on_all_ranks([&](word64* out) {
      gpu::find_sampled_digits(local_, n_, in_.keys, word, bounds.data(), found.data(), out);
    });
    digits_of_ranks digits(ranks_, std::move(counts),
                           gpu::digits_of_one_word(to_host(local_, bounds)));
    digits.make_chunks(begins_, digits_of_ranks::ways, least_chunk());
    if (!digits.are_even(begins_)) return false;
    split_and_sort(
        digits,
        [&](rows<K, V> out, std::vector<word64> const& starts) {
          gpu::split_by_known_digits(local_, n_, found.data(), in_, out, starts);
        },
        [&](index_t n, rows<K const, V const> in, rows<K, V> out, chunk_of_digits const&) {
          order_.sort(local_, n, in, out);
        });
    return true;
  }

  // ---- integers by their own value

  static constexpr bool is_integer_by_itself =
      std::integral<K> && (sizeof(K) == 4 || sizeof(K) == 8) && (!has_values || sizeof(V) <= 16) &&
      std::same_as<decltype(std::declval<Order>().before.key), ravel::detail::the_element>;

  bool sort_by_highest_digits() const {
    gpu::detail::integer_order<U> const order{order_.before.rank(K{})};
    auto const digit = gpu::highest_digit(order);
    digits_of_ranks digits(ranks_, count_on_all_ranks([&](word64* out) {
                             gpu::count_values(local_, n_, in_.keys, digit, gpu::highest_digits,
                                               out);
                           }));
    if constexpr (has_values) {
      digits.make_chunks(begins_, gpu::highest_digits, least_chunk());
      if (!digits.are_even(begins_)) return false;
      split_and_sort(
          digits,
          [&](rows<K, V> out, std::vector<word64> const& starts) {
            gpu::split_rows_by_digit(local_, n_, in_, out, digit, starts);
          },
          [&](index_t n, rows<K const, V const> in, rows<K, V> out, chunk_of_digits const& c) {
            if (!gpu::sort_pairs_of_digits(local_, n, as_words(in), as_words(out), order, c.first,
                                           c.last - c.first)) {
              order_.sort(local_, n, in, out);
            }
          });
    } else {
      int const bits = gpu::sort_pieces<U>::bits_for(digits.most_of_a_digit());
      if (bits == 0) return false;
      digits.make_chunks(begins_, gpu::detail::bucket_list::most >> bits, least_chunk());
      if (!digits.are_even(begins_)) return false;
      sort_pieces(digits, bits, order);
    }
    return true;
  }
  static rows<U const, V const> as_words(rows<K const, V const> x) {
    return {reinterpret_cast<U const*>(x.keys), x.values};
  }
  static rows<U, V> as_words(rows<K, V> x) { return {reinterpret_cast<U*>(x.keys), x.values}; }

  /// Sorts integers without values by their next digits, of `bits` bits.
  void sort_pieces(digits_of_ranks const& digits, int bits,
                   gpu::detail::integer_order<U> order) const {
    places_of_rows const places(digits, begins_, rank_, aligned, true);
    rows<K, V> const room = open_room(places.size_of_room());
    U* const keys = as_words(room).keys;
    auto const starts = this->starts(places);
    gpu::split_by_highest_digit(local_, n_, as_words(in_).keys, keys, order, starts);
    auto const arrive = start_exchanges(digits, places, room);

    std::vector<gpu::sort_pieces<U>> sorts;
    std::vector<std::vector<gpu::piece_of_keys<U>>> pieces;
    auto const& chunks = digits.chunks(rank_);
    auto const add = [&](std::size_t k, int rank, index_t at) {
      chunk_of_digits const& c = chunks[k];
      index_t size = 0;
      for (int d = c.first; d < c.last; ++d) {
        index_t const count = digits.count(rank, d);
        if (count > 0) pieces[k].push_back({keys + at + size, count, d - c.first});
        size += count;
      }
      sorts[k].count(local_, size, keys + at);
    };
    for (std::size_t k = 0; k < chunks.size(); ++k) {  // while the first chunk is on its way
      chunk_of_digits const& c = chunks[k];
      sorts.emplace_back(local_, order, c.first, c.last - c.first, bits);
      pieces.emplace_back();
      add(k, rank_, places.mine().of_digit[c.first]);
    }
    std::vector<sorted_chunk> sorted;
    auto const failed = local_.template scratch<unsigned>(std::ssize(chunks));
    for (std::size_t k = 0; k < arrive.size(); ++k) {
      arrive[k].wait(local_);
      if (k >= chunks.size()) continue;
      for (int r = 0; r < ranks_; ++r) {
        if (r != rank_) add(k, r, places.mine().arrivals[k][r]);
      }
      sorted.emplace_back(*this, chunks[k]);
      sorts[k].run(local_, pieces[k], as_words(sorted[k].place()).keys);
      sorted[k].keep();
      local_.copy(sorts[k].has_failed(), failed.data() + k, 1);
    }

    // Keys that are too uneven within their highest digit are where they belong, but not sorted.
    ex_.wait();
    auto const failures = to_host(local_, failed);
    for (std::size_t k = 0; k < chunks.size(); ++k) {
      if (failures[k] == 0) continue;
      rows<K, V> const at = sorted[k].place();
      order_.sort(local_, chunks[k].end - chunks[k].begin, at.read(), at);
      sorted[k].keep();
    }
  }
};

/// Sorts rows of devices by words of their keys, if their number and their keys suit it; returns whether it
/// did.
template <class Ex, class K, class V, class Order>
requires(std::derived_from<local_of<Ex>, gpu::executor>&& lends_rooms<ranks_of<Ex>, local_of<Ex>>&&
             std::is_trivially_default_constructible_v<K>&& has_ranks_of_keys<
                 Order, K>) bool sort_between_devices(Ex const& ex, index_t n,
                                                      rows<K const, V const> in, rows<K, V> out,
                                                      std::span<index_t const> begins,
                                                      Order const& order) {
  if constexpr (rows<K, V>::has_values) {
    using M = gpu::detail::moved_t<V>;
    rows<K const, M const> const keys_in{in.keys, reinterpret_cast<M const*>(in.values)};
    rows<K, M> const keys_out{out.keys, reinterpret_cast<M*>(out.values)};
    return sort_on_devices<Ex, K, M, Order>(ex, n, keys_in, keys_out, begins, order)();
  } else {
    return sort_on_devices<Ex, K, V, Order>(ex, n, in, out, begins, order)();
  }
}

}  // namespace ravel::inline v0::distributed::detail
