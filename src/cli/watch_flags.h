// The options that `run` and `attach` share.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cli/command.h"
#include "cli/complaint.h"
#include "observe/watch.h"

namespace lowtide::cli {

struct WatchFlags {
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
  bool use_agent = true;
  bool deep = false;
  bool trim_trial = false;
  bool read_steps = true;
  bool steps_from_output = false;
  bool screen = false;
};

// For an agent that is about to allocate to come to its trim trial.
inline constexpr double kTrimPatienceS = 5;

std::vector<Flag> watch_flags();
// For those verbs that end their watching while the job goes on.
Flag trim_trial_flag();
// For those whose watching a person looks at.
Flag screen_flag();
std::variant<WatchFlags, Complaint> parse_watch_flags(const Arguments& arguments, std::string_view verb);

}  // namespace lowtide::cli
