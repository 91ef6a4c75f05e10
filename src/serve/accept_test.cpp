#include "serve/accept.h"

#include <gtest/gtest.h>

namespace lowtide::serve {
namespace {

constexpr std::string_view kOpen = "application/openmetrics-text";

TEST(Accept, quality_is_one_unless_it_is_given) {
  EXPECT_EQ(find_quality("text/plain", "text/plain"), 1.0);
  EXPECT_EQ(find_quality("text/plain;version=0.0.4;q=0.25, */*;q=0.1", "text/plain"), 0.25);
  EXPECT_EQ(find_quality("a/b , TEXT/Plain ; Q=0.5", "text/plain"), 0.5);
  EXPECT_EQ(find_quality("text/plain;q=0.1,text/plain;q=0.7", "text/plain"), 0.7);
  EXPECT_EQ(find_quality("*/*", "text/plain"), std::nullopt);
  EXPECT_EQ(find_quality("", "text/plain"), std::nullopt);
}

TEST(Accept, quality_that_cannot_be_read_is_zero) {
  for (const std::string_view bad : {"text/plain;q=", "text/plain;q=-1", "text/plain;q=2", "text/plain;q=nan",
                                     "text/plain;q=1e0", "text/plain;q=0.5x"}) {
    EXPECT_EQ(find_quality(bad, "text/plain"), 0.0) << bad;
  }
}

TEST(Accept, prometheus_gets_openmetrics) {
  // As Prometheus 2.42 sends it.
  EXPECT_TRUE(prefers_over_plain_text(
      "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,"
      "text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
      kOpen));
  EXPECT_TRUE(prefers_over_plain_text("application/openmetrics-text", kOpen));
  EXPECT_TRUE(prefers_over_plain_text("application/openmetrics-text, text/plain", kOpen));
}

TEST(Accept, client_that_does_not_ask_for_openmetrics_gets_plain_text) {
  EXPECT_FALSE(prefers_over_plain_text("", kOpen));
  EXPECT_FALSE(prefers_over_plain_text("*/*", kOpen));
  EXPECT_FALSE(prefers_over_plain_text("text/plain", kOpen));
  EXPECT_FALSE(prefers_over_plain_text("text/html,application/xhtml+xml,*/*;q=0.8", kOpen));
  EXPECT_FALSE(prefers_over_plain_text("application/openmetrics-text;q=0", kOpen));
  EXPECT_FALSE(prefers_over_plain_text("application/openmetrics-text;q=0.5, text/plain", kOpen));
  EXPECT_FALSE(prefers_over_plain_text("application/openmetrics-text;q=0.5, */*", kOpen));
}

}  // namespace
}  // namespace lowtide::serve
