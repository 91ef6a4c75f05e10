// What the screen shows at one moment: plain data, made of what the live watch knows. Text that came from
// the target is printable by the time it is here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/sample.h"
#include "model/series_report.h"

namespace lowtide::screen {

struct ProcessLine {
  std::int64_t pid = 0;
  std::string role;
  std::uint64_t bytes = 0;        // what it alone is to blame for
  std::int64_t growth_bytes = 0;  // of its low-water mark
  std::optional<double> bytes_per_s = {};
  std::optional<double> cpu_share = {};  // 1: one processor, all of the time
  std::string command = {};
};

// A line that allocates, with all stacks that lead to it.
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
  std::uint64_t bytes = 0;                        // wherever they are
  std::optional<std::int64_t> growth_bytes = {};  // since the first look; absent after only one
};

struct View {
  std::string job;
  std::int64_t pid = 0;
  double at_s = 0;
  double step = model::kUnknown;
  std::uint64_t bytes = 0;
  std::uint64_t process_count = 0;
  model::SeriesReport series = {};      // of the process tree: verdict, forecast, outline
  std::optional<double> judged_s = {};  // the moment that the verdict is of
  std::optional<std::uint64_t> limit_bytes = {};

  std::vector<ProcessLine> processes = {};
  std::vector<SiteLine> sites = {};
  std::vector<HolderLine> holders = {};
  std::vector<std::string> output = {};  // the job's last lines
  std::string site_note = {};            // why there are none
  std::string holder_note = {};          // the same, or how old they are
  std::string output_path = {};          // empty: the job's output is not ours to show
  std::string recording = {};
};

}  // namespace lowtide::screen
