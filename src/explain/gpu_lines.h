// GPU memory by the line that allocated it, and by the pool of torch's allocator.
//
// torch records stacks in whole steps only, about one of twelve (agent/python/gpu_blocks.py). A line that
// keeps a block at every step is seen in each recorded one, so what it keeps per step is what its blocks
// gained between two snapshots, divided by the steps recorded between them. What was allocated once, before
// the first of the two, is counted as it is.
#pragma once

#include <vector>

#include "explain/evidence/evidence.h"
#include "explain/source/source_files.h"
#include "model/watched.h"

namespace lowtide::explain {

// Adds them to the GPUs whose main process uses no other GPU: a process numbers its GPUs in an order of its
// own.
void add_gpu_lines(const Evidence& evidence, SourceFiles& sources, std::vector<model::GpuReport>& gpus);

// The line that allocated most of what grew between snapshots; null: none is known.
const model::GpuLineReport* find_growing_line(const model::GpuReport& gpu);

}  // namespace lowtide::explain
