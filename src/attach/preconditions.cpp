#include "attach/preconditions.h"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <string>
#include <string_view>
#include <utility>

#include "attach/privileges.h"
#include "attach/socket_dir_owner.h"
#include "attach/stub.h"
#include "attach/unsupported.h"
#include "base/fd.h"
#include "procfs/process_files.h"
#include "procfs/rights.h"
#include "procfs/status.h"
#include "procfs/text_file.h"
#include "symbols/target_files.h"

namespace lowtide::attach {
namespace {

std::string in_proc(pid_t pid, const char* name) {
  return "/proc/" + std::to_string(pid) + "/" + name;
}

// The file that the target opens by `theirs` is the one that we open by `ours`.
bool is_same_file(pid_t pid, const std::string& ours, const std::string& theirs) {
  struct stat here {};
  struct stat there {};
  return ::stat(ours.c_str(), &here) == 0 && ::stat((in_proc(pid, "root") + theirs).c_str(), &there) == 0 &&
         here.st_ino == there.st_ino && here.st_dev == there.st_dev;
}

bool sees_the_same(pid_t pid, const std::string& path) {
  return is_same_file(pid, path, path);
}

base::Result<bool> check_program(pid_t pid) {
  const base::Fd exe = symbols::open_regular(in_proc(pid, "exe"));
  std::array<unsigned char, 5> start{};
  if (!exe.valid() || ::read(exe.get(), start.data(), start.size()) != static_cast<ssize_t>(start.size())) {
    return base::Error{base::ErrorCode::Denied, "its executable cannot be read"};
  }
  constexpr unsigned char kClass32 = 1;
  if (start[4] == kClass32) {
    return unsupported("it is a 32-bit program");
  }
  return true;
}

struct Looked {
  std::string text;  // of its status
  procfs::Status status;
};

base::Result<Looked> look_at(pid_t pid) {
  auto text = procfs::read_text(in_proc(pid, "status"));
  if (!text) {
    return std::move(text).error();
  }
  const auto status = procfs::parse_status(text.value());
  if (!status) {
    return status.error();
  }
  if (!status.value().has_memory) {
    return has_ended(pid) ? base::Error{base::ErrorCode::Gone, "the process has ended"}
                          : unsupported("it is a kernel thread");
  }
  return Looked{std::move(text).value(), status.value()};
}

base::Result<bool> check_files(pid_t pid, const InjectOptions& options) {
  if (!options.agent_path.starts_with('/') || ::access(own_agent_path(options).c_str(), R_OK) != 0) {
    return base::Error{base::ErrorCode::Io, "the agent library is missing: " + options.agent_path};
  }
  const std::pair<std::string, std::string> needed[] = {
      {own_agent_path(options), options.agent_path},
      {own_folder(options), folder_of(options.socket_path)},
  };
  for (const auto& [ours, theirs] : needed) {
    if (!is_same_file(pid, ours, theirs)) {
      return unsupported("it cannot access " + theirs + " because it has another file system (a container)");
    }
  }
  return true;
}

// A filter that holds for us too, as in a container, lets us do what the agent does.
bool has_more_filters(std::string_view status) {
  const auto own = procfs::read_text(in_proc(::getpid(), "status"));
  return procfs::count_seccomp_filters(status) > (own ? procfs::count_seccomp_filters(own.value()) : 0);
}

bool has_filter() {
  const auto own = procfs::read_text(in_proc(::getpid(), "status"));
  return own && procfs::count_seccomp_filters(own.value()) > 0;
}

// The same namespace as ours. Kernels without it have one for all.
bool shares(pid_t pid, const char* kind) {
  struct stat here {};
  struct stat there {};
  const std::string name = std::string("ns/") + kind;
  return ::stat(("/proc/self/" + name).c_str(), &here) != 0 ||
         (::stat(in_proc(pid, name.c_str()).c_str(), &there) == 0 && here.st_ino == there.st_ino);
}

}  // namespace

std::string_view find_status_line(std::string_view status, std::string_view name) {
  std::size_t at = status.starts_with(name) ? 0 : status.find("\n" + std::string(name));
  if (at == std::string_view::npos) {
    return {};
  }
  at = status.find(':', at) + 1;
  const std::size_t begin = status.find_first_not_of(" \t", at);
  return begin == std::string_view::npos ? std::string_view{}
                                         : status.substr(begin, status.find('\n', begin) - begin);
}

bool sees_another(pid_t pid, const std::string& path) {
  struct stat there {};
  const bool is_known = ::stat((in_proc(pid, "root") + path).c_str(), &there) == 0 || errno == ENOENT;
  return is_known && !sees_the_same(pid, path);
}

bool has_ended(pid_t pid) {
  const auto stat = procfs::read_stat({}, pid);
  return stat ? stat.value().ending || stat.value().state == 'Z' : stat.error().code == base::ErrorCode::Gone;
}

bool is_ending(pid_t pid, pid_t tid) {
  const auto stat = procfs::read_stat({.proc = in_proc(pid, "task")}, tid);
  return !stat || stat.value().ending;
}

pid_t tracer_of(pid_t pid) {
  const auto status = procfs::read_text(in_proc(pid, "status"));
  pid_t tracer = 0;
  if (status) {
    const std::string_view text = find_status_line(status.value(), "TracerPid");
    std::from_chars(text.data(), text.data() + text.size(), tracer);
  }
  return tracer;
}

base::Result<Enterable> check_target(pid_t pid, const InjectOptions& options) {
  const auto looked = look_at(pid);
  if (!looked) {
    return looked.error();
  }
  if (const pid_t tracer = tracer_of(pid); tracer != 0) {
    return base::Error{base::ErrorCode::Denied, "process " + std::to_string(tracer) + " already traces it"};
  }
  if (looked.value().status.state == 'T') {
    return unsupported("it is stopped by a signal");
  }
  if (has_more_filters(looked.value().text)) {
    return unsupported(
        "it has a seccomp filter that lowtide does not have, and the filter may kill it when the agent makes "
        "a "
        "system call");
  }
  // A shadow stack would not let the stub go back.
  if (find_status_line(looked.value().text, "x86_Thread_features").find("shstk") != std::string_view::npos) {
    return unsupported("it runs with a shadow stack");
  }
#if defined(__x86_64__)
  if (vector_state_bytes() == 0) {
    return unsupported("this processor has no XSAVE");
  }
#endif
  if (const auto program = check_program(pid); !program) {
    return program.error();
  }
  if (const auto files = check_files(pid, options); !files) {
    return files.error();
  }
  return Enterable{.uid = static_cast<uid_t>(looked.value().status.uid)};
}

namespace {

// What its program is run with: our seccomp filter, and where it is of our own user our capabilities.
bool has_our_rights(std::string_view status, uid_t uid) {
  const auto own = procfs::read_text(in_proc(::getpid(), "status"));
  const auto is_same = [&](std::string_view name) {
    return find_status_line(own.value(), name) == find_status_line(status, name);
  };
  return own && is_same("Seccomp") && is_same("Seccomp_filters") && (uid != ::geteuid() || is_same("CapBnd"));
}

}  // namespace

base::Result<Enterable> check_target_of_remote_exec(pid_t pid, const InjectOptions& options) {
  const auto looked = look_at(pid);
  if (!looked) {
    return looked.error();
  }
  const auto uid = static_cast<uid_t>(looked.value().status.uid);
  if (uid != ::geteuid() && ::geteuid() != 0) {
    return base::Error{base::ErrorCode::Denied, "it belongs to another user"};
  }
  if (looked.value().status.state == 'T') {
    return unsupported("it is stopped by a signal");
  }
  if (const auto files = check_files(pid, options); !files) {
    return files.error();
  }
  // Outside of what it is kept in, its program could do what it may not. And the deadline is of one clock.
  for (const char* kind : {"mnt", "user", "time"}) {
    if (!shares(pid, kind)) {
      return unsupported(
          "it is in another namespace (a container), and lowtide does not run its interpreter outside of it");
    }
  }
  if (!sees_the_same(pid, "/")) {
    return unsupported(
        "it has another root directory, and lowtide does not run its interpreter outside of it");
  }
  if (!has_our_rights(looked.value().text, uid)) {
    return unsupported(
        "its privileges (seccomp, capabilities) differ from those of lowtide, and lowtide does not run its "
        "interpreter with other privileges");
  }
  return Enterable{.uid = uid};
}

Advice advise(pid_t pid, const base::Error& error) {
  const std::string target = std::to_string(pid);
  const auto rights = procfs::read_rights({});
  switch (error.code) {
    case base::ErrorCode::Gone:
      return {"it has ended, or it runs another program now", "lowtide attach --find"};
    case base::ErrorCode::Denied:
      if (const pid_t tracer = tracer_of(pid); tracer != 0) {
        return {"a process can have only one tracer, such as a debugger, strace or another lowtide",
                "stop process " + std::to_string(tracer) + ", or use lowtide attach " + target +
                    " without --deep"};
      }
      if (rights.ptrace_scope.ok() && rights.ptrace_scope.value() > 0) {
        const int scope = rights.ptrace_scope.value();
        return {"kernel.yama.ptrace_scope is " + std::to_string(scope) +
                    (scope == 1
                         ? ": only a parent may trace its children"
                         : (scope == 2 ? ": only root may trace" : ": tracing is off until the next boot")),
                scope == 3 ? "lowtide attach " + target + " without --deep"
                           : with_privileges("lowtide attach --deep " + target, ::geteuid()) +
                                 ", or start the job with lowtide run"};
      }
      if (::geteuid() != 0 && has_filter()) {
        return {"lowtide runs behind a filter of system calls (a container), which probably forbids ptrace",
                "start the container with --cap-add SYS_PTRACE, or start the job with lowtide run"};
      }
      if (::geteuid() == 0) {
        return {
            "root needs CAP_SYS_PTRACE here: lowtide or the process runs in a container that forbids ptrace",
            "start the container with --cap-add SYS_PTRACE, or start the job with lowtide run"};
      }
      return {"it runs as another user, has more privileges than lowtide, or its container forbids ptrace",
              "as that user or as root: lowtide attach --deep " + target};
    case base::ErrorCode::Unsupported:
      return {"the agent is a library that the process itself must load",
              "lowtide attach " + target + " without --deep, or start the job with lowtide run"};
    default:
      if (!shares(pid, "user")) {
        return {"it is in another user namespace, and its agent accepts only a monitor of its own user",
                "as that user: lowtide attach --deep " + target};
      }
      return {"the process was busy or stopped; lowtide did not change it",
              "try again: lowtide attach --deep " + target};
  }
}

}  // namespace lowtide::attach
