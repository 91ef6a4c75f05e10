#include "show/compare.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace lowtide::show {
namespace {

model::Comparison sample_comparison() {
  model::Comparison out;
  out.before.source.path = "before.lowtide";
  out.after.source.path = "after.lowtide";
  out.aligned_step = 300;
  out.outcome = model::ChangeOutcome::Better;
  out.reason = "the leak is gone";
  out.values = {{.name = "floor", .before = 2e9, .after = 1e9, .differs = true},
                {.name = "time per step", .measure = model::Measure::Seconds, .before = 0.25, .after = 0.25}};
  out.parts = {{.name = "workers", .before = 4e10, .after = 2e9}};
  model::Finding finding;
  finding.id = "holder";
  finding.severity = model::Severity::High;
  finding.title = "history keeps 40 GB";
  finding.pid = 1;
  out.findings = {{model::FindingFate::Gone, finding}};
  return out;
}

TEST(CompareText, answer_comes_first_and_numbers_have_units) {
  const std::string text = to_text(sample_comparison(), {});
  EXPECT_EQ(text.find("better: the leak is gone\n"), 0U) << text;
  EXPECT_NE(text.find("compared up to step 300"), std::string::npos) << text;
  EXPECT_NE(text.find("2.00 GB"), std::string::npos) << text;
  EXPECT_NE(text.find("-50%"), std::string::npos) << text;
  EXPECT_NE(text.find("gone"), std::string::npos) << text;
}

TEST(CompareText, text_of_the_target_stays_text) {
  model::Comparison hostile = sample_comparison();
  hostile.findings[0].finding.title = "\x1b[31m<b>|x|`@all";
  hostile.before.source.path = "a\nb\x1b]0;x";
  EXPECT_EQ(to_text(hostile, {}).find('\x1b'), std::string::npos);
  const std::string markdown = to_markdown(hostile);
  EXPECT_EQ(markdown.find('\x1b'), std::string::npos);
  EXPECT_EQ(markdown.find("<b>"), std::string::npos) << markdown;
}

TEST(CompareText, commands_that_differ_are_a_warning) {
  model::Comparison comparison = sample_comparison();
  comparison.before.source.command = "python a.py";
  comparison.after.source.command = "python a.py";
  EXPECT_EQ(to_text(comparison, {}).find("warning"), std::string::npos);
  comparison.after.source.command = "python b.py \x1b[31m";
  const std::string text = to_text(comparison, {.width = 200});
  EXPECT_NE(text.find("the commands differ: `python a.py` before, `python b.py "), std::string::npos) << text;
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

TEST(CompareText, page_cache_belongs_to_the_host) {
  model::Comparison comparison = sample_comparison();
  comparison.before.reconciliation = model::Reconciliation{.cache_bytes = 1'000'000'000};
  comparison.after.reconciliation = model::Reconciliation{.cache_bytes = 1'440'000'000};
  const std::string text = to_text(comparison, {.width = 200});
  EXPECT_NE(text.find("1.00 GB before, 1.44 GB after; it belongs to the host"), std::string::npos) << text;
  EXPECT_EQ(text.find("+44%"), std::string::npos) << text;
  EXPECT_EQ(nlohmann::json::parse(to_json(comparison))["after"]["page_cache_bytes"], 1'440'000'000);
}

TEST(CompareJson, has_what_was_found) {
  const auto json = nlohmann::json::parse(to_json(sample_comparison()));
  EXPECT_EQ(json["outcome"], "better");
  EXPECT_EQ(json["values"][0]["before"], 2e9);
  EXPECT_EQ(json["values"][0]["unit"], "bytes");
  EXPECT_EQ(json["values"][1]["differs"], nullptr);
  EXPECT_EQ(json["findings"][0]["fate"], "gone");
}

}  // namespace
}  // namespace lowtide::show
