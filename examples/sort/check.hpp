#pragma once

/// Checks whether values are sorted, without sorting.

#include "in_order.hpp"

#include <ravel/core/view.hpp>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace ravel::examples {

/// A fingerprint of a multiset of numbers, compared by their bits: two sums of hashes of the
/// numbers.  Two different multisets collide with the probability of guessing 128 bits.
struct fingerprint {
  std::uint64_t a = 0;
  std::uint64_t b = 0;

  /// That of no numbers.
  fingerprint() = default;
  template <class T>
  explicit fingerprint(view<T const> numbers) {
    for (T const x : numbers) add(bits_of(x));
  }
  /// The fingerprint of pairs of keys and values.
  template <class T>
  fingerprint(view<T const> keys, view<std::int64_t const> values) {
    for (index_t i = 0; i < keys.size(); ++i) {
      add(scrambled(bits_of(keys[i])) + static_cast<std::uint64_t>(values[i]));
    }
  }
  /// That of two multisets together.
  fingerprint& operator+=(fingerprint const& other) {
    a += other.a;
    b += other.b;
    return *this;
  }
  friend bool operator==(fingerprint const&, fingerprint const&) = default;

 private:
  template <class T>
  static std::uint64_t bits_of(T x) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &x, sizeof(T));
    return bits;
  }
  void add(std::uint64_t bits) {
    a += scrambled(bits + 0x9e3779b97f4a7c15);
    b += scrambled(bits ^ 0x2545f4914f6cdd1d);
  }
  static std::uint64_t scrambled(std::uint64_t z) {
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }
};

/// The first place at which `out` is not in order; 0 if there is none.
template <class T>
std::size_t out_of_order(std::vector<T> const& out, in_order const& before) {
  for (std::size_t i = 1; i < out.size(); ++i) {
    if (before(out[i], out[i - 1])) return i;
  }
  return 0;
}

/// Describes why `out` is not the sorted `in`; empty if it is.
template <class T>
std::string what_is_wrong(view<T const> in, std::vector<T> const& out, bool downward) {
  if (std::ssize(out) != in.size()) return "there are more or fewer numbers than before";
  std::size_t const i = out_of_order(out, {downward});
  if (i > 0) return "number " + std::to_string(i) + " is out of order";
  if (fingerprint(in) != fingerprint(view<T const>(out.data(), std::ssize(out)))) {
    return "the numbers are not those of the input";
  }
  return {};
}

/// The same for pairs of keys and values, without a check of stability.
template <class T>
std::string what_is_wrong_with_pairs(view<T const> keys, view<std::int64_t const> values,
                                     std::vector<T> const& keys_out,
                                     std::vector<std::int64_t> const& values_out, bool downward) {
  if (std::ssize(keys_out) != keys.size() || std::ssize(values_out) != keys.size()) {
    return "there are more or fewer pairs than before";
  }
  std::size_t const i = out_of_order(keys_out, {downward});
  if (i > 0) return "pair " + std::to_string(i) + " is out of order";
  if (fingerprint(keys, values) !=
      fingerprint(view<T const>(keys_out.data(), keys.size()),
                  view<std::int64_t const>(values_out.data(), keys.size()))) {
    return "the pairs are not those of the input";
  }
  return {};
}

/// Describes why `order` is not the stable permutation that sorts n elements by before(i, j); empty
/// if it is.
template <class Before>
std::string what_is_wrong_with_order(index_t n, std::vector<index_t> const& order,
                                     Before const& before) {
  if (std::ssize(order) != n) return "there are more or fewer places than " + std::to_string(n);
  std::vector<bool> seen(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    index_t const i = order[k];
    if (i < 0 || i >= n) return std::to_string(i) + " is no place in the input";
    if (seen[static_cast<std::size_t>(i)]) return "place " + std::to_string(i) + " is there twice";
    seen[static_cast<std::size_t>(i)] = true;
    if (k == 0) continue;
    index_t const ahead = order[k - 1];
    if (before(i, ahead) || (!before(ahead, i) && i < ahead)) {
      return "place " + std::to_string(i) + " is out of order";
    }
  }
  return {};
}
}  // namespace ravel::examples
