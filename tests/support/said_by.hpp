#pragma once

/// @file
/// What a call says when it refuses what it is given.

#include <ravel/core/error.hpp>

#include <string>

namespace ravel::testing {

/// The sentence of the contract_error that call() throws, or "nothing".
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
