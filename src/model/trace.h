// A run on a timeline, for viewers of traces: counters, stretches and moments.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
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

enum class CounterKind {
  Process,   // memory of a process, shared pages counted once
  Job,       // the same of the whole job
  Resident,  // of a process
  Gpu,       // memory of a GPU: used, or by a process
  Steps
};

constexpr std::string_view to_string(CounterKind kind) {
  switch (kind) {
    case CounterKind::Process:
      return "process";
    case CounterKind::Job:
      return "job";
    case CounterKind::Resident:
      return "resident";
    case CounterKind::Gpu:
      return "gpu";
    case CounterKind::Steps:
      return "steps";
  }
  return {};
}

struct CounterTrack {
  std::int64_t pid = 0;  // 0: of the whole job
  std::string name;      // for people
  std::vector<CounterPoint> points;
  CounterKind kind = CounterKind::Process;
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
