/// Reduction on the CPU, beside oneTBB's and libstdc++'s.

#include "support/host.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <execution>
#include <functional>
#include <numeric>
#include <string>

namespace ravel::bench::host {
namespace {

/// A one in sixteen numbers, at random: few enough that every sum is exact in float.
template <class T>
struct rare_one {
  T operator()(index_t i) const { return static_cast<T>(random_below(4, i, 16) == 0 ? 1 : 0); }
};

template <class T>
comparison sum(executor const& ex, index_t n) {
  auto const in = generate<T>(ex, n, rare_one<T>{});
  auto const out = allocate<T>(ex, 1);
  T const expected = static_cast<T>(std::accumulate(in->begin(), in->end(), 0.0));
  auto const right = [=] { return (*out)[0] == expected; };

  comparison c;
  c.bytes = double(n) * sizeof(T);
  c.poison = poison(out);
  add_ours(
      ex, c, [=](executor const& by) { reduce(by, *in, *out); }, right);
  c.contenders.push_back(
      {"peer:oneTBB",
       [=] {
         (*out)[0] = tbb::parallel_reduce(
             tbb::blocked_range<T const*>(in->begin(), in->end()), T(0),
             [](auto const& r, T x) { return std::accumulate(r.begin(), r.end(), x); },
             std::plus<T>());
       },
       right});
  c.contenders.push_back(
      {"peer:libstdc++ par",
       [=] { (*out)[0] = std::reduce(std::execution::par_unseq, in->begin(), in->end()); }, right});
  c.contenders.push_back({"peer:serial loop",
                          [=] { (*out)[0] = std::accumulate(in->begin(), in->end(), T(0)); },
                          right});
  return c;
}

template <class T>
void add_sums(suite& s, executor const& ex, std::string const& type) {
  auto const add = [&](std::string const& size, index_t n) {
    s.rows.push_back(
        {"cpu.reduce." + type + size, "sum " + type, n, [ex](index_t m) { return sum<T>(ex, m); }});
  };
  for (int const log : {0, 3, 6, 9, 12, 14, 17, 18, 20, 22, 24}) {
    add(".2^" + std::to_string(log), index_t{1} << log);
  }
  add("", index_t{1} << 27);
}

suite all(executor const& ex) {
  suite s = make_suite("cpu.reduce", ex);
  add_sums<std::uint32_t>(s, ex, "u32");
  add_sums<float>(s, ex, "f32");
  return s;
}

}  // namespace
}  // namespace ravel::bench::host

int main(int argc, char** argv) {
  using namespace ravel::bench::host;
  return run_suite(all, argc, argv);
}
