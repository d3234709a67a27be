#include "support/device.hpp"

#include "support/command_line.hpp"
#include "support/copy_bandwidth.hpp"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace ravel::examples {

void add_device_options(CLI::App& app, device_options& options) {
  std::vector<std::string> choices{"cpu", "cuda", "auto"};
  std::string about = "where to compute: cpu, cuda, or auto, cuda if there is one";
  if (options.has_software) {
    choices.push_back("software");
    about += "; software, a device in software";
  }
  app.add_option("--device", options.name, about)
      ->check(CLI::IsMember(choices))
      ->capture_default_str();
  add_integer(app, "--threads", options.threads, "threads on the CPU; 0 is one for each core", 0,
              4096);
}

device chosen_device(device_options const& options) {
  if (options.name == "cpu") return device::cpu;
#ifdef RAVEL_EXAMPLE_CUDA
  if (is_available<cuda_backend>()) return device::cuda;
  char const* const why = "no CUDA device is here";
#else
  char const* const why = "this program was built without CUDA";
#endif
  if (options.name == "cuda") throw bad_input(std::string("--device cuda: ") + why);
  return device::cpu;
}

std::string name_of(device d) { return d == device::cuda ? "cuda" : "cpu"; }

std::string description_of(device d, int threads) {
  return with_backend(d, [&]<class B>(std::type_identity<B>) { return description<B>(threads); });
}

}  // namespace ravel::examples
