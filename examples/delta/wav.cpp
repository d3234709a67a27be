#include "wav.hpp"

#include "support/command_line.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <string_view>

namespace ravel::examples {
namespace {

/// The little-endian number in `bytes` bytes.
std::uint32_t number(view<char const> from, int bytes) {
  std::uint32_t x = 0;
  for (int k = bytes; k-- > 0;) x = x << 8 | static_cast<unsigned char>(from[k]);
  return x;
}
void put(std::vector<char>& to, std::uint32_t x, int bytes) {
  for (int k = 0; k < bytes; ++k) to.push_back(static_cast<char>(x >> 8 * k & 0xff));
}
void put(std::vector<char>& to, std::string_view text) {
  for (char const c : text) to.push_back(c);
}

}  // namespace

sound parse_wav(view<char const> bytes, std::string const& name) {
  auto const is = [&](index_t at, std::string_view text) {
    return std::string_view(bytes.data() + at, text.size()) == text;
  };
  auto const refuse = [&](std::string const& why) { return bad_input(name + ": " + why); };
  if (bytes.size() < 12 || !is(0, "RIFF") || !is(8, "WAVE")) throw refuse("this is no WAV file");
  sound s{};
  for (index_t at = 12; at + 8 <= bytes.size();) {  // chunks: name, size, contents
    index_t const size = number(bytes.slice(at + 4, 4), 4);
    auto const chunk = bytes.slice(at + 8, std::min(size, bytes.size() - at - 8));
    if (is(at, "fmt ") && chunk.size() >= 16) {
      s.channels = static_cast<int>(number(chunk.slice(2, 2), 2));
      s.samples_per_second = static_cast<int>(number(chunk.slice(4, 4), 4));
      auto const format = number(chunk.slice(0, 2), 2);
      auto const bits = number(chunk.slice(14, 2), 2);
      if (format != 1 || bits != 16 || s.channels < 1 || s.channels > 2) {
        throw refuse(
            fmt::format("{} channels of {} bits in format {}; only 1 or 2 of 16 bits in "
                        "format 1 are read",
                        s.channels, bits, format));
      }
    } else if (is(at, "data")) {
      if (s.channels == 0) throw refuse("its samples precede their format");
      for (index_t k = 0; k + 2 <= chunk.size(); k += 2) {
        s.samples.push_back(static_cast<std::int16_t>(number(chunk.slice(k, 2), 2)));
      }
      return s;
    }
    at += 8 + size + size % 2;
  }
  throw refuse("it has no samples");
}

std::vector<char> chord(int seconds) {
  constexpr int rate = 44100;
  auto const data = static_cast<std::uint32_t>(seconds * rate * 4);
  std::vector<char> wav;
  put(wav, "RIFF");
  put(wav, 36 + data, 4);
  put(wav, "WAVEfmt ");
  put(wav, 16, 4);
  put(wav, 1, 2);  // PCM
  put(wav, 2, 2);
  put(wav, rate, 4);
  put(wav, rate * 4, 4);
  put(wav, 4, 2);
  put(wav, 16, 2);
  put(wav, "data");
  put(wav, data, 4);
  for (int i = 0; i < seconds * rate; ++i) {
    double const t = double(i) / rate;
    double const loud = 9000 * std::exp(-2 * std::fmod(t, 2.0));
    for (double const tone : {220.0, 277.2}) {  // one for each channel, a fifth apart
      double const turn = 2 * std::numbers::pi * tone * t;
      double const y = loud * (std::sin(turn) + std::sin(1.5 * turn) + std::sin(2 * turn) / 3);
      put(wav, static_cast<std::uint32_t>(std::lround(y)), 2);
    }
  }
  return wav;
}

}  // namespace ravel::examples
