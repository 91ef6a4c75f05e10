#include "cli/closing_words.h"

#include <fmt/format.h>

#include <cstdio>
#include <variant>

#include "base/text.h"
#include "cli/complaint.h"
#include "cli/report_recording.h"
#include "cli/terminal.h"
#include "show/text.h"

namespace lowtide::cli {
namespace {

void tell(const model::Report& report, const WatchFlags& flags) {
  const Terminal terminal = find_terminal("never", std::nullopt);
  const std::string text =
      show::to_text(report, {terminal.width, terminal.unicode, false, !flags.quiet, flags.quiet});
  std::fputs(text.c_str(), stderr);
}

}  // namespace

ExitCode tell_the_end(const observe::Watch& watch, RecordingFile& file, const WatchFlags& flags) {
  model::VerdictKind kind = watch.judgement().verdict.kind;
  // Going over all that was recorded is worth it only for somebody who wants to know.
  if (!file.path.empty() && (flags.show_report || flags.gate)) {
    const auto result = report_recording(file.path, flags.limit_bytes);
    if (const auto* report = std::get_if<model::Report>(&result)) {
      kind = report->verdict.kind;
      if (flags.show_report) tell(*report, flags);
    } else if (flags.show_report) {
      complain(std::get<Complaint>(result));
    }
  }
  if (!flags.keep_recording) {
    file.discard();
  } else if (flags.show_report && !file.path.empty()) {
    std::fputs(fmt::format("\nrecording: {}   (lowtide report {})\n", base::printable(file.path),
                           base::printable(file.path))
                   .c_str(),
               stderr);
  }
  return exit_code_of(kind);
}

}  // namespace lowtide::cli
