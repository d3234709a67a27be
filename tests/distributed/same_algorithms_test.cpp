/// Tests of algorithms, on ranks.
#define RAVEL_TEST_ON_RANKS

#include <ravel/distributed/list_rank.hpp>
#include <ravel/distributed/scan.hpp>
#include <ravel/distributed/sort.hpp>
#include <ravel/distributed/spmv.hpp>

#include "algorithms/comparison_sort_test.cpp"
#include "algorithms/delta_test.cpp"
#include "algorithms/list_ranking_test.cpp"
#include "algorithms/selection_test.cpp"
#include "algorithms/spmv_test.cpp"
#ifdef RAVEL_TEST_THOROUGH  // sort_test.cpp sorts by bits in the pieces of ranks
#  include "algorithms/radix_sort_test.cpp"
#endif
