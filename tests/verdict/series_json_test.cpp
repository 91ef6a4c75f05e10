#include "verdict/series_json.h"

#include <cmath>
#include <sstream>

#include <gtest/gtest.h>

#include "verdict/corpus.h"

namespace lowtide::bench {
namespace {

using model::VerdictKind;

TEST(SeriesJson, what_is_written_can_be_read) {
  const Series written = make_series({.seed = 5}, 0);

  const auto read = parse_json_line(to_json_line(written));

  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read.value().id, written.id);
  EXPECT_EQ(read.value().truth.kind, written.truth.kind);
  EXPECT_EQ(read.value().truth.accept, written.truth.accept);
  EXPECT_EQ(read.value().truth.leak_start_idx, written.truth.leak_start_idx);
  ASSERT_EQ(read.value().size(), written.size());
  for (std::size_t i = 0; i < written.size(); ++i) {
    EXPECT_NEAR(read.value().rss_mb[i], written.rss_mb[i], 1e-8 * written.rss_mb[i]);
    EXPECT_EQ(std::isnan(read.value().step[i]), std::isnan(written.step[i]));
  }
}

TEST(SeriesJson, the_older_word_for_warmup_is_understood) {
  const auto read = parse_json_line(
      R"({"label": "warmup_plateau", "accept": ["warmup_plateau", "stable"], "t": [0, 1], "step": [null, 2], "rss_mb": [5, 6]})");

  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read.value().truth.kind, VerdictKind::Warmup);
  EXPECT_TRUE(accepts(read.value().truth, VerdictKind::Stable));
  EXPECT_TRUE(std::isnan(read.value().step[0]));
}

TEST(SeriesJson, steps_may_be_absent) {
  const auto read = parse_json_line(R"({"label": "leak", "t": [0, 1], "rss_mb": [5, 6]})");

  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_TRUE(std::isnan(read.value().step[1]));
  EXPECT_TRUE(accepts(read.value().truth, VerdictKind::Leak));
}

TEST(SeriesJson, what_cannot_be_read_is_an_error) {
  for (const char* line :
       {"", "[1]", "{", R"({"label": "leek", "t": [], "rss_mb": []})",
        R"({"label": "leak", "t": [0], "rss_mb": [1, 2]})", R"({"label": "leak", "t": "now", "rss_mb": [1]})",
        R"({"label": 3, "t": [0], "rss_mb": [1]})"}) {
    EXPECT_FALSE(parse_json_line(line).ok()) << line;
  }
}

TEST(SeriesJson, a_bad_line_is_named) {
  std::istringstream in("{\"label\": \"leak\", \"t\": [0], \"rss_mb\": [1]}\n\nnonsense\n");

  const auto corpus = read_corpus(in);

  ASSERT_FALSE(corpus.ok());
  EXPECT_NE(corpus.error().message.find("line 3"), std::string::npos) << corpus.error().message;
}

}  // namespace
}  // namespace lowtide::bench
