// Stands in for ingest's reader until that is merged: knows "Step N: X MB"
// lines, "Run ..." headings and "[Process restarted]", and nothing else.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "ingest/sink.h"

namespace lowtide::ingest {

struct Summary {
  std::uint64_t lines = 0;
  std::uint64_t bytes = 0;
  std::string format;
  std::optional<std::string> started;
  std::vector<model::Warning> warnings;
};

base::Result<Summary> read_log(int fd, Sink& sink);

}  // namespace lowtide::ingest
