#pragma once

/// WAV files of 16-bit samples: reads one, and generates one to try.

#include <ravel/core/view.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace ravel::examples {

/// Samples of all channels in turn: sample i is of channel i % channels.
struct sound {
  int channels;
  int samples_per_second;
  std::vector<std::int16_t> samples;
};

/// Parses the bytes of a WAV file; `name` is for errors.
///
/// Errors   bad_input if it is malformed, or does not have one or two channels of 16-bit samples.
sound parse_wav(view<char const> bytes, std::string const& name);

/// The bytes of a WAV file of two channels: some seconds of a chord that swells and decays.
std::vector<char> chord(int seconds);

}  // namespace ravel::examples
