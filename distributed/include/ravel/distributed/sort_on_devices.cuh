#pragma once

/// @file
/// Radix sort by integers over all ranks on devices: keys are split by their highest digit, go to their
/// ranks, and are sorted there by the other digits.
///
/// This is the bucket sort of one device (algorithms/cuda/bucket_sort.cuh) with an exchange between its
/// two splits, so that nothing is merged, and no split is made twice.  Each rank's digits are exchanged in
/// a few chunks, one after another: while one is on its way, those before it are sorted.
///
/// All ranks know how many keys of each digit each of them has, and so where everything goes.  A digit
/// that two ranks share is sent to both of them as a whole, which sort it, and keep their part.
///
/// Source   Stehle and Jacobsen, "A Memory Bandwidth-Efficient Hybrid Radix Sort on GPUs",
///          SIGMOD 2017, whose sort of several devices overlaps transfers and sorts too.

#include <ravel/algorithms/cuda/radix_sort.cuh>
#include <ravel/algorithms/cuda/sort_pieces.cuh>
#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/error.hpp>
#include <ravel/core/radix_key.hpp>
#include <ravel/core/tile.hpp>
#include <ravel/core/transfer.hpp>
#include <ravel/core/view.hpp>
#include <ravel/distributed/communicator.hpp>
#include <ravel/distributed/digits_of_ranks.hpp>
#include <ravel/distributed/exchange.hpp>
#include <ravel/primitives/rows.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <numeric>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace ravel::inline v0::distributed::detail {

/// What sorts of keys and of rows share: U is the unsigned integer of a key.
template <class Ex, class U>
class sort_of_devices {
 protected:
  using Local = std::remove_cvref_t<decltype(std::declval<Ex const&>().local())>;
  using integers = gpu::detail::integer_order<U>;

  Ex const& ex_;
  Local const& local_;
  std::span<index_t const> begins_;
  integers order_;
  int ranks_, rank_;

  sort_of_devices(Ex const& ex, std::span<index_t const> begins, U flip)
      : ex_(ex),
        local_(ex.local()),
        begins_(begins),
        order_{flip},
        ranks_(ex.ranks().size()),
        rank_(ex.ranks().rank()) {}

  digits_of_ranks count_digits(index_t n, U const* in) const {
    constexpr index_t ways = digits_of_ranks::ways;
    static_assert(ways == gpu::highest_digits);
    auto const mine = local_.template scratch<gpu::detail::word64>(ways);
    auto const all = local_.template scratch<gpu::detail::word64>(ways * ranks_);
    local_.clear(mine);
    gpu::count_highest_digits(local_, n, in, order_, mine.data());
    gather_pieces(ex_, mine.data(), ways, all.data());
    ex_.wait();  // within the time limit
    auto const counts = to_host(local_, all);
    return {ranks_, {counts.begin(), counts.end()}};
  }
  /// With 2^24 rows on each of two H100, two chunks are faster than six: 0.71 ms and 0.93.
  index_t least_chunk() const { return 6 * local_.tuned().bucketed; }

  /// The rows of a chunk that a rank has, or that come from it.
  struct part_of_chunk {
    index_t begin, size;
  };
  using parts_of_chunk = std::vector<part_of_chunk>;  // of each rank

  /// Where each rank puts its digits.
  using places = std::vector<std::vector<index_t>>;
  places places_of(digits_of_ranks const& digits, index_t aligned) const {
    places at;
    for (int r = 0; r < ranks_; ++r) at.push_back(digits.places(r, aligned));
    return at;
  }
  static part_of_chunk part_of(digits_of_ranks const& digits, places const& at, int rank,
                               chunk_of_digits const& c) {
    if (c.first == c.last) return {0, 0};
    index_t const end = at[rank][c.last - 1] + digits.count(rank, c.last - 1);
    return {at[rank][c.first], end - at[rank][c.first]};
  }

  index_t begin() const { return begins_[rank_]; }
  index_t end() const { return begins_[rank_ + 1]; }
  /// Whether only a part of a chunk stays here.
  bool is_shared(chunk_of_digits const& c) const { return c.begin < begin() || c.end > end(); }
  /// Copies that part to its place.
  template <class T>
  void keep(chunk_of_digits const& c, T const* sorted, T* out) const {
    index_t const from = std::max(c.begin, begin()), to = std::min(c.end, end());
    local_.copy(sorted + (from - c.begin), out + (from - begin()), to - from);
  }

  /// Starts the exchange of the k-th chunk of each rank.
  template <class T>
  auto exchange(digits_of_ranks const& digits, places const& at, std::size_t k, T const* mine,
                std::vector<parts_of_chunk> const& arriving, T* received) const {
    auto const in_bytes = [](part_of_chunk const& p) {
      return run_of_bytes{static_cast<std::size_t>(p.begin) * sizeof(T),
                          static_cast<std::size_t>(p.size) * sizeof(T)};
    };
    std::vector<run_of_bytes> sent, got;
    for (int r = 0; r < ranks_; ++r) {
      bool const is_other = r != rank_;
      sent.push_back(is_other ? in_bytes(part_of(digits, at, rank_, digits.chunk_of(r, k)))
                              : run_of_bytes{});
      got.push_back(is_other && k < arriving.size() ? in_bytes(arriving[k][r]) : run_of_bytes{});
    }
    return ex_.ranks().start_exchange(local_, mine, sent, received, got);
  }
  template <class T>
  using started_exchange = decltype(std::declval<Ex const&>().ranks().start_exchange(
      std::declval<Local const&>(), std::declval<T const*>(), std::span<run_of_bytes const>(),
      std::declval<T*>(), std::span<run_of_bytes const>()));

 public:
  /// Whether there are enough rows.
  static bool is_worth(Local const& local, index_t total, int ranks) {
    return total / ranks >= local.tuned().bucketed;
  }
};

/// Sorts unsigned integers of all ranks, in the order of integers of some type, up or down.
template <class Ex, class U>
class sort_keys_on_devices : sort_of_devices<Ex, U> {
  using base = sort_of_devices<Ex, U>;
  using piece = gpu::piece_of_keys<U>;
  using base::ex_, base::local_, base::begins_, base::order_, base::ranks_, base::rank_;
  using typename base::part_of_chunk, typename base::parts_of_chunk, typename base::places;
  static constexpr index_t aligned = 16 / static_cast<index_t>(sizeof(U));

  /// Calls f(digit, first, size) for each digit of a chunk that a rank has keys of.
  template <class F>
  static void for_each_digit(digits_of_ranks const& digits, int rank,
                             std::vector<index_t> const& at, chunk_of_digits const& c, F const& f) {
    for (int d = c.first; d < c.last; ++d) {
      if (digits.count(rank, d) > 0) f(d - c.first, at[d] - at[c.first], digits.count(rank, d));
    }
  }

 public:
  using base::is_worth;
  sort_keys_on_devices(Ex const& ex, std::span<index_t const> begins, U flip)
      : base(ex, begins, flip) {}

  /// Sorts if the highest digits of keys are even enough; returns whether it did, the same on all ranks.
  template <class SortLocal>
  bool operator()(index_t n, U const* in, U* out, SortLocal const& sort_local) const {
    digits_of_ranks digits = this->count_digits(n, in);
    int const bits = gpu::sort_pieces<U>::bits_for(digits.most_of_a_digit());
    if (bits == 0) return false;
    digits.make_chunks(begins_, gpu::detail::bucket_list::most >> bits, this->least_chunk());
    if (!digits.are_even(begins_)) return false;

    places const at = this->places_of(digits, aligned);
    auto const mine = local_.template allocate_pooled<U>(at[rank_].back());
    std::vector<gpu::detail::word64> const starts(at[rank_].begin(), at[rank_].end());
    gpu::split_by_highest_digit(local_, n, in, mine.data(), order_, starts);

    // Where chunks arrive: one after another, and each in the order of ranks.
    auto const& chunks = digits.chunks(rank_);
    std::vector<parts_of_chunk> arriving;
    index_t room = 0;
    for (auto const& c : chunks) {
      parts_of_chunk of;
      for (int r = 0; r < ranks_; ++r) {
        index_t const size = r == rank_ ? 0 : this->part_of(digits, at, r, c).size;
        of.push_back({room, size});
        room += digits_of_ranks::round_up(size, aligned);
      }
      arriving.push_back(std::move(of));
    }
    auto const received = local_.template allocate_pooled<U>(room);

    std::vector<typename base::template started_exchange<U>> started;
    for (std::size_t k = 0; k < digits.most_chunks_of_a_rank(); ++k) {
      started.push_back(this->exchange(digits, at, k, mine.data(), arriving, received.data()));
    }

    // What stays here is counted while the first chunk is on its way.
    std::vector<gpu::sort_pieces<U>> sorts;
    std::vector<std::vector<piece>> pieces;
    for (auto const& c : chunks) {
      sorts.emplace_back(local_, order_, c.first, c.last - c.first, bits);
      pieces.emplace_back();
      add(digits, rank_, at[rank_], c, mine.data() + at[rank_][c.first], sorts.back(),
          pieces.back());
    }
    std::vector<gpu::buffer<U>> shared;  // sorted chunks of which a part stays
    auto const failed = local_.template scratch<unsigned>(std::ssize(chunks));
    for (std::size_t k = 0; k < chunks.size(); ++k) {
      started[k].wait(local_);
      chunk_of_digits const& c = chunks[k];
      for (int r = 0; r < ranks_; ++r) {
        if (r == rank_) continue;
        add(digits, r, at[r], c, received.data() + arriving[k][r].begin, sorts[k], pieces[k]);
      }
      shared.push_back(
          local_.template allocate_pooled<U>(this->is_shared(c) ? c.end - c.begin : 0));
      sorts[k].run(local_, pieces[k], place_of(c, shared[k], out));
      if (this->is_shared(c)) this->keep(c, shared[k].data(), out);
      local_.copy(sorts[k].has_failed(), failed.data() + k, 1);
    }
    for (std::size_t k = chunks.size(); k < started.size(); ++k) started[k].wait(local_);

    // Keys that are too uneven within their highest digit are where they belong, but not sorted.
    ex_.wait();
    auto const failures = to_host(local_, failed);
    for (std::size_t k = 0; k < chunks.size(); ++k) {
      if (failures[k] == 0) continue;
      chunk_of_digits const& c = chunks[k];
      sort_local(c.end - c.begin, place_of(c, shared[k], out));
      if (this->is_shared(c)) this->keep(c, shared[k].data(), out);
    }
    return true;
  }

 private:
  U* place_of(chunk_of_digits const& c, gpu::buffer<U> const& shared, U* out) const {
    return this->is_shared(c) ? shared.data() : out + (c.begin - this->begin());
  }

  /// Counts the keys of a chunk that came from a rank, which are at `keys`, and notes their pieces.
  void add(digits_of_ranks const& digits, int rank, std::vector<index_t> const& at,
           chunk_of_digits const& c, U const* keys, gpu::sort_pieces<U> const& sort,
           std::vector<piece>& pieces) const {
    index_t first = 0, last = 0;  // keys next to each other are counted together
    for_each_digit(digits, rank, at, c, [&](int digit, index_t begin, index_t size) {
      pieces.push_back({keys + begin, size, digit});
      if (begin != last) {
        sort.count(local_, last - first, keys + first);
        first = begin;
      }
      last = begin + size;
    });
    sort.count(local_, last - first, keys + first);
  }
};

/// Sorts rows of all ranks, stably, by such keys.  M is the type that values are moved as.
template <class Ex, class U, class M>
class sort_rows_on_devices : sort_of_devices<Ex, U> {
  using base = sort_of_devices<Ex, U>;
  using base::ex_, base::local_, base::begins_, base::order_, base::ranks_, base::rank_;
  using typename base::part_of_chunk, typename base::parts_of_chunk, typename base::places;
  static constexpr index_t aligned = 16;  // rows, whatever the sizes of keys and values

 public:
  using base::is_worth;
  sort_rows_on_devices(Ex const& ex, std::span<index_t const> begins, U flip)
      : base(ex, begins, flip) {}

  /// The same.
  template <class SortLocal>
  bool operator()(index_t n, rows<U const, M const> in, rows<U, M> out,
                  SortLocal const& sort_local) const {
    digits_of_ranks digits = this->count_digits(n, in.keys);
    digits.make_chunks(begins_, gpu::highest_digits, this->least_chunk());
    if (!digits.are_even(begins_)) return false;

    places const at = this->places_of(digits, aligned);
    auto const keys = local_.template allocate_pooled<U>(at[rank_].back());
    auto const values = local_.template allocate_pooled<M>(at[rank_].back());
    rows<U, M> const mine{keys.data(), values.data()};
    std::vector<gpu::detail::word64> const starts(at[rank_].begin(), at[rank_].end());
    gpu::split_rows_by_highest_digit(local_, n, in, mine, order_, starts);

    // A chunk arrives in the order of ranks; the first message is aligned.
    auto const& chunks = digits.chunks(rank_);
    std::vector<parts_of_chunk> arriving;
    index_t room = 0;
    for (auto const& c : chunks) {
      index_t const own = this->part_of(digits, at, rank_, c).size;
      if (rank_ == 0) room += (aligned - own % aligned) % aligned;
      parts_of_chunk of;
      for (int r = 0; r < ranks_; ++r) {
        of.push_back({room, this->part_of(digits, at, r, c).size});
        room += of.back().size;
      }
      room = digits_of_ranks::round_up(room, aligned);
      arriving.push_back(std::move(of));
    }
    auto const got_keys = local_.template allocate_pooled<U>(room);
    auto const got_values = local_.template allocate_pooled<M>(room);
    rows<U, M> const received{got_keys.data(), got_values.data()};
    std::vector<typename base::template started_exchange<U>> started_keys;
    std::vector<typename base::template started_exchange<M>> started_values;
    for (std::size_t k = 0; k < digits.most_chunks_of_a_rank(); ++k) {
      started_keys.push_back(this->exchange(digits, at, k, mine.keys, arriving, received.keys));
      started_values.push_back(
          this->exchange(digits, at, k, mine.values, arriving, received.values));
    }

    for (std::size_t k = 0; k < chunks.size(); ++k) {
      part_of_chunk const from = this->part_of(digits, at, rank_, chunks[k]);
      index_t const to = arriving[k][static_cast<std::size_t>(rank_)].begin;
      local_.copy(mine.keys + from.begin, received.keys + to, from.size);
      local_.copy(mine.values + from.begin, received.values + to, from.size);
    }
    for (std::size_t k = 0; k < started_keys.size(); ++k) {
      started_keys[k].wait(local_);
      started_values[k].wait(local_);
      if (k >= chunks.size()) continue;
      chunk_of_digits const& c = chunks[k];
      index_t const first = arriving[k][0].begin, m = c.end - c.begin;
      rows<U const, M const> const chunk{received.keys + first, received.values + first};
      if (!this->is_shared(c)) {
        index_t const to = c.begin - this->begin();
        sort_local(m, chunk, rows<U, M>{out.keys + to, out.values + to}, c.first, c.last - c.first);
      } else {
        auto const sorted_keys = local_.template allocate_pooled<U>(m);
        auto const sorted_values = local_.template allocate_pooled<M>(m);
        sort_local(m, chunk, rows<U, M>{sorted_keys.data(), sorted_values.data()}, c.first,
                   c.last - c.first);
        this->keep(c, sorted_keys.data(), out.keys);
        this->keep(c, sorted_values.data(), out.values);
      }
    }
    ex_.wait();  // what was copied from the host's memory has been
    return true;
  }
};

/// Sorts integers on devices by their own value, with or without other values, if their number and their
/// highest digits suit it; returns whether it did.
template <class Ex, std::integral K, class V, class Order>
requires(
    std::derived_from<std::remove_cvref_t<decltype(std::declval<Ex const&>().local())>,
                      gpu::executor>&&
        exchanges_beside<std::remove_cvref_t<decltype(std::declval<Ex const&>().ranks())>,
                         std::remove_cvref_t<decltype(std::declval<Ex const&>().local())>> &&
    (sizeof(K) == 4 || sizeof(K) == 8) && sizeof(V) <= 16 &&
    std::same_as<decltype(std::declval<Order>().before.key),
                 ravel::detail::the_element>) bool sort_between_devices(Ex const& ex, index_t n,
                                                                        rows<K const, V const> in,
                                                                        rows<K, V> out,
                                                                        std::span<index_t const>
                                                                            begins,
                                                                        Order const& order) {
  using U = ravel::detail::unsigned_of_t<K>;
  auto const& local = ex.local();
  if (!order.before.sorts_by_all_bits() ||
      !sort_keys_on_devices<Ex, U>::is_worth(local, begins.back(), ex.ranks().size())) {
    return false;
  }
  auto const flip = static_cast<U>(order.before.rank(K{}));
  auto const* const keys = reinterpret_cast<U const*>(in.keys);
  auto* const keys_out = reinterpret_cast<U*>(out.keys);
  if constexpr (std::same_as<V, no_value>) {
    sort_keys_on_devices<Ex, U> const sort(ex, begins, flip);
    return sort(n, keys, keys_out, [&](index_t m, U* x) {
      rows<K, V> const chunk{reinterpret_cast<K*>(x), nullptr};
      order.sort(local, m, chunk.read(), chunk);
    });
  } else {
    using M = gpu::detail::moved_t<V>;
    sort_rows_on_devices<Ex, U, M> const sort(ex, begins, flip);
    return sort(n, {keys, reinterpret_cast<M const*>(in.values)},
                {keys_out, reinterpret_cast<M*>(out.values)},
                [&](index_t m, rows<U const, M const> from, rows<U, M> to, int first, int digits) {
                  if (gpu::sort_pairs_of_digits(local, m, from, to, {flip}, first, digits)) return;
                  order.sort(
                      local, m,
                      rows<K const, V const>{reinterpret_cast<K const*>(from.keys),
                                             reinterpret_cast<V const*>(from.values)},
                      rows<K, V>{reinterpret_cast<K*>(to.keys), reinterpret_cast<V*>(to.values)});
                });
  }
}

}  // namespace ravel::inline v0::distributed::detail
