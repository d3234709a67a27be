/// Tests of packs, runs, splits and segmented sorts, on ranks.
#define RAVEL_TEST_ON_RANKS

#include <ravel/distributed/pack.hpp>
#include <ravel/distributed/runs.hpp>
#include <ravel/distributed/segmented_sort.hpp>
#include <ravel/distributed/split.hpp>

#include "primitives/pack_test.cpp"
#include "primitives/reduce_by_key_test.cpp"
#include "primitives/run_length_test.cpp"
#include "primitives/split_test.cpp"
#ifdef RAVEL_TEST_THOROUGH  // every_call.cpp sorts segments once
#  include "algorithms/segmented_sort_test.cpp"
#endif
