/// Pipelines, drawn pass by pass.

#include "pipelined.hpp"

namespace ravel::trace {

picture pipeline(request const& r) {
  return trace_pipeline(r, [](auto in) {
    return in | map(of_each([](int x) { return x * x; })) | inclusive_scan(recorded<plain>{}) |
           filter(where([](int x) { return x % 2 != 0; }));
  });
}

picture pipeline_backward(request const& r) {
  return trace_pipeline(r,
                        [](auto in) { return in | inclusive_scan(recorded<plain>{}) | reverse(); });
}

}  // namespace ravel::trace
