// must fail: Arrow has no type for these elements

#include <ravel/core/cpu/executor.hpp>
#include <ravel/flatten/from_arrow.hpp>

using namespace ravel;

struct color {
  float rgb[3];
};

int main() {
  ArrowSchema schema{};
  ArrowArray array{};
  from_arrow<color>(cpu::sequential{}, schema, &array);
}
