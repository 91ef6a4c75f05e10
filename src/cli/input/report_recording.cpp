#include "cli/input/report_recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <string_view>
#include <utility>

#include "cli/input/input.h"
#include "explain/report.h"
#include "explain/trace.h"
#include "record/reader.h"

namespace lowtide::cli {
namespace {

console::UserError cannot_read_recording(const std::string& path, const base::Error& error) {
  const std::string what = fmt::format("cannot read the recording {}: {}", path, error.message);
  switch (error.code) {
    case base::ErrorCode::Malformed:
      return {what, "it is not a recording of lowtide, or it is damaged",
              fmt::format("lowtide analyze {}, if it is a log", path)};
    case base::ErrorCode::Unsupported:
      return {what, "it was written by a newer version of lowtide",
              "read it with that version or a newer one"};
    case base::ErrorCode::Gone:
    case base::ErrorCode::Ended:
    case base::ErrorCode::Denied:
    case base::ErrorCode::Io:
      break;
  }
  return {what, "the system refused to read it", fmt::format("ls -l {}", path)};
}

std::variant<record::Recording, console::UserError> open_recording(const std::string& path) {
  if (path == "-") {
    return console::UserError{"cannot read a recording from standard input",
                              "a recording is a database, which needs a file", "lowtide report FILE"};
  }
  {  // A missing file, a folder and a file that may not be read have their own errors.
    auto opened = open_input(path, InputKind::Recording);
    if (auto* user_error = std::get_if<console::UserError>(&opened)) return std::move(*user_error);
  }
  auto recording = record::Recording::open(path);
  if (!recording) return cannot_read_recording(path, recording.error());
  return std::move(recording).value();
}

}  // namespace

std::variant<model::Report, console::UserError> report_recording(const std::string& path,
                                                                 std::optional<std::uint64_t> limit_bytes,
                                                                 double now_unix_s) {
  auto opened = open_recording(path);
  if (auto* user_error = std::get_if<console::UserError>(&opened)) return std::move(*user_error);
  explain::ReportOptions options;
  options.path = path;
  options.limit_bytes = limit_bytes;
  options.now_unix_s = now_unix_s;
  return explain::make_report(std::get<record::Recording>(opened), options);
}

std::variant<model::Profile, console::UserError> profile_recording(const std::string& path) {
  auto opened = open_recording(path);
  if (auto* user_error = std::get_if<console::UserError>(&opened)) return std::move(*user_error);
  model::Profile profile = explain::make_profile(std::get<record::Recording>(opened));
  if (!profile.samples.empty()) return profile;
  return console::UserError{fmt::format("{} contains no stacks", path),
                            "the job ran without the agent, or the agent sampled no allocation",
                            "lowtide report without --pprof and --folded"};
}

std::variant<std::vector<model::Snapshot>, console::UserError> model_snapshots(const std::string& path) {
  auto opened = open_recording(path);
  if (auto* user_error = std::get_if<console::UserError>(&opened)) return std::move(*user_error);
  std::map<model::ProcessId, std::vector<model::Snapshot>> by_process;
  for (auto& recorded : std::get<record::Recording>(opened).snapshots()) {
    if (recorded.snapshot.has_tensors && !recorded.snapshot.is_at_end)
      by_process[recorded.process].push_back(std::move(recorded.snapshot));
  }
  const auto tensor_bytes = [](const std::vector<model::Snapshot>& all) {
    return all.back().device_bytes + all.back().storage_bytes;
  };
  const auto most = std::max_element(by_process.begin(), by_process.end(), [&](const auto& a, const auto& b) {
    return tensor_bytes(a.second) < tensor_bytes(b.second);
  });
  if (most == by_process.end()) return std::vector<model::Snapshot>();
  return std::move(most->second);
}

std::variant<RecordedRun, console::UserError> page_recording(const std::string& path) {
  auto opened = open_recording(path);
  if (auto* user_error = std::get_if<console::UserError>(&opened)) return std::move(*user_error);
  auto& recording = std::get<record::Recording>(opened);
  return RecordedRun{explain::make_trace(recording), explain::make_profile(recording)};
}

std::variant<model::Trace, console::UserError> trace_recording(const std::string& path) {
  auto opened = open_recording(path);
  if (auto* user_error = std::get_if<console::UserError>(&opened)) return std::move(*user_error);
  return explain::make_trace(std::get<record::Recording>(opened));
}

}  // namespace lowtide::cli
