#include <ravel/core/error.hpp>

#include <gtest/gtest.h>

namespace ravel {
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
  EXPECT_THROW(throw allocation_error("none left"), error);
  static_assert(!std::is_base_of_v<contract_error, allocation_error>);
  static_assert(!std::is_base_of_v<allocation_error, contract_error>);
}

}  // namespace
}  // namespace ravel
