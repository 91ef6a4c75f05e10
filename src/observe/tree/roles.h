// The role of a process in the job, found by how it was started.
//
// "Which process leaks" is worth nothing as a pid: people want to hear "the
// wrapper is stable, DataLoader worker 2 leaks". Nothing here looks at memory,
// and a name that is not known gives Other, never a guess.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "model/process.h"

namespace lowtide::observe {

struct RoleClues {
  std::span<const std::string> arguments = {};
  std::string_view comm = {};  // the name the process gives itself: torch calls its workers "pt_data_worker"
  bool is_root = false;        // what the user started, or attached to
  bool is_forked = false;      // runs its parent's program without an exec in between
  std::optional<int> rank = {};  // LOCAL_RANK or RANK in its environment
  model::ProcessRole parent_role = model::ProcessRole::Other;
};

struct RoleGuess {
  model::ProcessRole role = model::ProcessRole::Other;
  std::optional<int> rank = {};
};

RoleGuess guess_role(const RoleClues& clues);

// The interpreter of a script counts, not its version: "python", "python3.12".
bool is_python(std::string_view argument0);

// What is run, for people and to distinguish programs: "train.py",
// "torch.distributed.run", "nvidia-smi".
std::string program_name(std::span<const std::string> arguments);

}  // namespace lowtide::observe
