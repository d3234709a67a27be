/// Tests of pipelines, on ranks.
#define RAVEL_TEST_ON_RANKS

#include <ravel/distributed/pipelines.hpp>

#include "pipelines/pipeline_test.cpp"
