// The training steps of a job whose output goes to a file, read from that file.
//
// Nothing is between the job and its file. Pipes and terminals are not touched: a process in between can end
// the job with its own end.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "ingest/step_follower.h"
#include "procfs/roots.h"
#include "watch/job/job.h"

namespace lowtide::watch {

class OutputSteps {
 public:
  explicit OutputSteps(procfs::Roots roots);

  // Notes where the output of a job will begin in the files that it inherits. Call it before the job starts:
  // what the files contain by then may be the output of an earlier run, with other steps.
  void note_beginnings(const JobStreams& streams);

  // Finds the files of a process's standard output and standard error, also for descendants of the job
  // (`sh -c 'python train.py > log'`). For a process that has just started, reading begins at the noted
  // place, or at the current end of the file; for a running one, well before the end.
  void consider(pid_t pid, bool just_started);

  // Reads what was written since the last call. Returns the latest step, or NaN if none is known.
  double refresh();

  // Output that lowtide forwards (--steps-from-output).
  void feed(std::string_view bytes) { piped_.feed(bytes); }

  // The files that are read, for the report.
  [[nodiscard]] std::vector<std::string> paths() const;

 private:
  struct Stream {
    std::string path;
    base::Fd fd;
    off_t at = 0;
    ingest::StepFollower follower;
  };

  void read_new(Stream& stream);

  struct Identity {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;

    bool operator==(const Identity&) const = default;
  };

  struct Beginning {
    Identity file;
    off_t at = 0;
  };

  [[nodiscard]] off_t beginning_of(const Identity& file, off_t size) const;

  procfs::Roots roots_;
  std::vector<Beginning> beginnings_;
  std::vector<Identity> seen_;
  std::vector<Stream> streams_;
  ingest::StepFollower piped_;
  std::vector<char> buffer_;
};

}  // namespace lowtide::watch
