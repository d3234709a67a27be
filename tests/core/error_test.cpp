#include <ravel/core/error.hpp>

#include <gtest/gtest.h>

#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace ravel::error_test {
namespace {

TEST(error, expects_says_nothing_when_all_is_well) {
  EXPECT_NO_THROW(expects(true, "scan: out has ", 3, " elements"));
}

TEST(error, expects_makes_a_sentence_of_its_words) {
  try {
    expects(1 + 1 == 3, "scan: out has ", 3, " elements, and in has ", 4L, "; ", 'x', 0.5);
    FAIL() << "nothing was thrown";
  } catch (contract_error const& broken) {
    EXPECT_STREQ(broken.what(), "scan: out has 3 elements, and in has 4; x0.5");
  }
}

TEST(error, can_be_caught_as_what_it_is) {
  EXPECT_THROW(expects(false, "a call"), contract_error);
  EXPECT_THROW(expects(false, "a call"), error);
  EXPECT_THROW(expects(false, "a call"), std::runtime_error);
  EXPECT_THROW(expects(false, "a call"), std::exception);
  static_assert(!std::is_base_of_v<contract_error, allocation_error>);
  static_assert(!std::is_base_of_v<allocation_error, contract_error>);
}

/// The message of an allocation_error caught as an E.
template <class E>
std::string caught_as() {
  try {
    throw allocation_error("no memory for 8 bytes");
  } catch (E const& e) {
    return e.what();
  } catch (...) {
    return "not an E";
  }
}

TEST(error, of_allocation_can_be_caught_as_whatever_it_is) {
  EXPECT_EQ(caught_as<allocation_error>(), "no memory for 8 bytes");
  EXPECT_EQ(caught_as<error>(), "no memory for 8 bytes");
  EXPECT_EQ(caught_as<std::bad_alloc>(), "no memory for 8 bytes");
  EXPECT_EQ(caught_as<std::exception>(), "no memory for 8 bytes");
}

TEST(error, of_contract_says_the_same_as_whatever_it_is_caught) {
  contract_error const e("a call: 3");
  EXPECT_STREQ(static_cast<error const&>(e).what(), "a call: 3");
  EXPECT_STREQ(static_cast<std::runtime_error const&>(e).what(), "a call: 3");
  EXPECT_STREQ(static_cast<std::exception const&>(e).what(), "a call: 3");
}

TEST(error, copies_without_throwing) {
  static_assert(std::is_nothrow_copy_constructible_v<contract_error>);
  static_assert(std::is_nothrow_copy_constructible_v<allocation_error>);
}

}  // namespace
}  // namespace ravel::error_test
