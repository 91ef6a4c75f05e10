// Where the recording of a run goes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "record/header.h"
#include "record/writer.h"
#include "watch/settings.h"

namespace lowtide::watch {

struct RecordingFile {
  std::optional<record::Writer> writer;  // none: nothing could be written anywhere
  std::string path;
  std::vector<std::string> warnings;  // where it is not where the user wanted it, and why

  // Removes what was written.
  void discard();
};

// Where --output says, or in the current folder under a name of its own. An earlier
// recording of that name is put aside, never overwritten; a file of another kind
// is not touched. The job is worth more than its recording: where the place
// cannot be written, another one is taken. With --no-recording it is one that is
// thrown away at the end.
RecordingFile make_recording(const Settings& flags, const record::Header& header);

// The header of a run that begins now.
record::Header make_header(const std::vector<std::string>& command);

}  // namespace lowtide::watch
