/// The steps that all nested programs share.

#define RAVEL_NESTED_STEPS template
#include <ravel/flatten/compiled.hpp>
