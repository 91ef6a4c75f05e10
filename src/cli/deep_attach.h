// `attach --deep`: the agent goes into the job, and its hooks come out at the end.

#pragma once

#include <sys/types.h>

#include <string>
#include <variant>

#include "attach/inject.h"
#include "cli/complaint.h"

namespace lowtide::cli {

class DeepAttach {
 public:
  // `socket_path` is bound already: the agent says hello there before this returns.
  static std::variant<DeepAttach, Complaint> begin(pid_t pid, std::string agent_path,
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

}  // namespace lowtide::cli
