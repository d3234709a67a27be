#pragma once

/// The error message of a rejected call.

#include <ravel/core/error.hpp>

#include <string>

namespace ravel::testing {

/// The message of the contract_error that call() throws, or "nothing".
template <class Call>
std::string said_by(Call const& call) {
  try {
    call();
  } catch (contract_error const& e) {
    return e.what();
  }
  return "nothing";
}

}  // namespace ravel::testing
