#include "coding.hpp"

#include "support/backend.hpp"

#include <ravel/algorithms/delta.hpp>
#include <ravel/core/transfer.hpp>

#include <bit>
#include <cstdlib>

namespace ravel::examples {
namespace {

double bits_of(std::vector<std::int16_t> const& differences) {
  double bits = 0;
  for (int const x : differences) bits += 1 + std::bit_width(static_cast<unsigned>(std::abs(x)));
  return differences.empty() ? 0 : bits / double(differences.size());
}

template <int Order, int Channels, class Ex>
coding code_with(Ex const& ex, std::vector<std::int16_t> const& samples) {
  auto const in = to(ex, samples);
  auto const coded = ex.template allocate<std::int16_t>(std::ssize(samples));
  delta_encode(ex, in, coded, of_order<Order>, of_tuples<Channels>);
  double const bits = bits_of(to_host(ex, coded));
  delta_decode(ex, coded, coded, of_order<Order>, of_tuples<Channels>);
  return {Order, bits, to_host(ex, coded) == samples};
}

template <int Channels, class Ex>
std::vector<coding> code_channels(Ex const& ex, std::vector<std::int16_t> const& samples) {
  return {{0, bits_of(samples), true},
          code_with<1, Channels>(ex, samples),
          code_with<2, Channels>(ex, samples),
          code_with<3, Channels>(ex, samples),
          code_with<4, Channels>(ex, samples)};
}

}  // namespace

template <class Backend>
std::vector<coding> code(sound const& s, int threads) {
  auto const ex = Backend::executor(threads);
  return s.channels == 1 ? code_channels<1>(ex, s.samples) : code_channels<2>(ex, s.samples);
}

template std::vector<coding> code<backend>(sound const&, int);

}  // namespace ravel::examples
