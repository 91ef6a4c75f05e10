// The words that a name is made of: "RunLogger.val_history" is run, logger, val, history; and the name
// itself.
#pragma once

#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "model/snapshot.h"

namespace lowtide::explain {

class IdentifierWords {
 public:
  void add(std::string_view name);
  [[nodiscard]] bool has_any(std::initializer_list<std::string_view> words) const;
  [[nodiscard]] bool has_only(std::initializer_list<std::string_view> words) const;

 private:
  std::set<std::string, std::less<>> words_;
};

// The part of the path that the code writes: "history" of "__main__.history", and of "__main__.main.history"
// for a local one.
std::string_view end_of_path(const model::HeldNode& node);

// The function that the variable belongs to: as the default value of a parameter, or as a variable of the
// function around it. It exists for as long as the function does.
struct OwningFunction {
  std::string name;  // empty: it has none in the path
  bool is_default = false;
};
std::optional<OwningFunction> owning_function(const model::HeldNode& node);

// The same as the code writes it: "model.encoder[0]" and not "model._modules["encoder"]._modules["0"]",
// "memo" and not "lookup.__defaults__["memo"]".
std::string variable_of(const model::HeldNode& node);

// Whether the text is an expression that Python accepts: names, attributes, subscripts with a constant.
bool is_code(std::string_view text);

// The variable as far as it can be written in Python: "trainer" of "trainer.<key of a dict>". Empty: not at
// all.
std::string named_part(const model::HeldNode& node);

// "`history`"; "a dict below `trainer`" where the path to it cannot be written in Python.
std::string quoted_variable(const model::HeldNode& node);

}  // namespace lowtide::explain
