#include "watch/entry/entry_ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace lowtide::watch {
namespace {

constexpr double kGraceS = 1;
constexpr double kFirstPauseS = 2;  // doubled with every attempt
constexpr int kMostAttempts = 6;    // the last one after a minute
// What stands in the way may still pass: a debugger leaves, a program is loaded to its end.
constexpr int kMostRefusals = 2;
constexpr std::size_t kMostKept = 100;

// An image that cannot be read proves nothing: the process ends, or has more privileges than lowtide.
bool is_same(const Program& known, const Program& seen) {
  return known == seen || (seen.image == 0 && known.start_ticks == seen.start_ticks);
}

std::string words_of(std::int64_t pid, const std::string& name, const std::string& reason) {
  return fmt::format("pid {} ({}): {}", pid, name, reason);
}

}  // namespace

std::vector<std::int64_t> EntryLedger::note_processes(std::span<const SeenProcess> processes, double at_s) {
  std::vector<std::int64_t> changed;
  std::set<std::int64_t> there;
  for (const SeenProcess& process : processes) {
    const Program& program = process.program;
    there.insert(program.pid);
    const auto known = entries_.find(program.pid);
    if (known != entries_.end() && is_same(known->second.program, program)) {
      known->second.name = process.name;
      continue;
    }
    Entry fresh{.program = program, .name = process.name, .due_s = at_s + kGraceS - process.age_s};
    if (known != entries_.end()) {
      if (known->second.program.start_ticks == program.start_ticks) {
        changed.push_back(program.pid);
        fresh.due_s = at_s + kGraceS;
      }
      close(known->second);
    }
    entries_[program.pid] = std::move(fresh);
  }
  std::erase_if(entries_, [&](const auto& entry) {
    if (there.contains(entry.first)) return false;
    close(entry.second);
    return true;
  });
  return changed;
}

void EntryLedger::close(const Entry& entry) {
  if (entry.state == State::Entered || entry.reason.empty()) return;
  if (closed_.size() >= kMostKept) {
    ++forgotten_;
    return;
  }
  closed_.push_back({entry.failure_number, words_of(entry.program.pid, entry.name, entry.reason)});
}

std::vector<Program> EntryLedger::take_due(double at_s) {
  std::vector<Program> due;
  for (auto& [pid, entry] : entries_) {
    if (entry.state != State::Waiting || entry.due_s > at_s) continue;
    entry.state = State::Underway;
    due.push_back(entry.program);
  }
  return due;
}

EntryLedger::Entry* EntryLedger::find(const Program& program) {
  const auto entry = entries_.find(program.pid);
  return entry == entries_.end() || entry->second.program != program ? nullptr : &entry->second;
}

void EntryLedger::note_entered(const Program& program) {
  if (Entry* entry = find(program)) entry->state = State::Entered;
}

void EntryLedger::note_failed(const Program& program, const base::Error& error, double at_s) {
  Entry* entry = find(program);
  if (entry == nullptr) return;
  ++entry->attempts;
  const bool was_busy = error.code == base::ErrorCode::Io;
  const bool is_gone = error.code == base::ErrorCode::Gone;  // or has run another program just now
  const bool is_last = entry->attempts >= (was_busy || is_gone ? kMostAttempts : kMostRefusals);
  entry->state = is_last ? State::GivenUp : State::Waiting;
  entry->due_s = at_s + kFirstPauseS * static_cast<double>(1U << static_cast<unsigned>(entry->attempts - 1));
  if (is_gone) return;
  if (entry->reason.empty()) entry->failure_number = ++failures_;
  entry->reason = error.message;
}

std::vector<std::int64_t> EntryLedger::entered() const {
  std::vector<std::int64_t> out;
  for (const auto& [pid, entry] : entries_) {
    if (entry.state == State::Entered) out.push_back(pid);
  }
  return out;
}

std::vector<std::string> EntryLedger::not_entered() const {
  std::vector<Failure> all = closed_;
  for (const auto& [pid, entry] : entries_) {
    if (entry.state != State::Entered && !entry.reason.empty()) {
      all.push_back({entry.failure_number, words_of(pid, entry.name, entry.reason)});
    }
  }
  std::sort(all.begin(), all.end(), [](const Failure& a, const Failure& b) { return a.number < b.number; });
  std::vector<std::string> out;
  out.reserve(all.size());
  for (Failure& failure : all) out.push_back(std::move(failure.text));
  return out;
}

}  // namespace lowtide::watch
