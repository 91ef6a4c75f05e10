// Fixed reports against the files in tests/golden/show.

#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "show/export/junit.h"
#include "show/json/json.h"
#include "show/markdown/markdown.h"
#include "show/terminal/text.h"
#include "show/testing/golden.h"
#include "show/testing/sample_reports.h"

namespace lowtide::show {
namespace {

struct Sample {
  std::string name;
  std::function<model::Report()> make;
};

const std::vector<Sample>& samples() {
  static const std::vector<Sample> kAll{{"warmup", warmup_report},
                                        {"leak", leak_report},
                                        {"spikes", spikes_report},
                                        {"inconclusive", inconclusive_report},
                                        {"watched_leak", watched_leak_report},
                                        {"watched_overhead", watched_overhead_report}};
  return kAll;
}

TEST(Golden, text_at_normal_width) {
  for (const Sample& sample : samples())
    expect_golden("show/" + sample.name + ".txt", to_text(sample.make(), {}));
}

TEST(Golden, text_with_everything_that_is_known) {
  TextOptions all;
  all.all = true;
  for (const Sample& sample : samples())
    expect_golden("show/" + sample.name + ".all.txt", to_text(sample.make(), all));
}

TEST(Golden, text_is_right_when_narrow_wide_ascii_and_coloured) {
  TextOptions narrow;
  narrow.width = 60;
  expect_golden("show/warmup.narrow.txt", to_text(warmup_report(), narrow));
  expect_golden("show/leak.narrow.txt", to_text(leak_report(), narrow));
  expect_golden("show/watched_leak.narrow.txt", to_text(watched_leak_report(), narrow));
  TextOptions wide;
  wide.width = 130;
  expect_golden("show/watched_leak.wide.txt", to_text(watched_leak_report(), wide));
  expect_golden("show/leak.wide.txt", to_text(leak_report(), wide));
  TextOptions ascii;
  ascii.unicode = false;
  expect_golden("show/warmup.ascii.txt", to_text(warmup_report(), ascii));
  TextOptions colour;
  colour.colour = true;
  expect_golden("show/leak.colour.txt", to_text(leak_report(), colour));
  expect_golden("show/watched_leak.colour.txt", to_text(watched_leak_report(), colour));
  TextOptions stacks;
  stacks.stacks = true;
  stacks.plot = false;
  expect_golden("show/watched_leak.stacks.txt", to_text(watched_leak_report(), stacks));
  TextOptions brief;
  brief.brief = true;
  expect_golden("show/warmup.brief.txt", to_text(warmup_report(), brief));
}

TEST(Golden, json) {
  for (const Sample& sample : samples())
    expect_golden("show/" + sample.name + ".json", to_json(sample.make()));
}

TEST(Golden, markdown) {
  for (const Sample& sample : samples())
    expect_golden("show/" + sample.name + ".md", to_markdown(sample.make()));
}

TEST(Golden, junit) {
  expect_golden("show/gate.junit.xml", to_junit(watched_leak_report(), sample_gate()));
}

TEST(Golden, json_with_a_gate_is_the_report_and_the_rules) {
  const model::Gate gate = sample_gate();

  const auto json = nlohmann::json::parse(to_json(watched_leak_report(), &gate));

  EXPECT_EQ(json["gate"]["outcome"], "broken");
  EXPECT_EQ(json["gate"]["result"], "fail");
  EXPECT_EQ(json["gate"]["rules"][0]["result"], "pass");
  EXPECT_EQ(json["gate"]["rules"].size(), 3U);
  EXPECT_EQ(json["verdict"]["kind"], "leak");
}

TEST(Golden, no_escape_sequence_of_the_target_reaches_the_terminal_or_the_document) {
  for (const std::string& text :
       {to_text(leak_report(), {}), to_text(watched_leak_report(), {}), to_markdown(watched_leak_report())}) {
    EXPECT_EQ(text.find('\x1b'), std::string::npos);
    EXPECT_EQ(text.find('\x07'), std::string::npos);
  }
  EXPECT_EQ(to_markdown(watched_leak_report()).find("<script>"), std::string::npos);
}

TEST(Golden, every_field_of_a_watched_process_and_finding_is_there) {
  const auto json = nlohmann::json::parse(to_json(watched_leak_report()));

  for (const char* key :
       {"pid", "ppid", "role", "command", "started_s", "ended_s", "exit", "verdict", "bytes"}) {
    EXPECT_TRUE(json["processes"][0].contains(key)) << key;
  }
  for (const char* key : {"rss", "pss", "uss", "anon", "file", "shmem", "swap"}) {
    EXPECT_TRUE(json["processes"][0]["bytes"].contains(key)) << key;
  }
  for (const char* key :
       {"id", "severity", "title", "mechanism", "pid", "where", "share", "confidence", "evidence", "fix"}) {
    EXPECT_TRUE(json["findings"][0].contains(key)) << key;
  }
  for (const char* key : {"pid", "verdict", "live_bytes", "growth_bytes", "share", "frames"}) {
    EXPECT_TRUE(json["sites"][0].contains(key)) << key;
  }
  for (const char* key : {"language", "function", "file", "line", "module"}) {
    EXPECT_TRUE(json["sites"][0]["frames"][0].contains(key)) << key;
  }
  EXPECT_TRUE(json["runs"].empty());
}

TEST(Golden, every_key_of_the_contract_is_there_even_without_a_run) {
  const auto json = nlohmann::json::parse(to_json(model::Report{}));

  for (const char* key :
       {"lowtide", "schema", "source", "verdict", "processes", "runs", "growth", "sites", "holders",
        "tensors", "types", "gpus", "phases", "forecast", "events", "findings", "overhead"}) {
    EXPECT_TRUE(json.contains(key)) << key;
  }
  for (const char* key : {"kind", "confidence", "axis", "samples", "rate", "floor", "warmup_end",
                          "plateau_bytes", "spike_bytes", "reason", "needs", "lean", "basis"}) {
    EXPECT_TRUE(json["verdict"].contains(key)) << key;
  }
}

TEST(Golden, a_number_that_is_not_finite_is_null) {
  model::Report report = inconclusive_report();
  report.forecast->step->estimate = std::nan("");

  const auto json = nlohmann::json::parse(to_json(report));

  EXPECT_TRUE(json["forecast"]["step"]["estimate"].is_null());
  EXPECT_TRUE(json["forecast"]["step"]["high"].is_null());
}

}  // namespace
}  // namespace lowtide::show
