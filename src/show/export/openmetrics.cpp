#include "show/export/openmetrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <string_view>

#include "show/answer_words.h"
#include "show/export/metrics.h"
#include "show/words.h"

namespace lowtide::show {
namespace {

using model::VerdictKind;

enum class Format { PrometheusText, OpenMetrics };

// Of a label. Line breaks cannot occur: text of the job is printable.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') out += '\\';
    out += letter;
  }
  return out;
}

class Exposition {
 public:
  explicit Exposition(Format format) : format_(format) {}

  // The header of a metric is written with its first value: a metric without a value is left out.
  void begin(MetricName metric) {
    metric_ = &metric.row();
    const bool is_open = format_ == Format::OpenMetrics;
    // The text format has neither state sets nor units. A state set is written as gauges of 0 and 1 there.
    const std::string_view type = !is_open && metric_->type == "stateset" ? "gauge" : metric_->type;
    head_ = fmt::format("# TYPE {} {}\n", metric_->name, type);
    if (is_open && !metric_->unit.empty())
      head_ += fmt::format("# UNIT {} {}\n", metric_->name, metric_->unit);
    head_ += fmt::format("# HELP {} {}\n", metric_->name, metric_->help);
  }

  void add(double value, std::string_view of_label = {}) {
    if (!std::isfinite(value)) return;
    out_ += head_;
    head_.clear();
    out_ += metric_->name;
    if (!of_label.empty()) out_ += fmt::format("{{{}=\"{}\"}}", metric_->label, escaped(of_label));
    out_ += fmt::format(" {}\n", value);
  }

  void add_bytes(std::uint64_t bytes, std::string_view of_label = {}) {
    add(static_cast<double>(bytes), of_label);
  }

  std::string end() {
    if (format_ == Format::OpenMetrics) out_ += "# EOF\n";
    return std::move(out_);
  }

 private:
  Format format_;
  std::string out_;
  std::string head_;
  const Metric* metric_ = nullptr;
};

void add_verdict(Exposition& out, const model::Verdict& verdict) {
  constexpr std::array kKinds{VerdictKind::Leak, VerdictKind::Warmup, VerdictKind::Spikes,
                              VerdictKind::Stable, VerdictKind::Inconclusive};
  out.begin("lowtide_verdict");
  for (const VerdictKind kind : kKinds) out.add(kind == verdict.kind ? 1 : 0, model::to_string(kind));
  out.begin("lowtide_verdict_confidence_ratio");
  out.add(verdict.confidence);
  out.begin("lowtide_leak_lean_ratio");
  if (verdict.kind == VerdictKind::Inconclusive) {
    out.add(model::leans_to_leak(verdict) ? verdict.lean->confidence : 0);
  }
}

void add_series(Exposition& out, const model::SeriesReport& series) {
  out.begin("lowtide_memory_bytes");
  out.add_bytes(series.last_bytes);
  out.begin("lowtide_memory_peak_bytes");
  out.add_bytes(series.peak_bytes);
  out.begin("lowtide_memory_floor_bytes");
  out.add_bytes(series.verdict.floor.last_bytes);
  if (!series.verdict.rate) return;
  if (series.verdict.axis == model::Axis::Step) {
    out.begin("lowtide_floor_growth_per_step_bytes");
  } else {
    out.begin("lowtide_floor_growth_per_second_bytes");
  }
  out.add(series.verdict.rate->bytes);
}

void add_limit(Exposition& out, const model::Report& report) {
  out.begin("lowtide_limit_bytes");
  const bool is_tmpfs = report.forecast && report.forecast->limit == model::LimitKind::Tmpfs;
  if (is_tmpfs) {
    out.add_bytes(report.forecast->limit_bytes);
  } else if (report.limit) {
    out.add_bytes(report.limit->bytes);
  }
  out.begin("lowtide_limit_reached_seconds");
  if (report.forecast && report.forecast->seconds) {
    const double now_s = report.source.duration_s.value_or(0);
    out.add(std::max(0.0, report.forecast->seconds->estimate - now_s));
  }
}

void add_processes(Exposition& out, const model::Report& report) {
  struct Sum {
    double count = 0;
    double bytes = 0;
  };
  std::map<std::string_view, Sum> by_role;
  for (const model::ProcessReport& process : report.processes) {
    if (process.info.ended_s) continue;
    Sum& sum = by_role[model::to_string(process.info.role)];
    sum.count += 1;
    sum.bytes += static_cast<double>(process.series.last_bytes);
  }
  out.begin("lowtide_processes");
  for (const auto& [role, sum] : by_role) out.add(sum.count, role);
  out.begin("lowtide_process_memory_bytes");
  for (const auto& [role, sum] : by_role) out.add(sum.bytes, role);
}

void add_cause(Exposition& out, const model::Report& report) {
  const AnswerWords answer = answer_words(report);
  out.begin("lowtide_cause");
  if (!answer.cause.empty() && model::may_leak(report.verdict)) out.add(1, answer.cause);
}

void add_gpus(Exposition& out, const model::Report& report) {
  out.begin("lowtide_gpu_memory_used_bytes");
  for (const model::GpuReport& gpu : report.gpus) out.add_bytes(gpu.used_bytes, std::to_string(gpu.index));
  out.begin("lowtide_gpu_memory_total_bytes");
  for (const model::GpuReport& gpu : report.gpus) out.add_bytes(gpu.total_bytes, std::to_string(gpu.index));
}

// Other paths may be confidential.
void add_tmpfs(Exposition& out, const model::Report& report) {
  constexpr std::array<std::string_view, 4> kUsualPaths{"/dev/shm", "/tmp", "/var/tmp", "/run"};
  const auto add = [&](MetricName name, std::uint64_t model::TmpfsReport::*bytes) {
    out.begin(name);
    for (const model::TmpfsReport& tmpfs : report.tmpfs) {
      if (std::find(kUsualPaths.begin(), kUsualPaths.end(), tmpfs.path) != kUsualPaths.end())
        out.add_bytes(tmpfs.*bytes, tmpfs.path);
    }
  };
  add("lowtide_tmpfs_used_bytes", &model::TmpfsReport::used_bytes);
  add("lowtide_tmpfs_size_bytes", &model::TmpfsReport::total_bytes);
  add("lowtide_tmpfs_job_bytes", &model::TmpfsReport::job_bytes);
}

void add_findings(Exposition& out, const model::Report& report) {
  constexpr std::array kAll{model::Severity::Critical, model::Severity::High, model::Severity::Medium,
                            model::Severity::Low, model::Severity::Info};
  out.begin("lowtide_findings");
  for (const model::Severity severity : kAll) {
    const auto count = std::count_if(
        report.findings.begin(), report.findings.end(),
        [&](const auto& finding) { return finding.severity == severity && !finding.ruled_out; });
    out.add(static_cast<double>(count), model::to_string(severity));
  }
}

std::string to_metrics(const model::Report& report, Format format) {
  Exposition out(format);
  add_verdict(out, report.verdict);
  add_cause(out, report);
  if (const model::SeriesReport* tree = tree_series(report)) add_series(out, *tree);
  add_limit(out, report);
  add_tmpfs(out, report);
  add_processes(out, report);
  add_gpus(out, report);
  add_findings(out, report);
  out.begin("lowtide_watched_seconds");
  if (report.source.duration_s) out.add(*report.source.duration_s);
  out.begin("lowtide_steps");
  if (report.source.steps) out.add(static_cast<double>(*report.source.steps));
  out.begin("lowtide_running");
  out.add(report.ending == model::Ending::Running ? 1 : 0);
  return out.end();
}

}  // namespace

std::string to_openmetrics(const model::Report& report) {
  return to_metrics(report, Format::OpenMetrics);
}

std::string to_prometheus_text(const model::Report& report) {
  return to_metrics(report, Format::PrometheusText);
}

}  // namespace lowtide::show
