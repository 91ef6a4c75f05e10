// The order of a walk, from the first object to the last record.
#pragma once

#include <cstdint>

namespace lowtide::agent {

struct WalkOrder {
  const char* socket_path;
  unsigned long wait_ms;
  unsigned long walk_ms;
  unsigned long memory_mb;
  int target_pid;  // the job's, as it sees itself
  bool is_at_end;
  std::uint64_t cuda_allocated_bytes;  // by torch or JAX, when the walk began; 0: unknown
  std::uint64_t cuda_reserved_bytes;
  bool is_jax_on_gpu;
};

// In the child, which ends when this returns.
void take_census(const WalkOrder& order);

}  // namespace lowtide::agent
