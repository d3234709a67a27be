/// Radix sort on the CPU of keys of uneven distributions, compared with the peers of bench.cpu.sort.

#include "support/distributions.hpp"
#include "support/key_sorts.hpp"

#include <string>

namespace ravel::bench::host {
namespace {

suite all(executor const& ex) {
  suite s = make_suite("cpu.sort_distributions", ex);
  note_sorts(s);
  for (auto const [name, of] : distributions) {
    if (of == distribution::uniform) continue;  // bench.cpu.sort
    auto const add = [&, of = of]<class K>(K, std::string const& type) {
      s.rows.push_back({"cpu.radix_sort." + type + '.' + name,
                        "radix sort keys " + type + ", " + name, index_t{1} << 26, [=](index_t n) {
                          return sort_keys<K>(ex, n, distributed<K>{of, n});
                        }});
    };
    add(std::uint32_t{}, "u32");
    add(std::uint64_t{}, "u64");
  }
  return s;
}

}  // namespace
}  // namespace ravel::bench::host

int main(int argc, char** argv) {
  using namespace ravel::bench::host;
  return run_suite(all, argc, argv);
}
