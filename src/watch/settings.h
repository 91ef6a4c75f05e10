// How a job is watched; set by the flags of `run` and `attach`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace lowtide::watch {

struct Settings {
  std::optional<double> interval_s;
  std::optional<double> duration_s;
  std::optional<std::uint64_t> limit_bytes;
  std::optional<std::string> output;
  bool gate = false;
  bool quiet = false;
  bool show_status = true;
  bool show_report = true;
  bool keep_recording = true;
  bool use_gpu = true;
  bool use_pss = true;
  bool take_snapshots = true;
  bool copy_sources = true;
  bool use_agent = true;
  bool deep = false;
  bool trim_trial = false;
  bool read_steps = true;
  bool steps_from_output = false;
  bool screen = false;
};

// How long to wait for the agent to run the trim trial.
inline constexpr double kTrimPatienceS = 5;

}  // namespace lowtide::watch
