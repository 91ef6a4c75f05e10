#include "attach/inject.h"

#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <map>
#include <optional>
#include <thread>
#include <utility>
#include <variant>

#include "attach/code_slot.h"
#include "attach/elf_names.h"
#include "attach/preconditions.h"
#include "attach/remote_memory.h"
#include "attach/report_socket.h"
#include "attach/safe_place.h"
#include "attach/snapshot_call.h"
#include "attach/socket_dir_owner.h"
#include "attach/stopped_thread.h"
#include "attach/stub.h"
#include "attach/target_image.h"
#include "attach/threads.h"
#include "attach/unsupported.h"
#include "wire/snapshot.h"
#include "wire/start.h"

namespace lowtide::attach {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kFirstStackBytes = 64U << 10U;
constexpr std::size_t kMostStackBytes = 1U << 20U;
// A thread that runs stops within microseconds; one that has to wait for a processor, or is
// deep in the kernel, does not. Waiting for it costs it nothing: it is not stopped yet.
constexpr std::chrono::milliseconds kStopLimit{250};
// What the stub and what it calls may need of the borrowed thread's stack.
constexpr std::uint64_t kSmallStackBytes = 16U << 10U;   // pthread_create
constexpr std::uint64_t kLargeStackBytes = 128U << 10U;  // dlopen and the agent

constexpr int kUrgent = -15;

struct Placed {};
using Attempt = std::variant<Placed, Place, base::Error>;

// One call into the target: `function` of the agent, with `argument`.
class Call {
 public:
  Call(pid_t pid, const InjectOptions& options, TargetImage image, const symbols::TargetFiles& files)
      : pid_(pid),
        options_(options),
        image_(std::move(image)),
        judge_(image_),
        slots_(files, image_.rooms()) {}

  // `folder` is that of the socket.
  base::Result<Injected> make(const std::string& function, const std::string& argument, uid_t uid,
                              base::Fd folder);
  [[nodiscard]] bool is_placed() const { return told_.borrowed_tid != 0; }

 private:
  base::Result<std::string> find_library(const std::string& function) const;
  bool fill_block(const std::string& library, const std::string& function, const std::string& argument,
                  const ReportSocket& socket);
  base::Result<bool> read_canary();
  base::Result<bool> place();
  base::Result<bool> try_each(const std::vector<pid_t>& tids, Clock::time_point until);
  Attempt attempt(pid_t tid);
  Attempt attempt_here(pid_t tid);
  Attempt borrow(StoppedThread& thread, bool is_main);
  bool take_sample(const StoppedThread& thread);
  [[nodiscard]] bool has_stack_for_it(std::uint64_t sp) const;
  [[nodiscard]] base::Error give_up() const;
  void learn_from(Place place);
  base::Result<Injected> read_answer(const ReportSocket& socket);
  base::Result<Injected> to_result(const StubReport& report);

  pid_t pid_;
  const InjectOptions& options_;
  TargetImage image_;
  PlaceJudge judge_;
  CodeSlots slots_;
  StubBlock block_{};
  StackSample sample_;
  std::size_t stack_bytes_ = kFirstStackBytes;  // how much of a stack is copied
  std::array<std::byte, 16> canary_{};
  std::map<Place, std::uint32_t> places_;
  Injected told_;
};

template <typename Text, std::size_t Bytes>
bool copy_text(const Text& from, char (&into)[Bytes]) {
  if (from.size() >= Bytes) {
    return false;
  }
  std::memcpy(into, from.data(), from.size());
  into[from.size()] = 0;
  return true;
}

// An agent that is loaded already is called: it may be of another build than our file, and a second copy
// would find the hooks of the first.
base::Result<std::string> Call::find_library(const std::string& function) const {
  const std::string own_path = own_agent_path(options_);
  std::string library = options_.agent_path;
  bool has_function = false;
  if (const LoadedAgent* loaded = image_.loaded_agent()) {
    struct stat own {};
    if (::stat(own_path.c_str(), &own) != 0 || own.st_ino != loaded->inode) {
      library = loaded->path;
    }
    has_function = find_export(loaded->exports, function).has_value();
  } else {
    auto file = symbols::ElfFile::open(symbols::open_regular(own_path));
    if (!file) {
      return std::move(file).error().within("the agent " + own_path);
    }
    has_function = find_export(read_exports(file.value()), function).has_value();
  }
  if (!has_function) {
    return unsupported("the agent " + library + " has no " + function);
  }
  return library;
}

bool Call::fill_block(const std::string& library, const std::string& function, const std::string& argument,
                      const ReportSocket& socket) {
  const TargetFunctions& functions = image_.functions();
  block_.state_bytes = vector_state_bytes();
  if (::getrandom(&block_.token, sizeof(block_.token), 0) != sizeof(block_.token)) {
    return false;
  }
  block_.open_library = functions.open_library;
  block_.last_error = functions.last_error;
  block_.errno_location = functions.errno_location;
  // With one thread there is nobody to wait for, and the job stays one of one thread.
  if (count_threads(pid_) > 1 && functions.create_thread != 0 && functions.detach_thread != 0 &&
      functions.this_thread != 0) {
    block_.create_thread = functions.create_thread;
    block_.detach_thread = functions.detach_thread;
    block_.this_thread = functions.this_thread;
  }
  block_.find_function = functions.find_function;
  block_.report_to.sun_family = AF_UNIX;
  block_.report_to_bytes = sizeof(sockaddr_un);
  told_.in_own_thread = block_.create_thread != 0;
  return copy_text(library, block_.library) && copy_text(argument, block_.argument) &&
         copy_text(function, block_.function) && copy_text(std::string("lowtide"), block_.thread_name) &&
         copy_text(socket.path(), block_.report_to.sun_path);
}

// What is there now is compared later. It is also the first access to the memory of the process.
base::Result<bool> Call::read_canary() {
  if (read_memory(pid_, image_.functions().open_library, canary_)) {
    return true;
  }
  if (errno == EPERM || errno == EACCES) {
    return base::Error{base::ErrorCode::Denied,
                       std::string("its memory cannot be read: ") + std::strerror(errno)};
  }
  return unsupported("its memory cannot be read");
}

base::Result<Injected> Call::make(const std::string& function, const std::string& argument, uid_t uid,
                                  base::Fd folder) {
  const auto library = find_library(function);
  if (!library) {
    return library.error();
  }
  auto socket = ReportSocket::bind(options_.socket_path + ".call", uid, std::move(folder));
  if (!socket) {
    return std::move(socket).error();
  }
  if (!fill_block(library.value(), function, argument, socket.value())) {
    return unsupported("a path is too long");
  }
  if (auto read = read_canary(); !read) {
    return std::move(read).error();
  }
  if (auto placed = place(); !placed) {
    return std::move(placed).error();
  }
  return read_answer(socket.value());
}

// Looks at one thread after the other until one is at a safe place.
base::Result<bool> Call::place() {
  const auto until = Clock::now() + options_.place_limit;
  for (std::uint32_t round = 0; Clock::now() < until; ++round) {
    const std::vector<pid_t> tids = find_candidates(pid_);
    if (tids.empty() && count_threads(pid_) == 0) {
      return base::Error{base::ErrorCode::Gone, "the process has ended"};
    }
    auto placed = try_each(tids, until);
    if (!placed || placed.value()) {
      return placed;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(500 + 500 * std::min(round, 10U)));
  }
  return give_up();
}

base::Result<bool> Call::try_each(const std::vector<pid_t>& tids, Clock::time_point until) {
  for (const pid_t tid : tids) {
    if (Clock::now() >= until) {
      break;
    }
    // Twice: the first attempt may find code that was not analysed yet.
    for (int look = 0; look < 2; ++look) {
      Attempt tried = attempt(tid);
      ++told_.tries;
      if (std::holds_alternative<Placed>(tried)) {
        told_.borrowed_tid = tid;
        return true;
      }
      if (auto* error = std::get_if<base::Error>(&tried)) {
        if (error->code == base::ErrorCode::Denied || error->code == base::ErrorCode::Unsupported) {
          if (!is_ending(pid_, tid)) return std::move(*error);
        }
        break;  // this thread ends, or is deep in the kernel
      }
      const Place place = std::get<Place>(tried);
      ++places_[place];
      learn_from(place);
      if (image_.functions().open_library != block_.open_library) {
        return base::Error{base::ErrorCode::Gone, "the process has started another program"};
      }
      if (place != Place::Cold && place != Place::StackEnded) {
        break;
      }
    }
  }
  return false;
}

// With the thread running again.
void Call::learn_from(Place place) {
  if (place == Place::Cold || place == Place::Foreign) {
    if (image_.refresh()) {
      judge_.forget();
    }
    judge_.study(sample_);
  }
  if (place == Place::StackEnded) {
    stack_bytes_ = std::min(stack_bytes_ * 4, kMostStackBytes);
  }
}

base::Error Call::give_up() const {
  std::string seen;
  for (const auto& [place, count] : places_) {
    seen += (seen.empty() ? "" : ", ") + std::to_string(count) + " times " + to_words(place);
  }
  return {base::ErrorCode::Io,
          "no thread was at a safe place: " + (seen.empty() ? std::string("none could be stopped") : seen)};
}

// In a thread of its own: a tracee that does not stop can only be let go of by the end
// of its tracer.
Attempt Call::attempt(pid_t tid) {
  Attempt result = Place::Foreign;
  std::thread tracer([&] {
    // While the target is stopped, nobody should come before us; where we may.
    ::setpriority(PRIO_PROCESS, 0, kUrgent);
    result = attempt_here(tid);
  });
  tracer.join();
  return result;
}

Attempt Call::attempt_here(pid_t tid) {
  auto stopped = StoppedThread::stop(tid, kStopLimit);
  if (!stopped) {
    return std::move(stopped).error();
  }
  StoppedThread& thread = stopped.value();
  Attempt result = Place::Foreign;
  if (take_sample(thread)) {
    const Place place = judge_.judge(sample_);
    result = place == Place::Safe ? borrow(thread, tid == pid_) : Attempt(place);
  }
  told_.last_stop = thread.let_go();
  told_.longest_stop = std::max(told_.longest_stop, told_.last_stop);
  return result;
}

bool Call::take_sample(const StoppedThread& thread) {
  const auto registers = thread.read_registers();
  std::array<std::byte, sizeof(canary_)> now{};
  // After an exec it is another program, and none of our addresses is right.
  if (!registers || !read_memory(pid_, image_.functions().open_library, now) || now != canary_) {
    return false;
  }
  sample_.registers = *registers;
  std::uint32_t code = 0;
  sample_.call =
      read_value(pid_, pc_of(*registers), code) ? find_pending_call(*registers, code) : std::nullopt;
  sample_.stack.resize(stack_bytes_);
  sample_.stack.resize(read_up_to(pid_, sp_of(*registers), sample_.stack));
  return true;
}

bool Call::has_stack_for_it(std::uint64_t sp) const {
  const std::uint64_t needed = block_.create_thread != 0 ? kSmallStackBytes : kLargeStackBytes;
  std::byte probe{};
  return read_memory(pid_, sp - needed - block_.state_bytes, std::span(&probe, 1));
}

// From here on nothing may be half done: first the bytes that nobody looks at, then all
// registers at once.
Attempt Call::borrow(StoppedThread& thread, bool is_main) {
  const ResumePoint comeback = make_comeback(sample_.registers);
  const std::uint64_t sp = sp_of(sample_.registers);
  const std::uint64_t back = pc_of(comeback.registers);
  if (kNeedsPendingCall && !sample_.call) {
    return Place::Foreign;
  }
  auto slot = slots_.find(pid_, back);
  if (!slot) {
    return unsupported("its libraries have no free space for the call stub");
  }
  // The main thread's stack grows by itself; it has megabytes.
  const std::uint64_t block_at = sp - kRedZoneBytes - kReturnBytes - sizeof(StubBlock);
  if (block_at % kStackAlignment != 0 || (!is_main && !has_stack_for_it(sp))) {
    return Place::SmallStack;
  }
  block_.work = slot->address + stub_work_offset();
  std::array<std::byte, sizeof(StubBlock) + sizeof(back)> bytes{};
  std::memcpy(bytes.data(), &block_, sizeof(block_));
  std::memcpy(bytes.data() + sizeof(block_), &back, sizeof(back));
  if (!write_memory(pid_, block_at, std::span(bytes).first(sizeof(StubBlock) + kReturnBytes)) ||
      (!slot->is_written && !thread.write_code(slot->address, slot->code)) ||
      !thread.write_registers(redirect_to_stub(comeback, slot->address + stub_entry_offset(), block_at))) {
    return Place::SmallStack;
  }
  return Placed{};
}

// One report where the borrowed thread did it all, two where it only made another.
base::Result<Injected> Call::read_answer(const ReportSocket& socket) {
  std::optional<StubReport> answer;
  bool is_back = !told_.in_own_thread;
  while (!answer || !is_back) {
    const auto report = socket.wait(pid_, block_.token, options_.answer_limit);
    if (!report && count_threads(pid_) == 0) {
      return base::Error{base::ErrorCode::Gone, "the process has ended"};
    }
    if (!report) {
      return base::Error{base::ErrorCode::Io, "the agent runs in thread " +
                                                  std::to_string(told_.borrowed_tid) +
                                                  ", which has not answered in time"};
    }
    const std::chrono::nanoseconds took(report->ended_ns - report->began_ns);
    if (report->stage == StubStage::Returned || !told_.in_own_thread) {
      told_.pause = told_.last_stop + took;
      is_back = true;
    }
    if (report->stage != StubStage::Returned) {
      told_.work = took;
      answer = report;
      is_back = is_back || report->stage == StubStage::NoThread || report->stage == StubStage::NoMemory;
    }
  }
  return to_result(*answer);
}

base::Result<Injected> Call::to_result(const StubReport& report) {
  told_.result = report.value;
  switch (report.stage) {
    case StubStage::Done:
      return told_;
    case StubStage::NoLibrary:
      return unsupported("its dynamic loader rejected the agent: " + std::string(report.reason));
    case StubStage::NoThread:
      return base::Error{base::ErrorCode::Io,
                         "it could not create a thread: " + std::string(std::strerror(report.value))};
    case StubStage::NoMemory:
      return base::Error{base::ErrorCode::Io,
                         "it could not allocate memory: " + std::string(std::strerror(report.value))};
    case StubStage::Returned:
      break;
  }
  return base::Error{base::ErrorCode::Malformed, "its answer is invalid"};
}

Entry enter_and_call(pid_t pid, const InjectOptions& options, const char* function,
                     const std::string& argument) {
  const auto target = check_target(pid, options);
  if (!target) {
    return {target.error()};
  }
  symbols::ImageStore store;
  const symbols::TargetFiles files{.proc = "/proc", .pid = pid};
  auto image = TargetImage::read(store, files);
  if (!image) {
    return {std::move(image).error()};
  }
  auto folder = chown_socket_dir(options, target.value().uid);
  if (!folder) {
    return {std::move(folder).error()};
  }
  Call call(pid, options, std::move(image).value(), files);
  auto outcome = call.make(function, argument, target.value().uid, std::move(folder).value());
  return {std::move(outcome), call.is_placed()};
}

Entry call_agent(pid_t pid, const InjectOptions& options, const char* function, const std::string& argument) {
  Entry entry = enter_and_call(pid, options, function, argument);
  // Whatever it was that stood in the way.
  if (!entry.outcome && has_ended(pid)) {
    entry.outcome = base::Error{base::ErrorCode::Gone, "the process has ended"};
  }
  return entry;
}

}  // namespace

base::Result<Injected> inject_agent(pid_t pid, const InjectOptions& options) {
  auto injected = call_agent(pid, options, wire::kStartFunction, options.socket_path).outcome;
  if (!injected) {
    return injected;
  }
  switch (static_cast<wire::StartResult>(injected.value().result)) {
    case wire::StartResult::Done:
    case wire::StartResult::Declined:  // the hello says why
      return injected;
    case wire::StartResult::AlreadyWatched:
      return base::Error{base::ErrorCode::Denied, "the agent of another lowtide is already active in it"};
    case wire::StartResult::NoMonitor:
      return base::Error{base::ErrorCode::Io, "the agent did not reach the socket " + options.socket_path};
    case wire::StartResult::Busy:
      return base::Error{base::ErrorCode::Io, "one of its threads still runs the agent of an earlier attach"};
  }
  return base::Error{base::ErrorCode::Malformed, "the answer of the agent is invalid"};
}

base::Result<Injected> retire_agent(pid_t pid, const InjectOptions& options) {
  return call_agent(pid, options, wire::kStopFunction, options.socket_path).outcome;
}

Entry begin_snapshot(pid_t pid, const InjectOptions& options, const WalkLimits& limits) {
  Entry entry = call_agent(pid, options, wire::kSnapshotFunction, make_snapshot_order(options, limits));
  if (entry.outcome) {
    entry.outcome = judge_snapshot(entry.outcome.value());
  }
  return entry;
}

void end_snapshot(pid_t pid, const InjectOptions& options) {
  static_cast<void>(call_agent(pid, options, wire::kReapFunction, ""));
}

}  // namespace lowtide::attach
