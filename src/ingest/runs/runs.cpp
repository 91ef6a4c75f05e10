// Where a run ends and another begins.
//
// A step that falls, or another process that writes, may be a restart or a line out of order: such
// readings are held back until the next lines tell.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "ingest/runs/assembler.h"
#include "ingest/words/words.h"

namespace lowtide::ingest {
namespace {

constexpr std::size_t kMaxDoubtful = 64;
constexpr std::size_t kNewWriterReadings = 8;

// The number after "process" or "pid" in the words that begin a run.
std::optional<std::int64_t> find_pid(std::string_view mark) {
  for (const std::string_view word : {"process", "pid"}) {
    const std::size_t found = find_ignoring_case(mark, word);
    if (found == std::string_view::npos) continue;
    std::size_t at = found + word.size();
    while (at < mark.size() && (is_blank(mark[at]) || mark[at] == ':' || mark[at] == '=')) ++at;
    std::int64_t pid = 0;
    const auto [stop, status] = std::from_chars(mark.data() + at, mark.data() + mark.size(), pid);
    if (status == std::errc{} && pid > 0) return pid;
  }
  return std::nullopt;
}

}  // namespace

// Does this reading belong to the run, or does it begin another?
void Assembler::decide(const Record& record) {
  if (mark_) {
    resolve_doubt(doubt_ == Doubt::NewWriter);
    if (run_readings_ > 0 || !run_open_) begin_run(record.line);
    emit(record, true);
    return;
  }
  const bool has_step = !std::isnan(record.progress.step);
  if (lead_rank_ < 0) lead_rank_ = record.rank;
  const bool leads = record.rank == lead_rank_ && record.lane <= 0;
  if (doubt_ == Doubt::StepFell && has_step && leads) {
    const double fallen = doubtful_.front().progress.step;
    if (record.progress.step > steps_.last_step()) {
      resolve_doubt(false);  // the line before was out of order
    } else if (record.progress.step != fallen || doubtful_.size() >= kMaxDoubtful) {
      resolve_doubt(!memory_goes_on(doubtful_.front()));
    } else {
      doubtful_.push_back(record);
      return;
    }
  } else if (doubt_ == Doubt::NewWriter) {
    const bool old = std::find(writers_.begin(), writers_.end(), record.writer) != writers_.end();
    if (old && record.writer >= 0) {
      // Both write: two processes of one run.
      for (const Record& held : doubtful_) writers_.push_back(held.writer);
      resolve_doubt(false);
    } else if (doubtful_.size() >= kNewWriterReadings) {
      resolve_doubt(true);
    } else {
      doubtful_.push_back(record);
      return;
    }
  } else if (doubt_ != Doubt::None) {
    if (doubtful_.size() < kMaxDoubtful) {
      doubtful_.push_back(record);
      return;
    }
    resolve_doubt(true);
  }
  if (run_open_ && record.writer >= 0 && !writers_.empty() && writers_.size() < 64 &&
      std::find(writers_.begin(), writers_.end(), record.writer) == writers_.end()) {
    doubt_ = Doubt::NewWriter;
    doubtful_.push_back(record);
    return;
  }
  if (run_open_ && has_step && leads && steps_.falls(record.progress)) {
    doubt_ = Doubt::StepFell;
    doubtful_.push_back(record);
    return;
  }
  emit(record, true);
}

// A process that starts again has less memory than the one before had at its end.
// A counter that falls while the memory goes on is another loop's (validation),
// another writer's (ranks in one file) or another epoch's.
bool Assembler::memory_goes_on(const Record& record) {
  if (record.memories == 0) return false;
  const Value& value = record.memory[record.memories - 1].value;
  return last_bytes_ > 0 && value.number * scale_of(record, value) >= 0.9 * last_bytes_;
}

void Assembler::resolve_doubt(bool new_run) {
  if (doubt_ == Doubt::None) return;
  doubt_ = Doubt::None;
  std::deque<Record> held;
  held.swap(doubtful_);
  if (new_run && !held.empty()) {
    begin_run(held.front().line);
  } else if (!held.empty() && steps_.falls(held.front().progress)) {
    warnings_.add("steps out of order", held.front().line);
  }
  for (const Record& record : held) emit(record, new_run);
}

void Assembler::begin_run(std::uint64_t line) {
  ++runs_;
  std::string name = fmt::format("run {}", runs_);
  if (mark_ && mark_->find("estarted") == std::string::npos) {
    name = *mark_;
    while (!name.empty() && (name.back() == ':' || name.back() == ' ')) name.pop_back();
  }
  run_pid_ = mark_ ? find_pid(*mark_) : std::nullopt;
  mark_.reset();
  run_open_ = true;
  run_readings_ = 0;
  writers_.clear();
  lead_rank_ = -1;
  if (runs_ > 1) {
    for (auto& [topic, lanes] : lanes_) lanes.begin_run();
  }
  steps_.begin_run();
  timeline_.begin_run();
  series_.clear();
  last_at_s_ = model::kUnknown;
  sink_.begin_run(name, line);
}

void Assembler::finish() {
  if (has_partial_) {
    has_partial_ = false;
    partial_.partial = false;
    Record record = partial_;
    settle(record);
  }
  end_probe();
  if (doubt_ != Doubt::None) {
    // One line is all there is of it. A step below the first one can only be a new start.
    const bool restart =
        doubt_ == Doubt::NewWriter ||
        (doubtful_.front().progress.step <= steps_.first_step() && !memory_goes_on(doubtful_.front()));
    resolve_doubt(restart);
  }
}

}  // namespace lowtide::ingest
