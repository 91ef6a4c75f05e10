// What the GPUs held, as the recording has it.
#pragma once

#include <optional>
#include <vector>

#include "explain/evidence/series.h"
#include "model/process.h"
#include "model/tick.h"
#include "record/reader.h"

namespace lowtide::explain {

struct GpuEvidence {
  int index = 0;
  model::GpuReading last;
  RecordedSeries used;
  struct Share {
    model::ProcessId id{};
    RecordedSeries series;
    RecordedSeries allocated = {};  // where torch reports it
    RecordedSeries reserved = {};
    RecordedSeries outside = {};
    RecordedSeries pinned = {};                     // of the host
    std::optional<model::TorchReading> torch = {};  // the latest
  };
  std::vector<Share> processes;
};

std::vector<GpuEvidence> read_gpus(record::Recording& recording);

}  // namespace lowtide::explain
