// From readings to a report, in bounded memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "ingest/sink.h"
#include "judge/detector.h"
#include "model/report.h"

namespace lowtide::explain {

// Judges every series of every run as the readings arrive; a finished run is
// reduced to its verdicts at once. Neither the number of runs nor of series nor
// of events that a log claims to hold can make this grow without bound: what
// goes beyond the limits below is left out, and a warning reports it.
class LogAnalysis final : public ingest::Sink {
 public:
  static constexpr std::size_t kMostSeries = 256;  // of one run
  static constexpr std::size_t kMostRuns = 500;    // the latest ones are kept
  static constexpr std::size_t kMostEvents =
      200;  // the first kFirstEvents, and the last ones: the kill is there
  static constexpr std::size_t kFirstEvents = 20;

  // `limit_bytes` is the limit that the user gave. Without it the limit in the log is used.
  explicit LogAnalysis(std::optional<std::uint64_t> limit_bytes) : limit_bytes_(limit_bytes) {}

  void begin_run(const std::string& name, std::uint64_t first_line) override;
  ingest::SeriesIndex begin_series(const ingest::SeriesInfo& info) override;
  void add(ingest::SeriesIndex index, const model::Sample& sample, std::uint64_t line) override;
  void event(const model::Event& event) override;

  // The report of all that has arrived. Nothing may be added after it.
  [[nodiscard]] model::Report finish(model::Source source, std::vector<model::Warning> warnings);

 private:
  struct Series {
    model::SeriesReport report;  // its verdict is asked for when the run is over
    judge::Detector detector;
  };

  void end_run();
  void keep_run();
  [[nodiscard]] std::optional<model::Limit> limit_in_log(const model::SeriesReport& series) const;
  void add_to_runs(model::RunReport run, std::optional<model::Limit> limit);
  void reduce(std::size_t run);
  void drop_oldest_runs();
  void add_own_warnings(std::vector<model::Warning>& warnings) const;

  std::optional<std::uint64_t> limit_bytes_;
  std::vector<model::RunReport> runs_;
  std::vector<std::optional<model::Limit>>
      limits_;               // of the series that decides the verdict of each of runs_
  std::size_t primary_ = 0;  // of runs_: the latest that says something; if none does, the latest
  model::RunReport run_;     // the current one
  std::vector<Series> series_;
  std::vector<model::Event> events_;
  std::deque<model::Event> last_events_;  // after the first ones
  std::uint64_t runs_left_out_ = 0;
  std::uint64_t series_left_out_ = 0;
  std::uint64_t first_series_left_out_line_ = 0;
  std::uint64_t events_left_out_ = 0;
  std::optional<double> highest_step_;
  std::optional<double> duration_s_;
};

}  // namespace lowtide::explain
