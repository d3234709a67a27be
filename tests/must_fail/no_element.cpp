// must fail: this type cannot be an element of a nested sequence

#include <ravel/core/cpu/executor.hpp>
#include <ravel/flatten/flatten.hpp>

#include <vector>

using namespace ravel;

int main() { from(cpu::sequential{}, std::vector<int*>{nullptr}); }
