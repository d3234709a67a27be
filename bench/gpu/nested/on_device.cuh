#pragma once

/// A nested program on the device beside its peers.

#include "gpu/nested/peers.hpp"
#include "support/gpu.cuh"
#include "support/nested_programs.hpp"

#include <ravel/flatten/flatten.hpp>

#include <memory>
#include <optional>
#include <vector>

namespace ravel::bench::nested_programs {

/// The program with the inputs of size n, beside its peers.
template <class Program>
comparison on_device(gpu::executor const& ex, index_t n) {
  auto const of = peers_of<Program>(n);
  auto const program = Program{}(ex, n).program;
  using result = decltype(elements(program()));
  auto const made = std::make_shared<std::optional<result>>();
  auto const ours = [=] { made->emplace(elements(program())); };
  auto const wanted = std::make_shared<std::vector<double>>(of.wanted);
  auto const is_right = [=] {
    std::vector<typename result::value_type> got((*made)->size());
    ex.copy((*made)->data(), got.data(), (*made)->size());
    ex.wait();
    return is_close(std::vector<double>(got.begin(), got.end()), *wanted);
  };

  comparison c;
  reset_stats();
  index_t const before = stats().bytes;
  ours();
  c.counters = {{"steps", double(stats().steps)},
                {"most_bytes", double(stats().most_bytes - before)}};
  c.poison = [=, poison_peers = of.on_host.poison] {
    made->reset();
    poison_peers();
  };
  c.contenders.push_back({"ours", ours, is_right});
  for (auto const& peer : of.on_host.contenders) c.contenders.push_back(peer);
  return c;
}

}  // namespace ravel::bench::nested_programs
