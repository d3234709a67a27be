#pragma once

/// The element types of nested sequences, and their representation as columns.
///
///     element ::= atom | (element, ...) | struct | nested<element>
///
/// A sequence of tuples, or of structs that BOOST_HANA_ADAPT_STRUCT has described,
/// is stored as one column for each member; a sequence of sequences as the concatenation of their
/// elements and a segment descriptor.
///
/// Programs that describe structs include <boost/hana/adapt_struct.hpp>: it takes g++ 12 MB.  Others need
/// no more of Boost.Hana than declarations.

#include <ravel/core/std_ranges.hpp>

#include <boost/hana/accessors.hpp>
#include <boost/hana/concept/struct.hpp>
#include <boost/hana/fwd/at.hpp>
#include <boost/hana/fwd/core/to.hpp>
#include <boost/hana/fwd/first.hpp>
#include <boost/hana/fwd/length.hpp>
#include <boost/hana/fwd/second.hpp>
#include <boost/hana/fwd/tuple.hpp>

#include <cstddef>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace ravel::inline v0 {

/// The type of a sequence of `T`s of any length, [T] in NESL.
///
///     nested<nested<double>>            the rows of a matrix
///     nested<std::tuple<int, char>>     a sequence of pairs, kept as two columns
///
/// It names a type and has no values; `value<Ex, nested<T>>` has.
template <class T>
struct nested {};

namespace flattening {

template <class T>
struct is_nested : std::false_type {};
template <class T>
struct is_nested<nested<T>> : std::true_type {};

template <class T>
struct is_tuple : std::false_type {};
template <class... T>
struct is_tuple<std::tuple<T...>> : std::true_type {};
template <class A, class B>
struct is_tuple<std::pair<A, B>> : std::true_type {};
template <class... T>
struct is_tuple<boost::hana::tuple<T...>> : std::true_type {};

template <class T>
concept adapted_struct = std::is_class_v<T> && boost::hana::Struct<T>::value;

template <class T>
concept host_record = is_tuple<T>::value || adapted_struct<T>;

/// Values of one instance, in bodies that run as loops: flatten/plain_value.hpp.
template <class T>
inline constexpr bool is_plain_value = false;

/// A range that can only be iterated when mutable, like std::views::filter.
template <class T>
concept mutable_range = !std::ranges::forward_range<T const> && std::ranges::forward_range<T>;

/// The type through which a host value is read: const where it can be.
template <class T>
using read_as = std::conditional_t<mutable_range<T>, T, T const>;
template <class T>
concept host_range = std::ranges::forward_range<read_as<T>> && !host_record<T>;

}  // namespace flattening

/// `T` is stored as one element: a number, a character, a bool, an enumeration, or
/// any other trivially copyable type with a default value.
template <class T>
concept atom = std::is_trivially_copyable_v<T> && std::is_default_constructible_v<T> &&
               !std::is_pointer_v<T> &&
               !flattening::host_record<T> && !flattening::host_range<T> &&
               !flattening::is_nested<T>::value && !flattening::is_plain_value<T>;

namespace flattening {

template <class T>
struct model_of {
  static_assert(sizeof(T) == 0,
                "this type cannot be an element of a nested sequence: numbers, enumerations, types "
                "that may be copied as bytes, ranges that may be read twice, tuples, and structs "
                "that BOOST_HANA_ADAPT_STRUCT describes can");
};
template <atom T>
struct model_of<T> : std::type_identity<T> {};
template <adapted_struct T>
struct model_of<T> : std::type_identity<T> {};
template <class T>
struct model_of<nested<T>> : std::type_identity<nested<typename model_of<T>::type>> {};
template <host_range T>
struct model_of<T>
    : std::type_identity<nested<typename model_of<std::ranges::range_value_t<read_as<T>>>::type>> {
};
template <class... T>
struct model_of<std::tuple<T...>>
    : std::type_identity<std::tuple<typename model_of<std::remove_cvref_t<T>>::type...>> {};
template <class A, class B>
struct model_of<std::pair<A, B>> : model_of<std::tuple<A, B>> {};
template <class... T>
struct model_of<boost::hana::tuple<T...>> : model_of<std::tuple<T...>> {};

/// Member `I` of a record on the host.
template <std::size_t I, class R>
decltype(auto) member(R&& record) {
  using plain = std::remove_cvref_t<R>;
  if constexpr (adapted_struct<plain>) {
    return boost::hana::second(boost::hana::at_c<I>(boost::hana::accessors<plain>()))(record);
  } else if constexpr (requires { std::get<I>(record); }) {
    return std::get<I>(record);
  } else {
    return boost::hana::at_c<I>(record);
  }
}

template <class R>
struct members_of;
template <class... T>
struct members_of<std::tuple<T...>> {
  static constexpr std::size_t count = sizeof...(T);
  template <std::size_t I>
  using type = std::tuple_element_t<I, std::tuple<T...>>;
};
template <adapted_struct R>
struct members_of<R> {
  static constexpr std::size_t count =
      decltype(boost::hana::length(boost::hana::accessors<R>()))::value;
  template <std::size_t I>
  using type =
      typename model_of<std::remove_cvref_t<decltype(member<I>(std::declval<R&>()))>>::type;
};
/// The name of a member, or its number if it has no name.
template <class R, std::size_t I>
std::string name_of_member() {
  if constexpr (adapted_struct<R>) {
    return boost::hana::to<char const*>(
        boost::hana::first(boost::hana::at_c<I>(boost::hana::accessors<R>())));
  } else {
    return std::to_string(I);
  }
}

template <class R>
using member_indices = std::make_index_sequence<members_of<R>::count>;

template <class T>
struct host_of : std::type_identity<T> {};
template <class T>
struct host_of<nested<T>> : std::type_identity<std::vector<typename host_of<T>::type>> {};
template <>
struct host_of<nested<char>> : std::type_identity<std::string> {};
template <class... T>
struct host_of<std::tuple<T...>> : std::type_identity<std::tuple<typename host_of<T>::type...>> {};

}  // namespace flattening

/// The element type that a host type is imported as.
///
///     model_t<std::vector<std::string>>      nested<nested<char>>
///     model_t<std::pair<int, float>>         std::tuple<int, float>
template <class H>
using model_t = typename flattening::model_of<std::remove_cvref_t<H>>::type;

/// The host type that elements of type `T` are exported as.
///
///     host_t<nested<nested<int>>>            std::vector<std::vector<int>>
///     host_t<nested<char>>                   std::string
template <class T>
using host_t = typename flattening::host_of<T>::type;

}  // namespace ravel::inline v0
