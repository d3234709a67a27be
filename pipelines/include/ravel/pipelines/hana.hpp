#pragma once

/// The bridge to Boost.Hana, for host code: unzip of structs that Hana knows.
///
///     struct city { BOOST_HANA_DEFINE_STRUCT(city, (std::string, name), (int, people)); };
///     auto const [names, people] = on(ex, cities) | filter(is_large) | unzip();

#include <ravel/pipelines/row.hpp>

#include <boost/hana/accessors.hpp>
#include <boost/hana/concept/struct.hpp>
#include <boost/hana/second.hpp>
#include <boost/hana/unpack.hpp>

namespace ravel::inline v0::piping {

/// The members of a struct, in their order.
template <class T>
requires(boost::hana::Struct<T>::value) struct fields_of<T> {
  auto operator()(T const& x) const {
    return boost::hana::unpack(boost::hana::accessors<T>(), [&](auto const&... member) {
      return make_row(boost::hana::second(member)(x)...);
    });
  }
};

}  // namespace ravel::inline v0::piping
