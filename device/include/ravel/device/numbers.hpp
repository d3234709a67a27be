#pragma once

/// The types of numbers that the archive ravel::device holds calls for.

#include <concepts>
#include <cstdint>

namespace ravel::inline v0::detail::archive {

template <class T, class... Types>
concept one_of = (std::same_as<T, Types> || ...);

/// The types of numbers that the archive knows.
template <class T>
concept number = one_of<T, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                        std::uint32_t, std::int64_t, std::uint64_t, float, double>;

}  // namespace ravel::inline v0::detail::archive
