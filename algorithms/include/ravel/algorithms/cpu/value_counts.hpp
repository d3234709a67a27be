#pragma once

/// How often each value occurs among keys of few values: a hash table in L2.

#include <ravel/core/cpu/scratch.hpp>

namespace ravel::inline v0::cpu::detail {

/// Counts values by open addressing.  A free slot holds the first value ever added instead of an
/// empty mark; that value's own slot is reserved for it.  So a search compares each slot with one
/// value only.
template <class U>
class value_counts {
  U first_;
  index_t most_, size_ = 1;
  int shift_;
  index_t slots_;
  scratch_buffer<U> values_;
  scratch_buffer<index_t> counts_;

  index_t slot_of(U value) const {
    return static_cast<index_t>(static_cast<std::uint64_t>(value) * 0x9E3779B97F4A7C15u >> shift_);
  }

  [[gnu::noinline]] bool add_displaced(U value, index_t count) {
    for (index_t s = slot_of(value);; s = (s + 1) & (slots_ - 1)) {
      if (values_[s] == first_ && s != slot_of(first_)) {
        if (size_ == most_) return false;
        ++size_;
        values_[s] = value;
      }
      if (values_[s] != value) continue;
      counts_[s] += count;
      return true;
    }
  }

 public:
  /// `first` is some value of the input; `max_values`, a power of two, how many values fit.
  value_counts(U first, index_t max_values)
      : first_(first),
        most_(max_values),
        shift_(62 - std::countr_zero(static_cast<std::uint64_t>(max_values))),
        slots_(4 * max_values),
        values_(slots_),
        counts_(slots_) {
    std::fill_n(values_.data(), slots_, first);
    std::fill_n(counts_.data(), slots_, 0);
  }

  /// Counts a value.  Returns false, and changes nothing, if this would be one distinct value too
  /// many.
  [[gnu::always_inline]] bool add(U value, index_t count = 1) {
    index_t const s = slot_of(value);
    if (values_[s] != value) return add_displaced(value, count);
    counts_[s] += count;
    return true;
  }

  index_t size() const { return size_; }

  /// Calls f(value, count) for each value, in any order.
  void for_each(auto const& f) const {
    for (index_t s = 0; s < slots_; ++s) {
      if (counts_[s] > 0) f(values_[s], counts_[s]);
    }
  }
};

}  // namespace ravel::inline v0::cpu::detail
