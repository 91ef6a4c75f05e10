#include "screen/testing/sample_views.h"

#include "screen/testing/megabyte.h"

namespace lowtide::screen {
namespace {

model::SeriesReport leaking_series() {
  model::SeriesReport series;
  series.name = "process tree";
  for (std::uint64_t step = 0; step < 300; ++step) {
    const std::uint64_t floor = (2000 + 5 * step) * kMB;
    const std::uint64_t top = floor + (step % 50 == 49 ? 900 : 20) * kMB;
    series.outline.push_back({.at_s = 2.0 * static_cast<double>(step),
                              .step = static_cast<double>(10 * step),
                              .samples = 8,
                              .low_bytes = floor,
                              .high_bytes = top,
                              .mean_bytes = static_cast<double>(floor)});
  }
  series.first_s = 0;
  series.last_s = 598;
  series.first_step = 0;
  series.last_step = 2990;
  series.peak_bytes = 4400 * kMB;
  model::Verdict& verdict = series.verdict;
  verdict.kind = model::VerdictKind::Leak;
  verdict.confidence = 0.96;
  verdict.axis = model::Axis::Step;
  verdict.samples = 2400;
  verdict.rate = model::Rate{500'000, 490'000, 510'000};
  verdict.floor = {2000 * kMB, 3495 * kMB};
  verdict.reason = "floor rose 500 kB per step over the last 2,990 steps; spikes of 900 MB recover";
  series.forecast = model::Forecast{.limit = model::LimitKind::Cgroup,
                                    .limit_bytes = 8ULL << 30U,
                                    .step = model::Range{13'000, 12'500, 13'500},
                                    .seconds = model::Range{2600, 2500, 2700}};
  return series;
}

}  // namespace

View leak_view() {
  View view;
  view.job = "python train.py --epochs 20 --batch-size 64";
  view.pid = 4711;
  view.at_s = 600;
  view.step = 3000;
  view.bytes = 3515 * kMB;
  view.process_count = 14;
  view.series = leaking_series();
  view.answer = {.role = show::Role::Leak,
                 .label = "LEAK",
                 .subject = "train.py:47 -> history",
                 .cause = "train.py:47 -> history",
                 .rate = "+500 kB/step",
                 .confidence = "96% sure"};
  view.limit_bytes = 8ULL << 30U;
  view.processes.push_back({4711, "trainer", 2950 * kMB, 1480 * static_cast<std::int64_t>(kMB), 2.5e6, 0.97,
                            "python train.py --epochs 20 --batch-size 64"});
  view.processes.push_back({4700, "wrapper", 1 * kMB, 0, 0.0, 0.0, "sh launch.sh"});
  for (int worker = 0; worker < 12; ++worker) {
    view.processes.push_back({4720 + worker, "worker " + std::to_string(worker), 45 * kMB,
                              std::int64_t{120'000} * worker, 10.0 * worker, 0.3,
                              "python train.py --epochs 20 --batch-size 64"});
  }
  view.sites = {{4711, "train.py:47 in validate", 1400 * kMB, 1350 * static_cast<std::int64_t>(kMB), 2.4e6},
                {4711, "model.py:120 in forward", 600 * kMB, 0, 0.0},
                {4720, "decode_frame in libdecoder.so", 12 * kMB, 400'000, std::nullopt}};
  view.holders = {
      {4711, "__main__.trainer.history (list)", 3000, 1390 * kMB, 1300 * static_cast<std::int64_t>(kMB)},
      {4711, "__main__.cache (dict)", 128, 40 * kMB, std::nullopt}};
  view.holder_note = "snapshot 3, 12.0 s ago";
  view.output_path = "lowtide-20260101-120000-4699.out";
  view.output = {"epoch 1", "step 2980 loss 0.513", "step 2990 loss 0.511", "step 3000 loss 0.509"};
  view.recording = "lowtide-20260101-120000-4711.lowtide";
  return view;
}

View empty_view() {
  View view;
  view.job = "python train.py";
  view.pid = 4711;
  view.site_note = "the job has no agent, so no line is known";
  view.holder_note = "the job has no agent, so no snapshot is taken";
  return view;
}

std::string hostile_name() {
  return "evil\x1b]0;owned\a\x1b[2J\x1b[31m\r\nname\x9b"
         "2J\xE2\x80\xAEtxt\xF0\x9F\x92\xA3";
}

}  // namespace lowtide::screen
