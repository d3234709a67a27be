#pragma once

/// Aggregation by hashing on the host: each thread aggregates one interval of the input in an
/// open-addressing table, then the tables are merged by buckets of the hash.
///
/// Keys are hashed and their slots prefetched some keys before they are searched, since tables of
/// many keys do not fit in a cache.

#include <ravel/core/cpu/worker.hpp>
#include <ravel/core/std_algorithm.hpp>

#include <atomic>
#include <vector>

namespace ravel::inline v0::cpu::detail {

/// Mixes a hash so that each bit of it affects all bits of the result: std::hash of an integer is
/// often the integer.
constexpr std::uint64_t mixed_hash(std::uint64_t h) {
  h = (h ^ h >> 32) * 0x9e3779b97f4a7c15u;
  h = (h ^ h >> 29) * 0xbf58476d1ce4e5b9u;
  return h ^ h >> 32;
}

/// An open-addressing table with linear probing, of numbers of groups.  A slot is 0 if free;
/// otherwise it holds the number plus one in its low bits and 24 bits of the hash above.  A probe
/// reads a group's key only where these 24 bits agree.
class hash_slots {
  static constexpr int number_bits = 40;
  static constexpr std::uint64_t tag_mask = ~std::uint64_t{0} << number_bits;

  std::vector<std::uint64_t> slots_;
  std::size_t mask_;

 public:
  explicit hash_slots(index_t max_numbers)
      : slots_(std::bit_ceil(static_cast<std::size_t>(max_numbers + max_numbers / 2 + 2))),
        mask_(slots_.size() - 1) {}

  /// Whether the table is so full with `size` numbers (two thirds) that it must grow.
  bool is_full(index_t size) const { return static_cast<std::size_t>(size) * 3 > mask_ * 2; }
  index_t capacity() const { return static_cast<index_t>(slots_.size()); }

  void prefetch(std::uint64_t hash) const { __builtin_prefetch(&slots_[hash & mask_], 1); }
  /// The number in the slot where a search for this hash begins, or -1 if that slot is free.
  index_t first(std::uint64_t hash) const { return number_in(slots_[hash & mask_]); }

  /// Returns the number of the group with this hash for which is_same holds.  If there is none,
  /// inserts `next` and returns it.
  [[gnu::always_inline]] index_t find_or_insert(std::uint64_t hash, index_t next,
                                                auto const& is_same) {
    std::size_t at = hash & mask_;
    for (; slots_[at] != 0; at = (at + 1) & mask_) {
      if (((slots_[at] ^ hash) & tag_mask) == 0 && is_same(number_in(slots_[at]))) {
        return number_in(slots_[at]);
      }
    }
    slots_[at] = (hash & tag_mask) | static_cast<std::uint64_t>(next + 1);
    return next;
  }

 private:
  static index_t number_in(std::uint64_t slot) {
    return static_cast<index_t>(slot & ~tag_mask) - 1;
  }
};

/// A sequence that grows by chunks of 1024 elements, which never move.
template <class T>
class chunked {
  static constexpr index_t log = 10;
  std::vector<std::vector<T>> chunks_;
  index_t size_ = 0;

 public:
  index_t size() const { return size_; }
  T& operator[](index_t i) {
    return chunks_[static_cast<std::size_t>(i >> log)]
                  [static_cast<std::size_t>(i & ((1 << log) - 1))];
  }
  T const& operator[](index_t i) const { return const_cast<chunked&>(*this)[i]; }
  [[gnu::always_inline]] void push_back(T&& x) {
    if (size_ == std::ssize(chunks_) << log) chunks_.emplace_back().reserve(1 << log);
    chunks_.back().push_back(std::move(x));
    ++size_;
  }
};

/// The groups of one interval, in the order of their first keys.
template <class Key, class T, class Hash, class Equal, class M>
class hash_table {
 public:
  struct entry {
    std::uint64_t hash;
    entry* absorbed_by;  // a group of an earlier interval with the same key, if any
    Key key;
    [[no_unique_address]] T value;
  };

 private:
  struct pending {
    std::uint64_t hash;
    Key key;
    [[no_unique_address]] T value;
  };
  // keys that are hashed, and their slots prefetched, before the first of them is searched
  static constexpr std::size_t prefetched = 32;

  Hash hash_;
  Equal equal_;
  M m_;
  index_t* numbers_;
  hash_slots slots_{1 << 10};
  std::vector<pending> pending_;
  chunked<entry> entries_;

 public:
  /// Also writes the group number of each key to `numbers`, unless `numbers` is null.
  hash_table(Hash hash, Equal equal, M m, index_t* numbers)
      : hash_(hash), equal_(equal), m_(m), numbers_(numbers) {
    pending_.reserve(prefetched);
  }

  [[gnu::always_inline]] void operator()(Key const& key, T const& value) {
    std::uint64_t const h = mixed_hash(static_cast<std::uint64_t>(hash_(key)));
    slots_.prefetch(h);
    pending_.push_back({h, key, value});
    if (pending_.size() == prefetched) flush();
  }

  index_t size() const { return entries_.size(); }
  entry& operator[](index_t k) { return entries_[k]; }
  entry const& operator[](index_t k) const { return entries_[k]; }

  /// Adds the keys that visit(tile, add) gives.
  void add_all(tile t, auto const& visit) {
    if constexpr (Equal::is_of_integers) {
      constexpr index_t few = 128, most_near = index_t{1} << 16;
      index_t const n = t.end - t.begin;
      if (n > 4 * few) {
        visit(tile{t.id, t.begin, t.begin + few}, *this);
        t.begin += few;
        flush();
        if (add_with_numbers_near(t, visit, static_cast<std::uint64_t>(std::min(n / 2, most_near))))
          return finish();
      }
    }
    visit(t, *this);
    finish();
  }

 private:
  /// After the last key: frees the slots.
  void finish() {
    flush();
    slots_ = hash_slots(0);
  }
  [[gnu::noinline]] void flush() {
    for (pending const& p : pending_) {
      index_t const likely = slots_.first(p.hash);
      if (likely >= 0) __builtin_prefetch(&entries_[likely], 1);
    }
    for (pending& p : pending_) add(p);
    pending_.clear();
  }

  /// If the integers so far lie within `width` of each other, adds those of the tile with an array of
  /// the numbers of groups near them, which need no search; else returns false.
  bool add_with_numbers_near(tile t, auto const& visit, std::uint64_t width) {
    Key lowest = entries_[0].key, highest = lowest;
    for (index_t k = 1; k < size(); ++k) {
      lowest = std::min(lowest, entries_[k].key);
      highest = std::max(highest, entries_[k].key);
    }
    std::uint64_t const range =
        static_cast<std::uint64_t>(highest) - static_cast<std::uint64_t>(lowest);
    if (range >= width) return false;
    std::uint64_t const begin = static_cast<std::uint64_t>(lowest) - (width - range) / 2;
    std::vector<index_t> near(width);  // the number of a group, plus one, or 0
    for (index_t k = 0; k < size(); ++k) {
      near[static_cast<std::uint64_t>(entries_[k].key) - begin] = k + 1;
    }
    auto add_any = [this, begin, width, numbers = near.data()](Key const& key, T const& value) {
      std::uint64_t const at = static_cast<std::uint64_t>(key) - begin;
      if (at < width) {
        add_near(numbers[at], key, value);
      } else {
        (*this)(key, value);
      }
    };
    visit(t, add_any);
    return true;
  }
  void add_near(index_t& number, Key const& key, T const& value) {
    if (number == 0 || numbers_ != nullptr) flush();  // in the order of the keys
    if (number != 0) {
      T& sum = entries_[number - 1].value;
      sum = m_(sum, value);
    } else {
      entries_.push_back({mixed_hash(static_cast<std::uint64_t>(hash_(key))), nullptr, key, value});
      number = size();
    }
    if (numbers_ != nullptr) *numbers_++ = number - 1;
  }
  [[gnu::always_inline]] void add(pending& p) {
    index_t const next = entries_.size();
    index_t const k = slots_.find_or_insert(p.hash, next, [&](index_t e) {
      entry const& old = entries_[e];
      return old.hash == p.hash && equal_(old.key, p.key);
    });
    if (k < next) {
      T& sum = entries_[k].value;
      sum = m_(sum, p.value);
    } else {
      entries_.push_back({p.hash, nullptr, p.key, std::move(p.value)});
      if (slots_.is_full(next + 1)) grow();
    }
    if (numbers_ != nullptr) *numbers_++ = k;
  }
  void grow() {
    index_t const max_numbers = std::max(slots_.capacity(), size());  // many may be near others
    slots_ = hash_slots(0);                                           // frees the old slots first
    slots_ = hash_slots(max_numbers);
    for (index_t e = 0; e < entries_.size(); ++e) {
      slots_.find_or_insert(entries_[e].hash, e, [](index_t) { return false; });
    }
  }
};

/// The groups of a sequence, in the order of their first keys.
template <class Key, class T, class Hash, class Equal, class M>
class hash_groups {
  using table = hash_table<Key, T, Hash, Equal, M>;
  using entry = typename table::entry;
  static constexpr index_t fewest = index_t{1} << 14;  // least number of elements of an interval

  index_t n_;
  index_t many_;  // number of intervals
  Equal equal_;
  M m_;
  std::vector<table> tables_;
  // offsets_[t]: the number of distinct groups in tables 0 to t - 1
  std::vector<index_t> offsets_;

 public:
  /// visit(tile, add) must call add(key, value) for each element of the tile, in order.
  template <class Ex, class Visit>
  hash_groups(Ex const& ex, index_t n, Visit const& visit, Hash hash, Equal equal, M m,
              index_t* numbers = nullptr)
      : n_(n), many_(std::clamp<index_t>(n / fewest, 1, threads_of(ex))), equal_(equal), m_(m) {
    for (index_t t = 0; t < many_; ++t) {
      tables_.emplace_back(hash, equal, m,
                           numbers == nullptr ? nullptr : numbers + interval(t).begin);
    }
    for_each(ex, many_,
             [&](index_t t) { tables_[static_cast<std::size_t>(t)].add_all(interval(t), visit); });
    if (many_ > 1) merge(ex);
    offsets_.assign(1, 0);
    for (table const& t : tables_) {
      index_t groups = 0;
      for (index_t k = 0; k < t.size(); ++k) groups += is_first(t[k]);
      offsets_.push_back(offsets_.back() + groups);
    }
  }

  index_t size() const { return offsets_.back(); }

  /// Calls sink(s, key, value) for each group s.
  template <class Ex, class Sink>
  void write(Ex const& ex, Sink const& sink) const {
    for_each(ex, std::ssize(tables_), [&](index_t t) {
      table const& entries = tables_[static_cast<std::size_t>(t)];
      index_t s = offsets_[static_cast<std::size_t>(t)];
      for (index_t k = 0; k < entries.size(); ++k) {
        if (is_first(entries[k])) sink(s++, entries[k].key, entries[k].value);
      }
    });
  }

  /// The tables wrote numbers of their own groups to `numbers`.  Replaces them by the numbers of
  /// the groups of the whole sequence.
  void renumber(auto const& ex, index_t* numbers) {
    std::vector<std::vector<index_t>> places(tables_.size());
    for (std::size_t t = 0; t < tables_.size(); ++t) {
      index_t s = offsets_[t];
      for (index_t k = 0; k < tables_[t].size(); ++k) {
        entry& e = tables_[t][k];
        // The hash is no longer needed: its word holds the group's number from here on.
        if (is_first(e)) e.hash = static_cast<std::uint64_t>(s++);
        places[t].push_back(static_cast<index_t>(is_first(e) ? e.hash : e.absorbed_by->hash));
      }
    }
    for_each(ex, std::ssize(tables_), [&](index_t t) {
      auto const [number, begin, end] = interval(t);
      for (index_t i = begin; i < end; ++i) {
        numbers[i] = places[static_cast<std::size_t>(t)][static_cast<std::size_t>(numbers[i])];
      }
    });
  }

 private:
  static bool is_first(entry const& e) { return e.absorbed_by == nullptr; }
  tile interval(index_t t) const {
    return nth_tile(t, div_up(std::max<index_t>(n_, 1), many_), n_);
  }

  static void for_each(auto const& ex, index_t many, auto const& f) {
    std::atomic<index_t> next = 0;
    ex.on_each_thread(many, [&] {
      try {
        for (index_t t = next++; t < many; t = next++) f(t);
      } catch (...) {
        next = many;  // stops the other threads
        throw;
      }
    });
  }

  /// Combines equal keys of different tables, in the order of the tables: each bucket of hashes by
  /// one thread.
  template <class Ex>
  void merge(Ex const& ex) {
    auto const buckets = std::bit_ceil(tables_.size());
    int const shift = 64 - std::countr_zero(buckets);
    // begins[b * many_ + t]: where the entries of table t in bucket b begin among those of all
    std::vector<index_t> begins(buckets * tables_.size() + 1);
    auto const cell = [&](std::size_t b, index_t t) {
      return b * tables_.size() + static_cast<std::size_t>(t);
    };
    for_each(ex, many_, [&](index_t t) {
      table const& entries = tables_[static_cast<std::size_t>(t)];
      std::vector<index_t> counts(buckets);
      for (index_t k = 0; k < entries.size(); ++k) ++counts[entries[k].hash >> shift];
      for (std::size_t b = 0; b < buckets; ++b) begins[cell(b, t) + 1] = counts[b];
    });
    for (std::size_t k = 1; k < begins.size(); ++k) begins[k] += begins[k - 1];
    std::vector<entry*> by_bucket(static_cast<std::size_t>(begins.back()));
    for_each(ex, many_, [&](index_t t) {
      table& entries = tables_[static_cast<std::size_t>(t)];
      std::vector<entry**> next;
      for (std::size_t b = 0; b < buckets; ++b)
        next.push_back(by_bucket.data() + begins[cell(b, t)]);
      for (index_t k = 0; k < entries.size(); ++k) *next[entries[k].hash >> shift]++ = &entries[k];
    });
    for_each(ex, static_cast<index_t>(buckets), [&](index_t b) {
      auto const at = begins.begin() + b * many_;
      entry** const bucket = by_bucket.data() + at[0];
      index_t const n = at[many_] - at[0];
      hash_slots slots(n);
      for (index_t k = 0; k < n; ++k) {
        entry& e = *bucket[k];
        index_t const first = slots.find_or_insert(e.hash, k, [&](index_t f) {
          return bucket[f]->hash == e.hash && equal_(bucket[f]->key, e.key);
        });
        if (first == k) continue;
        e.absorbed_by = bucket[first];
        e.absorbed_by->value = m_(e.absorbed_by->value, e.value);
      }
    });
  }
};

}  // namespace ravel::inline v0::cpu::detail
