// The words that a name is made of: "RunLogger.val_history" is run, logger, val, history.
#pragma once

#include <initializer_list>
#include <set>
#include <string>
#include <string_view>

namespace lowtide::explain {

class NameWords {
 public:
  void add(std::string_view name);
  [[nodiscard]] bool has_any(std::initializer_list<std::string_view> words) const;

 private:
  std::set<std::string, std::less<>> words_;
};

}  // namespace lowtide::explain
