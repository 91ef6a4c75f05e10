#include "cli/syntax/command.h"

#include <algorithm>

#include "cli/commands/all.h"

namespace lowtide::cli {

std::span<const Command> commands() {
  static const std::vector<Command> kAll{
      run_command(),    attach_command(),  snapshot_command(),   analyze_command(),
      report_command(), compare_command(), plan_command(),       check_command(),
      serve_command(),  doctor_command(),  completion_command(),
  };
  return kAll;
}

const Command* find_command(std::string_view name) {
  const auto all = commands();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Command& c) { return c.name == name; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace lowtide::cli
