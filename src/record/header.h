#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "record/meta.h"

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
  std::optional<std::uint64_t> limit_bytes;  // of --limit
};

// Calls visit(key, member) for the members of a header and their keys in table `meta`.
template <typename AnyHeader, typename Visit>
void for_each_member(AnyHeader& header, const Visit& visit) {
  visit(Meta::Command, header.command);
  visit(Meta::WorkingDirectory, header.working_directory);
  visit(Meta::Host, header.host);
  visit(Meta::Started, header.started);
  visit(Meta::StartedUnixS, header.started_unix_s);
  visit(Meta::LowtideVersion, header.lowtide_version);
  visit(Meta::IntervalS, header.interval_s);
  visit(Meta::RootPid, header.root_pid);
  visit(Meta::Attached, header.attached);
  visit(Meta::LimitBytes, header.limit_bytes);
}

}  // namespace lowtide::record
