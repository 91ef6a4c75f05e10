// `attach --deep`: the agent goes into the job, and its hooks come out at the end.

#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <variant>

#include "attach/inject.h"
#include "console/user_error.h"
#include "observe/tree/process_tree.h"

namespace lowtide::watch {

class DeepAttach {
 public:
  // `socket_path` is bound already: the agent says hello there before this returns.
  static std::variant<DeepAttach, console::UserError> begin(pid_t pid, std::string agent_path,
                                                            std::string socket_path);

  // Takes the hooks out, if the job is still there. What stood in the way is for a warning;
  // the agent goes quiet by itself where nobody reads.
  [[nodiscard]] std::string end();

  [[nodiscard]] const attach::Injected& injected() const { return injected_; }

 private:
  DeepAttach(pid_t pid, attach::InjectOptions options, const attach::Injected& injected)
      : pid_(pid), options_(std::move(options)), injected_(injected) {}

  pid_t pid_;
  attach::InjectOptions options_;
  attach::Injected injected_;
};

// The process that is worth entering: the one that was named, or below a wrapper the largest.
pid_t choose_deep_target(observe::ProcessTree& tree, pid_t pid);

}  // namespace lowtide::watch
