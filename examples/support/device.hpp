#pragma once

/// The options --device and --threads.

#include <string>
#include <type_traits>

namespace CLI {
class App;
}

namespace ravel::examples {

enum class device { cpu, cuda };

/// The options' values.
struct device_options {
  std::string name = "auto";
  int threads = 0;            // 0: one for each core
  bool has_software = false;  // and --device software, which is the program's own
};

/// Adds --device cpu|cuda|auto and --threads N.
void add_device_options(CLI::App& app, device_options& options);

/// The chosen device; `auto` is CUDA if available.
///
/// Errors   bad_input if CUDA is chosen and not available.
device chosen_device(device_options const& options);

/// "cpu" or "cuda".
std::string name_of(device d);

/// Its name, for people: "2 threads", or the name of the GPU.
std::string description_of(device d, int threads);

// Backends are defined in backend.hpp, each for its own compiler.
struct cpu_backend;
struct cuda_backend;

/// f(std::type_identity<B>{}) with the backend B of `d`.  For main.cpp, where
/// RAVEL_EXAMPLE_CUDA is defined if there are two.
template <class F>
auto with_backend([[maybe_unused]] device d, F f) {
#ifdef RAVEL_EXAMPLE_CUDA
  if (d == device::cuda) return f(std::type_identity<cuda_backend>{});
#endif
  return f(std::type_identity<cpu_backend>{});
}

}  // namespace ravel::examples
