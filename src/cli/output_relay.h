// --steps-from-output: reads the job's output on its way through a pipe or to a
// terminal.
//
// Off unless asked for: if the monitor dies, the job's next line has nowhere to
// go. A terminal is answered with a pseudo-terminal, so that the job still
// finds one. Output that goes to a file is left alone, it is read from there.
#pragma once

#include <optional>
#include <vector>

#include "base/fd.h"
#include "cli/job.h"
#include "cli/output_steps.h"

namespace lowtide::cli {

class OutputRelay {
 public:
  // For standard output and standard error of ours, as far as they can be relayed.
  OutputRelay();

  // What the job gets; ours to close once it has been started.
  [[nodiscard]] JobStreams job_streams() const;
  void close_job_ends();

  // To be waited on.
  [[nodiscard]] std::vector<int> fds() const;
  // Hands on what is there; false when the job has closed that end.
  bool pump(int fd, OutputSteps& steps);
  // Everything that was still under way when the job ended.
  void drain(OutputSteps& steps);

  // The terminal has another size now.
  void resize();

 private:
  struct Channel {
    int to = -1;  // our own standard output or error
    base::Fd ours;
    base::Fd job;
    bool is_terminal = false;
  };

  void add(int to);

  std::vector<Channel> channels_;
};

}  // namespace lowtide::cli
