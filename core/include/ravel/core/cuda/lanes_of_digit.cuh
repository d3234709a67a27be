#pragma once

/// The lanes of a warp that have the same digit.

namespace ravel::inline v0::gpu {

/// A mask of the lanes whose digit of `Bits` bits equals this lane's.  The whole warp must call it.
///
/// One ballot per bit, 3 instructions each.  match.any takes longer as soon as there are more than
/// a few distinct digits.  In C++ the ballots compile to 7 instructions each, hence the assembly.
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
