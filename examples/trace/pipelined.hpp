#pragma once

/// Pictures of range pipelines: what each pass reads, computes and writes.

#include "programs.hpp"
#include "recorded.hpp"

#include <ravel/pipelines/pipelines.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

namespace ravel::trace {

/// A function of numbers, as one of recorded elements, for map.
template <class F>
auto of_each(F f) {
  return [f](plain const& x) {
    value const v{x.v.number, x.v.marked};
    plain y{};
    y.v = now->compute(f(v.number), v);
    return y;
  };
}
/// A predicate of numbers, as one of recorded elements, for filter.
template <class F>
auto where(F f) {
  return [f](plain const& x) { return f(x.v.number); };
}

/// Runs `stages(on(ex, values))`, a pipeline, by the steps that all executors share, and records them.
///
///     trace_pipeline(r, [](auto in) {
///       return in | map(of_each([](int x) { return x * x; })) | inclusive_scan(recorded<plain>{});
///     })
///
/// A file that calls it is compiled as pipeline_programs.cpp is.
template <class F>
picture trace_pipeline(request const& r, F stages) {
  recorder rec;
  now = &rec;
  blocks<of_block, of_block> const ex;
  auto const n = std::ssize(r.values);
  auto in = ex.allocate<plain>(n), out = ex.allocate<plain>(n);
  for (index_t i = 0; i < n; ++i) {
    int const x = r.values[static_cast<std::size_t>(i)];
    in.data()[i].v = value::made(x, rec.leaf(x));
    out.data()[i] = {};
  }
  auto const bytes = static_cast<std::size_t>(n) * sizeof(plain);
  rec.know({"in", reinterpret_cast<char const*>(in.data()), bytes, sizeof(plain)});
  rec.know({"out", reinterpret_cast<char const*>(out.data()), bytes, sizeof(plain)});
  rec.know_elements(sizeof(plain));
  record(rec, [&] { static_cast<void>(stages(on(ex, in)) | into(out)); });
  picture p = std::move(rec).finish(of_block);
  p.block = of_block;
  p.warp = RAVEL_WARP_SIZE;
  return p;
}

}  // namespace ravel::trace
