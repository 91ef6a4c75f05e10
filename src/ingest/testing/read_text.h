// A log that is a string, and all that the reader told of it.
#pragma once

#include <string>
#include <string_view>

#include "ingest/log_reader.h"
#include "ingest/testing/collecting_sink.h"

namespace lowtide::ingest {

struct Read {
  CollectingSink log;
  std::string error;
  Summary summary;
  std::string warnings;  // a line each
};

inline Read read(std::string_view text) {
  Read result;
  auto summary = read_log_text(text, result.log);
  if (!summary) {
    result.error = summary.error().message;
    return result;
  }
  result.summary = summary.value();
  for (const model::Warning& warning : result.summary.warnings) result.warnings += warning.text + "\n";
  return result;
}

}  // namespace lowtide::ingest
