#include "cli/analyze_log.h"

#include <fmt/format.h>

#include <utility>

#include "base/units.h"
#include "cli/input.h"
#include "cli/log_analysis.h"
#include "cli/progress.h"
#include "cli/stopgap_reader.h"

namespace lowtide::cli {
namespace {

Complaint cannot_read(const std::string& path, const base::Error& error) {
  const std::string name = input_name(path);
  if (error.code == base::ErrorCode::Unsupported || error.code == base::ErrorCode::Malformed) {
    return {fmt::format("cannot read {}: {}", name, error.message),
            "analyze reads text: logs, CSV, JSON lines",
            fmt::format("file {}", path == "-" ? "/dev/stdin" : path)};
  }
  return {fmt::format("cannot read {}: {}", name, error.message), "the system broke off the reading",
          "read it again"};
}

Complaint nothing_recognised(const std::string& path, const ingest::Summary& summary) {
  return {
      fmt::format("no memory readings in {}", input_name(path)),
      fmt::format(
          "none of its {} {} looks like one: a step and a size with a unit, a CSV or JSON column that names "
          "memory, or the output of nvidia-smi, free, ps, top, docker stats, psrecord or mprof",
          base::format_count(summary.lines), summary.lines == 1 ? "line" : "lines"),
      "docs/formats.md shows every format that is read; 'step 10 rss 5552 MB' on a line is enough"};
}

}  // namespace

std::variant<model::Report, Complaint> analyze_log(const std::string& path,
                                                   std::optional<std::uint64_t> limit_bytes) {
  auto opened = open_input(path);
  if (auto* complaint = std::get_if<Complaint>(&opened)) return std::move(*complaint);
  const Input& input = std::get<Input>(opened);

  LogAnalysis analysis(limit_bytes);
  auto summary = [&] {
    const Progress progress(input.fd(), input_name(path));
    return ingest::read_log(input.fd(), analysis);
  }();
  if (!summary) return cannot_read(path, summary.error());
  if (summary.value().bytes == 0) return nothing_in(path);
  if (analysis.is_empty()) return nothing_recognised(path, summary.value());

  model::Source source;
  source.type = model::SourceType::Log;
  source.path = path;
  source.format = summary.value().format;
  source.started = summary.value().started;
  source.bytes = summary.value().bytes;
  source.lines = summary.value().lines;
  return analysis.finish(std::move(source), std::move(summary.value().warnings));
}

}  // namespace lowtide::cli
