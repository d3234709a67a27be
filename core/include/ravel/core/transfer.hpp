#pragma once

/// Copies to the memory of an executor, and back to the host.

#include <ravel/core/cpu/pages.hpp>
#include <ravel/core/range_copy.hpp>
#include <ravel/core/std_memory.hpp>

#include <new>
#include <stdexcept>
#include <vector>

namespace ravel::inline v0 {
namespace detail {

/// A vector of n elements, for the result of `call` on `ex`.
///
/// Its pages are huge ones where the kernel grants them.  Pages of a large vector are first written by
/// all threads of a host executor, as std::vector fills them with zeros by one (docs/lab/host_memory.md).
template <class T, class Ex>
std::vector<T> host_vector([[maybe_unused]] Ex const& ex, char const* call, index_t n) {
  try {
    auto const size = static_cast<std::size_t>(n);
    std::vector<T> made;
    made.reserve(size);
    cpu::detail::prefer_huge_pages(made.data(), size * sizeof(T));
    if constexpr (requires { ex.touch(nullptr, n); }) {
      constexpr index_t kept = index_t{1}
                               << 25;  // the C library keeps memory of up to so many bytes
      index_t const bytes = n * index_t{sizeof(T)};
      if (bytes > kept) ex.touch(reinterpret_cast<char*>(made.data()), bytes);
    }
    made.resize(size);
    return made;
  } catch (std::bad_alloc const&) {
    throw_no_memory(call, n, sizeof(T));
  } catch (std::length_error const&) {  // more than std::vector::max_size()
    throw_no_memory(call, n, sizeof(T));
  }
}

}  // namespace detail

/// A copy of the elements of a range of the host in the memory of `ex`, in a buffer of its own.
///
///     auto x = to(ex, std::vector{1, 2, 3});
///     auto y = to(ex, text | std::views::filter(is_letter));
///
/// Returns  once `host` may be changed again.
/// Cost     A range that is not contiguous is copied on the host first: by all threads of a host
///          executor if it has random access, and otherwise by the calling one.
template <has_memory Ex, class R>
requires detail::some_range<std::remove_reference_t<R>>
auto to(Ex const& ex, R&& host) {
  static_assert(std::same_as<space_of_t<R>, host_space>,
                "to: what is to be copied must be a range in host memory");
  if constexpr (sequence<R>) {
    auto const source = view_of(host);
    auto copy = ex.template allocate<element_t<R>>(source.size());
    ex.copy(source.data(), copy.data(), source.size());
    ex.wait();
    return copy;
  } else {
    auto&& source = detail::iterable(host);
    auto elements = detail::copy_of_range(ex, "to", source);
    if constexpr (detail::copied_by_index<Ex, decltype(source)>) {
      return elements;
    } else {
      return to(ex, elements);
    }
  }
}

namespace detail {
template <class>
inline constexpr bool is_host_range = false;
}
/// Refuses what is no range; matrices and sparse vectors have copies of their own.
template <has_memory Ex, class R>
requires(!detail::some_range<R>) auto to(Ex const&, R const&) {
  static_assert(detail::is_host_range<R>,
                "to: what is to be copied must be a range in host memory");
}

/// A copy on the host of a sequence in the memory of `ex`.  Waits for it.
///
///     std::vector<int> const y = to_host(ex, x);
template <has_memory Ex, class R>
auto to_host(Ex const& ex, R const& source) {
  static_assert(sequence_on<R const&, Ex>,
                "to_host: the sequence is not in the memory of the executor");
  using T = element_t<R const&>;
  auto const elements = view_of(source);
  if constexpr (std::same_as<T, bool>) {  // std::vector<bool> stores bits
    auto const n = static_cast<std::size_t>(elements.size());
    auto const host = std::make_unique<bool[]>(n);
    ex.copy(elements.data(), host.get(), elements.size());
    ex.wait();
    return std::vector<bool>(host.get(), host.get() + n);
  } else {
    auto host = detail::host_vector<T>(ex, "to_host", elements.size());
    ex.copy(elements.data(), host.data(), elements.size());
    ex.wait();
    return host;
  }
}

/// The element `source[i]`, on the host.  Waits for it.
template <has_memory Ex, class R>
auto at_sync(Ex const& ex, R const& source, index_t i = 0) {
  static_assert(sequence_on<R const&, Ex>,
                "at_sync: the sequence is not in the memory of the executor");
  auto const in = view_of(source);
  expects(0 <= i && i < in.size(), "at_sync: index ", i, " of a sequence of ", in.size());
  element_t<R const&> value;
  ex.copy(in.data() + i, &value, 1);
  ex.wait();
  return value;
}

namespace detail {

/// The T that call(there) writes to memory of `ex`, on the host, without an allocation of its own.
/// Waits for it.
template <class T, executor Ex, class Call>
T one_sync(Ex const& ex, Call call) {
  if constexpr (std::same_as<typename Ex::space, host_space>) {
    T value;
    view<T, host_space> const out(&value, 1);
    call(out);
    ex.wait();
    return value;
  } else {
    auto const result = ex.template scratch<T>(1);
    call(result);
    return at_sync(ex, result);
  }
}

}  // namespace detail

}  // namespace ravel::inline v0
