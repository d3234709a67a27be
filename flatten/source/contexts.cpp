/// What is done once for a step or a context of a nested program, compiled for size.

#define RAVEL_IN_NESTED
#define RAVEL_NESTED_CONTEXTS template
#define RAVEL_NESTED_SHOW template
#include <ravel/flatten/compiled.hpp>
#include <ravel/flatten/explained.hpp>
#include <ravel/flatten/show.hpp>
