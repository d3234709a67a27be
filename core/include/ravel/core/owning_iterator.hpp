#pragma once

/// An input iterator over elements that it owns: for results that are computed when iteration begins.

#include <ravel/core/std_memory.hpp>
#include <ravel/core/std_ranges.hpp>
#include <ravel/core/vocabulary.hpp>

#include <iterator>

namespace ravel::inline v0 {

/// Iterates over elements of host memory, which it owns together with its copies; the end is
/// std::default_sentinel.
///
/// It is an input iterator, since each begin() of its range computes new elements.
template <class T>
class owning_iterator {
  std::shared_ptr<void const> owner_;
  T const* at_ = nullptr;
  T const* end_ = nullptr;

 public:
  using iterator_category = std::input_iterator_tag;
  using iterator_concept = std::input_iterator_tag;
  using value_type = T;
  using difference_type = std::ptrdiff_t;
  using pointer = T const*;
  using reference = T const&;

  owning_iterator() = default;
  /// From the first element of a contiguous container on.
  template <std::ranges::contiguous_range R>
  explicit owning_iterator(R elements) {
    auto const owner = std::make_shared<R>(std::move(elements));
    at_ = owner->data();
    end_ = at_ + owner->size();
    owner_ = owner;
  }

  T const& operator*() const { return *at_; }
  T const* operator->() const { return at_; }
  owning_iterator& operator++() {
    ++at_;
    return *this;
  }
  void operator++(int) { ++*this; }
  friend bool operator==(owning_iterator const& x, std::default_sentinel_t) {
    return x.at_ == x.end_;
  }
};

}  // namespace ravel::inline v0
