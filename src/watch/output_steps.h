// The steps of a job whose output goes to a file: read from outside, by name.
//
// Nothing stands between the job and its file. Pipes and terminals are not
// touched: whoever sits in one can take the job down with it.
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

namespace lowtide::watch {

class OutputSteps {
 public:
  explicit OutputSteps(procfs::Roots roots);

  // Looks where standard output and error of a process lead: of the job's first
  // process, and of those below it (`sh -c 'python train.py > log'`). What was
  // just started is read from where its file ends now, what runs already from
  // a good deal before.
  void consider(pid_t pid, bool just_started);

  // What was written since the last time; the latest step, NaN where none is known.
  double refresh();

  // What the job wrote through us (--steps-from-output).
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
  };

  procfs::Roots roots_;
  std::vector<Identity> seen_;
  std::vector<Stream> streams_;
  ingest::StepFollower piped_;
  std::vector<char> buffer_;
};

}  // namespace lowtide::watch
