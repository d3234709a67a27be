#pragma once

/// @file
/// A function object of any type, called through a pointer: what calls it is compiled once, for all
/// types of functions.

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

}  // namespace ravel::inline v0::detail
