/// What is done once for a step or a context of a nested program, compiled for size.

#define RAVEL_NESTED_CONTEXTS template
#include <ravel/flatten/compiled.hpp>
