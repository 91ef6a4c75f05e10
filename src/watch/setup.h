// The setup that `run` and `attach` share, before the first tick.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "record/header.h"
#include "watch/live_screen.h"
#include "watch/recording_file.h"
#include "watch/settings.h"
#include "watch/watch.h"

namespace lowtide::watch {

// Makes this process return memory that it no longer needs. In a container it counts against the job's limit.
void keep_small();
// Returns freed memory to the system after a short peak. glibc would keep it.
void give_memory_back();

Watch::Options options_for(const Settings& settings, pid_t pid);

record::Header header_for(const std::vector<std::string>& command, const Settings& settings, pid_t pid);

// Creates the recording and prints its warnings.
RecordingFile open_recording(const Settings& settings, const record::Header& header);

// If the screen cannot be opened, prints a warning; the job is watched without it.
void open_screen(std::optional<LiveScreen>& screen, LiveScreen::Options options);

}  // namespace lowtide::watch
