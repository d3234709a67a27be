#pragma once

/// Calls of functions: of any type through a pointer, so that what calls them is compiled once; and
/// with the members of a tuple.

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ravel::inline v0::detail {

template <class Signature>
class function_ref;

/// Refers to a function object that lives longer than it, as std::function_ref of C++26 does: as a
/// parameter, to what the caller passed.
///
///     auto const twice = [](int x) { return 2 * x; };
///     function_ref<int(int)> const f = twice;
///     f(4) == 8
template <class R, class... Arguments>
class function_ref<R(Arguments...)> {
  void const* object_;
  R (*call_)(void const*, Arguments...);

 public:
  template <class F>
  requires(!std::is_same_v<F, function_ref>) function_ref(F const& f)
      : object_(&f), call_([](void const* object, Arguments... arguments) -> R {
          return static_cast<R>(
              (*static_cast<F const*>(object))(std::forward<Arguments>(arguments)...));
        }) {}

  R operator()(Arguments... arguments) const {
    return call_(object_, std::forward<Arguments>(arguments)...);
  }
};

/// f(x0, x1, ...) for a std::tuple of these.  std::apply takes compilers three times as long, since it
/// also determines whether the call throws.
template <class F, class Tuple>
constexpr decltype(auto) call_with(F&& f, Tuple&& args) {
  return [&]<std::size_t... I>(std::index_sequence<I...>)->decltype(auto) {
    return f(std::get<I>(args)...);
  }
  (std::make_index_sequence<std::tuple_size_v<std::remove_cvref_t<Tuple>>>{});
}

}  // namespace ravel::inline v0::detail
