// Runs with known behaviour that can be continued for as long as a test needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "model/sample.h"

namespace lowtide::judge::testing {

struct GeneratedRun {
  std::string_view family;
  std::vector<model::Sample> samples;
};

// Families in turn (leaks, warm-ups that end, spikes, noise of several sizes), parameters drawn at random.
// Run `index` of a seed is the same on every machine.
GeneratedRun generate_run(std::uint64_t seed, std::size_t index, std::size_t readings);

}  // namespace lowtide::judge::testing
