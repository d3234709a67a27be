/// The commonest scans, compiled once.

#define RAVEL_COMPILED_SCAN template
#include <ravel/primitives/scan/compiled.hpp>
