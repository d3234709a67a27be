/// The commonest radix sorts, compiled once.

#define RAVEL_COMPILED_SORT template
#include <ravel/algorithms/radix_sort/compiled.hpp>
