#pragma once

/// String sort on the host: a radix sort by seven bytes of every string at a time, then of each
/// group of strings that are equal so far by the next seven bytes.
///
/// One thread sorts a group that fits in its cache; all threads together sort a larger group.  The
/// text is read once for every seven bytes: they are the key, kept beside the string's number while
/// rows are sorted.  If all strings of a group have equal keys, the rest of their common prefix is
/// skipped.
///
/// Source   Ng and Kakehi, "Cache Efficient Radix Sort for String Sorting", IEICE Transactions
///          E90-A, 2007.

#include <ravel/algorithms/radix_sort/cpu.hpp>
#include <ravel/algorithms/string_sort/steps.hpp>
#include <ravel/core/cpu/host.hpp>
#include <ravel/core/cpu/wake_up.hpp>
#include <ravel/core/std_mutex.hpp>
#include <ravel/primitives/iota.hpp>

#include <atomic>
#include <cstring>
#include <optional>
#include <vector>

namespace ravel::inline v0 {
namespace cpu {
namespace detail {

/// Strings on the host, whose bytes are read eight at a time.
template <class Strings>
struct strings_by_words {
  static constexpr index_t bytes = 7;  // bytes of text in a key
  static constexpr index_t word = 8;

  Strings strings;

  /// The sort key, as string_key defines it: the bytes [offset, offset + 7) in the high bytes, and
  /// in the lowest byte how many of them the string has, or 8 if it goes on after them.
  std::uint64_t key(index_t s, index_t offset) const {
    unsigned char const* const begin = data(s);
    index_t const length = strings.length(s), left = length - offset;
    if (left >= word) return (load(begin + offset) & ~std::uint64_t{0xff}) | (bytes + 1);
    std::uint64_t key = 0;
    if (length >= word && left > 0) {
      key = load(begin + length - word) << 8 * (word - left);
    } else {
      for (index_t i = 0; i < left; ++i) key |= std::uint64_t{begin[offset + i]} << 8 * (bytes - i);
    }
    return key | static_cast<std::uint64_t>(left);
  }
  static bool has_more(std::uint64_t key) { return (key & 0xff) > bytes; }

  /// The length of the common prefix of two strings, at most `limit`; the first `offset` bytes are
  /// known to be equal.
  index_t common(index_t s, index_t t, index_t offset,
                 index_t limit = std::numeric_limits<index_t>::max()) const {
    index_t const n = std::min({strings.length(s), strings.length(t), limit});
    unsigned char const *const a = data(s), *const b = data(t);
    for (; offset + word <= n; offset += word) {
      std::uint64_t const differ = load(a + offset) ^ load(b + offset);
      if (differ != 0) return offset + std::countl_zero(differ) / 8;
    }
    while (offset < n && a[offset] == b[offset]) ++offset;
    return offset;
  }
  bool less(index_t s, index_t t, index_t offset) const {
    index_t const n = strings.length(t), same = common(s, t, offset);
    return same < n && (same == strings.length(s) || data(s)[same] < data(t)[same]);
  }

 private:
  unsigned char const* data(index_t s) const {
    return reinterpret_cast<unsigned char const*>(strings.data(s));
  }
  /// Eight bytes as a big-endian integer: integers compare as the bytes do lexicographically.
  static std::uint64_t load(unsigned char const* text) {
    std::uint64_t word;
    std::memcpy(&word, text, sizeof(word));
    return std::endian::native == std::endian::little ? __builtin_bswap64(word) : word;
  }
};

/// Sorts the numbers of strings, which are kept beside their current keys.
template <host_executor Ex, class Strings>
class string_sorter {
  using K = std::uint64_t;
  using row_type = row<K, index_t>;
  using Bits = sorted_bits<K, ravel::detail::the_element>;
  using in_cache = sort_part<K, index_t, Bits>;

  // the greatest number of strings in a group that one thread sorts
  static constexpr index_t most_rows = 8 * part_bytes / sizeof(row_type);
  static constexpr index_t few = 8;  // groups of up to so many strings are sorted by comparisons
  // ranges of a large group for each thread to claim: more of them balance the load better
  static constexpr index_t ranges_each = 16;

  /// A range of places whose strings are equal in their first `from` bytes.
  struct group {
    index_t begin, end, from;
    bool alike;  // whether their last keys are equal as well: the common prefix may be longer
    index_t size() const { return end - begin; }
  };

  Ex const& ex_;
  strings_by_words<Strings> strings_;
  bool down_;
  Bits bits_;
  rows<K, index_t> at_;

 public:
  string_sorter(Ex const& ex, Strings strings, bool down, rows<K, index_t> at)
      : ex_(ex),
        strings_{strings},
        down_(down),
        bits_(bits_sorted_by<K>(ravel::detail::the_element{}, down, std::optional<bit_range>{})),
        at_(at) {}

  void operator()(index_t n) const {
    bool const shared = worth_sharing([&] { return threads_of(ex_); }, nanoseconds{20 * n});
    if (n <= most_rows && !shared) return one_thread(*this, n).sort({0, n, 0, false});
    auto const spare = ex_.template scratch<row_type>(n);
    for (std::vector<group> large{{0, n, 0, false}}; !large.empty();) {
      group const g = large.back();
      large.pop_back();
      sort_by_all(g, spare.data(), large);
    }
  }

 private:
  /// The sort of a group in cache, with the scratch of one thread.
  class one_thread {
    string_sorter const& all_;
    scratch_buffer<row_type> rows_, room_;
    scratch_buffer<typename in_cache::table> tables_;
    in_cache sort_;
    std::vector<group> left_;

   public:
    one_thread(string_sorter const& sorter, index_t max_rows)
        : all_(sorter),
          rows_(max_rows),
          room_(in_cache::room_for(max_rows)),
          tables_(in_cache::tables),
          sort_(sorter.bits_, room_.data(), tables_.data()) {}

    void sort(group first) {
      for (left_.push_back(first); !left_.empty();) {
        group g = left_.back();
        left_.pop_back();
        if (g.size() <= few) {
          all_.insert(g);
          continue;
        }
        if (g.alike) g.from = all_.common(sequential{}, g);
        auto const& at = all_.at_;
        for (index_t i = g.begin; i < g.end; ++i) {
          index_t const s = at.values[i];
          rows_.data()[i - g.begin] = {all_.strings_.key(s, g.from), s};
        }
        sort_(rows_.data(), g.size(), write_row<K, index_t>{at, g.begin});
        all_.for_each_group(g, [this](group next) { left_.push_back(next); });
      }
    }
  };

  /// Calls f for each range of at least two strings of `g` with equal keys: they are still to be
  /// ordered.
  void for_each_group(group g, auto const& f) const {
    for (index_t begin = g.begin, end; begin < g.end; begin = end) {
      K const key = at_.keys[begin];
      for (end = begin + 1; end < g.end && at_.keys[end] == key; ++end) {
      }
      if (end > begin + 1 && strings_.has_more(key)) {
        f(group{begin, end, g.from + strings_.bytes, end - begin == g.size()});
      }
    }
  }

  void insert(group g) const {
    index_t* const strings = at_.values;
    auto const ahead = [&](index_t s, index_t t) {
      return down_ ? strings_.less(t, s, g.from) : strings_.less(s, t, g.from);
    };
    for (index_t i = g.begin + 1; i < g.end; ++i) {
      index_t const s = strings[i];
      index_t k = i;
      for (; k > g.begin && ahead(s, strings[k - 1]); --k) strings[k] = strings[k - 1];
      strings[k] = s;
    }
  }

  /// The length of the common prefix of all strings of a group.
  index_t common(auto const& ex, group g) const {
    index_t const* const strings = at_.values + g.begin;
    std::atomic<index_t> same = strings_.common(strings[0], strings[g.size() - 1], g.from);
    ex.for_each_tile(g.size(), [&](auto const&, tile t) {
      index_t seen = same, least = seen;
      for (index_t i = t.begin; i < t.end; ++i) {
        least = strings_.common(strings[0], strings[i], g.from, least);
      }
      while (least < seen && !same.compare_exchange_weak(seen, least)) {
      }
    });
    return same;
  }

  /// Sorts a large group by seven bytes with all threads.  These then finish the resulting groups
  /// that fit in a cache; the others are appended to `large`.
  void sort_by_all(group g, row_type* spare, std::vector<group>& large) const {
    rows<K, index_t> const group_rows{at_.keys + g.begin, at_.values + g.begin};
    if (g.alike) g.from = common(ex_, g);
    ex_.for_each_tile(g.size(), [&](auto const&, tile t) {
      for (index_t i = t.begin; i < t.end; ++i) {
        group_rows.keys[i] = strings_.key(group_rows.values[i], g.from);
      }
    });
    radix_sorter<Ex, K, index_t, Bits>(ex_, bits_)(read_row<K, index_t>{group_rows.read()},
                                                   g.size(), spare, nullptr,
                                                   write_row<K, index_t>{group_rows, 0});

    index_t const count = ranges_each * threads_of(ex_);
    index_t const width = div_up(g.size(), count);
    // begins of ranges for threads to claim, each at the begin of a group
    std::vector<index_t> begins;
    for (index_t k = 0; k <= count; ++k) begins.push_back(group_from(g, k * width));
    std::atomic<std::size_t> next = 0;
    std::mutex large_at_once;
    ex_.on_each_thread(count, [&] {
      one_thread alone(*this, std::min(g.size(), most_rows));
      for (std::size_t k; (k = next++) + 1 < begins.size();) {
        for_each_group({begins[k], begins[k + 1], g.from, false}, [&](group found) {
          found.alike = found.size() == g.size();
          if (found.size() <= most_rows) return alone.sort(found);
          std::lock_guard const one(large_at_once);
          large.push_back(found);
        });
      }
    });
  }

  /// The first place at or after the i-th of a sorted group where the key differs from the one
  /// before.
  index_t group_from(group g, index_t i) const {
    if (i == 0 || i >= g.size()) return i == 0 ? g.begin : g.end;
    K const* const keys = at_.keys;
    auto const bits = [&](K key) { return bits_(row_type{key, 0}); };
    K const* const change = std::partition_point(keys + g.begin + i, keys + g.end, [&](K key) {
      return bits(key) <= bits(keys[g.begin + i - 1]);
    });
    return change - keys;
  }
};

}  // namespace detail

struct string_sort_in_caches {
  static constexpr auto name = "in_caches";
  static constexpr auto why =
      "A radix sort by seven bytes of each string at a time; each thread sorts groups that fit in "
      "its cache.";
  template <class Ex, class Strings, class Out, class... Options>
  static void run(Ex const& ex, string_sort_call<Strings, Out, Options...> const& c) {
    constexpr bool is_order = std::is_same_v<Out, index_t>;
    auto const keys = ex.template scratch<std::uint64_t>(c.n);
    auto const numbers = ex.template scratch<index_t>(is_order ? 0 : c.n);
    index_t* sorted = numbers.data();
    if constexpr (is_order) sorted = c.order;
    iota(ex, view<index_t>{sorted, c.n});
    detail::string_sorter<Ex, Strings>(ex, c.strings, c.descends, {keys.data(), sorted})(c.n);
    if constexpr (!is_order) {
      ex.for_each_tile(c.n, [&](auto const&, tile t) {
        for (index_t k = t.begin; k < t.end; ++k) c.order[k] = static_cast<Out>(sorted[k]);
      });
    }
  }
};

}  // namespace cpu

template <>
struct form_table<string_sort_family, cpu::host> : forms<cpu::string_sort_in_caches> {};

}  // namespace ravel::inline v0
