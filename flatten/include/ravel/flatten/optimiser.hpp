#pragma once

/// The optimiser: what nested programs do beyond the calculus, and the switch of each part.
///
/// As it is written, each operation of a program is a step over all instances: calculus.hpp.  The parts
/// below make steps fewer and faster, and change no result but the rounding of sums.
///
/// A program of which all sources define RAVEL_NESTED_AS_WRITTEN runs without them: to find out what they
/// gain, or whether a wrong result is their fault.  Tests run both ways.

#include <ravel/core/config.hpp>

namespace ravel::inline v0::flattening {

#ifdef RAVEL_NESTED_AS_WRITTEN
inline constexpr bool is_optimised = false;
#else
inline constexpr bool is_optimised = true;
#endif

/// An operator of scalars is an expression, which is evaluated in the steps that read it, instead of a step:
/// compute.hpp.
inline constexpr bool fuses_operators = is_optimised;

/// A step that only writes values for others waits for the next one that reads memory.  By then it may be
/// unneeded, packs of one sequence are one split, and a reduction takes the place of a pack: deferred.hpp,
/// comparisons.hpp, pending.hpp.
inline constexpr bool defers_steps = is_optimised;

/// A step whose operands are contiguous has a loop without maps of indices: straight.hpp.
inline constexpr bool has_straight_loops = is_optimised;

/// A reduction reads captured sequences where they are, instead of copies, on a device those of one length:
/// in_place.hpp.
inline constexpr bool reads_in_place = is_optimised;

/// A thread of a device runs all rounds of a `while_` whose functions are expressions: loop.hpp.
inline constexpr bool traces_loops_of_devices = is_optimised;

/// So does one of the host, and it runs a body of `serially` as loops: loop.hpp, serial_body.hpp.  This
/// compiles these functions twice, for which nvcc takes several times as long as the compiler of the host.
#ifdef RAVEL_KERNELS
inline constexpr bool traces_loops = false;
#else
inline constexpr bool traces_loops = is_optimised;
#endif

/// The host runs what is left of a recursion or a loop of a device once few elements are: finish.hpp.
inline constexpr bool finishes_on_host = is_optimised;

}  // namespace ravel::inline v0::flattening
