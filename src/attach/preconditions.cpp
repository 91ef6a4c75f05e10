#include "attach/preconditions.h"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <string>
#include <string_view>

#include "attach/stub.h"
#include "base/fd.h"
#include "procfs/rights.h"
#include "procfs/status.h"
#include "procfs/text_file.h"
#include "symbols/target_files.h"

namespace lowtide::attach {
namespace {

std::string in_proc(pid_t pid, const char* name) {
  return "/proc/" + std::to_string(pid) + "/" + name;
}

base::Error unsupported(std::string message) {
  return {base::ErrorCode::Unsupported, std::move(message)};
}

// The text behind "name:" in a status file; empty where there is none.
std::string_view line_of(std::string_view status, std::string_view name) {
  std::size_t at = status.starts_with(name) ? 0 : status.find("\n" + std::string(name));
  if (at == std::string_view::npos) {
    return {};
  }
  at = status.find(':', at) + 1;
  const std::size_t begin = status.find_first_not_of(" \t", at);
  return begin == std::string_view::npos ? std::string_view{}
                                         : status.substr(begin, status.find('\n', begin) - begin);
}

// The file that the target would open by this name is the one that we would.
bool sees_the_same(pid_t pid, const std::string& path) {
  struct stat here {};
  struct stat there {};
  return ::stat(path.c_str(), &here) == 0 && ::stat((in_proc(pid, "root") + path).c_str(), &there) == 0 &&
         here.st_ino == there.st_ino && here.st_dev == there.st_dev;
}

base::Result<bool> check_program(pid_t pid) {
  const base::Fd exe = symbols::open_regular(in_proc(pid, "exe"));
  std::array<unsigned char, 5> start{};
  if (!exe.valid() || ::read(exe.get(), start.data(), start.size()) != static_cast<ssize_t>(start.size())) {
    return base::Error{base::ErrorCode::Denied, "its program cannot be read"};
  }
  constexpr unsigned char kClass32 = 1;
  if (start[4] == kClass32) {
    return unsupported("not possible: a 32-bit program");
  }
  return true;
}

}  // namespace

pid_t tracer_of(pid_t pid) {
  const auto status = procfs::read_text(in_proc(pid, "status"));
  pid_t tracer = 0;
  if (status) {
    const std::string_view text = line_of(status.value(), "TracerPid");
    std::from_chars(text.data(), text.data() + text.size(), tracer);
  }
  return tracer;
}

base::Result<Enterable> check_target(pid_t pid, const InjectOptions& options) {
  const auto text = procfs::read_text(in_proc(pid, "status"));
  if (!text) {
    return text.error();
  }
  const auto status = procfs::parse_status(text.value());
  if (!status) {
    return status.error();
  }
  if (!status.value().has_memory) {
    return status.value().state == 'Z' ? base::Error{base::ErrorCode::Gone, "the process ended"}
                                       : unsupported("not possible: a part of the kernel");
  }
  if (const pid_t tracer = tracer_of(pid); tracer != 0) {
    return base::Error{base::ErrorCode::Denied, "process " + std::to_string(tracer) + " traces it already"};
  }
  if (status.value().state == 'T') {
    return unsupported("it is stopped by a signal");
  }
  // A shadow stack would not let the stub go back.
  if (line_of(text.value(), "x86_Thread_features").find("shstk") != std::string_view::npos) {
    return unsupported("not possible: it runs with a shadow stack");
  }
#if defined(__x86_64__)
  if (vector_state_bytes() == 0) {
    return unsupported("not possible: this processor has no XSAVE");
  }
#endif
  if (const auto program = check_program(pid); !program) {
    return program.error();
  }
  if (!options.agent_path.starts_with('/') || ::access(options.agent_path.c_str(), R_OK) != 0) {
    return base::Error{base::ErrorCode::Io, "the agent is not there: " + options.agent_path};
  }
  for (const std::string& path :
       {options.agent_path, options.socket_path.substr(0, options.socket_path.rfind('/'))}) {
    if (!sees_the_same(pid, path)) {
      return unsupported("it does not see " + path +
                         ", which is in another file system for it (a container)");
    }
  }
  return Enterable{.uid = static_cast<uid_t>(status.value().uid)};
}

Advice advise(pid_t pid, const base::Error& error) {
  const std::string target = std::to_string(pid);
  const auto rights = procfs::read_rights({});
  switch (error.code) {
    case base::ErrorCode::Gone:
      return {"it ended meanwhile, or ran another program", "lowtide attach --find"};
    case base::ErrorCode::Denied:
      if (const pid_t tracer = tracer_of(pid); tracer != 0) {
        return {"a process can have one tracer: a debugger, strace, or another lowtide",
                "end process " + std::to_string(tracer) + ", or without --deep: lowtide attach " + target};
      }
      if (rights.ptrace_scope.ok() && rights.ptrace_scope.value() > 0) {
        const int scope = rights.ptrace_scope.value();
        return {"kernel.yama.ptrace_scope is " + std::to_string(scope) +
                    (scope == 1 ? ": only a parent may enter its children"
                                : (scope == 2 ? ": only root may" : ": nobody may, until the next boot")),
                scope == 3 ? "lowtide attach " + target + ", without --deep"
                           : "as root: lowtide attach --deep " + target + ", or start it by: lowtide run"};
      }
      return {"it belongs to another user, has more rights than we, or is in a container that forbids ptrace",
              "as that user or as root: lowtide attach --deep " + target};
    case base::ErrorCode::Unsupported:
      return {"the agent is a library, and has to be loaded by the process itself",
              "lowtide attach " + target + ", without --deep; or start it by: lowtide run"};
    default:
      return {"the process was busy or stopped; it was not changed",
              "again: lowtide attach --deep " + target};
  }
}

}  // namespace lowtide::attach
