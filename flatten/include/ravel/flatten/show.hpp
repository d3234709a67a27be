#pragma once

/// Show: a lifted value and its type as a line of text, abbreviated if long.

#include <ravel/core/cpu/executor.hpp>
#include <ravel/flatten/archived.hpp>
#include <ravel/flatten/columns.hpp>
#include <ravel/flatten/compute.hpp>
#include <ravel/flatten/from.hpp>
#include <ravel/flatten/sequences.hpp>

#include <iterator>
#include <ostream>
#include <string>

namespace ravel::inline v0 {
namespace flattening {

/// Longer sequences are shown by their first elements and their last.
inline constexpr std::size_t shown_at_most = 8;
inline constexpr std::size_t shown_first = 6;

template <class T>
std::string name_of_atom() {
  constexpr char const* bits[] = {"8", "16", "32", "64", "128"};
  constexpr auto size = std::min<std::size_t>(std::bit_width(sizeof(T)), std::size(bits)) - 1;
  if constexpr (std::same_as<T, bool>) {
    return "bool";
  } else if constexpr (std::same_as<T, char>) {
    return "char";
  } else if constexpr (std::integral<T>) {
    return std::string(std::is_signed_v<T> ? "int" : "uint") += bits[size];
  } else if constexpr (std::floating_point<T>) {
    return std::string("float") += bits[size];
  } else if constexpr (std::is_enum_v<T>) {
    return "enum";
  } else {
    return "bytes" + std::to_string(sizeof(T));
  }
}

template <class T>
void add_name_of_type(std::string& text);

template <class R, std::size_t... I>
void add_name_of_record(std::string& text, std::index_sequence<I...>) {
  text += adapted_struct<R> ? '{' : '(';
  auto const part = [&]<std::size_t K>(std::integral_constant<std::size_t, K>) {
    if (K > 0) text += ", ";
    if constexpr (adapted_struct<R>) {
      text += name_of_member<R, K>();
      text += ": ";
    }
    add_name_of_type<typename members_of<R>::template type<K>>(text);
  };
  (part(std::integral_constant<std::size_t, I>{}), ...);
  text += adapted_struct<R> ? '}' : ')';
}

/// Adds the type of the elements of a sequence to a text.
template <class T>
void add_name_of_type(std::string& text) {
  if constexpr (is_nested<T>::value) {
    text += "var * ";
    add_name_of_type<typename nested_type<T>::of>(text);
  } else if constexpr (host_record<T>) {
    add_name_of_record<T>(text, member_indices<T>{});
  } else {
    text += name_of_atom<T>();
  }
}

template <class T>
void show_host(std::ostream& out, T const& x);

template <class R, std::size_t... I>
void show_members(std::ostream& out, R const& x, std::index_sequence<I...>) {
  out << '(';
  ((out << (I > 0 ? ", " : ""), show_host(out, member<I>(x))), ...);
  out << ')';
}

/// A sequence of n elements, of which show_at(i) shows element i.
void show_sequence(std::ostream& out, std::size_t n, auto const& show_at) {
  out << '[';
  for (std::size_t i = 0; i < n; ++i) {
    if (i > 0) out << ", ";
    if (n > shown_at_most && i == shown_first) {
      out << "..., ";
      i = n - 1;
    }
    show_at(i);
  }
  out << ']';
}

template <class T>
void show_host(std::ostream& out, T const& x) {
  if constexpr (std::same_as<T, bool>) {
    out << (x ? "true" : "false");
  } else if constexpr (std::same_as<T, std::string>) {
    out << '"' << (x.size() <= 60 ? x : x.substr(0, 57) + "...") << '"';
  } else if constexpr (host_record<T>) {
    show_members(out, x, member_indices<model_t<T>>{});
  } else if constexpr (host_range<T>) {
    show_sequence(out, x.size(),
                  [&](std::size_t i) { show_host<typename T::value_type>(out, x[i]); });
  } else if constexpr (std::same_as<T, char>) {
    out << '\'' << x << '\'';
  } else if constexpr (std::integral<T>) {
    out << +x;
  } else if constexpr (std::is_enum_v<T>) {
    out << +static_cast<std::underlying_type_t<T>>(x);
  } else if constexpr (requires { out << x; }) {
    out << x;
  } else {
    out << name_of_atom<T>();
  }
}

/// The value of x.  Only the shown elements of a long sequence are copied to the host.
template <class Ex, class S>
void show_lifted(std::ostream& out, lifted<Ex, S> const& x) {
  using T = typename S::element;
  if constexpr (is_nested<T>::value && !std::same_as<T, nested<char>>) {
    measure(*x.c->on, *x.s.d);
    auto const n = static_cast<std::size_t>(x.s.d->total);
    if (n > shown_at_most) {
      auto const shown = [&](std::size_t begin, std::size_t end) {
        return to_host(slice(x, static_cast<index_t>(begin), static_cast<index_t>(end)));
      };
      auto const first = shown(0, shown_first), last = shown(n - 1, n);
      using H = typename std::remove_const_t<decltype(first)>::value_type;
      show_sequence(
          out, n, [&](std::size_t i) { show_host<H>(out, i < shown_first ? first[i] : last[0]); });
      return;
    }
  }
  show_host(out, to_host(x));
}
template <class Ex, class S>
struct shown {
  lifted<Ex, S> const& x;
  friend std::ostream& operator<<(std::ostream& out, shown const& value) {
    show_lifted(out, value.x);
    return out;
  }
};

}  // namespace flattening

/// The type of a lifted value, in the notation of Awkward Array:
///
///     type_string(from(ex, std::vector<std::vector<int>>(4)))      4 * var * int32
///
/// A sequence of varying lengths is `var *`, tuples are in parentheses, and structs
/// in braces, with the names of their members.
template <class Ex, class S>
std::string type_string(lifted<Ex, S> const& x) {
  using T = typename S::element;
  std::string text;
  if constexpr (flattening::is_nested<T>::value) {
    text = flattening::text_of_length(*x.c->on, *x.s.d);
    flattening::add_name_of_type<typename flattening::nested_type<T>::of>(text);
  } else {
    flattening::add_name_of_type<T>(text);
  }
  return text;
}

/// A lifted value and its type.  Sequences of more than eight elements are shown
/// by their first six and their last.
///
///     show(from(ex, std::vector<std::vector<int>>{{3, 1}, {}, {2}}))
///         [[3, 1], [], [2]] : 3 * var * int32
///
/// Waits, and copies the shown elements of the outermost sequence to the host.
template <class Ex, class S>
std::string show(lifted<Ex, S> const& x) {
  return detail::sentence(flattening::shown<Ex, S>{x}, " : ", type_string(x));
}

/// show(x), for streams: `std::cout << x`.
template <class Ex, class S>
std::ostream& operator<<(std::ostream& out, lifted<Ex, S> const& x) {
  return out << show(x);
}

#ifdef RAVEL_LINKS_NESTED
#  ifndef RAVEL_NESTED_SHOW  // the source of the archive defines it as `template`
#    define RAVEL_NESTED_SHOW extern template
#  endif
RAVEL_NESTED_SHOW std::string show(value<cpu::threads, nested<int>> const&);
RAVEL_NESTED_SHOW std::string show(value<cpu::threads, nested<index_t>> const&);
RAVEL_NESTED_SHOW std::string show(value<cpu::threads, nested<float>> const&);
RAVEL_NESTED_SHOW std::string show(value<cpu::threads, nested<double>> const&);
#  undef RAVEL_NESTED_SHOW
#endif

}  // namespace ravel::inline v0
