#include "cli/output/page_output.h"

#include <utility>

#include "cli/input/report_recording.h"
#include "cli/output/output.h"
#include "show/page/page.h"
#include "show/page/template.h"

namespace lowtide::cli {

std::optional<console::UserError> find_page_missing() {
  if (!show::page_template().empty()) return std::nullopt;
  return console::UserError{"this lowtide has no page", "it was built without npm or its packages",
                            "lowtide report --markdown, or another build of lowtide"};
}

std::variant<std::string, console::UserError> make_page(const std::string& path, const model::Report& report,
                                                        std::optional<int> again_s) {
  auto run = page_recording(path);
  if (auto* user_error = std::get_if<console::UserError>(&run)) return std::move(*user_error);
  const auto& [trace, profile] = std::get<RecordedRun>(run);
  return show::to_page(show::page_template(), {report, trace, profile, again_s});
}

std::variant<std::string, console::UserError> write_page(const std::string& path, const model::Report& report,
                                                         const std::string& where) {
  auto made = make_page(path, report);
  if (where == "-" || std::holds_alternative<console::UserError>(made)) return made;
  auto saved = write_file(where, std::get<std::string>(made));
  if (auto* user_error = std::get_if<console::UserError>(&saved)) return std::move(*user_error);
  return std::string();
}

}  // namespace lowtide::cli
