// must fail: radix_sort: a key is no number, and radix_key is not specialised for its type

#include <ravel/algorithms/radix_sort.hpp>

#include <ravel/core/cpu/executor.hpp>

#include <string>
#include <vector>

int main() {
  std::vector<std::string> words{"wake", "riverrun"};  // by(...) with a key function would compile
  ravel::radix_sort(ravel::cpu::sequential(), words);
}
