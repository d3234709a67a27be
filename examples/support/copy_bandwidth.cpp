#include "support/copy_bandwidth.hpp"

#include "support/backend.hpp"
#include "support/timing.hpp"

#include <cstring>
#include <string>

namespace ravel::examples {
namespace {

constexpr index_t bytes = index_t{256} << 20;
constexpr int repeats = 7;

#ifdef __CUDACC__

void copy(cuda::executor const& ex, cuda::buffer<char> const& from, cuda::buffer<char> const& to) {
  ex.copy(from.data(), to.data(), bytes);
}

#else

/// Each tile of kilobytes is megabytes: as much as memcpy is good at.
struct copy_tile {
  static constexpr index_t width = 1024;
  char const* from;
  char* to;
  void operator()(cpu::worker, tile t) const {
    std::memcpy(to + t.begin * width, from + t.begin * width,
                static_cast<std::size_t>((t.end - t.begin) * width));
  }
};

void copy(cpu::threads const& ex, cpu::buffer<char> const& from, cpu::buffer<char> const& to) {
  ex.for_each_tile(bytes / copy_tile::width, copy_tile{from.data(), to.data()});
}

#endif

}  // namespace

template <class Backend>
bool is_available() {
#ifdef __CUDACC__
  return cuda::available();
#else
  return true;
#endif
}

template <class Backend>
std::string description(int threads) {
  auto const ex = Backend::executor(threads);
#ifdef __CUDACC__
  cudaDeviceProp properties;
  cuda::check(cudaGetDeviceProperties(&properties, ex.device()), "asking for the device's name");
  return properties.name;
#else
  int const count = ex.concurrency();
  return std::to_string(count) + (count == 1 ? " thread" : " threads");
#endif
}

template <class Backend>
double copy_bandwidth(int threads) {
  auto const ex = Backend::executor(threads);
  auto const from = ex.template allocate<char>(bytes);
  auto const to = ex.template allocate<char>(bytes);
  copy(ex, to, from);  // the pages of both are there before any is timed
  return 2.0 * static_cast<double>(bytes) /
         median_seconds(ex, repeats, [&] { copy(ex, from, to); });
}

template bool is_available<backend>();
template std::string description<backend>(int);
template double copy_bandwidth<backend>(int);

}  // namespace ravel::examples
