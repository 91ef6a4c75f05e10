// What `run` and `attach` set up alike before the first tick.
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

// Makes this process give memory back that it does not need any more. In a container it counts against the
// job's limit.
void keep_small();
// What was freed, after much was taken for a moment. glibc keeps it otherwise.
void give_memory_back();

Watch::Options options_for(const Settings& settings, pid_t pid);

record::Header header_for(const std::vector<std::string>& command, const Settings& settings, pid_t pid);

// Makes the recording and prints its warnings.
RecordingFile open_recording(const Settings& settings, const record::Header& header);

// A screen that cannot be opened is a warning: the job is watched without it.
void open_screen(std::optional<LiveScreen>& screen, LiveScreen::Options options);

}  // namespace lowtide::watch
