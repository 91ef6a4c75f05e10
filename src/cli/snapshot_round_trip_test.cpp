// `lowtide snapshot --json` describes each field once (show/json/snapshot.cpp), and `snapshot --diff` reads
// the file by hand (ingest/snapshot_json.cpp). A field that is written and not read fails here.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "explain/evidence/snapshots.h"
#include "ingest/snapshot_json.h"
#include "show/snapshot.h"

namespace lowtide::cli {
namespace {

using Json = nlohmann::ordered_json;

// No member has the value that it has by itself.
model::Snapshot full_snapshot() {
  model::Snapshot out;
  out.pid = 4711;
  out.at_s = 1.5;
  out.python = "3.11";
  out.pause_s = 0.25;
  out.walk_s = 0.5;
  out.whole_s = 0.75;
  out.table_bytes = 1;
  out.objects = 2;
  out.object_bytes = 3000;
  out.storage_bytes = 4000;
  out.device_bytes = 5000;
  out.has_torch = out.has_tensors = out.has_holders = out.is_exact = out.is_whole = true;
  out.types = {{"dict", 6, 7}};
  out.tensors = {{"cuda:0", "float32", {8, 9}, true, 10, 11, 12, 13}};
  model::HeldNode outer;
  outer.path = "__main__.trainer";
  outer.type = "Trainer";
  outer.address = 14;
  outer.length = 15;
  outer.retained_bytes = 16;
  outer.device_bytes = 17;
  outer.retained_objects = 18;
  outer.cache = model::CacheKind::Unbounded;
  outer.depth = 1;
  outer.file = "train.py";
  outer.line = 19;
  model::HeldNode inner = outer;
  inner.path += ".cache";
  inner.cache = model::CacheKind::Bounded;
  inner.bound = 20;
  inner.holder = 0;
  inner.depth = 2;
  out.nodes = {outer, inner};
  return out;
}

// What a file of one snapshot does not have, or what follows from tensors that it does not list.
Json json_of(const model::Snapshot& snapshot) {
  Json json = Json::parse(show::to_json(explain::describe_snapshot(snapshot)));
  for (const char* const name : {"since_s", "growth_bytes", "growth_device_bytes", "parameter_bytes",
                                 "gradient_bytes", "saved_bytes"}) {
    EXPECT_EQ(json["snapshot"].erase(name), 1U) << name;
  }
  EXPECT_EQ(json.erase("gpu_parts"), 1U);
  return json;
}

bool is_growth(const std::string& field) {
  return field.starts_with("growth_");
}

// A field that this test does not set would be read back as well if nobody read it.
void expect_set(const Json& value, const std::string& place) {
  if (value.is_object()) {
    for (const auto& [name, member] : value.items()) {
      if (!is_growth(name)) expect_set(member, std::string(place).append(".").append(name));
    }
  } else if (value.is_array()) {
    EXPECT_FALSE(value.empty()) << place;
    for (const Json& element : value) expect_set(element, place);
  } else {
    EXPECT_NE(value, Json(nullptr)) << place;
    EXPECT_NE(value, Json(0)) << place;
    EXPECT_NE(value, Json("")) << place;
    EXPECT_NE(value, Json(false)) << place;
  }
}

TEST(SnapshotRoundTrip, each_described_field_is_read_again) {
  const Json written = json_of(full_snapshot());
  const auto read = ingest::parse_snapshot_json(show::to_json(explain::describe_snapshot(full_snapshot())));

  ASSERT_TRUE(read);
  EXPECT_EQ(json_of(read.value()), written);
}

TEST(SnapshotRoundTrip, each_described_field_is_in_the_test) {
  Json written = json_of(full_snapshot());
  // The outer variable has no holder and no bound; the inner one has both.
  EXPECT_EQ(written["holders"][0].erase("holder") + written["holders"][0].erase("bound"), 2U);
  // The index of the outer variable is 0.
  EXPECT_EQ(written["holders"][1]["holder"], 0);
  written["holders"][1].erase("holder");

  expect_set(written, "");
}

}  // namespace
}  // namespace lowtide::cli
