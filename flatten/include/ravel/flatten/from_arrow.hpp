#pragma once

/// Converts columns in Arrow's form to a lifted value.

#include <ravel/core/std_memory.hpp>
#include <ravel/flatten/arrow_abi.hpp>
#include <ravel/flatten/columns.hpp>
#include <ravel/flatten/compute.hpp>
#include <ravel/flatten/from.hpp>

#include <charconv>
#include <string_view>

namespace ravel::inline v0 {
namespace flattening {

/// Arrow's format string for an atom of this type.
template <class T>
constexpr char const* arrow_format() {
  if constexpr (std::same_as<T, bool>) {
    return "b";
  } else if constexpr (std::floating_point<T>) {
    static_assert(sizeof(T) <= 8, "Arrow has no floating-point type of this width");
    return sizeof(T) == 4 ? "f" : "g";
  } else {
    static_assert(std::integral<T>, "Arrow has no type for these elements");
    constexpr char const* of_width[2][4] = {{"c", "s", "i", "l"}, {"C", "S", "I", "L"}};
    constexpr int log = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
    return of_width[std::is_unsigned_v<T>][log];
  }
}

/// A producer's array, released with its last user.
struct arrow_array {
  ArrowArray array;

  explicit arrow_array(ArrowArray* producer) : array(*producer) { producer->release = nullptr; }
  arrow_array(arrow_array const&) = delete;
  arrow_array& operator=(arrow_array const&) = delete;
  ~arrow_array() {
    if (array.release) array.release(&array);
  }
};

/// Host values in the memory of `ex`: not copied if that is the host's.
template <class T, class Ex>
held<T const> lent(Ex const& ex, T const* host, index_t n, std::shared_ptr<void const> owner) {
  if constexpr (std::same_as<space_of_t<Ex>, host_space>) {
    return {std::move(owner), host, n};
  } else {
    return sent(ex, host, n);
  }
}

/// The n + 1 offsets at `at`, less the first of them.
template <class Ex, class O>
held<index_t const> rebased(Ex const& ex, O const* at, index_t n,
                            std::shared_ptr<void const> const& owner) {
  static_assert(std::same_as<index_t, std::int64_t>, "Arrow's large offsets are indices");
  if constexpr (std::same_as<O, index_t>) {
    if (n > 0 && at[0] == 0) return lent(ex, at, n + 1, owner);
  }
  cpu::buffer<index_t> offsets(n + 1);
  for (index_t i = 0; i <= n; ++i) offsets[i] = n == 0 ? 0 : index_t{at[i]} - index_t{at[0]};
  return sent<index_t>(ex, offsets.data(), n + 1);
}

/// Expects values [first, first + n) to be present: the array may have missing values elsewhere, or
/// a validity bitmap without a null count.
inline void expect_no_missing(ArrowArray const& array, index_t first, index_t n) {
  if (array.null_count == 0 || array.n_buffers == 0 || array.buffers[0] == nullptr) return;
  auto const* is_there = static_cast<std::uint8_t const*>(array.buffers[0]);
  for (index_t i = first; i < first + n; ++i) {
    expects(is_there[i / 8] >> i % 8 & 1, "from_arrow: value ", i - array.offset,
            " of an array is missing, and nested programs have no missing values");
  }
}

template <class T, class Ex>
column_t<Ex, T> arrow_values(Ex const& ex, ArrowSchema const& schema, ArrowArray const& array,
                             index_t first, index_t n, std::shared_ptr<void const> const& owner);

/// Sequences with n + 1 offsets of type O, from offset number `first` on.
template <class U, class O, class Ex>
ragged<Ex, column_t<Ex, U>> arrow_sequences(Ex const& ex, ArrowSchema const& schema,
                                            ArrowArray const& array, index_t first, index_t n,
                                            std::shared_ptr<void const> const& owner) {
  auto const* offsets = n == 0 ? nullptr : static_cast<O const*>(array.buffers[1]) + first;
  index_t const begin = n == 0 ? 0 : offsets[0];
  index_t const total = n == 0 ? 0 : offsets[n] - begin;
  auto const d = dense_rows<Ex>(n, total, rebased(ex, offsets, n, owner));
  if constexpr (std::same_as<U, char>) {
    auto const* text = static_cast<char const*>(array.buffers[2]);
    return {d, leaf_of(lent(ex, total == 0 ? nullptr : text + begin, total, owner))};
  } else {
    return {d, arrow_values<U>(ex, *schema.children[0], *array.children[0], begin, total, owner)};
  }
}

/// Values [first, first + n) of an array, before its own offset is added.
template <class T, class Ex>
column_t<Ex, T> arrow_values(Ex const& ex, ArrowSchema const& schema, ArrowArray const& array,
                             index_t first, index_t n, std::shared_ptr<void const> const& owner) {
  std::string_view const format = schema.format;
  expects(schema.dictionary == nullptr,
          "from_arrow: an array has indices into a dictionary, and not values");
  first += array.offset;
  expect_no_missing(array, first, n);
  if constexpr (is_nested<T>::value) {
    using U = typename nested_type<T>::of;
    constexpr bool text = std::same_as<U, char>;
    if (!text && format.starts_with("+w:")) {
      index_t length = 0;
      auto const* const end = format.data() + format.size();
      auto const read = std::from_chars(format.data() + 3, end, length);
      expects(read.ec == std::errc{} && read.ptr == end && length >= 0,
              "from_arrow: an array has the format '", format, "', which has no length");
      return {uniform_rows<Ex>(n, length),
              arrow_values<U>(ex, *schema.children[0], *array.children[0], first * length,
                              n * length, owner)};
    }
    if (format == (text ? "U" : "+L") || (text && format == "Z")) {
      return arrow_sequences<U, std::int64_t>(ex, schema, array, first, n, owner);
    }
    expects(format == (text ? "u" : "+l") || (text && format == "z"),
            "from_arrow: an array has the format '", format, "', and ",
            text ? "strings, 'u' or 'U'," : "lists, '+l' or '+L',", " were expected");
    return arrow_sequences<U, std::int32_t>(ex, schema, array, first, n, owner);
  } else if constexpr (host_record<T>) {
    constexpr auto count = static_cast<std::int64_t>(members_of<T>::count);
    expects(format == "+s", "from_arrow: an array has the format '", format,
            "', and a struct, '+s', was expected");
    expects(array.n_children == count, "from_arrow: a struct has ", array.n_children,
            " members, and ", count, " were expected");
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return column_t<Ex, T>{{arrow_values<typename members_of<T>::template type<I>>(
          ex, *schema.children[I], *array.children[I], first, n, owner)...}};
    }
    (member_indices<T>{});
  } else {
    expects(format == arrow_format<T>(), "from_arrow: an array has the format '", format,
            "', and '", arrow_format<T>(), "' was expected");
    if constexpr (std::same_as<T, bool>) {
      auto const* bits = static_cast<std::uint8_t const*>(array.buffers[1]);
      cpu::buffer<bool> flags(n);
      for (index_t i = 0; i < n; ++i) flags[i] = bits[(first + i) / 8] >> (first + i) % 8 & 1;
      return leaf_of(sent<bool>(ex, flags.data(), n));
    } else {
      auto const* values = static_cast<T const*>(array.buffers[1]);
      return leaf_of(lent(ex, n == 0 ? nullptr : values + first, n, owner));
    }
  }
}

}  // namespace flattening

/// The values of an Arrow array, of element type T, as a sequence of a nested program
/// on `ex`:
///
///     from_arrow<double>(ex, schema, &array)                        float64 array
///     from_arrow<nested<std::tuple<int, float>>>(ex, schema, &array)
///                                                    List<Struct<int32, float32>>
///
/// Lists, large lists and lists of a fixed size become sequences, structs records, strings
/// sequences of char.  `array` is moved from: it is released with the last value that uses it.
/// `schema` remains the caller's.
///
/// Cost     On the host atoms, and the offsets of large lists that begin with 0, are not
///          copied; 32-bit offsets, and bools, are converted.  To a
///          device everything is copied.
/// Errors   contract_error if the types differ from T, or a value is dictionary-encoded or missing.
/// See also to_arrow.
template <class T, executor Ex>
value<Ex, nested<T>> from_arrow(Ex const& ex, ArrowSchema const& schema, ArrowArray* array) {
  using namespace flattening;
  expects(array->release != nullptr, "from_arrow: the array has been released");
  auto const owner = std::make_shared<arrow_array const>(array);
  index_t const n = owner->array.length;
  auto const d = uniform_rows<Ex>(1, n);
  return {{d, arrow_values<T>(ex, schema, owner->array, 0, n, owner)}, root_on(ex)};
}

}  // namespace ravel::inline v0
