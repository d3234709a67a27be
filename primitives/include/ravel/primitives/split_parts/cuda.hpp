#pragma once

/// Split to parts on a device: the table of forms.  A host compiler can read it;
/// cuda/stream_split.cuh implements the form.

#include <ravel/core/cuda/device.hpp>
#include <ravel/primitives/cuda/bulk_types.hpp>
#include <ravel/primitives/split/cuda.hpp>
#include <ravel/primitives/split_parts/call.hpp>
#include <ravel/primitives/split_parts/steps.hpp>

namespace ravel::inline v0 {
namespace gpu {

struct split_parts_streamed : launched_form<split_parts_streamed> {
  static constexpr auto name = "stream";
  static constexpr auto why = "One pass through stages of shared memory, which moves 2 n elements.";
  template <class Call>
  static constexpr auto types = [] {
    using T = ravel::detail::moved_to_parts_t<Call>;
    using D = typename detail::digit_elements<decltype(Call::digit)>::element;
    return needs(detail::words_moved<T>(), detail::digit_of_moved<D, T>,
                 need{2 <= Call::ways && Call::ways <= 8, "2 to 8 parts"});
  }();
  static auto now(auto const& c, device const& d) {
    auto ends = reinterpret_cast<std::uintptr_t>(c.in);
    for (auto* const part : c.to.to) ends |= reinterpret_cast<std::uintptr_t>(part);
    return needs(
        need{c.digit.from == c.in, "digits of the elements that are moved"},
        need{c.n * static_cast<index_t>(sizeof(*c.in)) >= d.sizes.coded_bytes,
             "as many bytes of elements as tuning::coded_bytes"},
        need{ends % detail::bulk_bytes == 0, "sequences that begin at multiples of 16 bytes"},
        detail::streams_tiles(d));
  }
};

}  // namespace gpu

template <>
struct form_table<split_parts_family, gpu::device>
    : forms<gpu::split_parts_streamed, split_parts_by_steps> {};

}  // namespace ravel::inline v0
