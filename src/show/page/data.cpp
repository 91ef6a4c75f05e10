#include "show/page/data.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "show/json/details.h"
#include "show/json/report_part.h"
#include "show/page/base64.h"
#include "show/page/thin_points.h"
#include "show/words.h"

namespace lowtide::show {

struct PageCounter {
  std::int64_t pid = 0;
  model::CounterKind kind = model::CounterKind::Process;
  std::string name;
  std::size_t times = 0;
  std::string values;
};

struct PageStack {
  std::int64_t pid = 0;
  std::int64_t growth_bytes = 0;
  std::uint64_t live_bytes = 0;
  std::vector<std::size_t> frames;
};

struct PageBaselineData {
  std::vector<PageStack> profile;
  Number growth_scale;
};

using Curves = std::vector<std::vector<std::array<Number, 2>>>;

struct PageData {
  ReportPart report;
  std::vector<std::string> times;
  std::vector<PageCounter> counters;
  std::size_t readings = 0;
  bool thinned = false;
  std::reference_wrapper<const model::Trace> trace;
  std::vector<model::Frame> frames;
  std::vector<PageStack> profile;
  Curves site_curves;
  Curves holder_curves;
  std::vector<std::string> growth_words;
  std::optional<PageBaselineData> baseline;
  std::optional<std::uint64_t> limit_bytes;
  std::optional<int> again_s;
};

namespace {

std::uint32_t millis(double seconds) {
  const double value = std::round(seconds * 1e3);
  if (!(value > 0)) return 0;
  return static_cast<std::uint32_t>(
      std::min(value, static_cast<double>(std::numeric_limits<std::uint32_t>::max())));
}

// Each list of times is kept once: the processes of a tree are read at the same moments.
class Times {
 public:
  std::size_t index_of(std::vector<std::uint32_t> times) {
    const auto [found, is_new] = indices_.emplace(std::move(times), indices_.size());
    if (is_new) list_.push_back(to_base64(found->first));
    return found->second;
  }
  [[nodiscard]] std::vector<std::string> list() && { return std::move(list_); }

 private:
  std::map<std::vector<std::uint32_t>, std::size_t> indices_;
  std::vector<std::string> list_;
};

// Resident memory counts shared pages once per process, so it is in the report's tables but not in the
// charts.
bool is_drawn(const model::CounterTrack& track) {
  return track.kind != model::CounterKind::Resident;
}

Tracks drawn_tracks(const model::Trace& trace) {
  Tracks out;
  for (const model::CounterTrack& track : trace.counters) {
    if (is_drawn(track)) out.push_back(&track);
  }
  return out;
}

PageCounter counter_of(const model::CounterTrack& track, const Buckets& buckets, Times& times) {
  const std::vector<model::CounterPoint> points = thinned(track.points, buckets);
  std::vector<std::uint32_t> at;
  std::vector<float> values;
  at.reserve(points.size());
  values.reserve(points.size());
  for (const model::CounterPoint& point : points) {
    at.push_back(millis(point.at_s));
    values.push_back(static_cast<float>(point.value));
  }
  return {track.pid, track.kind, printable_name(track.name), times.index_of(std::move(at)),
          to_base64(values)};
}

// A frame can be in thousands of stacks. It is written once, and a stack is a list of indices.
class FrameTable {
 public:
  std::size_t index_of(const model::Frame& frame) {
    const auto key = std::make_tuple(frame.function, frame.file, frame.line, frame.module);
    const auto [found, is_new] = indices_.emplace(key, list_.size());
    if (is_new) {
      list_.push_back({.language = frame.language,
                       .function = printable_name(frame.function),
                       .file = printable_name(frame.file),
                       .line = frame.line,
                       .module = printable_name(frame.module)});
    }
    return found->second;
  }
  [[nodiscard]] std::vector<model::Frame> list() && { return std::move(list_); }

 private:
  std::map<std::tuple<std::string, std::string, std::uint32_t, std::string>, std::size_t> indices_;
  std::vector<model::Frame> list_;
};

std::vector<PageStack> stacks_of(const model::Profile& profile, FrameTable& table) {
  std::vector<PageStack> list;
  for (const model::ProfileSample& sample : profile.samples) {
    if (sample.growth_bytes <= 0 && sample.live_bytes == 0) continue;
    std::vector<std::size_t> frames;
    for (const model::Frame& frame : sample.frames) frames.push_back(table.index_of(frame));
    list.push_back({sample.pid, sample.growth_bytes, sample.live_bytes, std::move(frames)});
  }
  return list;
}

template <typename Rows>
Curves courses_of(const Rows& rows) {
  Curves list;
  for (const auto& row : rows) {
    auto& curve = list.emplace_back();
    for (const model::CounterPoint& point : row.curve)
      curve.push_back({Number{point.at_s}, Number{point.value}});
  }
  return list;
}

std::vector<std::string> growth_words_of(const model::Report& report) {
  std::vector<std::string> out;
  if (!report.growth) return out;
  for (const model::MechanismShare& part : report.growth->mechanisms)
    out.emplace_back(mechanism_words(part.mechanism));
  return out;
}

}  // namespace

constexpr auto describe(Tag<PageCounter>) {
  return object(
      "Counter", "a series of readings", field<&PageCounter::pid>("pid", "its process; 0: the whole job"),
      field<&PageCounter::kind>("kind",
                                "memory of a `process`, of the whole `job` or of a `gpu`, or the `steps` of "
                                "the job; `resident` memory is not in the page"),
      field<&PageCounter::name>("name", "name of the series, for people"),
      field<&PageCounter::times>("times", "index of its times in `times`"),
      field<&PageCounter::values>("values", "base64 of float32, little-endian"));
}

constexpr auto describe(Tag<model::TraceSpan>) {
  using model::TraceSpan;
  return object("Span", "a stretch of time", field<&TraceSpan::pid>("pid", "its process; 0: the whole job"),
                field<&TraceSpan::track>("track", "phases, events, snapshots, not recorded, verdict"),
                field("name", "its name", [](const TraceSpan& span) { return printable_name(span.name); }),
                field_as<Seconds, &TraceSpan::at_s>("at_s", "its start"),
                field_as<Seconds, &TraceSpan::took_s>("took_s", "its duration; 0: a moment"));
}

constexpr auto describe(Tag<model::TraceProcess>) {
  using model::TraceProcess;
  return object(
      "NamedProcess", "the name of a process", field<&TraceProcess::pid>("pid", "the process"),
      field("name", "its name", [](const TraceProcess& process) { return printable_name(process.name); }));
}

constexpr auto describe(Tag<PageStack>) {
  return object("Stack", "a stack that allocated memory", field<&PageStack::pid>("pid", "its process"),
                field<&PageStack::growth_bytes>("growth_bytes", "growth of its live memory"),
                field<&PageStack::live_bytes>("live_bytes", "its live memory at the end"),
                field<&PageStack::frames>("frames", "indices in `frames`, innermost first"));
}

constexpr auto describe(Tag<PageBaselineData>) {
  return object(
      "Baseline", "the run before a change, of `compare --html`",
      field<&PageBaselineData::profile>("profile", "stacks that allocated memory"),
      field<&PageBaselineData::growth_scale>(
          "growth_scale", "what its growth is multiplied by, so that both runs have the same length"));
}

constexpr auto describe(Tag<PageData>) {
  using model::Trace;
  constexpr auto kTrace = &PageData::trace;
  return object(
      "PageData", "what the scripts of the page read",
      field<&PageData::report>("report", "the report, as `--json` prints it"),
      field<&PageData::times>("times", "base64 of uint32, little-endian: milliseconds from the start"),
      field<&PageData::counters>("counters", "memory over time"),
      field<&PageData::readings>("readings", "number of readings in the recording"),
      field<&PageData::thinned>("thinned", "whether `counters` has fewer than that"),
      field<kTrace, &Trace::spans>("spans", "phases, events and other stretches of time"),
      field<kTrace, &Trace::processes>("processes", "the names of the processes"),
      field<&PageData::frames>("frames", "the frames of `profile`, each once"),
      field<&PageData::profile>("profile", "stacks that allocated memory"),
      field<&PageData::baseline>("baseline", "the run before a change; null if nothing is compared"),
      field<&PageData::site_curves>("site_curves", "seconds and bytes of each of `report.sites`"),
      field<&PageData::holder_curves>("holder_curves", "seconds and bytes of each of `report.holders`"),
      field<&PageData::growth_words>("growth_words", "what to call each of `report.growth.mechanisms`"),
      field<&PageData::limit_bytes>("limit_bytes", "the limit of the job"),
      field<&PageData::again_s>("again_s",
                                "after how many seconds the page of a running job, served by `lowtide "
                                "serve`, fetches itself again; else null"));
}

ObjectText page_text() {
  return text_of<PageData>();
}

std::string page_data(const PageContents& contents, std::size_t most_points) {
  const Tracks tracks = drawn_tracks(contents.trace);
  const Buckets buckets = choose_buckets(tracks, most_points);
  std::size_t points = 0;
  Times times;
  std::vector<PageCounter> counters;
  for (const model::CounterTrack* track : tracks) {
    points += track->points.size();
    counters.push_back(counter_of(*track, buckets, times));
  }
  FrameTable frames;
  std::vector<PageStack> profile = stacks_of(contents.profile, frames);
  std::optional<PageBaselineData> baseline;
  if (contents.baseline) {
    baseline = PageBaselineData{stacks_of(contents.baseline->profile, frames),
                                Number{contents.baseline->growth_scale}};
  }
  const model::Report& report = contents.report;
  const PageData data{.report = {report},
                      .times = std::move(times).list(),
                      .counters = std::move(counters),
                      .readings = points,
                      .thinned = buckets.count > 0,
                      .trace = contents.trace,
                      .frames = std::move(frames).list(),
                      .profile = std::move(profile),
                      .site_curves = courses_of(report.sites),
                      .holder_curves = courses_of(report.holders),
                      .growth_words = growth_words_of(report),
                      .baseline = std::move(baseline),
                      .limit_bytes = report.limit ? std::optional(report.limit->bytes) : std::nullopt,
                      .again_s = contents.again_s};
  return written(json_of(data));
}

}  // namespace lowtide::show
