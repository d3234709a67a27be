#pragma once

/// @file
/// Numbers below 2^16 in registers, two in each.

namespace ravel::inline v0::cuda {

/// N of them, which begin as 0.  Places are known when it is compiled: in loops that are unrolled.
template <int N>
class half_words {
  unsigned words_[(N + 1) / 2] = {};

 public:
  __device__ unsigned operator[](int k) const {
    return k % 2 == 0 ? words_[k / 2] & 0xffff : words_[k / 2] >> 16;
  }
  __device__ void set(int k, unsigned x) {
    unsigned& word = words_[k / 2];
    word = k % 2 == 0 ? (word & 0xffff0000) | x : (word & 0xffff) | x << 16;
  }
};

}  // namespace ravel::inline v0::cuda
