// must fail: an operation of a nested program needs an operand that is lifted

#include <ravel/core/cpu/executor.hpp>
#include <ravel/flatten/flatten.hpp>

#include <vector>

using namespace ravel;

int main() { list(1, 2); }
