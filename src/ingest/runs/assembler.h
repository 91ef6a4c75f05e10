// Facts in, runs and series out.
//
// Joins what several lines say (a step here, the memory below it), decides where
// a run ends and another begins, gives every series its identity, and judges
// the readings themselves: negative, not a number, in a unit nobody wrote.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "ingest/facts.h"
#include "ingest/formats/shape_plan.h"
#include "ingest/runs/progress.h"
#include "ingest/runs/timeline.h"
#include "ingest/runs/writers.h"
#include "ingest/sink.h"
#include "ingest/warnings.h"

namespace lowtide::ingest {

// No machine has an exabyte: a larger number is not a reading.
inline constexpr double kMaxBytes = 1e18;

class Assembler {
 public:
  // `registry` knows all that the facts refer to.
  Assembler(Sink& sink, const Registry& registry) : sink_(sink), registry_(registry), timeline_(warnings_) {}

  void consume(const Facts& facts);
  void finish();

  [[nodiscard]] bool found() const { return readings_ > 0 || events_ > 0; }
  [[nodiscard]] std::uint64_t readings() const { return readings_; }
  [[nodiscard]] std::optional<double> started() const { return timeline_.started(); }
  [[nodiscard]] std::uint64_t format_count(std::size_t format) const { return format_counts_[format]; }
  [[nodiscard]] Warnings& warnings() { return warnings_; }

 private:
  static constexpr std::size_t kMaxMemories = 24;

  struct Reading {
    Value value;
    int gpu = -1;
  };

  // One line, with its numbers sorted by what they are.
  struct Record {
    std::uint64_t line = 0;
    std::uint16_t format = 0;
    Stamp stamp;
    Progress progress;
    std::int64_t pid = -1;
    std::int64_t writer = -1;
    int gpu = -1;
    int rank = -1;
    int row = 0;    // within a tick of nvidia-smi that names no GPU
    int lane = -1;  // of several writers in one file that do not say who they are
    std::uint32_t name = 0;
    std::uint32_t gpu_name = 0;
    bool partial = false;
    std::size_t memories = 0;
    std::size_t limits = 0;
    std::array<Reading, kMaxMemories> memory;
    std::array<Value, 8> limit;
  };

  struct UnitState {
    double scale = 0;
    bool ignored = false;
  };

  struct SeriesState {
    SeriesIndex index{};
    std::uint8_t unit = 0;
  };

  enum class Doubt { None, StepFell, NewWriter };

  bool memory_goes_on(const Record& record);
  void take(const Facts& facts, const FactHeader& header, Record& record);
  void special(const Facts& facts, const Value& value, std::uint64_t line);
  void settle(Record& record);
  void merge_partial(const Record& record);
  void probe(Record& record);
  void end_probe();
  void find_lanes();
  void place_in_lane(Record& record);
  static bool is_plain(const Record& record);
  void decide(const Record& record);
  void resolve_doubt(bool new_run);
  void begin_run(std::uint64_t line);
  void emit(const Record& record, bool in_order);
  void emit_reading(const Record& record, const Reading& reading, double at_s, double step);
  SeriesState* series_of(const Record& record, const Reading& reading);
  [[nodiscard]] SeriesInfo describe(const Record& record, const Value& value, int gpu) const;
  std::optional<double> limit_of(const Record& record, const Value& value) const;
  double scale_of(const Record& record, const Value& value);
  bool choose_nvidia_column(Record& record);
  void count_row(Record& record);
  bool pairs_count(const Record& record);

  Sink& sink_;
  const Registry& registry_;
  Warnings warnings_;
  Timeline timeline_;
  StepCounter steps_;
  Record scratch_;
  Record partial_;
  bool has_partial_ = false;
  Progress carried_;  // the last step that any line told
  bool strong_step_seen_ = false;
  Stamp carried_stamp_;
  double last_row_at_ = 0;
  int last_row_ = 0;
  int carried_gpu_ = -1;
  std::optional<double> carried_limit_;  // of the machine: old free prints it in another line

  bool run_open_ = false;
  std::uint64_t runs_ = 0;
  std::uint64_t run_readings_ = 0;
  double last_bytes_ = 0;  // of the latest reading
  std::optional<std::string> mark_;
  std::optional<std::int64_t> run_pid_;  // as the mark told it: "Run 1 (Process 177381):"
  std::vector<std::int64_t> writers_;    // pids that have written in this run
  Doubt doubt_ = Doubt::None;
  std::deque<Record> doubtful_;  // held until the next line decides
  int lead_rank_ = -1;

  bool probing_ = true;  // the first readings are held until it is clear how many lanes there are
  std::vector<Record> probed_;
  std::unordered_map<std::uint16_t, Writers> lanes_;  // by the topic of a line's first reading
  std::optional<bool> pairs_count_;                   // lines of two numbers: only where nothing else is read

  std::unordered_map<std::uint64_t, SeriesState> series_;
  std::vector<UnitState> units_;  // by topic
  double free_scale_ = 0;
  double last_at_s_ = model::kUnknown;

  std::uint64_t readings_ = 0;
  std::uint64_t events_ = 0;
  std::array<std::uint64_t, 64> format_counts_{};
};

}  // namespace lowtide::ingest
