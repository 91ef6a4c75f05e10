#include "show/export/perfetto.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace lowtide::show {
namespace {

nlohmann::json events_of(const model::Trace& trace) {
  return nlohmann::json::parse(to_perfetto(trace)).at("traceEvents");
}

TEST(Perfetto, empty_run_is_a_trace_too) {
  EXPECT_EQ(events_of({}).size(), 2U);  // the job has a name and a place
}

TEST(Perfetto, counters_stretches_and_moments_are_where_they_were) {
  model::Trace trace;
  trace.processes = {{77, "python train.py"}};
  trace.counters = {{77, "memory", {{0.5, 1000}, {1.5, 2000}}}};
  trace.spans = {{77, "phases", "eval", 1, 0.25}, {0, "events", "killed", 2, 0}};
  const auto events = events_of(trace);
  std::size_t counters = 0;
  for (const auto& event : events) {
    if (event["ph"] == "C") {
      EXPECT_EQ(event["ts"], counters == 0 ? 500'000 : 1'500'000);
      EXPECT_EQ(event["args"]["value"], counters == 0 ? 1000 : 2000);
      ++counters;
    } else if (event["ph"] == "X") {
      EXPECT_EQ(event["name"], "eval");
      EXPECT_EQ(event["dur"], 250'000);
    } else if (event["ph"] == "i") {
      EXPECT_EQ(event["name"], "killed");
      EXPECT_EQ(event["s"], "g");
    }
  }
  EXPECT_EQ(counters, 2U);
}

TEST(Perfetto, text_of_the_target_is_only_text) {
  model::Trace trace;
  trace.command = std::string("a\"],\"x\":[\x1b[31m\xff\n", 16);
  trace.processes = {{1, trace.command}};
  trace.spans = {{1, "events", trace.command, 1, 0}};
  const std::string text = to_perfetto(trace);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_FALSE(nlohmann::json::parse(text).contains("x"));
}

}  // namespace
}  // namespace lowtide::show
