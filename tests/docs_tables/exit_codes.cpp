// README.md, docs/json.md and docs/check.md: the exit codes.
#include "cli/syntax/exit_codes.h"

#include "markdown.h"
#include "model/names.h"
#include "sections.h"

namespace lowtide::docs {
namespace {

std::string number(console::ExitCode code) {
  return std::to_string(static_cast<int>(code));
}

std::string verbs() {
  std::vector<std::vector<std::string>> rows = {{"verb"}};
  for (const cli::ExitMeaning& row : cli::kVerdictExits.rows()) rows[0].push_back(number(row.code));
  for (const cli::VerbExits& exits : cli::kVerbExits) {
    rows.push_back({code(exits.verb)});
    for (const cli::ExitMeaning& row : exits.rows()) rows.back().emplace_back(row.meaning);
  }
  return markdown_table(rows);
}

std::string check() {
  std::vector<std::vector<std::string>> rows = {{"exit code", "meaning"}};
  for (const cli::ExitMeaning& row : cli::find_exits("check")->rows()) {
    rows.push_back({number(row.code), std::string(row.meaning)});
  }
  return markdown_table(rows);
}

std::string verdicts() {
  using model::VerdictKind;
  std::vector<std::vector<std::string>> rows = {{"verdict", "means", "exit code"}};
  for (std::size_t at = 0; at < model::count_of<VerdictKind>(); ++at) {
    const auto kind = static_cast<VerdictKind>(at);
    rows.push_back({"**" + std::string(to_string(kind)) + "**", std::string(console::meaning_of(kind)),
                    number(console::exit_code_of(kind))});
  }
  return markdown_table(rows);
}

}  // namespace

std::vector<Section> exit_code_sections() {
  return {{"src/console, verdicts", verdicts},
          {"src/cli, exit codes", verbs},
          {"src/cli, exit codes of check", check}};
}

}  // namespace lowtide::docs
