// must fail: same_everywhere: write checked\(same_everywhere\(ex\)\), the other way around
#include <ravel/core/checked.hpp>
#include <ravel/core/cpu/executor.hpp>
#include <ravel/core/same_everywhere.hpp>

ravel::same_everywhere const ex(ravel::checked(ravel::cpu::threads()));
