#include "explain/trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>

#include "base/testing/temp_folder.h"
#include "explain/testing/scenario_stage.h"
#include "record/writer.h"

namespace lowtide::explain {
namespace {

TEST(Trace, what_was_recorded_lies_on_the_timeline) {
  const auto path = base::temp_folder() + "trace_test.lowtide";
  std::filesystem::remove(path);
  {
    auto writer = record::Writer::create(path, {});
    ASSERT_TRUE(writer.ok());
    Stage stage(writer.value());
    stage.enter(4711, 1, model::ProcessRole::Trainer, "python train.py");
    for (int at = 0; at < 20; ++at) {
      stage[0].own = 900 * kMB + at * kMB;
      stage.put(stage.tick(at, 10.0 * at));
    }
    writer.value().add_phase_visit({stage[0].info.id, "eval", 4, 7});
    model::Snapshot look;
    look.at_s = 9;
    look.whole_s = 0.5;
    writer.value().add_snapshot(stage[0].info.id, look);
    writer.value().add_event({.kind = model::EventKind::Exit, .at_s = 19, .text = "ended"}, std::nullopt);
    writer.value().close();
  }
  auto recording = record::Recording::open(path);
  ASSERT_TRUE(recording.ok());
  const model::Trace trace = make_trace(recording.value());
  std::filesystem::remove(path);

  const auto find_counter = [&](std::int64_t pid, const std::string& name) {
    return std::find_if(trace.counters.begin(), trace.counters.end(),
                        [&](const auto& each) { return each.pid == pid && each.name == name; });
  };
  const auto counter = [&](std::int64_t pid, const std::string& name) {
    const auto found = find_counter(pid, name);
    return found == trace.counters.end() ? 0.0 : found->points.back().value;
  };
  const auto kind = [&](std::int64_t pid, const std::string& name) {
    const auto found = find_counter(pid, name);
    return found == trace.counters.end() ? std::nullopt : std::optional(found->kind);
  };
  EXPECT_EQ(counter(0, "step"), 190);
  EXPECT_NEAR(counter(0, "memory of the job"), 919 * kMB, kMB);
  EXPECT_NEAR(counter(4711, "memory"), 919 * kMB, kMB);
  EXPECT_EQ(kind(0, "step"), model::CounterKind::Steps);
  EXPECT_EQ(kind(0, "memory of the job"), model::CounterKind::Job);
  EXPECT_EQ(kind(4711, "memory"), model::CounterKind::Process);
  EXPECT_EQ(kind(4711, "resident"), model::CounterKind::Resident);
  const auto span = [&](const std::string& track) {
    const auto found = std::find_if(trace.spans.begin(), trace.spans.end(),
                                    [&](const auto& each) { return each.track == track; });
    return found == trace.spans.end() ? model::TraceSpan{} : *found;
  };
  EXPECT_EQ(span("phases").name, "eval");
  EXPECT_EQ(span("phases").took_s, 3);
  EXPECT_EQ(span("phases").pid, 4711);
  EXPECT_EQ(span("snapshots").name, "snapshot");
  EXPECT_EQ(span("snapshots").took_s, 0.5);
  EXPECT_EQ(span("events").name, "ended");
}

}  // namespace
}  // namespace lowtide::explain
