// The heap profile that JAX keeps: live bytes by Python stack, in the format of pprof (profile.proto).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/snapshot.h"

namespace lowtide::observe {

// Live buffers that the same line has made.
struct ProfiledLine {
  std::string device = {};  // "cuda:0", "cpu:0"
  std::string file = {};    // empty: no Python frame is known
  std::uint64_t line = 0;
  std::string function = {};
  std::uint64_t bytes = 0;
  std::uint64_t buffers = 0;
};

// By the innermost line of the user, or the innermost line where there is none; most first. The bytes are
// those of another process: what makes no sense is left out, and a profile that is cut gives what it has.
std::vector<ProfiledLine> read_heap_profile(std::span<const std::byte> profile);

// Adds the lines of GPUs to what the snapshot has of them.
void add_heap_profile(std::span<const std::byte> profile, model::Snapshot& into);

}  // namespace lowtide::observe
