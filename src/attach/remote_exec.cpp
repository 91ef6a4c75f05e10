#include "attach/remote_exec.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <string>
#include <utility>

#include "attach/interpreter.h"
#include "attach/preconditions.h"
#include "attach/remote_script.h"
#include "attach/snapshot_call.h"
#include "attach/socket_dir_owner.h"
#include "wire/snapshot.h"

namespace lowtide::attach {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kScriptName = "look.py";
constexpr const char* kAnswerName = "answer";
constexpr std::size_t kMostAnswerBytes = 4096;
// A script that began at the last moment has reported it by then.
constexpr std::chrono::milliseconds kGrace{500};

constexpr const char* kAsk = "import sys; sys.remote_exec(int(sys.argv[1]), sys.argv[2])";

base::Error failure(const std::string& what) {
  return {base::ErrorCode::Io, what + ": " + std::strerror(errno)};
}

// Script and FIFO in the folder that the target's user has. By descriptor, and never through a link.
class Letters {
 public:
  static base::Result<Letters> put(base::Fd folder, const std::string& text, uid_t uid);
  ~Letters();
  Letters(Letters&& other) noexcept = default;
  Letters& operator=(Letters&&) = delete;
  Letters(const Letters&) = delete;
  Letters& operator=(const Letters&) = delete;

  // The interpreter may still come to it, and would complain in the job's output if it were gone. It finds
  // nobody who reads then, and removes it and the folder.
  void leave_script() { leaves_script_ = true; }

  // What the script has said, when it has begun by `begin_by` and ended `answer_limit` later.
  ScriptAnswer wait(pid_t pid, Clock::time_point begin_by, std::chrono::milliseconds answer_limit) const;

 private:
  Letters(base::Fd folder, base::Fd answer) : folder_(std::move(folder)), answer_(std::move(answer)) {}

  base::Fd folder_;
  base::Fd answer_;
  bool leaves_script_ = false;
};

base::Result<Letters> Letters::put(base::Fd folder, const std::string& text, uid_t uid) {
  constexpr mode_t kOwnerOnly = S_IRUSR | S_IWUSR;
  constexpr auto kSameGroup = static_cast<gid_t>(-1);
  if (::mkfifoat(folder.get(), kAnswerName, kOwnerOnly) != 0) {
    return failure("make a FIFO");
  }
  // For both, so that there is always a writer, and never an end of file to wait behind.
  Letters letters(std::move(folder), base::Fd());
  const int at = letters.folder_.get();
  letters.answer_ = base::Fd(::openat(at, kAnswerName, O_RDWR | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC));
  struct stat info {};
  if (!letters.answer_.valid() || ::fstat(letters.answer_.get(), &info) != 0 || !S_ISFIFO(info.st_mode) ||
      info.st_nlink != 1 || ::fchown(letters.answer_.get(), uid, kSameGroup) != 0) {
    return failure("open the FIFO");
  }
  const base::Fd script(
      ::openat(at, kScriptName, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kOwnerOnly));
  if (!script.valid() || ::fchown(script.get(), uid, kSameGroup) != 0 ||
      ::write(script.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    return failure("write the script");
  }
  return letters;
}

Letters::~Letters() {
  if (!folder_.valid()) {
    return;
  }
  ::unlinkat(folder_.get(), kAnswerName, 0);
  if (!leaves_script_) {
    ::unlinkat(folder_.get(), kScriptName, 0);
  }
}

ScriptAnswer Letters::wait(pid_t pid, Clock::time_point begin_by,
                           std::chrono::milliseconds answer_limit) const {
  std::string text;
  ScriptAnswer answer;
  for (auto until = begin_by;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
    if (left <= 0 || has_ended(pid)) {
      return answer;
    }
    // In small steps: the target may end, and then nobody answers.
    pollfd waited{answer_.get(), POLLIN, 0};
    ::poll(&waited, 1, static_cast<int>(std::min<std::int64_t>(left, 50)));
    std::array<char, 512> part{};
    const ssize_t got = ::read(answer_.get(), part.data(), part.size());
    if (got <= 0) {
      continue;
    }
    text.append(part.data(), static_cast<std::size_t>(got));
    const bool had_begun = answer.has_begun;
    answer = parse_answer(text);
    if (answer.result || !answer.error.empty() || text.size() > kMostAnswerBytes) {
      return answer;
    }
    if (answer.has_begun && !had_begun) {
      until = Clock::now() + answer_limit;
    }
  }
}

double to_seconds(Clock::time_point time) {
  // steady_clock is CLOCK_MONOTONIC, as time.monotonic() is.
  return std::chrono::duration<double>(time.time_since_epoch()).count();
}

// What the interpreter that we started says when it cannot.
base::Error to_error(const std::string& said) {
  if (said.find("emote debugging is not enabled") != std::string::npos) {
    return {
        base::ErrorCode::Unsupported,
        "its Python does not allow remote debugging (PYTHON_DISABLE_REMOTE_DEBUG, -X disable-remote-debug)"};
  }
  if (said.starts_with("PermissionError")) {
    return {base::ErrorCode::Denied, "sys.remote_exec failed: " + said};
  }
  if (said.starts_with("ProcessLookupError")) {
    return {base::ErrorCode::Gone, "the process has ended"};
  }
  return {base::ErrorCode::Unsupported, "sys.remote_exec failed: " + said};
}

base::Result<Injected> judge(const ScriptAnswer& answer) {
  if (answer.result) {
    Injected told;
    told.tries = 1;
    told.in_own_thread = true;
    told.result = *answer.result;
    return judge_snapshot(told);
  }
  if (answer.error.starts_with("ModuleNotFoundError") || answer.error.starts_with("ImportError")) {
    return base::Error{base::ErrorCode::Unsupported, "its Python has no _ctypes: " + answer.error};
  }
  if (!answer.error.empty()) {
    return base::Error{base::ErrorCode::Unsupported, "its Python rejected the agent: " + answer.error};
  }
  return base::Error{base::ErrorCode::Io, answer.has_begun
                                              ? "the agent was called but has not answered in time"
                                              : "its main thread did not run the script in time"};
}

}  // namespace

bool has_remote_exec(pid_t pid) {
  return open_interpreter(pid).ok();
}

base::Result<Injected> begin_snapshot_by_remote_exec(pid_t pid, const InjectOptions& options,
                                                     const WalkLimits& limits) {
  const auto interpreter = open_interpreter(pid);
  if (!interpreter) {
    return interpreter.error();
  }
  const auto target = check_target_of_remote_exec(pid, options);
  if (!target) {
    return target.error();
  }
  const auto owner = read_owner(pid);
  if (!owner) {
    return owner.error();
  }
  auto folder = chown_socket_dir(options, target.value().uid);
  if (!folder) {
    return std::move(folder).error();
  }
  const auto begin_by = Clock::now() + options.place_limit;
  const std::string folder_path = folder_of(options.socket_path);
  const RemoteScript script{.path = folder_path + '/' + kScriptName,
                            .answer_path = folder_path + '/' + kAnswerName,
                            .deadline_s = to_seconds(begin_by),
                            .agent_path = options.agent_path,
                            .function = wire::kSnapshotFunction,
                            .order = make_snapshot_order(options, limits)};
  auto letters = Letters::put(std::move(folder).value(), to_python(script), target.value().uid);
  if (!letters) {
    return std::move(letters).error();
  }
  // -I -S: nothing of what the job's folder or its user's site has is run.
  const auto asked =
      run_interpreter(interpreter.value(), owner.value(),
                      {"-I", "-S", "-c", kAsk, std::to_string(pid), script.path}, options.place_limit);
  if (!asked) {
    return asked.error();
  }
  if (!asked.value().succeeded && asked.value().in_time) {
    return to_error(asked.value().last_line);
  }
  const ScriptAnswer answer = letters.value().wait(pid, begin_by + kGrace, options.answer_limit);
  if (has_ended(pid)) {
    return base::Error{base::ErrorCode::Gone, "the process has ended"};
  }
  if (!answer.has_begun) {
    letters.value().leave_script();
  }
  return judge(answer);
}

}  // namespace lowtide::attach
