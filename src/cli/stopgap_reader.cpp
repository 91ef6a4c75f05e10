#include "cli/stopgap_reader.h"

#include <cstdio>
#include <cstring>

#include "cli/line_reader.h"

namespace lowtide::ingest {

base::Result<Summary> read_log(int fd, Sink& sink) {
  cli::LineReader reader(fd);
  Summary summary;
  std::string name = "run 1";
  bool running = false;
  SeriesIndex series{};
  while (true) {
    const auto status = reader.next();
    if (status == cli::LineReader::Status::Failed) {
      return base::Error{base::ErrorCode::Io, std::strerror(reader.error())};
    }
    if (status == cli::LineReader::Status::End) break;
    std::string line(reader.line());
    ++summary.lines;
    summary.bytes += line.size() + 1;
    if (line.find('\0') != std::string::npos) return base::Error{base::ErrorCode::Unsupported, "binary data"};
    if (line.rfind("Run ", 0) == 0) name = line.substr(0, line.find(':')), running = false;
    if (line == "[Process restarted]") {
      sink.event({model::EventKind::Restart, std::nullopt, summary.lines, line});
      running = false;
    }
    std::string digits;
    for (const char c : line) {
      if (c != ',') digits += c;
    }
    double step = 0;
    double megabytes = 0;
    if (std::sscanf(digits.c_str(), "Step %lf: %lf MB", &step, &megabytes) != 2 || megabytes < 0) continue;
    if (!running) {
      sink.begin_run(name, summary.lines);
      series = sink.begin_series(
          {model::Quantity::ProcessMemory, "process memory", std::nullopt, "", std::nullopt, std::nullopt});
      running = true;
    }
    sink.add(series, {model::kUnknown, step, static_cast<std::uint64_t>(megabytes * 1e6)}, summary.lines);
    summary.format = "Step N: X MB";
  }
  return summary;
}

}  // namespace lowtide::ingest
