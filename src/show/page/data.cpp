#include "show/page/data.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "show/json/json.h"
#include "show/json/values.h"
#include "show/page/base64.h"
#include "show/page/thin_points.h"

namespace lowtide::show {
namespace {

std::uint32_t millis(double seconds) {
  const double value = std::round(seconds * 1e3);
  if (!(value > 0)) return 0;
  return static_cast<std::uint32_t>(
      std::min(value, static_cast<double>(std::numeric_limits<std::uint32_t>::max())));
}

std::string dumped(const Json& json) {
  return json.dump(-1, ' ', false, kReplaceInvalid);
}

// Lists of moments, each once: the processes of a tree are read at the same ones.
class Times {
 public:
  std::size_t index_of(std::vector<std::uint32_t> times) {
    const auto [found, is_new] = indices_.emplace(std::move(times), indices_.size());
    if (is_new) order_.push_back(&found->first);
    return found->second;
  }

  [[nodiscard]] std::string json() const {
    std::string out = "[";
    for (const std::vector<std::uint32_t>* times : order_) {
      if (out.size() > 1) out += ',';
      out += '"' + to_base64(*times) + '"';
    }
    return out + "]";
  }

 private:
  std::map<std::vector<std::uint32_t>, std::size_t> indices_;
  std::vector<const std::vector<std::uint32_t>*> order_;
};

// Resident memory counts shared pages once per process: the report's tables have it, the pictures do not.
bool is_drawn(const model::CounterTrack& track) {
  return track.pid == 0 || track.name != "resident";
}

Tracks drawn_tracks(const model::Trace& trace) {
  Tracks out;
  for (const model::CounterTrack& track : trace.counters) {
    if (is_drawn(track)) out.push_back(&track);
  }
  return out;
}

std::string counter_json(const model::CounterTrack& track, const Buckets& buckets, Times& times) {
  const std::vector<model::CounterPoint> points = thinned(track.points, buckets);
  std::vector<std::uint32_t> at;
  std::vector<float> values;
  at.reserve(points.size());
  values.reserve(points.size());
  for (const model::CounterPoint& point : points) {
    at.push_back(millis(point.at_s));
    values.push_back(static_cast<float>(point.value));
  }
  // Put together by hand: base64 needs no escapes, and there are millions of digits.
  return "{\"pid\":" + std::to_string(track.pid) + ",\"name\":" + dumped(Json(printable_name(track.name))) +
         ",\"times\":" + std::to_string(times.index_of(std::move(at))) + R"(,"values":")" +
         to_base64(values) + R"("})";
}

Json spans_json(const model::Trace& trace) {
  Json list = Json::array();
  for (const model::TraceSpan& span : trace.spans) {
    list.push_back({{"pid", span.pid},
                    {"track", span.track},
                    {"name", printable_name(span.name)},
                    {"at_s", number(span.at_s, 9)},
                    {"took_s", number(span.took_s, 9)}});
  }
  return list;
}

Json processes_json(const model::Trace& trace) {
  Json list = Json::array();
  for (const model::TraceProcess& process : trace.processes) {
    list.push_back({{"pid", process.pid}, {"name", printable_name(process.name)}});
  }
  return list;
}

// A frame is in thousands of stacks: each once, and a stack is a list of their numbers.
class FrameTable {
 public:
  std::size_t index_of(const model::Frame& frame) {
    const auto key = std::make_tuple(frame.function, frame.file, frame.line, frame.module);
    const auto [found, is_new] = indices_.emplace(key, list_.size());
    if (is_new) {
      list_.push_back({{"function", text_or_null(printable_name(frame.function))},
                       {"file", text_or_null(printable_name(frame.file))},
                       {"line", frame.line > 0 ? Json(frame.line) : Json(nullptr)},
                       {"module", text_or_null(printable_name(frame.module))},
                       {"language", model::to_string(frame.language)}});
    }
    return found->second;
  }
  [[nodiscard]] const Json& list() const { return list_; }

 private:
  std::map<std::tuple<std::string, std::string, std::uint32_t, std::string>, std::size_t> indices_;
  Json list_ = Json::array();
};

Json profile_json(const model::Profile& profile, FrameTable& table) {
  Json list = Json::array();
  for (const model::ProfileSample& sample : profile.samples) {
    if (sample.growth_bytes <= 0 && sample.live_bytes == 0) continue;
    Json frames = Json::array();
    for (const model::Frame& frame : sample.frames) frames.push_back(table.index_of(frame));
    list.push_back({{"pid", sample.pid},
                    {"growth_bytes", sample.growth_bytes},
                    {"live_bytes", sample.live_bytes},
                    {"frames", std::move(frames)}});
  }
  return list;
}

template <typename Rows>
Json courses_json(const Rows& rows) {
  Json list = Json::array();
  for (const auto& row : rows) {
    Json course = Json::array();
    for (const model::CounterPoint& point : row.course) {
      course.push_back(Json::array({number(point.at_s), number(point.value)}));
    }
    list.push_back(std::move(course));
  }
  return list;
}

}  // namespace

std::string page_data(const PageContents& contents, std::size_t most_points) {
  const Tracks tracks = drawn_tracks(contents.trace);
  const Buckets buckets = choose_buckets(tracks, most_points);
  std::size_t points = 0;
  Times times;
  std::string counters;
  for (const model::CounterTrack* track : tracks) {
    points += track->points.size();
    if (!counters.empty()) counters += ',';
    counters += counter_json(*track, buckets, times);
  }
  FrameTable frames;
  const Json profile = profile_json(contents.profile, frames);
  const model::Report& report = contents.report;
  return "{\"report\":" + to_json(report) + ",\"times\":" + times.json() + ",\"counters\":[" + counters +
         "],\"readings\":" + std::to_string(points) +
         ",\"thinned\":" + (buckets.count > 0 ? "true" : "false") +
         ",\"spans\":" + dumped(spans_json(contents.trace)) +
         ",\"processes\":" + dumped(processes_json(contents.trace)) + ",\"frames\":" + dumped(frames.list()) +
         ",\"profile\":" + dumped(profile) + ",\"site_courses\":" + dumped(courses_json(report.sites)) +
         ",\"holder_courses\":" + dumped(courses_json(report.holders)) +
         ",\"limit_bytes\":" + (report.limit ? std::to_string(report.limit->bytes) : "null") +
         ",\"again_s\":" + (contents.again_s ? std::to_string(*contents.again_s) : "null") + "}";
}

}  // namespace lowtide::show
