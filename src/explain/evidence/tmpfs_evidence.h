// How full the file systems in memory were that the job used, as the recording has it.
#pragma once

#include <string>
#include <vector>

#include "explain/evidence/series.h"
#include "model/tick.h"
#include "record/reader.h"

namespace lowtide::explain {

struct TmpfsEvidence {
  std::string path;  // as the job saw it
  model::TmpfsReading last;
  RecordedSeries used;  // by all files in it
  RecordedSeries job;   // by those of the job
};

// Those whose path is not on record are left out.
std::vector<TmpfsEvidence> read_tmpfs(record::Recording& recording);

}  // namespace lowtide::explain
