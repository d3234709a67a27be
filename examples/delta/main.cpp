/// Compares the bits that the differences of a sound need, for each order, and decodes them.

#include "coding.hpp"
#include "support/backend.hpp"
#include "support/command_line.hpp"
#include "support/device.hpp"
#include "support/input.hpp"
#include "support/output.hpp"
#include "support/report.hpp"
#include "wav.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <string>

namespace ravel::examples {
namespace {

struct arguments : tool_options {
  std::string file = "-";
  int seconds = 0;  // of a generated chord
};

int run(arguments const& a) {
  auto const d = chosen_device(a.where);
  bool const is_file = a.seconds == 0;
  std::string const name = is_file ? a.file : "a chord";
  auto const s = [&] {
    if (is_file) return parse_wav(read_input(name).all(), name);
    auto const wav = chord(a.seconds);
    return parse_wav({wav.data(), std::ssize(wav)}, name);
  }();
  auto const codings =
      with_backend(d, [&]<class B>(std::type_identity<B>) { return code<B>(s, a.where.threads); });

  report r{{{"file", name},
            {"channels", s.channels},
            {"samples", s.samples.size()},
            {"device", name_of(d)},
            {"bits_a_sample", nlohmann::json::array()}},
           fmt::format("{}: {} channels, {} samples of 16 bits, on {}\n", name, s.channels,
                       s.samples.size(), description_of(d, a.where.threads))};
  std::string table;
  for (auto const& c : codings) {
    table += fmt::format("order {}  {:5.2f} bits a sample\n", c.order, c.bits);
    r.values["bits_a_sample"].push_back(c.bits);
    if (!c.comes_back) r.wrong = fmt::format("the differences of order {} do not decode", c.order);
  }
  if (a.writes_results()) write_text(table, a.target());
  return finish("ravel-delta", a, r);
}

}  // namespace
}  // namespace ravel::examples

int main(int argc, char** argv) {
  using namespace ravel::examples;
  CLI::App app{
      "Shows how few bits the differences of a sound take, and decodes them: exits with 1 if they\n"
      "do not give the sound.",
      "ravel-delta"};
  arguments a;
  auto* const file =
      app.add_option("FILE", a.file, "a WAV file of 16-bit samples; standard input if absent");
  add_integer(app, "--generate", a.seconds, "a chord of so many seconds", 1, 3600)
      ->default_str("")
      ->excludes(file);
  add_output_options(app, a, "the bits a sample of each order");
  add_device_options(app, a.where);
  return run_program(app, argc, argv, [&] { return run(a); });
}
