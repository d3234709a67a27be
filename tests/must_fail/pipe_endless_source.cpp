// must fail: the range has no size

#include <ravel/core/cpu/executor.hpp>
#include <ravel/pipelines/pipelines.hpp>

#include <ranges>

int main() { ravel::on(ravel::cpu::sequential{}, std::views::iota(0)) | ravel::to_vector(); }
