#include "attach/interpreter.h"

#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <utility>

#include "attach/preconditions.h"
#include "attach/unsupported.h"
#include "procfs/process_info.h"
#include "procfs/text_file.h"
#include "symbols/maps.h"
#include "symbols/target_files.h"
#include "wire/python_names.h"

namespace lowtide::attach {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostOutputBytes = 16384;
constexpr int kNotStarted = 127;

std::string_view name_of(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

std::optional<int> find_minor_of_library(pid_t pid) {
  const auto text = symbols::read_maps_text("/proc", pid);
  if (!text) {
    return std::nullopt;
  }
  const auto mappings = symbols::parse_maps(text.value());
  if (!mappings) {
    return std::nullopt;
  }
  for (const symbols::Mapping& mapping : mappings.value()) {
    const std::string_view name = name_of(mapping.path);
    if (const auto minor = find_minor_version(name); minor && name.starts_with("lib")) {
      return minor;
    }
  }
  return std::nullopt;
}

// All numbers of a line of /proc/PID/status.
std::vector<gid_t> parse_numbers(std::string_view line) {
  std::vector<gid_t> numbers;
  const char* at = line.data();
  const char* const end = at + line.size();
  while (at < end) {
    gid_t number = 0;
    const auto [next, error] = std::from_chars(at, end, number);
    if (error == std::errc{}) {
      numbers.push_back(number);
    }
    at = next == at ? at + 1 : next;
  }
  return numbers;
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) {
    pointers.push_back(word.data());
  }
  pointers.push_back(nullptr);
  return pointers;
}

// In the forked child: nothing but system calls.
[[noreturn]] void become_interpreter(int program, const Owner& owner, int output, char* const* arguments,
                                     char* const* environment) {
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (::dup2(nothing, STDIN_FILENO) < 0 || ::dup2(output, STDOUT_FILENO) < 0 ||
      ::dup2(output, STDERR_FILENO) < 0 || ::chdir("/") != 0) {
    ::_exit(kNotStarted);
  }
#ifdef SYS_close_range
  constexpr unsigned kWithExec =
      4;  // CLOSE_RANGE_CLOEXEC, Linux 5.11. What lowtide itself opens has it anyway.
  ::syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, kWithExec);
#endif
  // The program may be a stranger's: it gets no terminal to type into, no keyring of lowtide, and no way to
  // more privileges.
  if (::setsid() < 0 || ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    ::_exit(kNotStarted);
  }
  constexpr int kJoinSessionKeyring = 1;  // KEYCTL_JOIN_SESSION_KEYRING: a new one; not every kernel has keys
  ::syscall(SYS_keyctl, kJoinSessionKeyring, nullptr);
  if (owner.uid != ::geteuid() && (::setgroups(owner.groups.size(), owner.groups.data()) != 0 ||
                                   ::setresgid(owner.gid, owner.gid, owner.gid) != 0 ||
                                   ::setresuid(owner.uid, owner.uid, owner.uid) != 0)) {
    ::_exit(kNotStarted);
  }
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::syscall(SYS_execveat, program, "", arguments, environment, AT_EMPTY_PATH);
  ::_exit(kNotStarted);
}

// Reads until the end of what it says, or until the limit. A program that is not what it seems may
// leave a child that keeps the pipe.
std::string read_output(int fd, Clock::time_point until) {
  std::string output;
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
    pollfd waited{fd, POLLIN, 0};
    const int ready = left <= 0 ? 0 : ::poll(&waited, 1, static_cast<int>(left));
    if (ready < 0 && errno == EINTR) {
      continue;
    }
    std::array<char, 4096> part{};
    const ssize_t got = ready <= 0 ? 0 : ::read(fd, part.data(), part.size());
    if (got <= 0) {
      return output;
    }
    output.append(part.data(), static_cast<std::size_t>(got));
    if (output.size() > kMostOutputBytes) {
      output.erase(0, output.size() - kMostOutputBytes);  // what went wrong is said last
    }
  }
}

// False: it had to be killed.
bool wait_or_kill(pid_t pid, Clock::time_point until, int& status) {
  for (;;) {
    if (::waitpid(pid, &status, WNOHANG) == pid) {
      return true;
    }
    if (Clock::now() >= until) {
      ::kill(pid, SIGKILL);
      ::waitpid(pid, &status, 0);
      return false;
    }
    ::poll(nullptr, 0, 1);
  }
}

std::string last_line_of(std::string_view text) {
  const std::size_t end = text.find_last_not_of(" \n");
  if (end == std::string_view::npos) {
    return {};
  }
  text = text.substr(0, end + 1);
  return std::string(text.substr(text.rfind('\n') + 1));
}

}  // namespace

std::optional<int> find_minor_version(std::string_view file_name) {
  if (file_name.starts_with("lib")) {
    file_name.remove_prefix(3);
  }
  constexpr std::string_view kStem = "python3.";
  int minor = 0;
  if (!file_name.starts_with(kStem) ||
      std::from_chars(file_name.data() + kStem.size(), file_name.data() + file_name.size(), minor).ec !=
          std::errc{}) {
    return std::nullopt;
  }
  return minor;
}

base::Result<Interpreter> open_interpreter(pid_t pid) {
  auto path = procfs::read_exe({}, pid);
  if (!path) {
    return std::move(path).error();
  }
  const std::string_view name = name_of(path.value());
  const bool is_python = name.starts_with("python");
  auto minor = is_python ? find_minor_version(name) : std::nullopt;
  if (!minor) {
    minor = find_minor_of_library(pid);
  }
  if (!minor) {
    return unsupported("its executable, " + path.value() + ", is not a Python with a known version");
  }
  if (*minor < static_cast<int>(wire::kFirstRemoteExec & 0xffU)) {
    return unsupported("its Python is 3." + std::to_string(*minor) + ", and sys.remote_exec needs " +
                       wire::python_name(wire::kFirstRemoteExec) + " or newer");
  }
  if (!is_python) {
    return unsupported("its Python is embedded in " + path.value() +
                       ", and sys.remote_exec needs a python executable");
  }
  Interpreter found{.program = symbols::open_regular("/proc/" + std::to_string(pid) + "/exe"),
                    .path = std::move(path).value(),
                    .settings = {}};
  if (!found.program.valid()) {
    return base::Error{base::ErrorCode::Denied, "its executable cannot be read"};
  }
  constexpr const char* kLibraries = "LD_LIBRARY_PATH";
  if (const auto folders = procfs::read_environment_value({}, pid, kLibraries); folders && folders.value()) {
    found.settings.push_back(std::string(kLibraries) + "=" + *folders.value());
  }
  return found;
}

base::Result<Owner> read_owner(pid_t pid) {
  const auto status = procfs::read_text("/proc/" + std::to_string(pid) + "/status");
  if (!status) {
    return status.error();
  }
  const auto uids = parse_numbers(find_status_line(status.value(), "Uid"));
  const auto gids = parse_numbers(find_status_line(status.value(), "Gid"));
  if (uids.empty() || gids.empty()) {
    return base::Error{base::ErrorCode::Malformed, "its /proc status has no user and group"};
  }
  return Owner{.uid = uids.front(),
               .gid = gids.front(),
               .groups = parse_numbers(find_status_line(status.value(), "Groups"))};
}

base::Result<Ran> run_interpreter(const Interpreter& interpreter, const Owner& owner,
                                  std::vector<std::string> arguments, std::chrono::milliseconds limit) {
  const auto until = Clock::now() + limit;
  arguments.insert(arguments.begin(), interpreter.path);
  std::vector<std::string> settings = interpreter.settings;
  const std::vector<char*> words = pointers_to(arguments);
  const std::vector<char*> environment = pointers_to(settings);
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    return base::Error{base::ErrorCode::Io, std::string("create a pipe: ") + std::strerror(errno)};
  }
  const base::Fd output(ends[0]);
  base::Fd output_in_child(ends[1]);
  const pid_t pid = ::fork();
  if (pid < 0) {
    return base::Error{base::ErrorCode::Io, std::string("start its interpreter: ") + std::strerror(errno)};
  }
  if (pid == 0) {
    become_interpreter(interpreter.program.get(), owner, output_in_child.get(), words.data(),
                       environment.data());
  }
  output_in_child.reset();
  Ran ran;
  ran.last_line = last_line_of(read_output(output.get(), until));
  int status = 0;
  ran.in_time = wait_or_kill(pid, until, status);
  ran.succeeded = ran.in_time && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  if (!ran.succeeded && ran.in_time && ran.last_line.empty()) {
    ran.last_line = WIFEXITED(status) && WEXITSTATUS(status) == kNotStarted
                        ? interpreter.path + " could not be started"
                        : interpreter.path + " died";
  }
  return ran;
}

}  // namespace lowtide::attach
