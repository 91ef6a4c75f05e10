// What the agent's script says about the blocks of torch's CUDA allocator (src/agent/python/gpu_blocks.py).
#pragma once

#include <string_view>

#include "model/snapshot.h"

namespace lowtide::observe {

// Adds what the text says; lines that make no sense are left out. The text is that of another process.
void add_gpu_blocks(std::string_view text, model::Snapshot& into);

}  // namespace lowtide::observe
