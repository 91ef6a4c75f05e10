// Signals as a file descriptor to wait for.
#pragma once

#include <sys/types.h>

#include <optional>

#include "base/fd.h"

namespace lowtide::watch {

class Signals {
 public:
  // From now on the signals are read here and have no other effect. SIGTSTP and SIGCONT are left alone: a
  // terminal stops the job and lowtide alike.
  Signals();

  [[nodiscard]] int fd() const { return fd_.get(); }

  struct Signal {
    int number = 0;
    bool sent_to_us = false;  // by a process; a terminal sends to the job as well
    pid_t sender = 0;
  };
  // The next pending signal, or none.
  std::optional<Signal> next();

 private:
  base::Fd fd_;
};

}  // namespace lowtide::watch
