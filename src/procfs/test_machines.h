// What the tests of this folder share: the machines under tests/fixtures/proc,
// and a count of heap allocations.
#pragma once

#include <cstdint>
#include <string>

#include "procfs/roots.h"

namespace lowtide::procfs {

inline constexpr std::uint64_t kKiB = 1024;
inline constexpr const char* kRealMachine = "linux-6.18-cgroup1";
inline constexpr int kTrainer = 6243;
inline constexpr int kWorker = 6244;
inline constexpr int kZombie = 6245;
inline constexpr int kKernelThread = 2;

Roots roots_of(const std::string& machine);

// A file of the real machine, "6243/stat".
std::string fixture_text(const std::string& file);

// How often the test program has called operator new.
std::uint64_t allocations();

}  // namespace lowtide::procfs
