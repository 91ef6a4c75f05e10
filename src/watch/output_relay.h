// --steps-from-output: reads the job's output on its way through a pipe or to a
// terminal.
//
// Off unless asked for: if the monitor is killed, the job's next line has nowhere
// to go (SIGPIPE from a pipe, EIO from a terminal). Everything else is as without
// us: a reader who is slow holds the job up and not the monitor, one who goes away
// is gone for the job too, and what outlives the job keeps its output. A terminal
// is answered with a pseudo-terminal, so that the job still finds one. Where both
// streams lead to one place they stay one, and the order of the lines with them.
// Output that goes to a file is left alone, it is read from there.
#pragma once

#include <poll.h>
#include <sys/types.h>

#include <array>
#include <cstddef>
#include <vector>

#include "base/fd.h"
#include "watch/job.h"
#include "watch/output_steps.h"

namespace lowtide::watch {

class OutputRelay {
 public:
  // For standard output and standard error of ours, as far as they can be relayed.
  OutputRelay();

  // What the job gets; ours to close once it has been started.
  [[nodiscard]] JobStreams job_streams() const { return streams_; }
  void close_job_ends();

  static constexpr std::size_t kMostFiles = 2;
  // What to wait on: the job's words, or room for those we have. Returns how many.
  std::size_t wanted(std::array<pollfd, kMostFiles>& files) const;
  // Moves what can be moved without waiting. `file` is one of those above, after poll().
  void pump(const pollfd& file, OutputSteps& steps);

  // Nobody is left who could write, and all was handed on.
  [[nodiscard]] bool is_done() const;
  // All writers are gone, and some of their words are still here.
  [[nodiscard]] bool has_last_words() const;

  // Some of the job outlives us, or its reader is slow: a process of its own
  // hands on the rest, and ends with the last writer. Nothing is left here. Returns its pid, 0 for none.
  pid_t carry_on_in_background();

  // The terminal has another size now.
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
