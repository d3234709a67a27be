#pragma once

/// The unsigned integer of each size.

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace ravel::inline v0::detail {

template <std::size_t Bytes>
struct unsigned_of;
template <>
struct unsigned_of<1> : std::type_identity<std::uint8_t> {};
template <>
struct unsigned_of<2> : std::type_identity<std::uint16_t> {};
template <>
struct unsigned_of<4> : std::type_identity<std::uint32_t> {};
template <>
struct unsigned_of<8> : std::type_identity<std::uint64_t> {};

/// The unsigned integer with the size of `T`.
template <class T>
using unsigned_of_t = typename unsigned_of<sizeof(T)>::type;

}  // namespace ravel::inline v0::detail
