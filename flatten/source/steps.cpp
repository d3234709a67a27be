/// The steps that all nested programs share, and what each step does of its own, compiled for speed: of few
/// elements, a program takes as long as that.

#define RAVEL_IN_NESTED
#define RAVEL_NESTED_STEPS template
#include <ravel/flatten/compiled.hpp>
#include <ravel/flatten/explained.hpp>
