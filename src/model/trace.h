// A run on a timeline, for viewers of traces: counters, stretches and moments.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lowtide::model {

struct TraceProcess {
  std::int64_t pid = 0;
  std::string name;
};

struct CounterPoint {
  double at_s = 0;
  double value = 0;
};

struct CounterTrack {
  std::int64_t pid = 0;  // 0: of the whole job
  std::string name;
  std::vector<CounterPoint> points;
};

// A stretch; a moment, where it took no time.
struct TraceSpan {
  std::int64_t pid = 0;  // 0: of the whole job
  std::string track;     // stretches of one track do not overlap
  std::string name;
  double at_s = 0;
  double took_s = 0;
};

struct Trace {
  std::string command;
  std::vector<TraceProcess> processes;
  std::vector<CounterTrack> counters;
  std::vector<TraceSpan> spans;
};

}  // namespace lowtide::model
