// The words that a name is made of: "RunLogger.val_history" is run, logger, val, history; and the name
// itself.
#pragma once

#include <initializer_list>
#include <set>
#include <string>
#include <string_view>

#include "model/snapshot.h"

namespace lowtide::explain {

class IdentifierWords {
 public:
  void add(std::string_view name);
  [[nodiscard]] bool has_any(std::initializer_list<std::string_view> words) const;

 private:
  std::set<std::string, std::less<>> words_;
};

// As the code writes it: "history" and not "__main__.history", nor "__main__.main.history" for a local one.
std::string_view variable_of(const model::HeldNode& node);

// Whether the text is an expression that Python accepts: names, attributes, subscripts with a constant.
bool is_code(std::string_view text);

// The variable as far as it can be written in Python: "trainer" of "trainer.<key of a dict>". Empty: not at
// all.
std::string_view named_part(const model::HeldNode& node);

// "`history`"; "a dict below `trainer`" where the path to it cannot be written in Python.
std::string quoted_variable(const model::HeldNode& node);

}  // namespace lowtide::explain
