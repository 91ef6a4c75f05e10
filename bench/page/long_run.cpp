// long_run recording|page FILE SAMPLES PROCESSES: a run as long as that, for the bench of the page.
//
// `recording` is written by the real writer, which thins what is old: what a job of days leaves behind.
// `page` is made of every reading, none thinned before: the worst that --html can be asked for.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>

#include "record/writer.h"
#include "show/page/page.h"
#include "show/page/template.h"

namespace {

namespace model = lowtide::model;
namespace record = lowtide::record;
namespace show = lowtide::show;

constexpr double kInterval = 1;  // seconds

struct Size {
  std::uint64_t samples = 0;
  std::uint32_t processes = 0;
};

// A ramp with teeth, and a spike now and then: nothing that would draw itself as a line.
double bytes_of(std::uint64_t sample, std::uint32_t process, const Size& size) {
  const double share = static_cast<double>(sample) / static_cast<double>(size.samples);
  const double level = 4e8 * (process + 1) * (1 + (process % 3 == 0 ? share : 0));
  const double tooth =
      5e7 * static_cast<double>((sample * 7919 + process * std::uint64_t{104'729}) % 97) / 97;
  return level + tooth + (sample % 5000 == std::uint64_t{100} * process ? 1e9 : 0);
}

std::int64_t pid_of(std::uint32_t process) {
  return 100 + process;
}

model::ProcessInfo info_of(std::uint32_t process) {
  model::ProcessInfo info;
  info.id = model::ProcessId{process + 1};
  info.pid = pid_of(process);
  info.ppid = process == 0 ? 1 : 100;
  info.role = process == 0 ? model::ProcessRole::Trainer : model::ProcessRole::Worker;
  info.command = "python train.py";
  return info;
}

int write_recording(const std::string& path, const Size& size) {
  constexpr std::uint64_t kTicksPerCommit = 200;
  record::Header header;
  header.command = "python train.py";
  header.root_pid = 100;
  auto made = record::Writer::create(path, header);
  if (!made) return 1;
  record::Writer writer = std::move(made).value();
  for (std::uint32_t process = 0; process < size.processes; ++process) writer.begin_process(info_of(process));
  model::Tick tick;
  tick.processes.resize(size.processes);
  for (std::uint64_t sample = 0; sample < size.samples; ++sample) {
    tick.at_s = static_cast<double>(sample) * kInterval;
    tick.step = static_cast<double>(sample);
    tick.target = {.bytes = 0, .processes = size.processes, .exact = true};
    for (std::uint32_t process = 0; process < size.processes; ++process) {
      model::ProcessReading& reading = tick.processes[process];
      reading.id = model::ProcessId{process + 1};
      reading.own_bytes = static_cast<std::uint64_t>(bytes_of(sample, process, size));
      reading.rss_bytes = reading.anon_bytes = reading.own_bytes;
      tick.target.bytes += reading.own_bytes;
    }
    tick.target.rss_bytes = tick.target.bytes;
    writer.add(tick);
    if (sample % kTicksPerCommit == 0) writer.commit();
  }
  writer.close();
  return writer.failure() == nullptr ? 0 : 1;
}

model::Report report_of(const Size& size) {
  model::Report report;
  report.source.type = model::SourceType::Recording;
  report.source.path = "long.lowtide";
  report.source.command = "python train.py";
  report.source.duration_s = static_cast<double>(size.samples) * kInterval;
  model::SeriesReport series;
  series.name = "the process tree";
  series.verdict.kind = model::VerdictKind::Leak;
  series.verdict.samples = size.samples;
  series.verdict.spike_bytes = 1'000'000'000;
  series.verdict.reason = "made up for the bench";
  report.verdict = series.verdict;
  report.runs.push_back({"run", 0, 0, {series}});
  for (std::uint32_t process = 0; process < size.processes; ++process) {
    model::ProcessReport told;
    told.info = info_of(process);
    report.processes.push_back(told);
  }
  return report;
}

int write_page(const std::string& path, const Size& size) {
  model::Trace trace;
  trace.counters.push_back({0, "memory of the job", {}});
  trace.counters.push_back({0, "step", {}});
  for (std::uint32_t process = 0; process < size.processes; ++process) {
    trace.processes.push_back({pid_of(process), "python train.py"});
    trace.counters.push_back({pid_of(process), "memory", {}});
  }
  for (model::CounterTrack& track : trace.counters) track.points.reserve(size.samples);
  for (std::uint64_t sample = 0; sample < size.samples; ++sample) {
    const double at_s = static_cast<double>(sample) * kInterval;
    double sum = 0;
    for (std::uint32_t process = 0; process < size.processes; ++process) {
      const double bytes = bytes_of(sample, process, size);
      trace.counters[process + 2].points.push_back({at_s, bytes});
      sum += bytes;
    }
    trace.counters[0].points.push_back({at_s, sum});
    trace.counters[1].points.push_back({at_s, static_cast<double>(sample)});
  }
  std::ofstream out(path, std::ios::binary);
  out << show::to_page(show::page_template(), {report_of(size), trace, model::Profile{}});
  return out.good() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: long_run recording|page FILE SAMPLES PROCESSES\n");
    return 2;
  }
  const Size size{std::strtoull(argv[3], nullptr, 10),
                  static_cast<std::uint32_t>(std::strtoul(argv[4], nullptr, 10))};
  if (show::page_template().empty()) {
    std::fprintf(stderr, "long_run: built without the page\n");
    return 77;
  }
  return std::string_view(argv[1]) == "page" ? write_page(argv[2], size) : write_recording(argv[2], size);
}
