// What the screen shows at one moment, as plain data. Text from the target is already printable.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/sample.h"
#include "model/series_report.h"
#include "show/answer_words.h"

namespace lowtide::screen {

struct ProcessLine {
  std::int64_t pid = 0;
  std::string role;
  std::uint64_t bytes = 0;        // without the shares of other processes in shared pages
  std::int64_t growth_bytes = 0;  // of its floor
  std::optional<double> bytes_per_s = {};
  std::optional<double> cpu_share = {};  // 1: one full CPU
  std::string command = {};
};

// A line that allocates; all stacks that lead to it are added up.
struct SiteLine {
  std::int64_t pid = 0;
  std::string place;
  std::uint64_t live_bytes = 0;
  std::int64_t growth_bytes = 0;
  std::optional<double> bytes_per_s = {};
};

struct HolderLine {
  std::int64_t pid = 0;
  std::string name;  // the variable, with its type
  std::optional<std::uint64_t> length = {};
  std::uint64_t bytes = 0;                        // on the host and on GPUs
  std::optional<std::int64_t> growth_bytes = {};  // since the first snapshot; absent after only one
};

struct View {
  std::string job;
  std::int64_t pid = 0;
  double at_s = 0;
  double step = model::kUnknown;
  std::uint64_t bytes = 0;
  std::uint64_t process_count = 0;
  model::SeriesReport series = {};      // of the process tree: verdict, forecast, outline
  show::AnswerWords answer = {};        // of that verdict
  std::optional<double> judged_s = {};  // the time that the verdict is about
  std::optional<std::uint64_t> limit_bytes = {};

  std::vector<ProcessLine> processes = {};
  std::vector<SiteLine> sites = {};
  std::vector<HolderLine> holders = {};
  std::vector<std::string> output = {};  // the job's last lines
  std::string site_note = {};            // why there are no sites
  std::string holder_note = {};          // why there are no holders, or how old they are
  std::string output_path = {};          // empty: the job's output is not shown
  std::string recording = {};
};

// A command without the folder of its program, which is often long: "python3 train.py".
std::string short_command(const std::string& command);

}  // namespace lowtide::screen
