// What a snapshot says of memory that something keeps, and what changed between two.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/memory_part.h"
#include "model/snapshot.h"
#include "model/trace.h"

namespace lowtide::model {

struct HolderReport {
  std::int64_t pid = 0;
  HeldNode node;
  std::optional<std::int64_t> growth_length;
  std::int64_t growth_bytes = 0;         // in host memory
  std::int64_t growth_device_bytes = 0;  // on devices
  std::int64_t growth_objects = 0;
  std::optional<double> share;           // of what the process grew by, wherever
  std::vector<CounterPoint> curve = {};  // what it kept in each snapshot, on host and devices
};

struct TensorGrowth {
  TensorCount tensors;
  std::int64_t growth_count = 0;
  std::int64_t growth_bytes = 0;
};

struct TypeGrowth {
  TypeCount type;
  std::int64_t growth_count = 0;
  std::int64_t growth_bytes = 0;
};

// One snapshot, or the way from one to another.
struct SnapshotReport {
  Snapshot snapshot;  // the later one
  bool has_earlier = false;
  double since_s = 0;             // between the two; 0: not known
  std::int64_t growth_bytes = 0;  // of objects and tensors in host memory
  std::int64_t growth_device_bytes = 0;
  std::vector<HolderReport> holders;
  std::vector<TensorGrowth> tensors;
  std::vector<TypeGrowth> types;
  std::vector<MemoryPart> gpu_parts = {};  // what tensors on GPUs are used for, most first
};

}  // namespace lowtide::model
