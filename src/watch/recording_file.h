// The file of a recording.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "record/header.h"
#include "record/writer.h"
#include "watch/settings.h"
#include "watch/unkept_folder.h"

namespace lowtide::watch {

struct RecordingFile {
  std::optional<UnkeptFolder> unkept;    // before the writer, which closes its files first
  std::optional<record::Writer> writer;  // none: no file could be written
  std::string path;
  std::vector<std::string> warnings;  // why it is not in the place that the user asked for

  // Deletes the file.
  void discard();
};

// Creates the file that --output names, or a file with a unique name in the current folder. An older
// recording of that name is renamed, never overwritten; any other file is not touched. If a place cannot be
// written, the next one is tried, because the job must run in any case. With --no-recording the file is
// deleted at the end.
RecordingFile make_recording(const Settings& flags, const record::Header& header);

// The header of a run that begins now.
record::Header make_header(const std::vector<std::string>& command);

}  // namespace lowtide::watch
