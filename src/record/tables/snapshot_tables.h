// Snapshots of Python processes in a recording: few, and only what is large in each.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "model/process.h"
#include "model/snapshot.h"
#include "record/sqlite.h"

namespace lowtide::record {

struct RecordedSnapshot {
  model::ProcessId process{};
  model::Snapshot snapshot;
};

class SnapshotTables {
 public:
  static base::Result<SnapshotTables> create(Database& database);

  // Keeps the largest nodes, tensors and types of it.
  void stage(model::ProcessId process, const model::Snapshot& snapshot);

  [[nodiscard]] bool empty() const { return staged_.empty(); }
  // Writes what is staged; it stays staged until written() is called.
  [[nodiscard]] int write();
  void written() { staged_.clear(); }

 private:
  struct Staged {
    std::int64_t id = 0;
    RecordedSnapshot recorded;
  };

  [[nodiscard]] int write(const Staged& staged);
  [[nodiscard]] int write_nodes(const Staged& staged);

  std::vector<Staged> staged_;
  std::int64_t last_id_ = 0;
  Statement put_snapshot_;
  Statement put_node_;
  Statement put_tensors_;
  Statement put_type_;
};

// The `most` nodes that retain the most; each keeps the nearest holder that is left.
std::vector<model::HeldNode> largest_nodes(const std::vector<model::HeldNode>& nodes, std::size_t most);

}  // namespace lowtide::record
