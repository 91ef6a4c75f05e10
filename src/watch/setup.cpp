#include "watch/setup.h"

#include <unistd.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <utility>

#include "console/user_error.h"

namespace lowtide::watch {

void keep_small() {
#ifdef __GLIBC__
  // Large blocks are always separate mappings. By default glibc takes larger and larger ones from the heap,
  // which fragments it. One arena serves all threads, because only one thread does the work.
  constexpr int kLargeBytes = 128 << 10;
  ::mallopt(M_MMAP_THRESHOLD, kLargeBytes);
  ::mallopt(M_TRIM_THRESHOLD, kLargeBytes);
  ::mallopt(M_ARENA_MAX, 1);
#endif
}

void give_memory_back() {
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
}

Watch::Options options_for(const Settings& settings, pid_t pid) {
  Watch::Options options;
  options.interval_s = settings.interval_s;
  options.monitor.tree.root_pid = pid;
  options.monitor.tree.own_pid = ::getpid();
  options.monitor.limit_bytes = settings.limit_bytes;
  options.monitor.use_gpu = settings.use_gpu;
  options.monitor.use_pss = settings.use_pss;
  options.take_snapshots = settings.take_snapshots;
  options.copy_sources = settings.copy_sources;
  return options;
}

record::Header header_for(const std::vector<std::string>& command, const Settings& settings, pid_t pid) {
  record::Header header = make_header(command);
  header.root_pid = pid;
  header.limit_bytes = settings.limit_bytes;
  header.interval_s = settings.interval_s.value_or(0);
  return header;
}

RecordingFile open_recording(const Settings& settings, const record::Header& header) {
  RecordingFile file = make_recording(settings, header);
  for (const std::string& warning : file.warnings) console::print_warning(warning);
  return file;
}

void open_screen(std::optional<LiveScreen>& screen, LiveScreen::Options options) {
  screen.emplace(std::move(options));
  if (!screen->is_open()) {
    console::print_warning("the screen could not be opened; lowtide watches the job without it");
  }
}

}  // namespace lowtide::watch
