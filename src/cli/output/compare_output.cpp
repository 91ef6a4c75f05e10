#include "cli/output/compare_output.h"

#include <fmt/format.h>

#include <utility>

#include "base/text.h"
#include "base/units.h"
#include "cli/input/report_recording.h"
#include "cli/output/output.h"
#include "cli/output/page_output.h"
#include "show/page/page.h"
#include "show/page/template.h"

namespace lowtide::cli {

std::variant<std::string, console::UserError> write_comparison_page(const std::string& before,
                                                                    const std::string& after,
                                                                    const model::Comparison& comparison,
                                                                    const std::string& where) {
  if (auto missing = find_page_missing()) return std::move(*missing);
  auto run_before = page_recording(before);
  if (auto* user_error = std::get_if<console::UserError>(&run_before)) return std::move(*user_error);
  auto run_after = page_recording(after);
  if (auto* user_error = std::get_if<console::UserError>(&run_after)) return std::move(*user_error);
  std::string page =
      show::to_page(show::page_template(), comparison, std::get<RecordedRun>(run_before).profile,
                    std::get<RecordedRun>(run_after).profile);
  if (where == "-") return page;
  auto saved = write_file(where, page);
  if (auto* user_error = std::get_if<console::UserError>(&saved)) return std::move(*user_error);
  return fmt::format("wrote {} ({})\n", base::printable(where, 1000),
                     base::format_bytes(static_cast<double>(page.size())));
}

}  // namespace lowtide::cli
