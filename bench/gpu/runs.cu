/// Sums and lengths of the runs of equal keys on the GPU, compared with CUB, for runs of every
/// length.

#include "support/gpu.cuh"

#include <ravel/core/transfer.hpp>
#include <ravel/primitives/reduce_by_key.hpp>
#include <ravel/primitives/run_length.hpp>

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_run_length_encode.cuh>

#include <cstdint>
#include <functional>
#include <string>

namespace ravel::bench::on_gpu {
namespace {

using key = std::uint32_t;
using value = std::int32_t;

struct keys_of_runs {
  index_t length;
  RAVEL_HD key operator()(index_t i) const { return static_cast<key>(i / length); }
};

struct sum {
  RAVEL_HD value operator()(value x, value y) const { return x + y; }
};

/// Whether `count`, and the keys and values before it, are those expected.
template <class T>
auto same_runs(gpu::executor const& ex, index_t runs, shared<index_t> count, shared<key> keys,
               shared<T> values, shared<key> expected_keys, shared<T> expected_values) {
  return [=] {
    return at_sync(ex, *count) == runs &&
           all_equal(ex, runs, keys->data(), element<key>{expected_keys->data()}) &&
           all_equal(ex, runs, values->data(), element<T>{expected_values->data()});
  };
}

comparison sum_runs(gpu::executor const& ex, index_t n, index_t length) {
  auto const keys = generate<key>(ex, n, keys_of_runs{length});
  auto const values = generate<value>(ex, n, reached<value>{});
  index_t const runs = div_up(n, length);
  auto const out_keys = allocate<key>(ex, runs), expected_keys = allocate<key>(ex, runs);
  auto const out = allocate<value>(ex, runs), expected = allocate<value>(ex, runs);
  auto const count = allocate<index_t>(ex, 1);
  auto const peer_to = [=](shared<key> const& to_keys, shared<value> const& to) {
    return with_scratch(ex, [=](void* scratch, std::size_t& bytes) {
      return cub::DeviceReduce::ReduceByKey(scratch, bytes, keys->data(), to_keys->data(),
                                            values->data(), to->data(), count->data(), sum{},
                                            static_cast<int>(n), ex.stream());
    });
  };
  peer_to(expected_keys, expected)();
  auto const right = same_runs(ex, runs, count, out_keys, out, expected_keys, expected);

  comparison c;
  c.bytes = 8.0 * double(n + runs);
  c.poison = poison(ex, out_keys, out, count);
  add_ours(ex, c, right, [=](auto& on) {
    reduce_by_key(on, *keys, *values, *out_keys, *out, plus<>{}, total_to(*count));
  });
  c.contenders.push_back({"peer:cub", peer_to(out_keys, out), right});
  add_copies(ex, c);
  return c;
}

comparison measure_runs(gpu::executor const& ex, index_t n, index_t length) {
  auto const keys = generate<key>(ex, n, keys_of_runs{length});
  index_t const runs = div_up(n, length);
  auto const out_keys = allocate<key>(ex, runs), expected_keys = allocate<key>(ex, runs);
  auto const out = allocate<value>(ex, runs), expected = allocate<value>(ex, runs);
  auto const count = allocate<index_t>(ex, 1);
  auto const peer_to = [=](shared<key> const& to_keys, shared<value> const& to) {
    return with_scratch(ex, [=](void* scratch, std::size_t& bytes) {
      return cub::DeviceRunLengthEncode::Encode(scratch, bytes, keys->data(), to_keys->data(),
                                                to->data(), count->data(), static_cast<int>(n),
                                                ex.stream());
    });
  };
  peer_to(expected_keys, expected)();
  auto const right = same_runs(ex, runs, count, out_keys, out, expected_keys, expected);

  comparison c;
  c.bytes = 4.0 * double(n) + 8.0 * double(runs);
  c.poison = poison(ex, out_keys, out, count);
  add_ours(ex, c, right,
           [=](auto& on) { run_length_encode(on, *keys, *out_keys, *out, total_to(*count)); });
  c.contenders.push_back({"peer:cub", peer_to(out_keys, out), right});
  add_copies(ex, c);
  return c;
}

suite all(gpu::executor const& ex) {
  suite s = make_suite("gpu.runs", ex);
  constexpr index_t whole = index_t{1} << 27;
  for (index_t const length : {index_t{1}, index_t{3}, index_t{1000}, whole}) {
    auto const name = length == whole ? std::string("one") : std::to_string(length);
    s.rows.push_back({"gpu.reduce_by_key.run" + name,
                      "sums of runs of keys u32, values i32, runs of " + name, whole,
                      [=](index_t n) { return sum_runs(ex, n, length); }});
    s.rows.push_back({"gpu.rle.run" + name, "run lengths of u32, runs of " + name, whole,
                      [=](index_t n) { return measure_runs(ex, n, length); }});
  }
  for (int const log : {16, 20, 24}) {
    s.rows.push_back({"gpu.reduce_by_key.run3.2^" + std::to_string(log),
                      "sums of runs of keys u32, values i32, runs of 3", index_t{1} << log,
                      [=](index_t n) { return sum_runs(ex, n, 3); }});
  }
  return s;
}

}  // namespace
}  // namespace ravel::bench::on_gpu

int main(int argc, char** argv) {
  using namespace ravel::bench::on_gpu;
  return run_suite(all, argc, argv);
}
