#pragma once

/// @file
/// Which lanes of a warp have the same digit.

namespace ravel::inline v0::gpu {

/// The lanes whose digit of `Bits` bits is the same as this lane's.  Called by a whole warp.
///
/// A vote for each bit, 3 instructions each: the instruction that does it at once,
/// match.any, takes longer as soon as there are more than a few digits.  Written in C++ the
/// votes take 7 instructions each.
template <int Bits>
__device__ unsigned lanes_of_digit(unsigned digit) {
  unsigned same = 0xffffffff;
#pragma unroll
  for (int b = 0; b < Bits; ++b) {
    unsigned votes;
    asm volatile(
        "{ .reg .pred p; .reg .b32 t; and.b32 t, %1, %2; setp.ne.u32 p, t, 0;"
        " vote.sync.ballot.b32 %0, p, 0xffffffff; @!p not.b32 %0, %0; }"
        : "=r"(votes)
        : "r"(digit), "r"(1u << b));
    same &= votes;
  }
  return same;
}

}  // namespace ravel::inline v0::gpu
