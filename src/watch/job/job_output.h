// `run --screen`: the job's output while lowtide uses the terminal.
//
// It goes to a file, directly: if lowtide is killed, the job can still write. Only streams that lead to a
// terminal are redirected; `> train.log` is left alone. The job gets no keyboard input: its standard input is
// /dev/null if it was the terminal.
#pragma once

#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "watch/job/job.h"

namespace lowtide::watch {

class JobOutput {
 public:
  // In the current folder, or in the folder for temporary files.
  static base::Result<JobOutput> open();

  [[nodiscard]] JobStreams job_streams() const { return streams_; }
  // Empty: no stream was redirected.
  [[nodiscard]] const std::string& path() const { return path_; }

  // Printable, oldest first.
  [[nodiscard]] std::vector<std::string> last_lines(std::size_t most) const;

  // Prints the path on standard error, and the last lines if the job failed. Only once.
  void print_end(bool job_failed);

  // An empty file is not kept.
  void remove_if_empty();

 private:
  JobOutput() = default;

  base::Fd file_;
  base::Fd nothing_;
  std::string path_;
  JobStreams streams_;
  bool is_printed_ = false;
};

}  // namespace lowtide::watch
