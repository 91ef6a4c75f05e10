#include "record/chosen_snapshots.h"

#include <algorithm>
#include <map>
#include <utility>

namespace lowtide::record {
namespace {

// Every second, and the last.
void halve(std::vector<std::size_t>& of_process) {
  std::vector<std::size_t> left;
  for (std::size_t at = 0; at + 1 < of_process.size(); at += 2) left.push_back(of_process[at]);
  left.push_back(of_process.back());
  of_process = std::move(left);
}

}  // namespace

std::size_t choose_snapshots(std::vector<RecordedSnapshot>& snapshots, std::size_t most) {
  std::map<model::ProcessId, std::vector<std::size_t>> by_process;
  std::size_t longest = 0;
  for (std::size_t at = 0; at < snapshots.size(); ++at) {
    std::vector<std::size_t>& of_process = by_process[snapshots[at].process];
    of_process.push_back(at);
    longest = std::max(longest, of_process.size());
  }
  std::size_t count = snapshots.size();
  for (; count > most && longest > 2; longest = longest / 2 + 1) {
    count = 0;
    for (auto& [process, of_process] : by_process) {
      if (of_process.size() > longest / 2 + 1) halve(of_process);
      count += of_process.size();
    }
  }
  std::size_t chosen = 0;
  for (const auto& [process, of_process] : by_process) {
    for (const std::size_t at : of_process) {
      snapshots[at].snapshot.has_holders = chosen < most;
      chosen += chosen < most ? 1 : 0;
    }
  }
  return chosen;
}

}  // namespace lowtide::record
