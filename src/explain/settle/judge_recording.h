// All verdicts of a recording: of its processes, sites and GPUs, and of the tree.
//
// The one path from evidence to verdicts. The report, the live screen, the status
// line and the metrics all take theirs from here.
#pragma once

#include <optional>
#include <vector>

#include "explain/evidence/evidence.h"
#include "explain/evidence/limit.h"
#include "explain/settle/holders/holders.h"
#include "explain/settle/process_reports.h"
#include "explain/settle/sites/sites.h"
#include "model/report.h"

namespace lowtide::explain {

// Refers to the evidence that it was made of.
struct JudgedRecording {
  WatchedProcesses processes;
  Sites sites;
  std::vector<ProcessHolders> holders;
  std::vector<model::GpuReport> gpus;
  // The tree first, then the GPUs; but where a GPU leaks and the tree does not, that GPU is first.
  std::vector<model::SeriesReport> series = {};
  model::Verdict tree = {};
  model::Verdict verdict = {};  // of the first series, with what must not be overlooked in the others
};

JudgedRecording judge_recording(const Evidence& evidence, const std::optional<Ceiling>& ceiling);

}  // namespace lowtide::explain
