/// Compares the bits that the differences of a sound need, for each order, and decodes them.

#include "coding.hpp"
#include "support/backend.hpp"
#include "support/command_line.hpp"
#include "support/device.hpp"
#include "support/input.hpp"
#include "support/output.hpp"
#include "wav.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

namespace ravel::examples {
namespace {

sound sound_of(std::string const& path) {
  if (!path.empty()) return parse_wav(read_input(path).all(), path);
  auto const wav = chord(4);
  return parse_wav({wav.data(), std::ssize(wav)}, "a chord");
}

int run(std::string const& path, device_options const& where) {
  auto const d = chosen_device(where);
  auto const s = sound_of(path);
  print("{}: {} channels, {} samples of 16 bits, on {}\n", path.empty() ? "a chord" : path,
        s.channels, s.samples.size(), description_of(d, where.threads));
  auto const codings =
      with_backend(d, [&]<class B>(std::type_identity<B>) { return code<B>(s, where.threads); });
  bool right = true;
  for (auto const& c : codings) {
    print("  order {}  {:5.2f} bits a sample{}\n", c.order, c.bits,
          c.order == 0   ? ""
          : c.comes_back ? ", and back"
                         : ", and back WRONG");
    right = right && c.comes_back;
  }
  return right ? success : check_failed;
}

}  // namespace
}  // namespace ravel::examples

int main(int argc, char** argv) {
  using namespace ravel::examples;
  CLI::App app{"Shows how few bits the differences of a sound take, and decodes them.",
               "ravel-delta"};
  std::string path;
  device_options where;
  app.add_option("FILE", path,
                 "a WAV file of 16-bit samples; - is standard input; a chord if absent");
  add_device_options(app, where);
  return run_program(app, argc, argv, [&] { return run(path, where); });
}
