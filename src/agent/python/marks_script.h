#pragma once

namespace lowtide::agent {

// The texts of gpu_blocks.py and marks.py, embedded while the agent is built.
const char* gpu_blocks_script();
const char* marks_script();

}  // namespace lowtide::agent
