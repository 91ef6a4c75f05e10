// Recordings with a known truth, for the tests: written by the real writer.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "model/tick.h"
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
// `after_tick` is called when a tick is in the file, while the recording goes on.
std::string write_scenario(const Scenario& scenario, const std::string& path,
                           const std::function<void(const model::Tick&)>& after_tick = {});

}  // namespace lowtide::explain
