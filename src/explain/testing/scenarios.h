// Recordings with a known truth, for the tests: written by the real writer.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "record/writer.h"

namespace lowtide::explain {

struct Scenario {
  std::string_view name;
  std::string_view truth;
  void (*play)(record::Writer& writer);
  bool close = true;  // else the monitor was killed
};

std::span<const Scenario> scenarios();

const Scenario* find_scenario(std::string_view name);

// What all of them share; the root is pid 100.
record::Header scenario_header();

// Writes the recording; an empty string, or what stood in the way.
std::string write_scenario(const Scenario& scenario, const std::string& path);

}  // namespace lowtide::explain
