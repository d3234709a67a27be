#include "support/copy_bandwidth.hpp"

#include "support/backend.hpp"
#include "support/timing.hpp"

#include <cstring>
#include <string>

namespace ravel::examples {
namespace {

constexpr int repeats = 7;
constexpr index_t width = 1024;  // the copy is in whole kilobytes

#ifdef __CUDACC__

void copy(gpu::executor const& ex, gpu::buffer<char> const& from, gpu::buffer<char> const& to) {
  ex.copy(from.data(), to.data(), from.size());
}

#else

/// Each tile of kilobytes is megabytes, for which memcpy is efficient.
struct copy_tile {
  char const* from;
  char* to;
  void operator()(cpu::worker, tile t) const {
    std::memcpy(to + t.begin * width, from + t.begin * width,
                static_cast<std::size_t>((t.end - t.begin) * width));
  }
};

void copy(cpu::threads const& ex, cpu::buffer<char> const& from, cpu::buffer<char> const& to) {
  ex.for_each_tile(from.size() / width, copy_tile{from.data(), to.data()});
}

#endif

}  // namespace

template <class Backend>
bool is_available() {
#ifdef __CUDACC__
  return gpu::available();
#else
  return true;
#endif
}

template <class Backend>
std::string description(int threads) {
  auto const ex = Backend::executor(threads);
#ifdef __CUDACC__
  cudaDeviceProp properties;
  gpu::check(cudaGetDeviceProperties(&properties, ex.device()), "reading the device's name");
  return properties.name;
#else
  int const count = ex.concurrency();
  return std::to_string(count) + (count == 1 ? " thread" : " threads");
#endif
}

template <class Backend>
double copy_bandwidth(int threads, double bytes) {
  auto const ex = Backend::executor(threads);
  index_t const each = (static_cast<index_t>(bytes / 2) / width + 1) * width;
  auto const from = ex.template allocate<char>(each);
  auto const to = ex.template allocate<char>(each);
  copy(ex, to, from);  // maps the pages of both before the timing
  return 2.0 * static_cast<double>(each) / median_seconds(ex, repeats, [&] { copy(ex, from, to); });
}

template bool is_available<backend>();
template std::string description<backend>(int);
template double copy_bandwidth<backend>(int, double);

}  // namespace ravel::examples
