#include "watch/final_report.h"

#include <fmt/format.h>
#include <unistd.h>

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

// Readings are lost if the disk is full.
void print_loss(const Watch& watch) {
  const record::Writer* writer = watch.writer();
  if (writer == nullptr || writer->lost_ticks() == 0) return;
  console::print_warning(fmt::format("{} readings are missing from the recording: {}", writer->lost_ticks(),
                                     base::printable(writer->why_lost())));
}

// Standard output belongs to the job and may go to a file, so the terminal of standard error counts.
void print_report(const model::Report& report, const Settings& flags) {
  const console::Terminal terminal = console::find_terminal("auto", std::nullopt, STDERR_FILENO);
  const std::string text =
      show::to_text(report, {terminal.width, terminal.unicode, terminal.colour, !flags.quiet, flags.quiet});
  std::fputs(text.c_str(), stderr);
}

}  // namespace

console::ExitCode print_final_report(const Watch& watch, RecordingFile& file, const Settings& flags) {
  console::ExitCode code = console::exit_code_of(watch.judgement().verdict.kind);
  print_loss(watch);
  // The report comes last: a terminal shows the end of the output, and the report ends with the answer.
  if (flags.keep_recording && flags.show_report && !file.path.empty()) {
    std::fputs(fmt::format("recording: {}   (lowtide report {})\n\n", base::printable(file.path),
                           base::printable(file.path))
                   .c_str(),
               stderr);
  }
  // The report reads the whole recording, so it is made only if somebody uses it.
  if (!file.path.empty() && (flags.show_report || flags.gate)) {
    auto recording = record::Recording::open(file.path);
    if (recording) {
      const model::Report report =
          explain::make_report(recording.value(), {file.path, flags.limit_bytes, base::unix_seconds()});
      code = console::exit_code_of(report);
      if (flags.show_report) print_report(report, flags);
    } else if (flags.show_report) {
      console::print_error(
          {fmt::format("cannot read the recording {}: {}", file.path, recording.error().message),
           "it was damaged or deleted while the job ran", fmt::format("ls -l {}", file.path)});
    }
  }
  if (!flags.keep_recording) file.discard();
  return code;
}

}  // namespace lowtide::watch
