// README.md, docs/json.md and docs/check.md: the exit codes.
#include "cli/exit_codes.h"

#include "markdown.h"
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
  struct Row {
    VerdictKind kind;
    std::string_view meaning;
  };
  static constexpr Row kRows[] = {
      {VerdictKind::Leak, "the floor rises and nothing says that it will stop"},
      {VerdictKind::Warmup, "it rose, and has stopped; the plateau is what the job needs"},
      {VerdictKind::Spikes,
       "the floor is flat under excursions that recover; the peaks say how big a machine you need"},
      {VerdictKind::Stable, "flat"},
      {VerdictKind::Inconclusive, "not enough was seen; it says what it leans to, and what would settle it"}};
  std::vector<std::vector<std::string>> rows = {{"verdict", "means", "exit code"}};
  for (const Row& row : kRows) {
    rows.push_back({"**" + std::string(to_string(row.kind)) + "**", std::string(row.meaning),
                    number(console::exit_code_of(row.kind))});
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
