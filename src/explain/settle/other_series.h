// What other series of the same run say, beside the one that gives the verdict. They settle nothing,
// but nobody may overlook them.
#pragma once

#include <optional>
#include <vector>

#include "explain/settle/settle.h"
#include "model/report.h"

namespace lowtide::explain {

// A GPU that leans to a leak.
std::optional<Argument> note_leaning_gpu(const std::vector<model::SeriesReport>& series);

// A series of a log that leaks, beside one nearer to the job that does not: what the machine's memory does
// may be another job's doing.
std::optional<Argument> note_other_leak(const std::vector<model::SeriesReport>& series);

// GPUs of which torch reserves more and more.
std::vector<Argument> note_fragmented_gpus(const std::vector<model::GpuReport>& gpus);

}  // namespace lowtide::explain
