// Fixed reports of watched jobs.

#include <cmath>
#include <utility>

#include "model/sample.h"
#include "show/testing/sample_reports.h"

namespace lowtide::show {
namespace {

constexpr double kMB = 1e6;
constexpr double kGB = 1e9;

std::uint64_t whole(double bytes) {
  return static_cast<std::uint64_t>(std::llround(bytes));
}

model::SeriesReport flat_series(double bytes, std::uint64_t readings) {
  model::SeriesReport series;
  series.verdict.kind = model::VerdictKind::Stable;
  series.verdict.confidence = 0.96;
  series.verdict.samples = readings;
  series.verdict.floor = {whole(bytes), whole(bytes)};
  series.verdict.plateau_bytes = whole(bytes);
  series.verdict.reason = "floor is flat";
  series.verdict.is_reason_on_floor = true;
  series.first_s = 0.0;
  series.last_s = static_cast<double>(readings);
  series.last_bytes = series.peak_bytes = whole(bytes);
  return series;
}

model::SeriesReport leaking_series() {
  model::SeriesReport series;
  series.verdict.kind = model::VerdictKind::Leak;
  series.verdict.axis = model::Axis::Step;
  series.verdict.confidence = 0.97;
  series.verdict.rate = model::Rate{1.3 * kMB, 1.28 * kMB, 1.32 * kMB};
  series.verdict.reason = "floor rose 1.3 MB per step over the last 2,380 steps";
  series.verdict.is_reason_on_floor = true;
  for (int second = 0; second <= 600; ++second) {
    const double bytes = 1.0 * kGB + 5.2 * kMB * second;
    series.outline.push_back(
        {static_cast<double>(second), 4.0 * second, 1, whole(bytes), whole(bytes), bytes});
  }
  series.verdict.samples = series.outline.size();
  series.verdict.floor = {whole(1.0 * kGB), whole(4.12 * kGB)};
  series.first_s = series.first_step = 0.0;
  series.last_s = 600.0;
  series.last_step = 2400.0;
  series.last_bytes = series.peak_bytes = whole(4.12 * kGB);
  return series;
}

model::ProcessReport process(std::int64_t pid, model::ProcessRole role, std::string command,
                             model::SeriesReport series) {
  model::ProcessReport out;
  out.info.pid = pid;
  out.info.ppid = pid == 100 ? 1 : 100;
  out.info.role = role;
  out.info.command = std::move(command);
  out.info.ended_s = 601.2;
  out.info.exit_status = 0;
  out.bytes.rss_bytes = series.last_bytes + whole(80 * kMB);
  out.bytes.pss_bytes = series.last_bytes + whole(12 * kMB);
  out.bytes.uss_bytes = series.last_bytes;
  out.bytes.pss_age_s = pid == 100 ? 40 : 0.5;
  out.bytes.anon_bytes = series.last_bytes;
  out.bytes.file_bytes = whole(80 * kMB);
  out.series = std::move(series);
  out.series.outline.clear();
  return out;
}

model::Report watched(model::SeriesReport tree, std::string path) {
  model::Report report;
  report.source.type = model::SourceType::Recording;
  report.source.path = std::move(path);
  report.source.started = "2026-03-01T10:00:00Z";
  report.source.duration_s = tree.last_s;
  report.source.command = "sh -c 'python train.py'";
  report.verdict = tree.verdict;
  report.forecast = tree.forecast;
  report.ending = model::Ending::Closed;
  report.exit_status = 0;
  tree.name = "the process tree";
  report.runs.push_back({"run", 0, 0, {std::move(tree)}});
  report.overhead = model::OverheadReport{0.0011, whole(9.4 * kMB), 0, "off", "", 0, 0, 0};
  return report;
}

model::SiteReport site(double live, double growth, double share, std::vector<model::Frame> frames,
                       std::size_t act_on) {
  model::SiteReport out;
  out.pid = 101;
  out.live_bytes = whole(live);
  out.growth_bytes = static_cast<std::int64_t>(growth);
  out.error_bytes = whole(12 * kMB);
  out.share = share;
  out.live_samples = whole(live) / 524288;
  out.allocated_bytes = whole(live);
  out.frames = std::move(frames);
  out.act_on = act_on;
  return out;
}

// A line that leaks, a native function that warmed up, and names that attack.
void add_sites(model::Report& report) {
  using model::FrameLanguage;
  const model::Frame libc{FrameLanguage::Native, "posix_memalign", "", 0, "/usr/lib/libc.so.6"};
  report.sites.push_back(site(
      2.1 * kGB, 2.0 * kGB, 0.92,
      {libc,
       {FrameLanguage::Native, "at::native::empty_cpu", "", 0, "/v/site-packages/torch/lib/libtorch_cpu.so"},
       {FrameLanguage::Python, "forward", "/v/site-packages/torch/nn/modules/linear.py", 114, ""},
       {FrameLanguage::Python, "validate", "/data/job/trainer.py", 631, ""},
       {FrameLanguage::Python, "<module>", "/data/job/train.py", 88, ""}},
      3));
  report.sites.back().verdict = leaking_series().verdict;
  report.sites.back().stacks = 14;
  report.sites.push_back(
      site(180 * kMB, 150 * kMB, 0.07,
           {libc,
            {FrameLanguage::Native, "decode_frame", "decode.c", 77, "/data/job/libdecoder.so"},
            {FrameLanguage::Python, "decode", "/data/job/video.py", 39, ""}},
           1));
  report.sites.back().verdict.kind = model::VerdictKind::Warmup;
  report.sites.back().verdict.reason = "it rose, and has stopped";
  report.sites.push_back(site(
      60 * kMB, 62 * kMB, 0.03,
      {libc, {FrameLanguage::Python, "\x1b[31m<b>x</b>|`", "/data/`x`|[y](http://e.vil).py", 7, ""}}, 1));
  report.sites.back().cut = true;
  report.growth = model::GrowthReport{static_cast<std::int64_t>(3.12 * kGB),
                                      0.95,
                                      {{model::Mechanism::LiveObjects, whole(2.0 * kGB), 0.64},
                                       {model::Mechanism::AllocatorRetention, whole(0.97 * kGB), 0.31},
                                       {model::Mechanism::Unexplained, whole(0.15 * kGB), 0.05}}};
  report.overhead->agent = "on";
  report.overhead->allocation_samples = 48'200;
  report.overhead->allocation_samples_dropped = 3;
  report.overhead->sampling_s = 0.21;
  report.overhead->asking_s = 0.031;
  report.overhead->snapshots = 6;
  report.overhead->pauses_s = 0.024;
  model::TrimTrial trial;
  trial.at_s = 600;
  trial.outcome = model::TrimOutcome::Done;
  trial.rss_before_bytes = whole(3.9 * kGB);
  trial.rss_after_bytes = whole(3.0 * kGB);
  trial.trim_s = 0.012;
  trial.inspect_s = 0.009;
  trial.arena_bytes = whole(3.5 * kGB);
  trial.free_bytes = whole(0.95 * kGB);
  report.trim_trials = {{101, trial}, {102, model::TrimTrial{}}};
}

void add_findings_of_oom(model::Report& report) {
  model::Finding oom;
  oom.id = "oom-killed";
  oom.severity = model::Severity::Critical;
  oom.title = "the kernel killed trainer (pid 101) for lack of memory 10.0 min into the run";
  oom.pid = 101;
  oom.confidence = 0.99;
  oom.evidence = {
      "1.2 s before the kill: the process tree had 4.12 GB, the cgroup 4.29 GB of 4 GiB",
      "the limit of the cgroup is 4 GiB",
      "forecast 5.0 min before the kill, at 5.0 min: limit of 4 GiB reached 10.2 min into the run "
      "(10.0 min to 10.4 min)"};
  oom.fix = "fix the leak; more memory only delays the kill";
  model::Finding leak;
  leak.id = "leak-in-process";
  leak.severity = model::Severity::High;
  leak.title = "trainer (pid 101) leaks: 99% of the growth of the process tree";
  leak.pid = 101;
  leak.share = 0.99;
  leak.confidence = 0.97;
  leak.evidence = {"floor rose 1.3 MB per step over the last 2,380 steps",
                   "text of the job \x1b[31mwith an escape\x07 and <b>markup</b> | [x](http://e.vil)"};
  leak.fix = "find what is kept from step to step";
  model::Finding wrapper;
  wrapper.id = "wrapper-is-stable";
  wrapper.title = "the wrapper (100, sh) is stable; the child (101, python train.py) leaks";
  wrapper.pid = 100;
  wrapper.confidence = 0.96;
  wrapper.evidence = {"the wrapper did not change, the child grew by 3.12 GB"};
  wrapper.ruled_out = true;
  report.findings = {std::move(oom), std::move(leak), std::move(wrapper)};
}

// The line that allocates and the variable are known, and the job was killed.
void add_answer_of_oom(model::Report& report) {
  model::Finding& leak = report.findings[1];
  leak.lines = {
      {.file = "/data/job/train.py", .line = 30, .function = "step", .source = "x = \x1b[31mf(<b>y</b>)"},
      {.role = model::LineRole::Stores,
       .file = "/data/job/train.py",
       .line = 55,
       .source = "history.append(x)"}};
  leak.variable = "history";
  leak.process = model::FindingProcess{.role = model::ProcessRole::Trainer, .pids = {101}};
  leak.growth_bytes = 3.12 * kGB;
  report.answer = answer_of(report.verdict);
  report.answer.kind = model::AnswerKind::Oom;
  report.answer.finding = 1;
  report.answer.line = leak.lines.front();
  report.answer.variable = leak.variable;
  report.answer.fix = leak.fix;
  report.ends = {whole(1.0 * kGB), whole(4.12 * kGB)};
  report.processes.front().ends = {whole(0.7 * kGB), whole(3.7 * kGB)};
  report.processes[1].ends = {whole(0.1 * kGB), whole(0.12 * kGB)};
}

}  // namespace

model::Report watched_leak_report() {
  model::SeriesReport tree = leaking_series();
  tree.forecast = model::Forecast{model::LimitKind::Cgroup, 4ULL << 30U, model::Range{2512, 2480, 2545},
                                  model::Range{628, 620, 636}};
  model::Report report = watched(std::move(tree), "runs/<i>train</i>.lowtide");
  report.source.steps = 2400;
  report.limit = model::Limit{model::LimitKind::Cgroup, 4ULL << 30U, false, true};
  report.processes.push_back(process(101, model::ProcessRole::Trainer, "python train.py", leaking_series()));
  report.processes.back().info.exit_status = 137;
  report.processes.back().growth_share = 0.99;
  report.processes.push_back(
      process(102, model::ProcessRole::Worker, "python \x1b[31mw\x1b[0m|orker", flat_series(220 * kMB, 600)));
  report.processes.back().info.index = 0;
  report.processes.back().processes = 12;
  report.processes.back().growth_share = 0.01;
  report.processes.push_back(
      process(100, model::ProcessRole::Wrapper, "sh -c python train.py", flat_series(0.4 * kMB, 600)));
  report.processes.back().growth_share = 0.0;
  report.growth = model::GrowthReport{
      static_cast<std::int64_t>(3.12 * kGB), 0.0, {{model::Mechanism::Unexplained, whole(3.12 * kGB), 1.0}}};
  report.events.push_back(
      {model::EventKind::OomKill, 601.2, 0, "pid 101 <script>: the cgroup counted an oom-kill"});
  report.reconciliation = model::Reconciliation{600,
                                                true,
                                                whole(4.12 * kGB),
                                                whole(60 * kMB),
                                                whole(30 * kMB),
                                                whole(4.29 * kGB),
                                                static_cast<std::int64_t>(80 * kMB)};
  add_findings_of_oom(report);
  report.phases = {{101, {{}, "train", 24, whole(4 * kMB), whole(3.9 * kGB), 540}},
                   {101, {{}, "<b>eval</b>|`", 23, whole(2.9 * kGB), whole(4.12 * kGB), 60}}};
  add_sites(report);
  report.warnings.push_back({"the last tick is not whole", 1, 0});
  add_answer_of_oom(report);
  return report;
}

model::Report watched_overhead_report() {
  model::SeriesReport tree = flat_series(9.2 * kGB, 300);
  for (int second = 0; second < 300; ++second) {
    const double bytes = 9.2 * kGB * std::min(1.0, 0.2 + 0.08 * second);
    tree.outline.push_back(
        {static_cast<double>(second), model::kUnknown, 1, whole(bytes), whole(bytes), bytes});
  }
  model::Report report = watched(std::move(tree), "train.lowtide");
  report.processes.push_back(
      process(100, model::ProcessRole::Trainer, "python train.py", flat_series(1.2 * kGB, 300)));
  for (int worker = 0; worker < 20; ++worker) {
    report.processes.push_back(
        process(200 + worker, model::ProcessRole::Worker, "python train.py", flat_series(400 * kMB, 300)));
    report.processes.back().info.index = worker;
  }
  report.growth = model::GrowthReport{0, std::nullopt, {}};
  model::Finding overhead;
  overhead.id = "overhead";
  overhead.title = "20 workers hold 8.00 GB in total (PSS): overhead, not a leak";
  overhead.confidence = 0.95;
  overhead.evidence = {"their private memory did not change during the run"};
  overhead.fix = "none needed; fewer workers would save memory";
  overhead.ruled_out = true;
  report.findings.push_back(std::move(overhead));
  report.short_lived = {340, whole(12 * kMB), 25, 41'000};
  report.ending = model::Ending::Running;
  model::GpuReport gpu;
  gpu.total_bytes = 80ULL << 30U;
  gpu.used_bytes = whole(61 * kGB);
  gpu.pid = 100;
  gpu.process_bytes = whole(60 * kGB);
  gpu.torch = model::TorchReading{whole(40 * kGB), whole(58 * kGB), whole(9 * kGB), 3, 0};
  gpu.ledger = model::GpuLedger{280,
                                {{"parameters", whole(12 * kGB)},
                                 {"optimizer state", whole(24 * kGB), "`optimizer`"},
                                 {"`history`", whole(4 * kGB), "a list of 300 items"},
                                 {"free, kept by torch", whole(18 * kGB), "reserved and not allocated"},
                                 {"outside torch", whole(2 * kGB), "CUDA context and code"},
                                 {"free", (80ULL << 30U) - whole(60 * kGB)}}};
  gpu.blocks = model::GpuBlocksReport{
      .at_s = 280,
      .blocks = {.allocator = "native", .steps = 600, .recorded_steps = 50, .peak_step = 588},
      .growth_steps = 48,
      .pools = {{.name = "default",
                 .reserved_bytes = whole(54 * kGB),
                 .allocated_bytes = whole(36 * kGB),
                 .split_bytes = whole(9 * kGB),
                 .whole_bytes = whole(9 * kGB),
                 .largest_free_bytes = whole(2 * kGB),
                 .free_blocks = 40,
                 .segments = 60},
                {.name = "CUDA graph 1",
                 .reserved_bytes = whole(4 * kGB),
                 .allocated_bytes = whole(4 * kGB)}},
      .lines =
          {{.kind = model::GpuLineKind::WithoutStack,
            .bytes = whole(36 * kGB),
            .seen_bytes = whole(36 * kGB)},
           {.line = {.file = "train.py", .line = 48, .function = "step", .source = "logits = model(batch)"},
            .bytes = whole(4 * kGB),
            .seen_bytes = whole(0.3 * kGB),
            .growth_per_step = 6.6e6}},
      .peak_lines = {
          {.line = {.file = "model.py", .line = 12, .function = "forward"}, .bytes = whole(11 * kGB)},
          {.kind = model::GpuLineKind::BeforeStep, .bytes = whole(38 * kGB)}}};
  gpu.series = flat_series(60 * kGB, 300);
  gpu.series.name = "GPU 0 of the job";
  gpu.series.quantity = model::Quantity::GpuUsed;
  report.runs[0].series.push_back(gpu.series);
  report.gpus.push_back(std::move(gpu));
  report.answer = answer_of(report.verdict);
  report.answer.finding = 0;
  report.answer.fix = report.findings.front().fix;
  return report;
}

model::Gate sample_gate() {
  model::Gate gate;
  model::Rule budget;
  budget.kind = model::RuleKind::Budget;
  budget.words = "--budget 4G";
  gate.results.push_back({budget, model::Outcome::Kept,
                          "the peak of the process tree was 3.84 GiB (4.12 GB), the budget is 4 GiB"});
  model::Rule growth;
  growth.kind = model::RuleKind::MaxGrowth;
  growth.words = "--max-growth 500M --after-warmup";
  gate.results.push_back(
      {growth, model::Outcome::Broken, "the floor grew by 2.91 GiB (3.12 GB), the limit is 500 MiB"});
  model::Rule expect;
  expect.kind = model::RuleKind::Expect;
  expect.words = "--expect warmup";
  gate.results.push_back(
      {expect, model::Outcome::Undecided, "<b>\"it\" & 'that'</b> \x1b[31m ]]> is not known"});
  return gate;
}

}  // namespace lowtide::show
