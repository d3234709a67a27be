#include "support/report.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace ravel::examples {
namespace {

TEST(report, leaves_what_is_utf8) {
  for (std::string const text :
       {"", "plain", "\\x41", "\u00e9", "\u0800", "\ud7ff", "\ue000", "\U00010000", "\U0010ffff"}) {
    EXPECT_EQ(as_utf8(text), text);
  }
  EXPECT_EQ(as_utf8(std::string("a\0b", 3)), std::string("a\0b", 3));
}

TEST(report, escapes_each_byte_that_is_not_utf8) {
  EXPECT_EQ(as_utf8("a\xff"), "a\\xff");
  EXPECT_EQ(as_utf8("\x80"), "\\x80");             // a continuation byte alone
  EXPECT_EQ(as_utf8("\xc3"), "\\xc3");             // truncated
  EXPECT_EQ(as_utf8("\xe2\x82z"), "\\xe2\\x82z");  // truncated by another character
  EXPECT_EQ(as_utf8("\xc0\x80"), "\\xc0\\x80");    // overlong
  EXPECT_EQ(as_utf8("\xe0\x9f\xbf"), "\\xe0\\x9f\\xbf");
  EXPECT_EQ(as_utf8("\xf0\x8f\xbf\xbf"), "\\xf0\\x8f\\xbf\\xbf");
  EXPECT_EQ(as_utf8("\xed\xa0\x80"), "\\xed\\xa0\\x80");           // a surrogate
  EXPECT_EQ(as_utf8("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // beyond U+10FFFF
  EXPECT_EQ(as_utf8("\xf5\x80\xc3\xa9"), "\\xf5\\x80\xc3\xa9");
}

TEST(report, writes_what_is_not_finite_as_strings) {
  double const infinity = std::numeric_limits<double>::infinity();
  testing::internal::CaptureStdout();
  write_json({{"a", infinity},
              {"b", -infinity},
              {"c", std::numeric_limits<double>::quiet_NaN()},
              {"d", 0.5},
              {"e", "x\xff"},
              {"f", nullptr}},
             "-");
  EXPECT_EQ(testing::internal::GetCapturedStdout(),
            R"({"a":"inf","b":"-inf","c":"nan","d":0.5,"e":"x\\xff","f":null})"
            "\n");
}

}  // namespace
}  // namespace ravel::examples
