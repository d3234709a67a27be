/// Tests of primitives, on ranks.
#define RAVEL_TEST_ON_RANKS

#include <ravel/distributed/gather.hpp>
#include <ravel/distributed/histogram.hpp>
#include <ravel/distributed/map.hpp>
#include <ravel/distributed/merge.hpp>
#include <ravel/distributed/pack.hpp>
#include <ravel/distributed/reduce.hpp>
#include <ravel/distributed/runs.hpp>
#include <ravel/distributed/scan.hpp>
#include <ravel/distributed/searches.hpp>
#include <ravel/distributed/segmented_scan.hpp>
#include <ravel/distributed/segments.hpp>
#include <ravel/distributed/split.hpp>

#include "primitives/distribute_test.cpp"
#include "primitives/find_first_test.cpp"
#include "primitives/gather_test.cpp"
#include "primitives/histogram_test.cpp"
#include "primitives/iota_test.cpp"
#include "primitives/linear_recurrence_test.cpp"
#include "primitives/map_test.cpp"
#include "primitives/merge_test.cpp"
#include "primitives/reduce_test.cpp"
#include "primitives/scan_test.cpp"
#include "primitives/scatter_test.cpp"
#include "primitives/searches_test.cpp"
#include "primitives/segmented_reduce_test.cpp"
#include "primitives/segmented_scan_test.cpp"
#include "primitives/unique_test.cpp"
