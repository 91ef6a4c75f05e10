#include "cli/output/trace_output.h"

#include <utility>

#include "cli/input/report_recording.h"
#include "cli/output/output.h"
#include "show/export/perfetto.h"

namespace lowtide::cli {

std::variant<std::string, console::UserError> write_trace(const std::string& path, const std::string& where) {
  auto read = trace_recording(path);
  if (auto* user_error = std::get_if<console::UserError>(&read)) return std::move(*user_error);
  std::string text = show::to_perfetto(std::get<model::Trace>(read));
  if (where == "-") return text;
  auto saved = write_file(where, text);
  if (auto* user_error = std::get_if<console::UserError>(&saved)) return std::move(*user_error);
  return std::string();
}

}  // namespace lowtide::cli
