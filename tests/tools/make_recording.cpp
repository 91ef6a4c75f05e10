// make_recording SCENARIO FILE: writes a recording with a known truth, for the cases.

#include <cstdio>
#include <string>

#include "explain/testing/scenarios.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    for (const auto& scenario : lowtide::explain::scenarios()) {
      std::printf("%-16s %s\n", scenario.name.data(), scenario.truth.data());
    }
    return 2;
  }
  const auto* scenario = lowtide::explain::find_scenario(argv[1]);
  if (scenario == nullptr) {
    std::fprintf(stderr, "make_recording: there is no scenario %s\n", argv[1]);
    return 2;
  }
  const std::string failure = lowtide::explain::write_scenario(*scenario, argv[2]);
  if (failure.empty()) return 0;
  std::fprintf(stderr, "make_recording: %s\n", failure.c_str());
  return 1;
}
