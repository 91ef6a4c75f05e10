// --steps-from-output: reads the job's output on its way to a pipe or a terminal.
//
// It is off by default: if lowtide is killed, the job can no longer write (SIGPIPE from a pipe, EIO from a
// terminal). Everything else is as without lowtide: a slow reader delays the job and not lowtide, a reader
// that closes its end closes it for the job too, and a process that outlives the job keeps its output. A
// terminal is replaced by a pseudo-terminal, so that the job still has one. If both streams go to one place,
// they stay one stream, which keeps the order of the lines. Output that goes to a file is left alone and read
// from the file.
#pragma once

#include <poll.h>
#include <sys/types.h>

#include <array>
#include <cstddef>
#include <vector>

#include "base/fd.h"
#include "watch/job/job.h"
#include "watch/job/output_steps.h"

namespace lowtide::watch {

class OutputRelay {
 public:
  // For lowtide's standard output and standard error, if they are a pipe or a terminal.
  OutputRelay();

  // The streams for the job. Close them here once the job has started.
  [[nodiscard]] JobStreams job_streams() const { return streams_; }
  void close_job_ends();

  static constexpr std::size_t kMostFiles = 2;
  // The files to wait for: for output of the job, or for room to write it. Returns their number.
  std::size_t wanted(std::array<pollfd, kMostFiles>& files) const;
  // Forwards what is possible without waiting. `file` is one of those above, after poll().
  void pump(const pollfd& file, OutputSteps& steps);

  // All writers have ended, and everything is forwarded.
  [[nodiscard]] bool is_done() const;
  // All writers have ended, but some of their output is not forwarded yet.
  [[nodiscard]] bool has_last_words() const;

  // A process of the job outlives lowtide, or the reader is slow: another process forwards the rest and ends
  // with the last writer. Returns its pid, or 0 if none is needed.
  pid_t carry_on_in_background();

  // Call it when the window size has changed.
  void resize();

 private:
  static constexpr std::size_t kPieceBytes = 16384;

  struct Channel {
    base::Fd out;  // where it goes: does not block
    int terminal = -1;
    bool is_socket = false;
    base::Fd ours;
    base::Fd job;
    std::vector<char> held;  // read, and not yet written
    std::size_t written = 0;

    [[nodiscard]] bool holds() const { return written < held.size(); }
    [[nodiscard]] bool is_open() const { return ours.valid() || holds(); }
  };

  int add(int to);
  static void read_from(Channel& channel, OutputSteps* steps);
  static void write_out(Channel& channel);
  [[noreturn]] void relay_until_closed();

  JobStreams streams_;
  std::vector<Channel> channels_;
};

}  // namespace lowtide::watch
