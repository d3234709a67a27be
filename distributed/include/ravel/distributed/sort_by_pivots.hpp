#pragma once

/// Sort of keys without values over few ranks, on hosts that sort them by quicksort: keys are split where
/// the pieces of ranks begin, go to their ranks, and are sorted there.
///
/// The split of sort_by_parts.hpp moves keys one after another, 3 ns for a key of 4 bytes on a Xeon, where
/// vectors move 16 at once (algorithms/cpu/quicksort.hpp).  Where a piece begins is known up to an interval
/// between two keys of a sample, and which keys are frequent.  Vectors split keys by these into up to eight
/// parts.  Only the keys of an interval are sorted before they are cut, and frequent keys only counted.

#include <ravel/algorithms/cpu/quicksort.hpp>
#include <ravel/algorithms/sort_options.hpp>
#include <ravel/core/cpu/sort_few.hpp>
#include <ravel/core/radix_key.hpp>
#include <ravel/distributed/exchange.hpp>
#include <ravel/distributed/parts_of_keys.hpp>
#include <ravel/distributed/routes.hpp>
#include <ravel/distributed/sort_orders.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/rows.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace ravel::inline v0::distributed::detail {

/// Whether keys are compared by their own digits, so that quicksort may sort them.
template <class Order, class K, class V>
concept orders_keys =
    !rows<K, V>::has_values && cpu::detail::distinct_by_bits<K> && requires(Order const& order) {
  requires std::same_as<decltype(order.before.key), ravel::detail::the_element>;
};

/// Sorts the keys of all ranks by an order of their digits.
template <class Ex, class K, class Order>
class sort_by_pivots : sort_over_ranks<Ex, Order> {
  using base = sort_over_ranks<Ex, Order>;
  using base::begins_, base::ex_, base::local_, base::order_, base::rank_, base::ranks_;
  using Local = local_of<Ex>;
  using Space = typename Local::space;
  using U = radix_bits_t<K>;
  using bits_of_keys = cpu::detail::sorted_bits<K, ravel::detail::the_element>;
  using quicksorter = cpu::detail::quicksorter<Local, K, bits_of_keys>;
  using splitter = cpu::key_splitter<U>;
  using chunks_of_keys = std::vector<typename quicksorter::chunk>;

  static constexpr int ways = cpu::ways_of_keys;
  static constexpr U greatest = static_cast<U>(~U{0});
  static constexpr index_t sampled = index_t{1} << 13;       // of all ranks
  static constexpr index_t fewest_bytes = index_t{1} << 19;  // of a rank, on average
  static constexpr index_t rarest = 64;  // the part of a sample that a frequent key has at least

  bits_of_keys bits_{
      {}, static_cast<U>(order_.before.rank(K{}) ^ radix_key<K>::bits(K{})), greatest};

 public:
  using base::base;

  /// Sorts `in`, which has n keys on this rank, to `out`, which may be `in`.  Returns false on all ranks,
  /// without having written, if there are few keys or many ranks, if a rank does not sort by quicksort, or
  /// if keys are equal, ambiguous, or so unlike the sample that many were to be sorted to be cut.
  bool operator()(index_t n, K const* in, K* out) const {
    if (!order_.before.sorts_by_all_bits() || 2 * (ranks_ - 1) >= ways ||
        begins_.back() < ranks_ * (fewest_bytes / index_t{sizeof(K)}) ||
        !on_all_ranks(quicksorter::is_fastest(bits_))) {
      return false;
    }
    cpu::detail::read_row<K, no_value> const keys{{in, nullptr}};
    auto const sample = sorted_sample(n, in);
    // One pass copies equal keys.  Of 8 bytes vectors move half as many at once: digits are as fast.
    if (sample.front() == sample.back() || (sizeof(K) == 8 && !has_frequent(sample))) return false;
    splitter const at = splitter_of_sample(sample);
    auto chunks = quicksorter(local_, bits_).count(keys, n, at);
    if (std::floating_point<K> && !on_all_ranks(chunks.has_value())) return false;
    auto const parts = parts_of(at, *chunks);
    auto const is_large = [&](part_of_keys const& p) {
      return !p.is_equal && p.is_cut_by(begins_) && p.total > begins_.back() / (4 * ranks_);
    };
    if (std::ranges::any_of(parts, is_large)) return false;
    index_t const m = this->end() - this->begin(),
                  k = sort_unequal(keys, n, at, parts, *chunks, out);
    if (k < m) place_equal(at, parts, out + m - k, out);
    return true;
  }

 private:
  bool on_all_ranks(bool holds) const { return !any_of_ranks(ex_.ranks(), !holds); }
  K key_of(U bits) const { return cpu::detail::key_of_bits<K>(static_cast<U>(bits ^ bits_.flip)); }

  /// The bits of a sample of the keys of all ranks, in order.
  std::vector<U> sorted_sample(index_t n, K const* in) const {
    index_t const count = sampled * n / begins_.back();
    std::vector<index_t> places;
    places.reserve(static_cast<std::size_t>(count));
    for (index_t k = 0; k < count; ++k) places.push_back(k * n / count);
    std::vector<U> sample;
    for (K const& x : picked_of_all(ex_, view<K const, Space>(in, n), places)) {
      sample.push_back(order_.before.rank(x));
    }
    std::ranges::sort(sample);
    return sample;
  }

  /// Whether some key is frequent.
  static bool has_frequent(std::vector<U> const& sample) {
    auto const apart = std::ssize(sample) / rarest;
    return !std::equal(sample.begin() + apart, sample.end(), sample.begin(), std::not_equal_to());
  }

  /// The ends of parts: those of an interval around where each piece begins, of three standard deviations
  /// of the sample, and those of frequent keys, as far as there is room for them.
  splitter splitter_of_sample(std::vector<U> const& sample) const {
    index_t const m = std::ssize(sample);
    auto const deviations = static_cast<index_t>(1.5 * std::sqrt(static_cast<double>(m)));
    std::vector<U> ends;
    for (index_t const t : begins_.subspan(1, static_cast<std::size_t>(ranks_) - 1)) {
      index_t const middle = t * m / begins_.back();
      add(ends, sample[std::max<index_t>(middle - deviations, 0)]);
      add_after(ends, sample[std::min(middle + deviations, m - 1)]);
    }
    struct run {
      index_t size;
      U key;
    };
    std::vector<run> runs;
    for (auto i = sample.begin(), end = i; i != sample.end(); i = end) {
      end = std::upper_bound(i, sample.end(), *i);
      if ((end - i) * rarest >= m) runs.push_back({end - i, *i});
    }
    std::ranges::sort(runs, std::greater(), &run::size);
    for (run const& r : runs) {
      auto extended = ends;
      add(extended, r.key);
      add_after(extended, r.key);
      if (std::ssize(extended) < ways) ends = extended;
    }
    std::ranges::sort(ends);
    splitter at{};  // no key is less than 0: the first parts are empty
    std::ranges::copy_backward(ends, std::end(at.ends));
    return at;
  }
  static void add(std::vector<U>& ends, U key) {
    if (key > 0 && std::ranges::count(ends, key) == 0) ends.push_back(key);
  }
  static void add_after(std::vector<U>& ends, U key) {
    if (key < greatest) add(ends, static_cast<U>(key + 1));
  }

  static U least_of_part(splitter const& at, index_t p) { return p == 0 ? U{0} : at.ends[p - 1]; }

  std::vector<part_of_keys> parts_of(splitter const& at, chunks_of_keys const& chunks) const {
    std::vector<index_t> counts(ways);
    for (int p = 0; p < ways; ++p) {
      for (auto const& c : chunks) counts[p] += c.size(p);
    }
    auto const is_equal = [&](index_t p) {
      return least_of_part(at, p) == (p + 1 == ways ? greatest : static_cast<U>(at.ends[p] - 1));
    };
    return parts_of_ranks(ex_, counts, is_equal, 0, 0, begins_.back());
  }

  /// How many keys of a part this rank gets.
  index_t share(part_of_keys const& p) const {
    index_t const begin = std::max(p.first, this->begin());
    return std::max<index_t>(std::min(p.first + p.total, this->end()) - begin, 0);
  }

  /// Sorts the keys that this rank gets of parts that have different keys to the end of its piece, and
  /// returns their number.  Keys of parts that stay whole are moved there at once.
  index_t sort_unequal(auto const& keys, index_t n, splitter const& at,
                       std::vector<part_of_keys> const& parts, chunks_of_keys& chunks,
                       K* out) const {
    bool const is_apart = keys.from.keys != out;
    index_t filled = 0, got = 0, kept = 0, first_kept = 0;
    std::vector<part_of_keys> unequal;
    for (part_of_keys const& p : parts) {
      if (p.is_equal) continue;
      unequal.push_back(p);
      unequal.back().begin = filled;
      if (is_apart && share(p) == p.total) {
        if (kept == 0) first_kept = filled;
        kept += p.counts[rank_];
      }
      filled += p.counts[rank_];
      got += share(p);
    }
    U* const end = reinterpret_cast<U*>(out) + (this->end() - this->begin());
    U* const begin = end - got;
    auto const moved = local_.template scratch<U>(filled);  // with a gap for keys that are kept
    U* targets[ways] = {};
    auto next = unequal.begin();
    for (int p = 0; p < ways; ++p) {
      if (parts[p].is_equal) continue;
      index_t const place = (next++)->begin;
      if (parts[p].counts[rank_] == 0) continue;
      bool const is_kept = is_apart && share(parts[p]) == parts[p].total;
      targets[p] = is_kept ? end - kept + (place - first_kept) : moved.data() + place;
    }
    quicksorter(local_, bits_).move(keys, n, at, chunks, targets);

    auto const order = radix_order<U>("radix_sort");
    auto const sort_part = [&](part_of_keys const& p) {
      index_t const count = p.counts[rank_];
      rows<U, no_value> const part{moved.data() + p.begin, nullptr};
      order.sort(local_, count, part.read(), part);
      return view<U const, Space>(part.keys, count);
    };
    auto const cuts = cuts_of_parts<U>(ex_, unequal, sort_part, begins_, order);
    route const along = route_to_others(ex_, cuts);
    index_t const received = along.total_received(), stays = along.sent[rank_] - kept;
    expects(received + stays + kept == got, not_strict);
    send_along(ex_, along, view<U const, Space>(moved.data(), filled),
               view<U, Space>(begin, received));
    index_t const before = kept > 0 ? first_kept - cuts[rank_] : stays;
    local_.copy(moved.data() + cuts[rank_], begin + received, before);
    local_.copy(moved.data() + cuts[rank_] + before + kept, begin + received + before,
                stays - before);

    K* const sorted = out + (begin - reinterpret_cast<U*>(out));
    if (!std::same_as<K, U> || bits_.flip != 0) {
      for_each_index(local_, got,
                     [=, this](index_t i) { sorted[i] = key_of(std::bit_cast<U>(sorted[i])); });
    }
    order_.sort(local_, got, rows<K const, no_value const>{sorted, nullptr},
                rows<K, no_value>{sorted, nullptr});
    return got;
  }

  /// Moves `keys`, which are sorted, to where they are among those that are only counted.
  void place_equal(splitter const& at, std::vector<part_of_keys> const& parts, K const* keys,
                   K* out) const {
    for (int p = 0; p < ways; ++p) {
      index_t const n = share(parts[p]);
      if (parts[p].is_equal) {
        for_each_index(local_, n,
                       [out, x = key_of(least_of_part(at, p))](index_t i) { out[i] = x; });
      } else {
        std::copy_n(keys, keys == out ? 0 : n, out);
        keys += n;
      }
      out += n;
    }
  }
};

}  // namespace ravel::inline v0::distributed::detail
