// Runs the same work as a process of its own: what it took, and the most memory it held.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace lowtide::bench {

struct Took {
  double seconds = 0;
  std::uint64_t peak_bytes = 0;
  std::uint64_t answer = 0;  // of time_in_child()
};

// Runs a program, its output thrown away. Absent = it could not be run, or ended with a status that is
// not among `good`.
std::optional<Took> time_program(const std::vector<std::string>& words, const std::vector<int>& good);

// Runs `work` in a fork, so that the memory it leaves behind is no part of the next measurement.
std::optional<Took> time_in_child(const std::function<std::optional<std::uint64_t>()>& work);

}  // namespace lowtide::bench
