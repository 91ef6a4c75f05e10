#include "show/testing/sample_reports.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "model/sample.h"

namespace lowtide::show {
namespace {

constexpr double kMB = 1e6;
constexpr double kGB = 1e9;

std::uint64_t whole(double bytes) {
  return static_cast<std::uint64_t>(std::llround(bytes));
}

void append(model::SeriesReport& series, double at_s, double step, double bytes) {
  series.outline.push_back({at_s, step, 1, whole(bytes), whole(bytes), bytes});
  series.peak_bytes = std::max(series.peak_bytes, whole(bytes));
  series.last_bytes = whole(bytes);
  ++series.verdict.samples;
  if (std::isfinite(at_s)) {
    if (!series.first_s) series.first_s = at_s;
    series.last_s = at_s;
  }
  if (std::isfinite(step)) {
    if (!series.first_step) series.first_step = step;
    series.last_step = step;
  }
}

model::SeriesReport every_ten_steps(const std::vector<double>& megabytes) {
  model::SeriesReport series;
  series.name = "process memory";
  series.verdict.axis = model::Axis::Step;
  double step = 10;
  for (const double value : megabytes) {
    append(series, model::kUnknown, step, value * kMB);
    step += 10;
  }
  series.verdict.floor = {series.outline.front().low_bytes, series.last_bytes};
  return series;
}

model::Report with_run(model::SeriesReport series, std::string path) {
  model::Report report;
  report.source.path = std::move(path);
  report.verdict = series.verdict;
  report.forecast = series.forecast;
  report.runs.push_back({"run 1", 1, 100, {std::move(series)}});
  report.answer = answer_of(report.verdict);
  return report;
}

}  // namespace

model::Answer answer_of(const model::Verdict& verdict) {
  model::Answer out;
  out.kind = verdict.kind == model::VerdictKind::Leak     ? model::AnswerKind::Leak
             : verdict.kind == model::VerdictKind::Warmup ? model::AnswerKind::Warmup
             : verdict.kind == model::VerdictKind::Spikes ? model::AnswerKind::Spikes
             : verdict.kind == model::VerdictKind::Stable ? model::AnswerKind::Stable
                                                          : model::AnswerKind::Inconclusive;
  out.axis = verdict.axis;
  out.confidence = verdict.lean ? verdict.lean->confidence : verdict.confidence;
  if (model::may_leak(verdict) && verdict.rate) out.rate = verdict.rate->bytes;
  out.fix = model::may_leak(verdict) ? "find what is kept from step to step" : "none needed";
  return out;
}

model::Report warmup_report() {
  model::SeriesReport first = every_ten_steps({5552, 7159, 8851, 10515, 12227, 13919, 15736});
  first.pid = 177381;
  first.verdict.confidence = 0.9;
  first.verdict.rate = model::Rate{169.2 * kMB, 165.0 * kMB, 175.0 * kMB};
  first.verdict.reason =
      "floor rose 169 MB per step to the last reading; a warm-up that is still going on looks the same";
  first.verdict.is_reason_on_floor = true;
  first.verdict.needs = model::Needs{model::NeedsKind::MoreSteps, 330};
  first.verdict.lean = model::Lean{model::VerdictKind::Leak, 0.62};

  model::SeriesReport second =
      every_ten_steps({5434,  7017,  8721,  10375, 12000, 13757, 15559, 17412, 17658, 17693, 17694, 17694,
                       17437, 17437, 17437, 17378, 17378, 17229, 17229, 17051, 17052, 17041, 17033, 17032});
  second.pid = 179532;
  second.verdict.kind = model::VerdictKind::Warmup;
  second.verdict.confidence = 0.9712345;
  second.verdict.rate = model::Rate{165.4 * kMB, 158.3 * kMB, 171.0 * kMB};
  second.verdict.warmup_end = model::Mark{84.6, std::nullopt};
  second.verdict.plateau_bytes = whole(17230 * kMB);
  second.verdict.reason = "floor rose 165 MB per step until step 85 and has not risen in the 155 steps since";
  second.verdict.is_reason_on_floor = true;

  model::Report report;
  report.source = {
      model::SourceType::Log, "production.txt", "Step N: X MB", std::nullopt, std::nullopt, 240, 1016, 35};
  report.verdict = second.verdict;
  report.runs.push_back({"Run 1 (Process 177381)", 2, 8, {std::move(first)}});
  report.runs.push_back({"Run 2 (Process 179532)", 12, 35, {std::move(second)}});
  report.primary_run = 1;
  report.events.push_back({model::EventKind::Restart, std::nullopt, 9, "[Process restarted]"});
  report.answer = answer_of(report.verdict);
  return report;
}

model::Report leak_report() {
  model::SeriesReport trainer;
  trainer.name = "pid 4711 (python train.py)";
  trainer.command = "python train.py";
  trainer.pid = 4711;
  trainer.verdict.axis = model::Axis::Step;
  for (int step = 0; step < 1500; step += 3) {
    const bool validation = step % 250 >= 235;
    append(trainer, 2.0 * step, step,
           9 * kGB + 5.8 * kMB * step + (validation ? 4.0 * kGB : 30 * kMB * (step % 7)));
  }
  trainer.verdict.kind = model::VerdictKind::Leak;
  trainer.verdict.confidence = 0.998;
  trainer.verdict.rate = model::Rate{5.8 * kMB, 5.6 * kMB, 6.0 * kMB};
  trainer.verdict.floor = {whole(9 * kGB), whole(17.7 * kGB)};
  trainer.verdict.spike_bytes = whole(4 * kGB);
  trainer.verdict.reason = "floor rose 5.8 MB per step over the last 1,497 steps; spikes of 4.0 GB recover";
  trainer.verdict.is_reason_on_floor = true;
  trainer.forecast = model::Forecast{model::LimitKind::Host, 32ULL << 30U, model::Range{4372, 4226, 4528},
                                     model::Range{8744, 8452, 9056}};

  model::SeriesReport worker = trainer;
  worker.name = "pid 4712 (\x1b[31mpt_data_worker|`x`\x1b[0m)";
  worker.pid = 4712;
  worker.command = "pt_data_worker";
  worker.forecast.reset();
  worker.outline.clear();
  worker.last_bytes = worker.peak_bytes = whole(0.75 * kGB);
  worker.verdict = {};
  worker.verdict.kind = model::VerdictKind::Stable;
  worker.verdict.confidence = 0.97;
  worker.verdict.axis = model::Axis::Step;
  worker.verdict.samples = 500;
  worker.verdict.floor = {whole(0.75 * kGB), whole(0.75 * kGB)};
  worker.verdict.reason = "flat at 750 MB";

  model::SeriesReport gpu = worker;
  gpu.name = "GPU 0 used";
  gpu.quantity = model::Quantity::GpuUsed;
  gpu.pid.reset();
  gpu.gpu_index = 0;
  gpu.limit_bytes = 80ULL << 30U;
  gpu.last_bytes = gpu.peak_bytes = whole(61 * kGB);
  gpu.verdict.floor = {whole(60.8 * kGB), whole(61 * kGB)};

  model::Report report = with_run(std::move(trainer), "logs/<b>train</b>.log");
  report.source.format = "top -b";
  report.source.started = "2026-05-18T16:04:46Z";
  report.source.duration_s = 2994;
  report.source.steps = 1497;
  report.source.bytes = 81234;
  report.source.lines = 1012;
  report.runs.front().series.push_back(std::move(worker));
  report.runs.front().series.push_back(std::move(gpu));
  report.limit = model::Limit{model::LimitKind::Host, 32ULL << 30U, false};
  report.events.push_back(
      {model::EventKind::OomKill, 3001.5, 1011,
       "Out of memory: Killed process 4711 (python) \x1b]0;pwned\x07 total-vm:11964kB [x](http://e.vil)"});
  report.events.push_back(
      {model::EventKind::Killed, std::nullopt, 1012, "Killed <script>alert(1)</script> \xff|"});
  report.warnings.push_back({"3 readings below zero were ignored", 3, 77});
  report.answer = answer_of(report.verdict);
  return report;
}

model::Report spikes_report() {
  model::SeriesReport series;
  series.name = "container \"train\"";
  series.quantity = model::Quantity::ContainerMemory;
  series.limit_bytes = 16ULL << 30U;
  for (int tick = 0; tick < 700; ++tick) {
    const bool checkpoint = tick % 120 > 105;
    append(series, 30.0 * tick, model::kUnknown,
           8 * kGB + 40 * kMB * (tick % 5) + (checkpoint ? 5 * kGB : 0));
  }
  series.verdict.kind = model::VerdictKind::Spikes;
  series.verdict.confidence = 0.9849;
  series.verdict.floor = {whole(8 * kGB), whole(8 * kGB)};
  series.verdict.spike_bytes = whole(5.1 * kGB);
  series.verdict.reason = "floor flat at 8.00 GB over 5.8 h; 5 spikes of up to 5.1 GB recover";
  series.verdict.is_reason_on_floor = true;
  model::Report report = with_run(std::move(series), "stats.txt");
  report.source.duration_s = 20970;
  report.source.lines = 1400;
  report.source.format = "docker stats";
  report.limit = model::Limit{model::LimitKind::Cgroup, 16ULL << 30U, true};
  report.answer = answer_of(report.verdict);
  return report;
}

model::Report inconclusive_report() {
  model::SeriesReport series = every_ten_steps({5552, 7159, 8851, 10515, 12227});
  series.verdict.confidence = 0.99;
  series.verdict.reason = "only 5 readings; the floor rose in all of them";
  series.verdict.needs = model::Needs{model::NeedsKind::MoreSteps, 350};
  series.verdict.lean = model::Lean{model::VerdictKind::Leak, 0.58};
  series.verdict.rate = model::Rate{167 * kMB, 160 * kMB, 175 * kMB};
  series.forecast =
      model::Forecast{model::LimitKind::Host, 32ULL << 30U, model::Range{182, 170, INFINITY}, std::nullopt};
  model::Report report = with_run(std::move(series), "-");
  report.source.lines = 5;
  report.limit = model::Limit{model::LimitKind::Host, 32ULL << 30U, false};
  report.answer = answer_of(report.verdict);
  return report;
}

}  // namespace lowtide::show
