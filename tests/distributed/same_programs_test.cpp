/// Tests of nested programs, whose cases are instances on ranks.
#define RAVEL_TEST_ON_RANKS

#include "flatten/nesl_sequences_test.cpp"
#ifdef RAVEL_TEST_THOROUGH
#  include "flatten/own_programs_test.cpp"
#  include "flatten/ragged_libraries_test.cpp"
#endif
