#pragma once

/// Runs of equal keys on a device: the table of forms.  A host compiler can read it;
/// cuda/run_length.cuh and cuda/reduce_by_key.cuh implement the forms.

#include <ravel/core/cuda/device.hpp>
#include <ravel/primitives/cuda/bulk_types.hpp>
#include <ravel/primitives/runs/call.hpp>
#include <ravel/primitives/runs/steps.hpp>

#include <type_traits>

namespace ravel::inline v0 {
namespace gpu {
namespace detail {

template <class Call>
constexpr auto streams_keys() {
  using Keys = decltype(Call::keys);
  using to_keys = typename ravel::detail::sinks_of_runs<decltype(Call::out)>::keys;
  using Key = stored_t<Keys>;
  return needs(
      need{is_instance<Keys, contiguous>, "keys in memory"},
      need{is_instance<to_keys, into_contiguous> && can_flow<Key, stored_t<to_keys>, Key, 16>,
           "keys of 1, 2, 4, 8 or 16 bytes that are trivially copyable, and written to "
           "memory as wide as they are read"});
}
auto pays_to_stream_runs(auto const& c, device const& d) {
  return needs(need{c.n * static_cast<index_t>(sizeof(*c.keys.data)) >= d.sizes.coded_bytes,
                    "as many bytes of keys as tuning::coded_bytes, 32 KiB unless tuned"},
               streams_tiles(d));
}

}  // namespace detail

struct stream_run_lengths : launched_form<stream_run_lengths> {
  static constexpr auto name = "stream_lengths";
  static constexpr auto why =
      "One pass at the speed of a copy, a pack by changes that also writes how far it is from each "
      "to the next: 2^27 u32 in 0.24 ms on an H200, and 3.83 ms by steps.";
  template <class Call>
  static constexpr auto types = [] {
    using to_values = typename ravel::detail::sinks_of_runs<decltype(Call::out)>::values;
    return needs(need{ravel::detail::gives_lengths<Call>,
                      "a sum of ones for each run, which is its length"}) +
           detail::streams_keys<Call>() +
           needs(
               need{is_instance<to_values, into_contiguous> && detail::is_word<stored_t<to_values>>,
                    "lengths of 4 or 8 bytes that are written to memory"});
  }();
  static auto now(auto const& c, device const& d) {
    return needs(detail::begin_at_elements(c.keys.data, c.out.keys.data)) +
           detail::pays_to_stream_runs(c, d);
  }
};

struct stream_run_sums : launched_form<stream_run_sums> {
  static constexpr auto name = "stream_sums";
  static constexpr auto why =
      "One pass, a pack of the keys by their changes that also combines the values from each to "
      "the next; the steps read twice.";
  template <class Call>
  static constexpr auto types = [] {
    using Values = decltype(Call::values);
    using to_values = typename ravel::detail::sinks_of_runs<decltype(Call::out)>::values;
    using Value = stored_t<Values>;
    using T = typename Call::value_type;
    return detail::streams_keys<Call>() +
           needs(need{is_instance<Values, contiguous> && detail::can_flow<Value, Value, Value>,
                      "values in memory of 1, 2, 4 or 8 bytes that are trivially copyable"},
                 need{sizeof(T) <= 8 && std::is_trivially_copyable_v<T> &&
                          std::is_trivially_default_constructible_v<T> &&
                          std::is_convertible_v<Value, T>,
                      "sums that are trivially copyable and of at most 8 bytes"},
                 need{is_instance<to_values, into_contiguous> &&
                          detail::can_flow<stored_t<to_values>, stored_t<to_values>,
                                           stored_t<to_values>>,
                      "sums of 1, 2, 4 or 8 bytes that are written to memory"},
                 need{is_instance<decltype(Call::seed), ravel::detail::seed_identity>,
                      "sums from the identity"});
  }();
  static auto now(auto const& c, device const& d) {
    return needs(detail::begin_at_elements(c.keys.data, c.values.data, c.out.keys.data,
                                           c.out.values.data)) +
           detail::pays_to_stream_runs(c, d);
  }
};

}  // namespace gpu

template <>
struct form_table<runs_family, gpu::device>
    : forms<gpu::stream_run_lengths, gpu::stream_run_sums, runs_by_steps> {};

}  // namespace ravel::inline v0
