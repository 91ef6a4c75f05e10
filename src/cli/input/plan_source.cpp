#include "cli/input/plan_source.h"

#include <fmt/format.h>

#include <array>
#include <fstream>
#include <string_view>
#include <utility>

#include "cli/input/analyze_log.h"
#include "cli/input/report_recording.h"
#include "cli/syntax/parse.h"
#include "procfs/process_files.h"
#include "watch/snapshots/take_snapshot.h"

namespace lowtide::cli {
namespace {

// A recording is an SQLite file, which begins with these bytes.
bool is_recording(const std::string& path) {
  constexpr std::string_view kMagic = "SQLite format 3";
  std::array<char, kMagic.size()> begin{};
  std::ifstream file(path, std::ios::binary);
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return file && std::string_view(begin.data(), begin.size()) == kMagic;
}

std::variant<PlanSource, console::UserError> from_process(pid_t pid) {
  auto taken = watch::take_snapshot(pid, {});
  if (auto* user_error = std::get_if<console::UserError>(&taken)) return std::move(*user_error);
  PlanSource source{fmt::format("process {}", pid)};
  source.tensors = plan::tensors_of(std::get<model::Snapshot>(taken).tensors);
  if (auto files = procfs::ProcessFiles::open({}, pid)) {
    if (const auto status = files.value().read_status()) {
      source.resident_bytes = static_cast<double>(status.value().rss_bytes);
    }
  }
  return source;
}

std::variant<PlanSource, console::UserError> from_recording(const std::string& path) {
  auto made = report_recording(path, std::nullopt);
  if (auto* user_error = std::get_if<console::UserError>(&made)) return std::move(*user_error);
  auto read = model_snapshots(path);
  if (auto* user_error = std::get_if<console::UserError>(&read)) return std::move(*user_error);
  auto& report = std::get<model::Report>(made);
  const auto& snapshots = std::get<std::vector<model::Snapshot>>(read);
  PlanSource source{path};
  if (report.verdict.kind == model::VerdictKind::Leak) {
    source.tensors = plan::tensors_of(plan::without_leak(snapshots, report.holders));
  } else if (!snapshots.empty()) {
    source.tensors = plan::tensors_of(snapshots.back().tensors);
  }
  source.report = std::move(report);
  return source;
}

}  // namespace

std::variant<PlanSource, console::UserError> read_plan_source(const std::string& from) {
  if (const auto pid = parse_pid(from)) return from_process(*pid);
  if (is_recording(from)) return from_recording(from);
  auto report = analyze_log(from, std::nullopt);
  if (auto* user_error = std::get_if<console::UserError>(&report)) return std::move(*user_error);
  return PlanSource{from, std::move(std::get<model::Report>(report))};
}

}  // namespace lowtide::cli
