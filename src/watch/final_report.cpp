#include "watch/final_report.h"

#include <fmt/format.h>

#include <cstdio>

#include "base/clock.h"
#include "base/text.h"
#include "console/terminal.h"
#include "console/user_error.h"
#include "explain/report.h"
#include "record/reader.h"
#include "show/terminal/text.h"

namespace lowtide::watch {
namespace {

// The recording may have had no room for it.
void print_loss(const Watch& watch) {
  const record::Writer* writer = watch.writer();
  if (writer == nullptr || writer->lost_ticks() == 0) return;
  console::print_warning(fmt::format("{} readings are missing in the recording: {}", writer->lost_ticks(),
                                     base::printable(writer->why_lost())));
}

void print_report(const model::Report& report, const Settings& flags) {
  const console::Terminal terminal = console::find_terminal("never", std::nullopt);
  const std::string text =
      show::to_text(report, {terminal.width, terminal.unicode, false, !flags.quiet, flags.quiet});
  std::fputs(text.c_str(), stderr);
}

}  // namespace

console::ExitCode print_final_report(const Watch& watch, RecordingFile& file, const Settings& flags) {
  model::VerdictKind kind = watch.judgement().verdict.kind;
  print_loss(watch);
  // Going over all that was recorded is worth it only for somebody who wants to know.
  if (!file.path.empty() && (flags.show_report || flags.gate)) {
    auto recording = record::Recording::open(file.path);
    if (recording) {
      const model::Report report =
          explain::make_report(recording.value(), {file.path, flags.limit_bytes, base::unix_seconds(), true});
      kind = report.verdict.kind;
      if (flags.show_report) print_report(report, flags);
    } else if (flags.show_report) {
      console::print_error(
          {fmt::format("cannot read the recording {}: {}", file.path, recording.error().message),
           "it was damaged or removed while the job ran", fmt::format("ls -l {}", file.path)});
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
  return console::exit_code_of(kind);
}

}  // namespace lowtide::watch
