// Which processes of the job the agent is in, which are to be entered next, and which could not be.
//
// A process is left alone for its first second: most helpers (`git`, `sh -c`, `nvidia-smi`) have ended by
// then. exec makes another program of a process, without the agent, so an entry is of one program, not of one
// process. A program is tried a few times with growing pauses, never for ever.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace lowtide::watch {

// A program that a process runs.
struct Program {
  std::int64_t pid = 0;
  std::uint64_t start_ticks = 0;
  std::uint64_t image = 0;  // changes with every exec; 0: not known

  friend bool operator==(const Program&, const Program&) = default;
};

struct SeenProcess {
  Program program;
  double age_s = 0;  // of the process
  std::string name = {};
};

class EntryLedger {
 public:
  // All processes of the job. Returns those that have run another program by exec since the last call.
  std::vector<std::int64_t> note_processes(std::span<const SeenProcess> processes, double at_s);

  // The programs that are to be entered now. Each is returned once, until its outcome is known.
  std::vector<Program> take_due(double at_s);

  void note_entered(const Program& program);
  void note_failed(const Program& program, const base::Error& error, double at_s);

  // The processes that were entered and are still there.
  [[nodiscard]] std::vector<std::int64_t> entered() const;
  // "pid 4711 (python worker.py): why", in the order of the failures; also of processes that have ended
  // since.
  [[nodiscard]] std::vector<std::string> not_entered() const;
  // Those that are not in the list, which is bounded.
  [[nodiscard]] std::size_t not_listed() const { return forgotten_; }

 private:
  enum class State { Waiting, Underway, Entered, GivenUp };
  struct Entry {
    Program program;
    std::string name;
    State state = State::Waiting;
    double due_s = 0;
    int attempts = 0;
    std::string reason = {};  // of the last failure
    std::size_t failure_number = 0;
  };
  struct Failure {
    std::size_t number = 0;
    std::string text;
  };

  Entry* find(const Program& program);
  void close(const Entry& entry);

  std::map<std::int64_t, Entry> entries_;  // by pid
  std::vector<Failure> closed_;            // of programs that are gone
  std::size_t failures_ = 0;
  std::size_t forgotten_ = 0;
};

}  // namespace lowtide::watch
