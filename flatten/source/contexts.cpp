/// What is done once for a step or a context of a nested program, and as text, compiled for size.

#define RAVEL_NESTED_CONTEXTS template
#define RAVEL_NESTED_SHOW template
#include <ravel/flatten/compiled.hpp>
#include <ravel/flatten/show.hpp>
