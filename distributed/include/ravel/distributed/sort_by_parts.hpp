#pragma once

/// Radix sort over all ranks on hosts: rows are split into parts by their highest bits, parts go to
/// their ranks, and each part is sorted there in cache.
///
/// A sort of each piece before the exchange would have to be followed by a merge.  Here the exchange
/// is between the two passes of the radix sort of one process: the split by up to 10 bits, after
/// which parts fit in L2, and the sort of each part.  So a row, a key and its value interleaved, is moved as
/// on one process, and once more by the exchange.
///
/// All ranks know how many rows of each part each of them has.  A part that two ranks share is split
/// again if it is large; is divided by its number if its keys are equal; and is otherwise sorted
/// before the exchange, so that it can be cut (sorted_cuts.hpp).  Skewed keys, as a sample of all
/// ranks shows, are split by octaves, as on one process: those of Zipf's law once, and not three times.
///
/// Source   Polychroniou and Ross, "A Comprehensive Study of Main-Memory Partitioning and its
///          Application to Large-Scale Comparison- and Radix-Sort", SIGMOD 2014.

#include <ravel/algorithms/cpu/digits_of_rows.hpp>
#include <ravel/algorithms/cpu/row.hpp>
#include <ravel/algorithms/cpu/sort_keys_in_cache.hpp>
#include <ravel/algorithms/radix_sort.hpp>
#include <ravel/core/cpu/executor.hpp>
#include <ravel/core/cpu/scratch.hpp>
#include <ravel/core/cpu/simd.hpp>
#include <ravel/core/cpu/stream.hpp>
#include <ravel/core/cpu/worker.hpp>
#include <ravel/distributed/exchange.hpp>
#include <ravel/distributed/parts_of_keys.hpp>
#include <ravel/distributed/routes.hpp>
#include <ravel/distributed/sort_orders.hpp>
#include <ravel/primitives/cpu/split.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/rows.hpp>

#include <algorithm>
#include <atomic>
#include <vector>

namespace ravel::inline v0::distributed::detail {

/// Sorts the rows of all ranks by the digits of an order.
template <class Ex, class K, class V, class Order>
class sort_by_parts : sort_over_ranks<Ex, Order> {
  using base = sort_over_ranks<Ex, Order>;
  using base::begins_, base::ex_, base::local_, base::order_, base::rank_, base::ranks_;
  using Local = local_of<Ex>;
  using Space = typename Local::space;
  using row_type = cpu::detail::row<K, V>;
  using columns_of_rows = cpu::detail::read_row<K, V>;
  using bits_t = decltype(std::declval<Order>().before.rank(std::declval<K>()));

  static constexpr bool has_values = rows<K, V>::has_values;
  static constexpr index_t part_bytes = cpu::detail::part_bytes;  // as in the sort of one process
  static constexpr int most_bits = 10;
  static constexpr index_t row_bytes = sizeof(row_type);
  static constexpr index_t most_bytes = 8 * part_bytes;  // of a part that one thread sorts

  std::vector<part_of_keys> parts_;

 public:
  using base::base;

  /// Whether there are enough rows: counts of parts are then a small part of what is sent, and there
  /// are more parts than ranks.
  static bool is_worth(index_t total, index_t ranks) {
    return total / ranks >= index_t{1} << 15 && index_t{1} << bits_for(total, ranks) >= 8 * ranks;
  }

  void operator()(index_t n, rows<K const, V const> in, rows<K, V> out) {
    bool const is_apart = in.keys != out.keys && (!has_values || in.values != out.values);
    bool const fits = n == this->end() - this->begin();
    survey const found = survey_of_all(n, columns_of_rows{in}, [&](tile t) {
      if (is_apart && fits) copy_once(t.end - t.begin, in.from(t.begin), out.from(t.begin));
      return is_apart && fits;
    });
    bits_t const varies = found.varying();
    if (varies == 0 && found.is_copied) return;
    // Equal keys are copied to the output alone.
    bool const stay = varies == 0 && is_apart && !has_values;
    auto const room = local_.template scratch<row_type>(stay ? 0 : n);
    if (stay) {
      parts_ = all_equal(n, 0, 0, begins_.back());
    } else {
      parts_ = split(n, columns_of_rows{in}, room.data(), varies, 0, 0, begins_.back());
      split_shared_parts(room.data());
    }
    auto const sort_part = [&](part_of_keys const& p) {
      return sort_here(p.counts[rank_], room.data() + p.begin);
    };
    exchange_parts(n, cuts_of_parts<K>(ex_, parts_, sort_part, begins_, order_),
                   stay ? reinterpret_cast<row_type const*>(in.keys) : room.data(), out);
  }

 private:
  static int log(index_t n) {
    return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(std::max<index_t>(n, 1))));
  }
  /// With how many bits of a digit the counts of parts are a small part of what is sent.
  static int most_bits_for(index_t total, index_t ranks) {
    return log(total / ranks * row_bytes / (32 * ranks)) - 1;
  }
  static int bits_for(index_t total, index_t ranks) {
    return std::min(
        {std::max(5, log(total * row_bytes / part_bytes)), most_bits, most_bits_for(total, ranks)});
  }

  /// The key of a row, as bits in whose order keys are.
  struct rank_of_row {
    using bits = bits_t;
    decltype(std::declval<Order const&>().before) before;
    bits operator()(row_type const& x) const { return before.rank(x.key); }
  };
  /// Keys without values are read as a column, as those of the input are.
  static auto rows_at(row_type const* rows) {
    if constexpr (has_values) {
      return contiguous<row_type>{rows};
    } else {
      return columns_of_rows{{reinterpret_cast<K const*>(rows), nullptr}};
    }
  }

  struct survey {
    bits_t any = 0, all = static_cast<bits_t>(~bits_t{});
    bool is_copied = true;
    /// The bits in which keys differ.
    bits_t varying() const { return static_cast<bits_t>(any & ~all); }
    void add(survey const& s) {
      any |= s.any;
      all &= s.all;
      is_copied = is_copied && s.is_copied;
    }
  };
  /// What keys of all ranks have in common.  Calls copied(t) for tiles of this rank while all its keys
  /// are equal to the first: whether t is then in the output.
  survey survey_of_all(index_t n, auto const& load, auto const& copied) const {
    index_t const width = index_t{1} << 16;
    rank_of_row const rank{order_.before};
    std::vector<survey> seen(static_cast<std::size_t>(div_up(n, width)));
    std::atomic<bool> are_equal = true;
    local_.for_each_tile_of(width, n, [&](cpu::worker, tile t) {
      survey s;
      for (index_t i = t.begin; i < t.end; ++i) {
        bits_t const x = rank(load(i));
        s.any |= x;
        s.all &= x;
      }
      if (bits_t const first = rank(load(0)); s.any != first || s.all != first) are_equal = false;
      s.is_copied = are_equal && copied(t);
      seen[static_cast<std::size_t>(t.id)] = s;
    });
    survey piece, total;
    for (survey const& s : seen) piece.add(s);
    for (survey const& s : gather_values(ex_.ranks(), piece)) total.add(s);
    return total;
  }

  /// std::bit_width takes no integers of 128 bits.
  static int width_of(bits_t x) {
    constexpr int half = 64;
    if constexpr (sizeof(bits_t) * 8 > half) {
      if (x >> half != 0) return half + width_of(x >> half);
    }
    return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(x)));
  }

  /// Splits n rows of this rank, which are `total` on all ranks and vary in these bits, to `out`, and
  /// returns the parts: the first begins at row `begin` here, and at `first` among those of all.
  template <class From>
  std::vector<part_of_keys> split(index_t n, From const& load, row_type* out, bits_t varies,
                                  index_t begin, index_t first, index_t total) const {
    int const width = width_of(varies);
    int const bits = std::min(bits_for(begins_.back(), ranks_), width);
    if (bits == 0) {
      for_each_index(local_, n, [=](index_t i) { out[i] = load(i); });
      return all_equal(n, begin, first, total);
    }
    rank_of_row const rank{order_.before};
    cpu::detail::high_digit<From, rank_of_row> const highest{
        load, rank, width - bits, static_cast<bits_t>((bits_t{1} << bits) - 1)};
    if constexpr (sizeof(bits_t) <= 8) {
      if (most_bits_for(begins_.back(), ranks_) >= most_bits && width > bits) {
        cpu::detail::octave_digit<From, rank_of_row> const octaves(load, rank, width, 0);
        if (are_even_by(octaves, highest, n)) {
          // Octaves with no more bits than a digit has after the highest are values.
          index_t const values =
              octaves.halves == 0 ? index_t{octaves.after + 2} << octaves.after : 0;
          return split_by(octaves, octaves.ways(), values, n, load, out, begin, first, total);
        }
      }
    }
    index_t const ways = index_t{1} << bits;
    return split_by(highest, ways, width == bits ? ways : 0, n, load, out, begin, first, total,
                    cpu::far_bytes_of_even_parts);
  }

  /// Splits by a digit, of which the first `values` are those of one key each.
  std::vector<part_of_keys> split_by(auto const& digit, index_t ways, index_t values, index_t n,
                                     auto const& load, row_type* out, index_t begin, index_t first,
                                     index_t total, index_t far_bytes = cpu::beyond_caches) const {
    std::vector<index_t> starts(static_cast<std::size_t>(ways) + 1);
    cpu::split_rows_on(local_, n, ways, digit, load, out, starts.data(), far_bytes);
    auto made = parts_of_ranks(
        ex_, counts_between(starts), [=](index_t d) { return d < values; }, begin, first, total);
    std::erase_if(made, [](part_of_keys const& p) { return p.total == 0; });
    return made;
  }
  /// One part, of equal keys.
  std::vector<part_of_keys> all_equal(index_t n, index_t begin, index_t first,
                                      index_t total) const {
    return parts_of_ranks(
        ex_, {n}, [](index_t) { return true; }, begin, first, total);
  }

  /// Whether a sample of the rows of all ranks is as uneven by their highest bits as with an eighth of it
  /// in one part, and at most half as uneven by octaves: as the sort of one process decides.
  bool are_even_by(auto const& octaves, auto const& highest, index_t n) const {
    struct sums {
      double octaves, highest, rows;
    } piece{}, total{};
    if (n >= cpu::detail::sampled) {
      auto const rows = static_cast<double>(n);
      piece = {rows * static_cast<double>(cpu::detail::unevenness(n, octaves)),
               rows * static_cast<double>(cpu::detail::unevenness(n, highest)), rows};
    }
    for (sums const& of_rank : gather_values(ex_.ranks(), piece)) {
      total.octaves += of_rank.octaves;
      total.highest += of_rank.highest;
      total.rows += of_rank.rows;
    }
    double const eighth = static_cast<double>(cpu::detail::sampled) / 8;
    return total.rows > 0 && total.highest >= eighth * eighth * total.rows &&
           2 * total.octaves <= total.highest;
  }

  /// Splits large parts that ranks share, until they are small or of equal keys.
  void split_shared_parts(row_type* data) {
    index_t const small = std::max<index_t>(begins_.back() / (8 * ranks_), 1);
    for (std::size_t i = 0; i < parts_.size();) {
      part_of_keys const p = parts_[i];
      if (p.is_equal || p.total <= small || !p.is_cut_by(begins_)) {
        ++i;
        continue;
      }
      index_t const n = p.counts[rank_];
      auto const aside = local_.template scratch<row_type>(n);
      auto const load = rows_at(data + p.begin);
      bits_t const varies = survey_of_all(n, load, [](tile) { return false; }).varying();
      auto made = split(n, load, aside.data(), varies, p.begin, p.first, p.total);
      local_.copy(aside.data(), data + p.begin, n);
      parts_.erase(parts_.begin() + static_cast<std::ptrdiff_t>(i));
      parts_.insert(parts_.begin() + static_cast<std::ptrdiff_t>(i), made.begin(), made.end());
    }
  }

  /// Sorts n rows of this rank where they are, and returns their keys.
  scratch_of<Ex, K> sort_here(index_t n, row_type* data) const {
    auto keys = local_.template scratch<K>(n);
    auto const values = local_.template scratch<V>(has_values ? n : 0);
    rows<K, V> const columns{keys.data(), values.data()};
    cpu::detail::write_row<K, V> const write{columns, 0};
    for_each_index(local_, n, [=](index_t i) { write(i, data[i]); });
    order_.sort(local_, n, columns.read(), columns);
    for_each_index(local_, n, [=](index_t i) { data[i] = write(i); });
    return keys;
  }

  /// Sends rows, and not the padding between a key and its value.
  void send_rows(route const& along, view<row_type const, Space> sent,
                 view<row_type, Space> received) const {
    constexpr bool has_padding = [] {
      if constexpr (has_values) return sizeof(row_type) > sizeof(K) + sizeof(V);
      return false;
    }();
    if constexpr (has_padding) {
      send_column(along, sent, received, &row_type::key);
      send_column(along, sent, received, &row_type::value);
    } else {
      send_along(ex_, along, sent, received);
    }
  }
  template <class T>
  void send_column(route const& along, view<row_type const, Space> sent,
                   view<row_type, Space> received, T row_type::*column) const {
    auto const out = local_.template scratch<T>(sent.size());
    auto const in = local_.template scratch<T>(received.size());
    for_each_index(local_, sent.size(), [=, dst = out.data(), src = sent.data()](index_t i) {
      dst[i] = src[i].*column;
    });
    send_along(ex_, along, out, in);
    for_each_index(local_, received.size(), [=, dst = received.data(), src = in.data()](index_t i) {
      dst[i].*column = src[i];
    });
  }

  void exchange_parts(index_t n, std::vector<index_t> const& cut, row_type const* data,
                      rows<K, V> out) {
    auto const cuts = vectors_of_all(ex_, cut);
    auto const cut_of = [&](index_t r, index_t k) { return cuts[r * (ranks_ + 1) + k]; };
    route along;
    std::vector<index_t> arrived{0};  // where the rows of each rank begin
    for (index_t r = 0; r < ranks_; ++r) {
      along.sent.push_back(cut[r + 1] - cut[r]);
      // What stays here is not copied.
      along.received.push_back(r == rank_ ? 0 : cut_of(r, rank_ + 1) - cut_of(r, rank_));
      arrived.push_back(arrived.back() + along.received.back());
    }
    index_t const m = arrived.back();
    expects(m + along.sent[rank_] == this->end() - this->begin(), not_strict);
    auto const received = local_.template scratch<row_type>(m);
    send_rows(along, view<row_type const, Space>(data, n),
              view<row_type, Space>(received.data(), m));
    // What came of each part, from each rank.
    std::vector<received_part> arrived_parts;
    std::vector<index_t> passed(static_cast<std::size_t>(ranks_));  // rows of rank r before a part
    index_t begin = 0;
    for (part_of_keys const& p : parts_) {
      received_part part{begin, 0, p.is_equal, {}};
      for (index_t r = 0; r < ranks_; ++r) {
        index_t const low = cut_of(r, rank_), high = cut_of(r, rank_ + 1);
        index_t const first = std::clamp(passed[r], low, high);
        passed[r] += p.counts[r];
        index_t const last = std::clamp(passed[r], low, high);
        index_t const at = r == rank_ ? 0 : arrived[r] - low;
        part.pieces.push_back({r, at + first, at + last});
        part.size += last - first;
      }
      begin += part.size;
      if (part.size > 0) arrived_parts.push_back(std::move(part));
    }
    sort_parts(arrived_parts, data, received.data(), out);
  }

  struct received_part {
    index_t begin, size;  // in the output
    bool is_equal;
    std::vector<tile> pieces;  // of each rank: rows that came, and of this one rows that stayed
    bool is_small() const { return is_equal || size * row_bytes <= most_bytes; }
  };

  /// Gathers the rows of each part, and sorts them: large parts where they are.
  void sort_parts(std::vector<received_part> const& parts, row_type const* data,
                  row_type const* received, rows<K, V> out) const {
    auto const gather = [&](received_part const& p, auto const& write) {
      index_t k = 0;
      for (tile const& t : p.pieces) {
        row_type const* const src = t.id == rank_ ? data : received;
        for (index_t i = t.begin; i < t.end; ++i) write(k++, src[i]);
      }
    };
    index_t largest = 0;  // rows of a part that one thread gathers aside
    for (received_part const& p : parts) {
      if (p.is_small() && !p.is_equal) largest = std::max(largest, p.size);
    }
    auto const bits = sorted_bits_of(order_.before);
    using in_cache = cpu::detail::sort_part<K, V, std::remove_const_t<decltype(bits)>>;
    std::atomic<std::size_t> next = 0;
    local_.on_each_thread(std::ssize(parts), [&] {
      cpu::scratch_buffer<row_type> const gathered(largest), room(in_cache::room_for(largest));
      cpu::scratch_buffer<typename in_cache::table> const tables(in_cache::tables);
      in_cache const sort(bits, room.data(), tables.data());
      for (std::size_t d; (d = next++) < parts.size();) {
        received_part const& p = parts[d];
        cpu::detail::write_row<K, V> const write{out, p.begin};
        if (p.is_small() && !p.is_equal) {
          gather(p, [dst = gathered.data()](index_t i, row_type const& x) { dst[i] = x; });
          sort(gathered.data(), p.size, write);
        } else {
          gather(p, write);
        }
      }
    });
    for (received_part const& p : parts) {
      rows<K, V> const place = out.from(p.begin);
      if (!p.is_small()) order_.sort(local_, p.size, place.read(), place);
    }
  }

  /// Where the rows of all ranks exceed caches, by non-temporal stores, as in the sort of one process.
  void copy_once(index_t n, rows<K const, V const> in, rows<K, V> out) const {
    if constexpr (cpu::simd::number<K> && !has_values) {
      if (begins_.back() >= cpu::beyond_caches / row_bytes) {
        cpu::stream(in.keys, out.keys, n);
        return cpu::stream_fence();
      }
    }
    std::copy_n(in.keys, n, out.keys);
    if constexpr (has_values) std::copy_n(in.values, n, out.values);
  }
};

}  // namespace ravel::inline v0::distributed::detail
