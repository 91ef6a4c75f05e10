// `run --screen`: where the job's words go while the terminal shows something else.
//
// Into a file that is kept, and nothing stands in between: a lowtide that is killed costs the job nothing.
// Only streams that lead to a terminal are turned; `> train.log` is left alone. Nor does the job get the
// keys: its standard input is /dev/null where it was the terminal.
#pragma once

#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "watch/job.h"

namespace lowtide::watch {

class JobOutput {
 public:
  // In the current folder, or where temporary files go.
  static base::Result<JobOutput> open();

  [[nodiscard]] JobStreams job_streams() const { return streams_; }
  // Empty: none of its streams was turned.
  [[nodiscard]] const std::string& path() const { return path_; }

  // Printable, oldest first.
  [[nodiscard]] std::vector<std::string> last_lines(std::size_t most) const;

  // The last words on standard error: where it is and, of a job that failed, how it ends.
  void tell(bool job_failed) const;

  // A file that nobody wrote to is not worth keeping.
  void remove_if_empty();

 private:
  JobOutput() = default;

  base::Fd file_;
  base::Fd nothing_;
  std::string path_;
  JobStreams streams_;
};

}  // namespace lowtide::watch
