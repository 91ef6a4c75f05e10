// `lowtide compare`: two recordings, before and after a change.

#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "cli/commands/all.h"
#include "cli/input/report_recording.h"
#include "cli/output/compare_output.h"
#include "cli/output/output.h"
#include "cli/output/report_style.h"
#include "cli/syntax/refuse.h"
#include "console/user_error.h"
#include "explain/compare.h"
#include "show/compare.h"

namespace lowtide::cli {
namespace {

using console::takes_text;
using console::turns_on;

struct CompareFlags : StyleFlags {
  std::optional<std::string> html = {};
};

std::string written_comparison(const model::Comparison& comparison, const ReportStyle& style) {
  switch (style.form) {
    case ReportStyle::Form::Json:
      return show::to_json(comparison);
    case ReportStyle::Form::Markdown:
      return show::to_markdown(comparison);
    case ReportStyle::Form::Text:
      break;
  }
  return show::to_text(comparison, style.text);
}

console::ExitCode run_compare(const CompareFlags& flags, const Words& words) {
  const auto style = choose_style(flags, "compare");
  if (const auto* user_error = std::get_if<console::UserError>(&style)) return refuse(*user_error);
  if (flags.html == "-" && (flags.json || flags.markdown)) {
    return refuse({"the page and something else cannot both go to standard output",
                   "their data would be mixed", "--html change.html"});
  }
  if (words.positionals.size() != 2) {
    return refuse({"compare needs two recordings", "one from before the change and one from after it",
                   "lowtide compare before.lowtide after.lowtide"});
  }
  std::vector<model::Report> reports;
  for (const std::string& path : words.positionals) {
    auto read = report_recording(path, std::nullopt);
    if (const auto* user_error = std::get_if<console::UserError>(&read))
      return refuse(*user_error, console::ExitCode::Unreadable);
    reports.push_back(std::move(std::get<model::Report>(read)));
  }
  const model::Comparison comparison = explain::compare_reports(std::move(reports[0]), std::move(reports[1]));
  Output output;
  if (flags.html) {
    const auto page =
        write_comparison_page(words.positionals[0], words.positionals[1], comparison, *flags.html);
    if (const auto* user_error = std::get_if<console::UserError>(&page))
      return refuse(*user_error, console::ExitCode::Unreadable);
    output.write(std::get<std::string>(page));
  }
  if (!flags.html || flags.json || flags.markdown)
    output.write(written_comparison(comparison, std::get<ReportStyle>(style)));
  if (!output.finish()) return console::ExitCode::Unreadable;
  // `compare --html a.html ... && xdg-open a.html` must also work if there is a leak.
  return flags.html ? console::ExitCode::NoLeak : console::exit_code_of(comparison.after);
}

}  // namespace

Command compare_command() {
  return with_flags<CompareFlags>(
      {"compare",
       "Compare two recordings, before and after a change",
       "Reports whether memory got better, stayed the same or got worse, by more than noise. Compares "
       "verdicts, floor and peak up to the same step, growth, time per step, the parts of the memory, and "
       "which findings are gone, stay or are new. Warns if the two commands differ. The exit code follows "
       "the "
       "verdict on the second recording.",
       {"REC", "two recordings, before and after the change", true, {}},
       {
           {"lowtide compare before.lowtide after.lowtide", "did the fix help?"},
           {"lowtide compare --markdown before.lowtide after.lowtide > fix.md", "for the pull request"},
           {"lowtide compare --json a.lowtide b.lowtide | jq .outcome", "for scripts"},
           {"lowtide compare --html diff.html a.lowtide b.lowtide && xdg-open diff.html",
            "which calls have more or less memory than before"},
       }},
      {
          turns_on("json", "print the comparison as JSON, for programs", &CompareFlags::json),
          turns_on("markdown", "print a document, for a ticket", &CompareFlags::markdown),
          takes_text({"html", "FILE",
                      "write the comparison as one HTML page with a differential flame graph; - is standard "
                      "output"},
                     &CompareFlags::html),
          width_flag(),
          turns_on("quiet", "only the answer", &CompareFlags::quiet),
          color_flag(),
      },
      run_compare);
}

}  // namespace lowtide::cli
