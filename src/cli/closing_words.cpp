#include "cli/closing_words.h"

#include <fmt/format.h>

#include <cstdio>

#include "base/text.h"
#include "base/units.h"
#include "cli/complaint.h"
#include "cli/status_line.h"

namespace lowtide::cli {

ExitCode tell_the_end(const observe::Watch& watch, RecordingFile& file, const WatchFlags& flags) {
  const model::Judgement& judgement = watch.judgement();
  if (flags.show_report && watch.latest() != nullptr) {
    std::fputs((status_words(judgement, *watch.latest()) + "\n" + judgement.verdict.reason + "\n").c_str(), stderr);
  }
  if (!flags.keep_recording) {
    file.discard();
  } else if (flags.show_report && !file.path.empty()) {
    std::fputs(fmt::format("recording: {}\n", base::printable(file.path)).c_str(), stderr);
  }
  return exit_code_of(judgement.verdict.kind);
}

}  // namespace lowtide::cli
