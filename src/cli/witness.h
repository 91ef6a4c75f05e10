// Was a signal sent to us alone, or to our whole process group?
//
// What is sent to us alone must be passed on to the job; what `kill -TERM -PGID`,
// systemd or a batch system send to everybody has reached the job already, and a
// second SIGTERM makes many trainers give up the checkpoint that the first one
// began. The signal itself does not say which it was. So a small process in our
// group, of which nobody knows, looks whether the same signal of the same sender
// came to it as well. Where it is not sure, the signal is passed on: twice is bad,
// never is worse.
#pragma once

#include <sys/types.h>

#include <vector>

#include "base/fd.h"

namespace lowtide::cli {

class Witness {
 public:
  // Starts the process. It must be called before any thread is started, and
  // after Signals: what is blocked here is blocked there. Without one, nothing is ever seen.
  Witness();
  ~Witness() { dismiss(); }
  Witness(const Witness&) = delete;
  Witness& operator=(const Witness&) = delete;
  Witness(Witness&&) = delete;
  Witness& operator=(Witness&&) = delete;

  // The words of our command line, to be wiped in the process: `pkill -f` with them means us.
  static void remember_words(int count, char** words);

  // 0 where there is none. It is no part of the job.
  [[nodiscard]] pid_t pid() const { return pid_; }

  // The same signal of the same sender came to it just now. Waits a moment for it.
  bool saw(int number, pid_t sender);

  // It ends and is waited for.
  void dismiss();

 private:
  struct Report {
    int number = 0;
    pid_t sender = 0;
    double at_s = 0;  // on the steady clock
  };

  [[noreturn]] static void look(int report_fd);
  void take_reports();

  pid_t pid_ = 0;
  base::Fd reports_fd_;
  std::vector<Report> reports_;
};

}  // namespace lowtide::cli
