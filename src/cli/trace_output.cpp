#include "cli/trace_output.h"

#include <utility>

#include "cli/gate_flags.h"
#include "cli/report_recording.h"
#include "show/export/perfetto.h"

namespace lowtide::cli {

std::variant<std::string, console::Complaint> write_trace(const std::string& path, const std::string& where) {
  auto read = trace_recording(path);
  if (auto* complaint = std::get_if<console::Complaint>(&read)) return std::move(*complaint);
  std::string text = show::to_perfetto(std::get<model::Trace>(read));
  if (where == "-") return text;
  auto saved = write_file(where, text);
  if (auto* complaint = std::get_if<console::Complaint>(&saved)) return std::move(*complaint);
  return std::string();
}

}  // namespace lowtide::cli
