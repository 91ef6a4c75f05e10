#include "show/export/perfetto.h"

#include <cmath>
#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "show/json/values.h"

namespace lowtide::show {
namespace {

// Event by event: a trace of a long run has millions, and a tree of them would take gigabytes.
class Events {
 public:
  void add(const Json& event) {
    text_ += text_.empty() ? "{\"traceEvents\":[\n" : ",\n";
    text_ += written(event);
  }
  std::string finish(const std::string& command) && {
    if (text_.empty()) text_ = "{\"traceEvents\":[\n";
    const Json about = {{"command", command}};
    return std::move(text_) + "\n],\"displayTimeUnit\":\"ms\",\"otherData\":" + written(about) + "}\n";
  }

 private:
  std::string text_;
};

std::int64_t micros(double seconds) {
  return std::llround(seconds * 1e6);
}

// The viewer shows rows of a process by the number of their thread.
class TrackRows {
 public:
  int row_of(Events& events, std::int64_t pid, const std::string& track) {
    const auto [found, is_new] = rows_.emplace(std::pair(pid, track), static_cast<int>(rows_.size()) + 1);
    if (is_new) {
      events.add({{"ph", "M"},
                  {"pid", pid},
                  {"tid", found->second},
                  {"name", "thread_name"},
                  {"args", {{"name", track}}}});
    }
    return found->second;
  }

 private:
  std::map<std::pair<std::int64_t, std::string>, int> rows_;
};

}  // namespace

std::string to_perfetto(const model::Trace& trace) {
  Events events;
  const auto name_process = [&](std::int64_t pid, std::string_view name, int place) {
    events.add(
        {{"ph", "M"}, {"pid", pid}, {"name", "process_name"}, {"args", {{"name", printable_name(name)}}}});
    events.add(
        {{"ph", "M"}, {"pid", pid}, {"name", "process_sort_index"}, {"args", {{"sort_index", place}}}});
  };
  name_process(0, "the whole job", -1);
  int place = 0;
  for (const model::TraceProcess& process : trace.processes) name_process(process.pid, process.name, place++);
  for (const model::CounterTrack& track : trace.counters) {
    for (const model::CounterPoint& point : track.points) {
      events.add({{"ph", "C"},
                  {"pid", track.pid},
                  {"ts", micros(point.at_s)},
                  {"name", track.name},
                  {"args", {{"value", point.value}}}});
    }
  }
  TrackRows rows;
  for (const model::TraceSpan& span : trace.spans) {
    const int row = rows.row_of(events, span.pid, span.track);
    Json event = {
        {"ph", span.took_s > 0 ? "X" : "i"}, {"pid", span.pid},   {"tid", row},
        {"ts", micros(span.at_s)},           {"cat", span.track}, {"name", printable_name(span.name)}};
    if (span.took_s > 0) {
      event["dur"] = micros(span.took_s);
    } else {
      event["s"] = span.pid == 0 ? "g" : "p";
    }
    events.add(event);
  }
  return std::move(events).finish(printable_name(trace.command));
}

}  // namespace lowtide::show
