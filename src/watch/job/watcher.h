// Another lowtide that watches a process while this one does something else.
#pragma once

#include <sys/types.h>

#include "base/result.h"
#include "watch/settings.h"

namespace lowtide::watch {

class Watcher {
 public:
  // Starts `lowtide attach` without our standard input and output.
  static base::Result<Watcher> start(pid_t target, const Settings& settings);

  Watcher(Watcher&& other) noexcept;
  Watcher& operator=(Watcher&&) = delete;
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;
  // Ends it and waits until the recording is closed.
  ~Watcher();

  // Its exit status, once it has ended; -1 while it runs.
  int poll();

 private:
  explicit Watcher(pid_t pid) : pid_(pid) {}

  pid_t pid_ = -1;
  int status_ = -1;
};

}  // namespace lowtide::watch
