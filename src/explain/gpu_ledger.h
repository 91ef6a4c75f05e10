// What fills a GPU: rows of tensors, allocator, libraries and other processes that add up to its size.
//
// A row for every use needs four counts of one moment. The heap snapshot has the tensors, and what torch had
// allocated and reserved when the snapshot began. The driver's count of the process and of the GPU is at most
// a second older; what torch does not count (the context, libraries) hardly moves between them.
#pragma once

#include <vector>

#include "explain/evidence/evidence.h"
#include "model/watched.h"

namespace lowtide::explain {

// Of the main process on the GPU, where it uses no other GPU; else null.
const GpuEvidence::Share* main_share(const Evidence& evidence, const model::GpuReport& gpu);

// Adds the ledgers of GPUs whose main process uses no other GPU: the tensors of a snapshot are not divided by
// GPU.
void add_gpu_ledgers(const Evidence& evidence, std::vector<model::GpuReport>& gpus);

}  // namespace lowtide::explain
