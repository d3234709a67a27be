/// A nested program of medium size, by how much a compiler does for it.

#include <ravel/core/cpu/executor.hpp>

#include "nested/quicksort.hpp"

#include <vector>

std::vector<std::vector<int>> sorted(std::vector<std::vector<int>> const& rows) {
  ravel::cpu::threads const ex;
  return to_host(each(ravel::from(ex, rows), ravel::examples::quicksort<int>));
}
