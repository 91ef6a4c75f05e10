// Signals as a file to wait on, and which of them the job must get.
#pragma once

#include <sys/types.h>

#include <optional>

#include "base/fd.h"

namespace lowtide::watch {

class Signals {
 public:
  // From now on the signals below are read here and do nothing by themselves.
  // Stopping and continuing are left alone: a terminal stops the job and us alike.
  Signals();

  [[nodiscard]] int fd() const { return fd_.get(); }

  struct Signal {
    int number = 0;
    bool sent_to_us = false;  // by a process; a terminal sends to the job as well
    pid_t sender = 0;
  };
  // The next one that is waiting, or none.
  std::optional<Signal> next();

 private:
  base::Fd fd_;
};

}  // namespace lowtide::watch
