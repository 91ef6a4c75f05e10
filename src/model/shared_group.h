// Shared memory of the job, in groups of objects with similar names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lowtide::model {

enum class SharedKind { File, Segment, Memfd };

// How the process of a group is known. `Creator`: the kernel reports it. `Name`: its pid is in the names.
// `Open`: it has them open. `Writer`: the only process of the job that wrote that much at that time.
enum class SharedLink { Unknown, Creator, Name, Open, Writer };

struct SharedGroup {
  std::uint32_t place = 0;  // 0: the largest
  SharedKind kind = SharedKind::File;
  std::string name = {};  // with * for numbers: "/dev/shm/batch*.npy"
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
  SharedLink link = SharedLink::Unknown;
  std::int64_t pid = 0;         // 0: not known; of several processes the one with most
  std::uint64_t processes = 0;  // how many are known
  std::uint64_t pid_bytes = 0;  // of the group, by `pid`
  bool operator==(const SharedGroup&) const = default;
};

constexpr std::string_view to_string(SharedKind kind) {
  switch (kind) {
    case SharedKind::File:
      return "file";
    case SharedKind::Segment:
      return "segment";
    case SharedKind::Memfd:
      return "memfd";
  }
  return {};
}

constexpr std::string_view to_string(SharedLink link) {
  switch (link) {
    case SharedLink::Unknown:
      return "unknown";
    case SharedLink::Creator:
      return "creator";
    case SharedLink::Name:
      return "name";
    case SharedLink::Open:
      return "open";
    case SharedLink::Writer:
      return "writer";
  }
  return {};
}

}  // namespace lowtide::model
