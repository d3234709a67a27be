#pragma once

/// Segment shapes that have broken segmented primitives.

#include <ravel/core/concepts.hpp>

#include <ostream>
#include <string>
#include <vector>

namespace ravel::testing {

struct segment_shape {
  std::string name;
  std::vector<index_t> lengths;  // of the segments, in order; zero for an empty segment

  friend std::ostream& operator<<(std::ostream& os, segment_shape const& s) { return os << s.name; }
};

/// `count` segments; every 97th has two elements and the others none.
inline std::vector<index_t> sparse(index_t count) {
  std::vector<index_t> lengths(static_cast<std::size_t>(count), 0);
  for (std::size_t s = 0; s < lengths.size(); s += 97) lengths[s] = 2;
  return lengths;
}

/// `count` segments of one length, and one with the rest.
inline std::vector<index_t> chunks_and_rest(index_t count, index_t length, index_t rest) {
  std::vector<index_t> lengths(static_cast<std::size_t>(count), length);
  lengths.push_back(rest);
  return lengths;
}

/// Each shape is here for a bug that it has caught or would catch.
inline std::vector<segment_shape> segment_shapes() {
  // The widest tile of a device, a multiple of the others, or half of it, so that every other boundary is
  // one; host_forms tests the host's wider ones.
#ifdef RAVEL_TEST_THOROUGH
  constexpr index_t tile = 4096;
#else
  constexpr index_t tile = 2048;
#endif
  return {
      {"no elements", {}},
      {"one element", {1}},
      {"one segment inside a tile", {100}},
      {"one segment over many tiles", {5 * tile + 7}},  // a carry crosses every tile
      {"every segment a single element", std::vector<index_t>(3 * tile, 1)},
      {"a head on each tile boundary", {tile, tile, tile}},
      {"a head just before each boundary", {tile - 1, tile, tile}},
      {"a head just after each boundary", {tile + 1, tile, tile}},
      {"chunks that do not come out even", chunks_and_rest(13, tile / 4 + 1, 288)},
      {"one heavy among many light", {3, 1, 2, 4 * tile, 1, 5, 2}},
      {"empty segments at both ends and between", {0, 0, 2, 0, 0, 3, 0}},
      {"only empty segments", {0, 0, 0}},
      {"empty segments on a tile boundary", {tile, 0, 0, tile, 0}},
      {"more empty segments than elements", sparse(3 * tile)},
  };
}

/// True at the first element of each nonempty segment.
inline std::vector<bool> heads_of(segment_shape const& shape) {
  std::vector<bool> heads;
  for (index_t const length : shape.lengths) {
    for (index_t i = 0; i < length; ++i) heads.push_back(i == 0);
  }
  return heads;
}

/// The begin of each segment, followed by the number of elements.
inline std::vector<index_t> offsets_of(segment_shape const& shape) {
  std::vector<index_t> offsets{0};
  for (index_t const length : shape.lengths) offsets.push_back(offsets.back() + length);
  return offsets;
}

/// The same without the empty segments.
inline segment_shape without_empty(segment_shape shape) {
  std::erase(shape.lengths, 0);
  return shape;
}

}  // namespace ravel::testing
