#pragma once

/// One shape of segments in every form that can describe it.

#include <ravel/core/segments.hpp>

#include "support/segment_shapes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

namespace ravel::testing {

/// Head flags, one bit each, lowest first.
inline std::vector<std::uint32_t> bits_of(std::vector<bool> const& heads) {
  std::vector<std::uint32_t> words((heads.size() + 31) / 32);
  for (std::size_t i = 0; i < heads.size(); ++i) {
    words[i / 32] |= static_cast<std::uint32_t>(heads[i]) << (i % 32);
  }
  return words;
}

/// Equal within a segment, and different in adjacent ones.
inline std::vector<int> keys_of(segment_shape const& shape) {
  std::vector<int> keys;
  int key = 0;
  for (index_t const length : shape.lengths) {
    keys.insert(keys.end(), static_cast<std::size_t>(length), key);
    key = (key + (length > 0)) % 5;
  }
  return keys;
}

inline bool is_uniform(segment_shape const& shape) {
  return std::adjacent_find(shape.lengths.begin(), shape.lengths.end(), std::not_equal_to{}) ==
         shape.lengths.end();
}
/// Whether all segments have one length, except a shorter last one.
inline bool is_of_chunks(segment_shape const& shape) {
  auto const& all = shape.lengths;
  return all.size() > 1 && is_uniform({"", {all.begin(), all.end() - 1}}) && all.back() > 0 &&
         all.back() < all.front();
}

/// Calls f with a descriptor of `shape` by offsets (of 32 and 64 bits), lengths
/// and, if it is, uniform or of chunks: the forms that number their segments.
template <class Fixture, class F>
void for_each_numbered_form(Fixture const& on, segment_shape const& shape, F f) {
  auto const offsets = offsets_of(shape);
  {
    SCOPED_TRACE("by offsets of 64 bits");
    auto const there = on.there(offsets);
    f(by_offsets(there));
  }
  {
    SCOPED_TRACE("by offsets of 32 bits");
    auto const there = on.there(std::vector<std::uint32_t>(offsets.begin(), offsets.end()));
    f(by_offsets(there));
  }
  {
    SCOPED_TRACE("by lengths");
    auto const there = on.there(std::vector<int>(shape.lengths.begin(), shape.lengths.end()));
    f(by_lengths(there));
  }
  if (is_uniform(shape)) {
    SCOPED_TRACE("uniform");
    f(uniform(std::ssize(shape.lengths), shape.lengths.empty() ? 0 : shape.lengths[0]));
  } else if (is_of_chunks(shape)) {
    SCOPED_TRACE("chunks");
    f(chunks(offsets.back(), shape.lengths[0]));
  }
}

/// Calls f with a descriptor of `shape` by heads, head bits and keys.
template <class Fixture, class F>
void for_each_unnumbered_form(Fixture const& on, segment_shape const& shape, F f) {
  auto heads = heads_of(shape);
  if (!heads.empty()) heads[0] = false;  // element 0 is always a head
  {
    SCOPED_TRACE("by heads");
    auto const there = on.there(std::vector<std::uint8_t>(heads.begin(), heads.end()));
    f(by_heads(there));
  }
  {
    SCOPED_TRACE("by head bits");
    auto const mine = on.piece_of(heads);
    auto const there = on.there_as_piece(bits_of(mine));
    f(by_head_bits(there, std::ssize(mine)));
  }
  {
    SCOPED_TRACE("by keys");
    auto const there = on.there(keys_of(shape));
    f(by_keys(there));
  }
}

template <class Fixture, class F>
void for_each_form(Fixture const& on, segment_shape const& shape, F f) {
  for_each_numbered_form(on, shape, f);
  for_each_unnumbered_form(on, shape, f);
}

}  // namespace ravel::testing
