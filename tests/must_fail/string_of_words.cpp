// must fail: string_argsort_sync: the text is no sequence of bytes in the executor's memory

#include <ravel/algorithms/string_sort.hpp>

#include <ravel/core/cpu/executor.hpp>

#include <string>
#include <vector>

int main() {
  std::vector<std::string> const words{"wake", "riverrun"};  // their bytes would compile
  std::vector<int> order(2);
  ravel::string_argsort_sync(ravel::cpu::sequential(), words, ravel::uniform(1, 2), order);
}
