// A sink that keeps everything: for tests and fuzz targets only.
#pragma once

#include <string>
#include <vector>

#include "ingest/sink.h"

namespace lowtide::ingest {

struct RecordedSeries {
  SeriesInfo info;
  std::vector<model::Sample> samples;
  std::vector<std::uint64_t> lines;
};

struct RecordedRun {
  std::string name;
  std::uint64_t first_line = 0;
  std::vector<std::size_t> series;
};

class CollectingSink : public Sink {
 public:
  void begin_run(const std::string& name, std::uint64_t first_line) override {
    runs.push_back({name, first_line, {}});
  }
  SeriesIndex begin_series(const SeriesInfo& info) override {
    runs.back().series.push_back(series.size());
    series.push_back({info, {}, {}});
    return SeriesIndex{series.size() - 1};
  }
  void add(SeriesIndex index, const model::Sample& sample, std::uint64_t line) override {
    last = static_cast<std::size_t>(index);
    series[last].samples.push_back(sample);
    series[last].lines.push_back(line);
    ++readings;
  }
  void event(const model::Event& event) override { events.push_back(event); }

  std::vector<RecordedRun> runs;
  std::vector<RecordedSeries> series;
  std::vector<model::Event> events;
  std::size_t readings = 0;
  std::size_t last = 0;
};

}  // namespace lowtide::ingest
