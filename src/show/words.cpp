#include "show/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "base/units.h"

namespace lowtide::show {
namespace {

using base::format_bytes;
using base::format_count;
using base::format_seconds;
using model::VerdictKind;

std::string count_words(double value) {
  if (!std::isfinite(value)) return "?";
  const auto rounded = std::llround(std::clamp(value, -9e15, 9e15));
  const auto magnitude = static_cast<std::uint64_t>(rounded < 0 ? -rounded : rounded);
  return (rounded < 0 ? "-" : "") + format_count(magnitude);
}

// The unit of a rate: "step", "hour".
struct Multiple {
  double factor = 1;
  std::string name;
};

Multiple time_multiple(double bytes_per_second) {
  const double rate = std::abs(bytes_per_second);
  if (rate >= 100 * base::kMB) return {1, "second"};
  if (rate * 60 >= base::kMB) return {60, "minute"};
  if (rate * 3600 >= base::kMB) return {3600, "hour"};
  return {86400, "day"};
}

Multiple multiple_of(const model::SeriesReport& series, double rate) {
  if (series.verdict.axis != model::Axis::Step) return time_multiple(rate);
  return {1, series.verdict.counted ? "reading" : "step"};
}

bool is_host_process(const model::SeriesReport& series) {
  return series.quantity == model::Quantity::ProcessMemory;
}

}  // namespace

std::string percent(double confidence) {
  constexpr double kMost = 0.995;
  return base::format_share(std::isfinite(confidence) ? std::min(confidence, kMost) : confidence);
}

std::string_view mechanism_words(model::Mechanism mechanism) {
  using enum model::Mechanism;
  switch (mechanism) {
    case LiveObjects:
      return "live Python objects";
    case AllocatorRetention:
      return "free memory kept by the allocator";
    case CopyOnWrite:
      return "copy-on-write";
    case SharedMemory:
      return "shared memory";
    case PageCache:
      return "page cache";
    case BoundedCache:
      return "a cache that is still filling";
    case NativeLive:
      return "native memory that was not freed";
    case GpuReserve:
      return "GPU memory reserved by torch";
    case GpuOutsideTorch:
      return "GPU memory outside torch";
    case Unexplained:
      return "unexplained";
  }
  return {};
}

std::string lean_words(const model::Lean& lean) {
  if (lean.kind == VerdictKind::Inconclusive) return "too early to say";
  const char* const what = lean.kind == VerdictKind::Leak     ? "may be a leak"
                           : lean.kind == VerdictKind::Warmup ? "may be a warm-up"
                                                              : "may be no leak";
  return fmt::format("{} ({})", what, percent(lean.confidence));
}

std::string place(const model::Mark& mark) {
  if (mark.step) return "step " + count_words(*mark.step);
  if (mark.at_s) return format_seconds(*mark.at_s);
  return "";
}

std::string bytes_words(std::uint64_t bytes) {
  return format_bytes(static_cast<double>(bytes));
}

std::string signed_bytes(std::int64_t bytes) {
  return (bytes > 0 ? "+" : "") + format_bytes(static_cast<double>(bytes));
}

std::string signed_count(std::int64_t count) {
  return (count > 0 ? "+" : "") + count_words(static_cast<double>(count));
}

std::string short_growth(const model::SeriesReport& series) {
  const std::optional<model::Rate>& rate = series.verdict.rate;
  if (!rate) return "";
  const Multiple multiple = multiple_of(series, rate->bytes);
  return fmt::format("{} per {}", format_bytes(rate->bytes * multiple.factor), multiple.name);
}

std::string growth(const model::SeriesReport& series) {
  if (!series.verdict.rate) return "";
  const model::Rate& rate = *series.verdict.rate;
  const Multiple multiple = multiple_of(series, rate.bytes);
  const std::string low = format_bytes(rate.low * multiple.factor);
  const std::string high = format_bytes(rate.high * multiple.factor);
  if (rate.low <= 0 && rate.high >= 0 && format_bytes(rate.bytes * multiple.factor) == "0 B") {
    // A warm-up without a pace is a jump: the floor shows how far.
    if (series.verdict.kind == VerdictKind::Warmup || !std::isfinite(rate.low) || !std::isfinite(rate.high))
      return "";
    return low == high ? "none" : fmt::format("none, within {} to {} per {}", low, high, multiple.name);
  }
  std::string words = short_growth(series);
  if (std::isfinite(rate.low) && std::isfinite(rate.high) && low != high)
    words += fmt::format(" ({} to {})", low, high);
  return words;
}

std::string rate_words(const model::SeriesReport& series) {
  if (!series.verdict.rate) return "";
  const double rate = series.verdict.rate->bytes;
  if (series.verdict.axis == model::Axis::Step)
    return format_bytes(rate) + (series.verdict.counted ? "/reading" : "/step");
  const Multiple multiple = time_multiple(rate);
  const std::string_view unit = multiple.factor == 1      ? "s"
                                : multiple.factor == 60   ? "min"
                                : multiple.factor == 3600 ? "h"
                                                          : "day";
  return fmt::format("{}/{}", format_bytes(rate * multiple.factor), unit);
}

bool has_fallen(const model::Verdict& verdict) {
  const double last = static_cast<double>(verdict.floor.last_bytes);
  return verdict.kind == VerdictKind::Stable && !verdict.levels &&
         static_cast<double>(verdict.floor.first_bytes) - last > model::kFallen * last;
}

std::string limit_words(const model::Limit& limit, const model::SeriesReport& series) {
  std::string words = base::format_limit(limit.bytes) + limit_source_suffix(limit) + ": ";
  const auto above = [&](std::uint64_t bytes) {
    return format_bytes(static_cast<double>(bytes) - static_cast<double>(limit.bytes));
  };
  if (series.verdict.floor.last_bytes > limit.bytes)
    return words +
           fmt::format("already passed, the floor is {} above it", above(series.verdict.floor.last_bytes));
  if (series.peak_bytes > limit.bytes)
    return words + fmt::format("already passed, the peak was {} above it", above(series.peak_bytes));
  const double share = static_cast<double>(series.peak_bytes) / static_cast<double>(limit.bytes);
  return words + fmt::format("the peak is {} of it", base::format_share(share));
}

const model::SeriesReport* find_second(const model::Report& report) {
  if (speaker(report) == nullptr) return nullptr;
  const auto& series = report.runs[report.primary_run].series;
  if (const model::SeriesReport* leak = model::find_other_leak(series)) return leak;
  return report.source.type == model::SourceType::Recording ? model::find_leaning_gpu(series) : nullptr;
}

std::string brief(const model::SeriesReport& series) {
  const model::Verdict& verdict = series.verdict;
  std::string words(model::to_string(verdict.kind));
  if (verdict.kind == VerdictKind::Leak && verdict.rate) words += ", " + short_growth(series);
  if (verdict.kind == VerdictKind::Warmup && verdict.warmup_end) {
    const std::string end = place(*verdict.warmup_end);
    const bool by_step = verdict.warmup_end->step.has_value();
    if (!end.empty()) words += fmt::format(", ended {} {}", by_step ? "at" : "after", end);
  }
  if (verdict.kind == VerdictKind::Spikes && verdict.spike_bytes) {
    words += " of " + bytes_words(*verdict.spike_bytes);
  }
  if (verdict.kind == VerdictKind::Inconclusive && verdict.lean) words += ", " + lean_words(*verdict.lean);
  return words;
}

std::string extent(const model::SeriesReport& series) {
  if (series.first_step && series.last_step && *series.last_step > *series.first_step) {
    return fmt::format("steps {} to {}", count_words(*series.first_step), count_words(*series.last_step));
  }
  if (series.first_s && series.last_s && *series.last_s > *series.first_s) {
    return format_seconds(*series.last_s - *series.first_s);
  }
  return "";
}

std::string why_primary(const model::RunReport& run) {
  if (run.series.size() < 2) return "";
  const model::SeriesReport& first = run.series.front();
  const auto same = std::count_if(run.series.begin(), run.series.end(),
                                  [&](const model::SeriesReport& s) { return s.quantity == first.quantity; });
  const std::string name = base::printable(first.name, 60);
  if (is_host_process(first) && same > 1) {
    const char* why =
        first.verdict.kind == VerdictKind::Leak ? "the one that leaks most" : "the one that matters most";
    return fmt::format("{}: of {} processes, {}", name, same, why);
  }
  return fmt::format("{}: of {} series in this run", name, run.series.size());
}

std::string advice(const model::Report& report) {
  const model::SeriesReport* series = speaker(report);
  if (series == nullptr) return "";
  const std::string peak = bytes_words(series->peak_bytes);
  switch (report.verdict.kind) {
    case VerdictKind::Leak:
      return "find what is kept from step to step: lists of losses or outputs, caches without a limit, "
             "hooks, figures that are never closed; until then, restart the job before it reaches the limit";
    case VerdictKind::Warmup:
      return fmt::format("nothing to fix; the job needs its peak of {}", peak);
    case VerdictKind::Spikes:
      return fmt::format("no leak; the machine must hold the peak of {}", peak);
    case VerdictKind::Stable:
      return fmt::format("nothing to fix; the peak was {}", peak);
    case VerdictKind::Inconclusive:
      return model::longer_words("run", report.verdict);
  }
  return "";
}

const model::SeriesReport* speaker(const model::Report& report) {
  if (report.primary_run >= report.runs.size()) return nullptr;
  const auto& series = report.runs[report.primary_run].series;
  return series.empty() ? nullptr : &series.front();
}

std::string floor_words(const model::Floor& floor) {
  return fmt::format("{} → {}", bytes_words(floor.first_bytes), bytes_words(floor.last_bytes));
}

const model::SeriesReport* tree_series(const model::Report& report) {
  if (report.primary_run >= report.runs.size()) return nullptr;
  const auto& all = report.runs[report.primary_run].series;
  const auto found = std::find_if(all.begin(), all.end(), is_host_process);
  return found == all.end() ? nullptr : &*found;
}

std::string role_name(const model::ProcessInfo& info) {
  if (info.role == model::ProcessRole::Other) return "process";
  const std::string role(model::to_string(info.role));
  return info.index ? fmt::format("{} {}", role, *info.index) : role;
}

std::string limit_source_suffix(const model::Limit& limit) {
  if (limit.told_by_log) return ", from the log";
  if (!limit.told_by_machine) return "";
  return limit.kind == model::LimitKind::Cgroup ? ", the cgroup's limit" : ", the memory of the host";
}

std::string event_place(const model::Event& event) {
  if (event.line > 0 || !event.at_s) return fmt::format("line {}", event.line);
  return "at " + format_seconds(*event.at_s);
}

std::string source_name(const model::Source& source) {
  return source.path == "-" ? "standard input" : base::printable(source.path, 200);
}

std::string subject(const model::Source& source) {
  return source.command.empty() ? source_name(source) : source.command;
}

std::string excluded_words(const model::ExcludedCause& cause) {
  return cause.mechanism ? fmt::format("{}: {:.0f}%", cause.what, cause.share * 100) : cause.what;
}

std::vector<std::string> excluded_words(const std::vector<model::ExcludedCause>& causes) {
  std::vector<std::string> out;
  out.reserve(causes.size());
  for (const model::ExcludedCause& cause : causes) out.push_back(excluded_words(cause));
  return out;
}

std::vector<std::string> texts_of(const std::vector<model::Observation>& evidence) {
  return {evidence.begin(), evidence.end()};
}

std::string sentence(std::string text) {
  if (text.empty()) return text;
  const std::string_view first = std::string_view(text).substr(0, text.find_first_of(" ,;:"));
  const bool is_word =
      std::all_of(first.begin(), first.end(), [](char c) { return (c >= 'a' && c <= 'z') || c == '-'; });
  if (is_word && text.front() != '-') text.front() = static_cast<char>(text.front() - 'a' + 'A');
  if (text.back() != '.') text += '.';
  return text;
}

}  // namespace lowtide::show
