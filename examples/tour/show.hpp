#pragma once

/// Prints and checks the results of the tour.

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <iostream>
#include <string_view>

/// Ends a line of output; exits the program if it cannot be written.
inline void end_line() {
  if (std::cout << std::endl) return;
  std::cerr << "standard output: cannot be written\n";
  std::exit(2);
}

/// Prints the values with a name; exits the program if they are not those expected.
template <class Values, class T>
void show(std::string_view name, Values const& values, std::initializer_list<T> expected) {
  std::cout << name << ':';
  for (auto const& x : values) std::cout << ' ' << x;
  end_line();
  if (!std::equal(values.begin(), values.end(), expected.begin(), expected.end())) {
    std::cout << "which is not the expected result\n";
    std::exit(1);
  }
}

/// The same for one value.
template <class T>
void show(std::string_view name, T const& value, T const& expected) {
  std::cout << name << ": " << value;
  end_line();
  if (!(value == expected)) {
    std::cout << "which is not " << expected << '\n';
    std::exit(1);
  }
}
