#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace lowtide::record {

// What is known of a run before its first tick.
struct Header {
  std::string command;
  std::string working_directory;
  std::string host;
  std::string started;  // RFC 3339
  double started_unix_s = 0;
  std::string lowtide_version;
  double interval_s = 1;
  std::int64_t root_pid = 0;
  bool attached = false;                     // else the job was started by lowtide
  std::optional<std::uint64_t> limit_bytes;  // what the user said with --limit
};

}  // namespace lowtide::record
