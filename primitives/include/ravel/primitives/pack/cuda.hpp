#pragma once

/// Pack on a device: the table of forms.  A host compiler can read it; cuda/pack.cuh and
/// cuda/unique.cuh implement the forms.

#include <ravel/core/cuda/device.hpp>
#include <ravel/primitives/cuda/bulk_types.hpp>
#include <ravel/primitives/cuda/scan_policy.hpp>
#include <ravel/primitives/pack/call.hpp>
#include <ravel/primitives/pack/steps.hpp>

namespace ravel::inline v0 {
namespace gpu {
namespace detail {

/// The tile shape of packs by flags, whose stages also hold the flags.
template <class Flags, class In>
inline constexpr scan_policy::shape pack_shape = scan_policy::packed_by_size(sizeof(In));
template <class F, class In>
requires(sizeof(F) > 1) inline constexpr scan_policy::shape pack_shape<nonzero<F>, In> =
    scan_policy::packed_by_size(sizeof(In), true);

/// Whether flags fit in a stage of that shape beside values of type In.
template <class Flags, class In>
inline constexpr bool can_copy_flags = [] {
  if constexpr (std::is_void_v<In>) {
    return false;
  } else {
    constexpr auto shape = pack_shape<Flags, In>;
    constexpr int count = shape.bytes_of_thread() / static_cast<int>(sizeof(In));
    return can_copy_to_stage<Flags, shape.threads * count, count>;
  }
}();

/// The needs of forms that move kept elements by bulk copies, on the executor and on memory.
template <class Call>
constexpr auto moves_elements() {
  using visit = ravel::detail::visit_traits<decltype(Call::visit)>;
  return needs(
      need{can_flow<typename visit::in, typename visit::out, typename visit::in>,
           "a visit that writes trivially copyable elements of 1, 2, 4 or 8 bytes in memory "
           "to memory, as wide as it reads them"});
}
template <class Call>
constexpr auto moves_unmapped() {
  using visit = ravel::detail::visit_traits<decltype(Call::visit)>;
  return moves_elements<Call>() +
         needs(need{!visit::maps, "elements that are written as they are"});
}
/// Flags of one byte are copied from anywhere.
template <class Flags, class In>
need flags_flow(Flags const& flags, In const* in) {
  bool const are_aligned = ends_aligned(in, begin_of_flags(flags)).holds;
  if constexpr (is_instance<Flags, nonzero>) {
    return {sizeof(*flags.flags) == 1 || are_aligned,
            "flags of a byte, or sequences that begin at multiples of 16 bytes"};
  } else {
    return {are_aligned, "flags of a byte, or sequences that begin at multiples of 16 bytes"};
  }
}
template <class T>
auto pays_to_stream(index_t n, T const*, device const& d) {
  return needs(need{n * static_cast<index_t>(sizeof(T)) >= d.sizes.packed_bytes,
                    "as many bytes of elements as tuning::packed_bytes, 2 MiB unless tuned"},
               streams_tiles(d));
}

}  // namespace detail

struct stream_pack_by_predicate : launched_form<stream_pack_by_predicate> {
  static constexpr auto name = "stream_by_predicate";
  static constexpr auto why =
      "One pass: tiles are copied in bulk, and what is kept of one leaves by one bulk copy.  2^28 "
      "u32, half of them kept, at 0.97 of the speed of a copy on an H200.";
  template <class Call>
  static constexpr auto types = [] {
    using keep = typename ravel::detail::keep_traits<decltype(Call::keep)>::predicate_of;
    using in = typename ravel::detail::visit_traits<decltype(Call::visit)>::in;
    return needs(need{!std::is_void_v<keep> && std::same_as<keep, in>,
                      "a predicate of the elements in memory that are kept"}) +
           detail::moves_elements<Call>();
  }();
  static auto now(auto const& c, device const& d) {
    return needs(need{ravel::detail::elements_of_keep(c.keep) == c.visit.in,
                      "a predicate of the very elements that are kept"},
                 detail::begin_at_elements(c.visit.in, c.visit.out)) +
           detail::pays_to_stream(c.n, c.visit.in, d);
  }
};

struct stream_pack_by_flags : launched_form<stream_pack_by_flags> {
  static constexpr auto name = "stream_by_flags";
  static constexpr auto why =
      "As stream_by_predicate, with the flags of a tile beside its elements.";
  template <class Call>
  static constexpr auto types = [] {
    using in = typename ravel::detail::visit_traits<decltype(Call::visit)>::in;
    return needs(need{
               detail::can_copy_flags<decltype(Call::keep), in>,
               "flags in memory, bits or a byte each, or of 4 bytes beside elements of 4 bytes"}) +
           detail::moves_unmapped<Call>();
  }();
  static auto now(auto const& c, device const& d) {
    return needs(detail::flags_flow(c.keep, c.visit.in),
                 detail::begin_at_elements(c.visit.in, c.visit.out)) +
           detail::pays_to_stream(c.n, c.visit.in, d);
  }
};

struct stream_index_by_flags : launched_form<stream_index_by_flags> {
  static constexpr auto name = "stream_index_by_flags";
  static constexpr auto why =
      "As stream_by_flags, of elements that are their indices, so that flags alone are read.";
  template <class Call>
  static constexpr auto types = [] {
    using visit = ravel::detail::visit_traits<decltype(Call::visit)>;
    return needs(
        need{detail::is_word<typename visit::index>,
             "a visit that writes indices of 4 or 8 bytes to memory"},
        need{detail::can_copy_flags<decltype(Call::keep), typename visit::index>,
             "flags in memory, bits or a byte each, or of 4 bytes beside indices of 4 bytes"});
  }();
  static auto now(auto const& c, device const& d) {
    return needs(detail::flags_flow(c.keep, static_cast<char const*>(nullptr))) +
           detail::pays_to_stream(c.n, c.visit.out, d);
  }
};

struct stream_pack_by_changes : launched_form<stream_pack_by_changes> {
  static constexpr auto name = "stream_by_changes";
  static constexpr auto why =
      "As stream_by_predicate: a tile also has the element before it, and compares neighbours in "
      "registers.";
  template <class Call>
  static constexpr auto types = [] {
    using keep = typename ravel::detail::keep_traits<decltype(Call::keep)>::changes_of;
    using in = typename ravel::detail::visit_traits<decltype(Call::visit)>::in;
    return needs(need{!std::is_void_v<keep> && std::same_as<keep, in>,
                      "a comparison of each element in memory with the one before"}) +
           detail::moves_unmapped<Call>();
  }();
  static auto now(auto const& c, device const& d) {
    return needs(need{ravel::detail::elements_of_keep(c.keep) == c.visit.in,
                      "a comparison of the very elements that are kept"},
                 detail::begin_at_elements(c.visit.in, c.visit.out)) +
           detail::pays_to_stream(c.n, c.visit.in, d);
  }
};

struct pack_by_votes : launched_form<pack_by_votes> {
  static constexpr auto name = "by_votes";
  static constexpr auto why =
      "One pass, whatever is read and wherever it goes: the ballot of a warp gives each of 32 "
      "elements "
      "its place.";
  static auto now(auto const& c, device const&) {
    return needs(need{0 < c.n && c.n < index_t{1} << 31, "1 to 2^31 - 1 elements"});
  }
};

}  // namespace gpu

template <>
struct form_table<pack_family, gpu::device>
    : forms<gpu::stream_pack_by_predicate, gpu::stream_pack_by_flags, gpu::stream_index_by_flags,
            gpu::stream_pack_by_changes, gpu::pack_by_votes, pack_by_steps> {};

}  // namespace ravel::inline v0
