// The variables that hold memory, from the snapshots of the job's Python processes, and how much they grew.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/snapshot.h"
#include "screen/view.h"

namespace lowtide::screen {

class HolderLines {
 public:
  void add(const model::Snapshot& snapshot);

  [[nodiscard]] std::vector<HolderLine> lines() const;

  [[nodiscard]] std::uint64_t snapshots() const { return snapshots_; }
  [[nodiscard]] std::optional<double> latest_s() const { return latest_s_; }

 private:
  static constexpr std::size_t kMostProcesses = 64;
  static constexpr std::size_t kMostLines = 40;  // per process

  struct Known {
    model::Snapshot first;
    std::vector<HolderLine> lines;
    double at_s = 0;
  };

  static void keep(Known& known, std::vector<HolderLine> lines, double at_s);
  void make_room();

  std::map<std::int64_t, Known> by_pid_;
  std::uint64_t snapshots_ = 0;
  std::optional<double> latest_s_;
};

}  // namespace lowtide::screen
