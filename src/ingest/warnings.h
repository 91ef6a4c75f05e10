#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/report.h"

namespace lowtide::ingest {

// What was not used, each thing once, with a count. Bounded.
class Warnings {
 public:
  void add(const std::string& text, std::uint64_t line, std::uint64_t count = 1) {
    const auto found = numbers_.find(text);
    if (found != numbers_.end()) {
      list_[found->second].count += count;
      return;
    }
    if (list_.size() >= kMax) return;
    numbers_.emplace(text, list_.size());
    list_.push_back({text, count, line});
  }

  // For what holds for the whole log: said once, not counted.
  void add_once(const std::string& text, std::uint64_t line) {
    if (numbers_.find(text) == numbers_.end()) add(text, line);
  }

  std::vector<model::Warning> take() { return std::move(list_); }

 private:
  static constexpr std::size_t kMax = 64;
  std::map<std::string, std::size_t> numbers_;
  std::vector<model::Warning> list_;
};

}  // namespace lowtide::ingest
