// Copies the job's Python files into the recording, so that a report can quote them later, on another machine
// and after they were changed.
#pragma once

#include <map>
#include <span>
#include <string>

#include "model/snapshot.h"
#include "observe/monitor.h"
#include "record/writer.h"

namespace lowtide::watch {

class SourceCopies {
 public:
  // `folder`: where a relative path is searched if the process has changed its working directory.
  explicit SourceCopies(std::string folder) : folder_(std::move(folder)) {}

  // Copies the files that the new allocation sites and the new snapshots name.
  void tick(const observe::Monitor& monitor, std::span<const model::Snapshot> snapshots, double now_unix_s,
            double at_s, record::Writer& writer);

 private:
  struct Need {
    const std::string& path;
    std::int32_t pid;
    double not_after_unix_s;
  };
  void copy(const Need& need, record::Writer& writer);

  std::string folder_;
  std::map<std::string, int, std::less<>> tries_left_;  // by path; 0: it is copied or cannot be
  std::size_t copied_bytes_ = 0;
};

}  // namespace lowtide::watch
