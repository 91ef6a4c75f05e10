// Any text a training job leaves behind -> runs, series, events.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ingest/sink.h"
#include "model/report.h"

namespace lowtide::ingest {

struct Options {
  bool use_shapes = true;  // off: every line is analysed by itself, the slow reference
};

// What was read, besides what went to the sink.
struct Summary {
  std::uint64_t lines = 0;
  std::uint64_t bytes = 0;
  std::uint64_t readings = 0;
  std::vector<std::string> formats;    // as recognised, the most frequent first
  std::optional<std::string> started;  // RFC 3339; only where the log has dates
  std::vector<model::Warning> warnings;
};

// Reads to the end of the file once, holding a few megabytes at most whatever
// the input. Fails when the input cannot be read, is empty, is not text, or has
// nothing in it that this program knows; the sink may have been called before.
base::Result<Summary> read_log(int fd, Sink& sink, const Options& options = {});

// The same from a path, or from standard input when it is "-".
base::Result<Summary> read_log(const std::string& path, Sink& sink, const Options& options = {});

// The same from memory.
base::Result<Summary> read_log_text(std::string_view text, Sink& sink, const Options& options = {});

}  // namespace lowtide::ingest
