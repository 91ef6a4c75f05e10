// What a variable holds, by type, and what came to it. This proves a cause; counts of the whole process do
// not.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "explain/settle/holders/holders.h"

namespace lowtide::explain {

struct GainedType {
  std::string type;
  std::int64_t count = 0;
  std::int64_t bytes = 0;
};

class HeldContents {
 public:
  // Between the first and the last snapshot that list the variable; all of it where only one does. Empty for
  // recordings without contents.
  static HeldContents gained_by(const HeldGrowth& grown);

  // Most bytes first.
  [[nodiscard]] const std::vector<GainedType>& types() const { return types_; }
  [[nodiscard]] std::int64_t count_of(std::string_view type) const;
  [[nodiscard]] std::int64_t graph_functions() const { return graph_functions_; }

 private:
  std::vector<GainedType> types_;
  std::int64_t graph_functions_ = 0;
};

}  // namespace lowtide::explain
