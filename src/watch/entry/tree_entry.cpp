#include "watch/entry/tree_entry.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "attach/inject.h"
#include "base/clock.h"
#include "base/text.h"
#include "observe/agents/socket_folder.h"
#include "procfs/process_files.h"
#include "symbols/maps.h"
#include "watch/entry/process_image.h"

namespace lowtide::watch {
namespace {

constexpr double kSeeTreeEveryS = 0.5;
constexpr std::size_t kMostImagesPerLook = 64;  // 10 us each
constexpr std::size_t kMostNameBytes = 60;
// A process that is not at a safe point is tried again later. The end of the watch waits for an attempt.
constexpr std::chrono::milliseconds kPlaceLimit{2000};
constexpr std::chrono::milliseconds kAnswerLimit{5000};
constexpr double kLongestEndS = 10;

bool has_agent_mapped(std::int64_t pid) {
  const auto maps = symbols::read_maps_text("/proc", static_cast<std::int32_t>(pid));
  return maps && maps.value().find('/' + std::string(observe::kAgentFileName)) != std::string::npos;
}

// "operation not permitted" alone does not help, so the setting of the machine that causes it is added.
base::Error with_cause(pid_t pid, base::Error error) {
  if (error.code == base::ErrorCode::Denied) error.message += "; " + attach::advise(pid, error).why;
  error.message = base::printable(error.message);
  return error;
}

}  // namespace

TreeEntry::TreeEntry(std::string agent_path, observe::AgentRegistry& agents)
    : agents_(agents), places_(std::move(agent_path), agents.socket_path()) {}

TreeEntry::~TreeEntry() {
  stop();
}

std::optional<console::UserError> TreeEntry::enter_now(pid_t pid) {
  auto options = places_.find(pid);
  const auto injected =
      options ? attach::inject_agent(pid, options.value()) : base::Result<attach::Injected>(options.error());
  for (observe::AgentSocket& socket : places_.take_sockets()) agents_.listen_at(std::move(socket));
  if (injected) return std::nullopt;
  const attach::Advice advice = attach::advise(pid, injected.error());
  return console::UserError{
      fmt::format("cannot enter process {}: {}", pid, base::printable(injected.error().message)), advice.why,
      advice.hint};
}

void TreeEntry::tick(const observe::ProcessTree& tree, double at_s) {
  take_outcomes(at_s);
  if (at_s < next_look_s_) return;
  next_look_s_ = at_s + kSeeTreeEveryS;
  for (const std::int64_t pid : ledger_.note_processes(read_processes(tree, at_s), at_s))
    agents_.note_exec(pid);
  const std::vector<Program> due = ledger_.take_due(at_s);
  if (due.empty()) return;
  const std::vector<std::int32_t> known = agents_.pids();
  const std::scoped_lock guard(lock_);
  for (const Program& program : due) {
    tasks_.push_back({program, std::find(known.begin(), known.end(), program.pid) != known.end()});
  }
  if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
  has_task_.notify_one();
}

// A process that is new is read at once, the others in turn.
std::vector<SeenProcess> TreeEntry::read_processes(const observe::ProcessTree& tree, double at_s) {
  std::map<std::int64_t, Program> programs;
  for (const observe::Member& member : tree.members()) {
    const model::ProcessInfo& info = member.info;
    const auto known = programs_.find(info.pid);
    const bool is_new = known == programs_.end() || known->second.start_ticks != info.start_ticks;
    programs[info.pid] = {info.pid, info.start_ticks, is_new ? read_image(info.pid) : known->second.image};
  }
  auto next = programs.lower_bound(next_image_);
  for (std::size_t count = std::min(kMostImagesPerLook, programs.size()); count > 0; --count) {
    if (next == programs.end()) next = programs.begin();
    if (const std::uint64_t image = read_image(next->first); image != 0) next->second.image = image;
    ++next;
  }
  next_image_ = next == programs.end() ? 0 : next->first;
  programs_ = std::move(programs);
  std::vector<SeenProcess> out;
  for (const observe::Member& member : tree.members()) {
    out.push_back({.program = programs_[member.info.pid],
                   .age_s = at_s - member.info.started_s,
                   .name = base::printable(member.info.command, kMostNameBytes)});
  }
  return out;
}

void TreeEntry::take_outcomes(double at_s) {
  std::vector<Outcome> outcomes;
  {
    const std::scoped_lock guard(lock_);
    outcomes.swap(outcomes_);
    for (observe::AgentSocket& socket : sockets_) agents_.listen_at(std::move(socket));
    sockets_.clear();
  }
  for (const Outcome& outcome : outcomes) {
    if (outcome.error) {
      ledger_.note_failed(outcome.program, *outcome.error, at_s);
    } else {
      ledger_.note_entered(outcome.program);
    }
  }
}

void TreeEntry::work() {
  std::unique_lock guard(lock_);
  for (;;) {
    has_task_.wait(guard, [this] { return ends_ || !tasks_.empty(); });
    if (ends_) return;
    const Task task = tasks_.front();
    tasks_.pop_front();
    guard.unlock();
    const auto entered = enter(task);
    auto sockets = places_.take_sockets();
    guard.lock();
    outcomes_.push_back({task.program, entered ? std::nullopt : std::optional(entered.error())});
    for (observe::AgentSocket& socket : sockets) sockets_.push_back(std::move(socket));
  }
}

base::Result<bool> TreeEntry::enter(const Task& task) {
  const auto pid = static_cast<pid_t>(task.program.pid);
  const auto stat = procfs::read_stat({}, pid);
  if (!stat || stat.value().start_ticks != task.program.start_ticks ||
      read_image(pid) != task.program.image) {
    return base::Error{base::ErrorCode::Gone, "it has ended, or runs another program now"};
  }
  // The agent came with a fork. Without a hello it is not known whose agent that is.
  if (task.has_said_hello && has_agent_mapped(pid)) return true;
  auto options = places_.find(pid);
  if (!options) return with_cause(pid, std::move(options).error());
  options.value().place_limit = kPlaceLimit;
  options.value().answer_limit = kAnswerLimit;
  auto injected = attach::inject_agent(pid, options.value());
  if (!injected) return with_cause(pid, std::move(injected).error());
  return true;
}

void TreeEntry::stop() {
  if (!thread_.joinable()) return;
  {
    const std::scoped_lock guard(lock_);
    ends_ = true;
  }
  has_task_.notify_one();
  thread_.join();
}

std::optional<std::string> TreeEntry::retire(std::int64_t pid, std::chrono::milliseconds limit) {
  const auto target = static_cast<pid_t>(pid);
  auto options = places_.find(target);
  if (options) {
    options.value().place_limit = limit;
    options.value().answer_limit = limit;
  }
  const auto retired = options ? attach::retire_agent(target, options.value())
                               : base::Result<attach::Injected>(options.error());
  if (retired || retired.error().code == base::ErrorCode::Gone) return std::nullopt;
  return fmt::format("the agent's hooks are still in process {}, but switched off: {}", pid,
                     base::printable(retired.error().message));
}

std::vector<std::string> TreeEntry::end() {
  stop();
  take_outcomes(next_look_s_);
  agents_.poll();
  std::set<std::int64_t> inside;
  for (const std::int64_t pid : ledger_.entered()) inside.insert(pid);
  for (const std::int32_t pid : agents_.pids()) inside.insert(pid);
  // If exec has removed the agent, it must not be loaded again.
  std::erase_if(inside, [](std::int64_t pid) { return !has_agent_mapped(pid); });
  std::vector<std::string> troubles;
  std::size_t left = 0;
  const double until_s = base::steady_seconds() + kLongestEndS;
  for (const std::int64_t pid : inside) {
    // No process may use up the time of the others.
    const auto limit =
        std::chrono::milliseconds(static_cast<int>((until_s - base::steady_seconds()) * 1e3 / 2));
    if (limit.count() <= 0) {
      ++left;
    } else if (auto trouble = retire(pid, limit)) {
      troubles.push_back(std::move(*trouble));
    }
  }
  if (left > 0) {
    troubles.push_back(fmt::format(
        "the agent's hooks are still in {} more processes, but switched off: removing them took too long",
        left));
  }
  return troubles;
}

}  // namespace lowtide::watch
