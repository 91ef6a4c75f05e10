#include "cli/page_output.h"

#include <utility>

#include "cli/gate_flags.h"
#include "cli/report_recording.h"
#include "show/page/page.h"
#include "show/page/template.h"

namespace lowtide::cli {

std::optional<console::Complaint> find_page_missing() {
  if (!show::page_template().empty()) return std::nullopt;
  return console::Complaint{"this lowtide has no page", "it was built where npm or its packages were not to be had",
                   "lowtide report --markdown, or build it again where npm works: ./dev build"};
}

std::variant<std::string, console::Complaint> make_page(const std::string& path, const model::Report& report,
                                               std::optional<int> again_s) {
  auto run = page_recording(path);
  if (auto* complaint = std::get_if<console::Complaint>(&run)) return std::move(*complaint);
  const auto& [trace, profile] = std::get<RecordedRun>(run);
  return show::to_page(show::page_template(), {report, trace, profile, again_s});
}

std::variant<std::string, console::Complaint> write_page(const std::string& path, const model::Report& report,
                                                const std::string& where) {
  auto made = make_page(path, report);
  if (where == "-" || std::holds_alternative<console::Complaint>(made)) return made;
  auto saved = write_file(where, std::get<std::string>(made));
  if (auto* complaint = std::get_if<console::Complaint>(&saved)) return std::move(*complaint);
  return std::string();
}

}  // namespace lowtide::cli
