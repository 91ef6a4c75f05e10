// The checks of `doctor`: what works on this machine, what does not, and what to try.
//
// Every check tries the real thing (reads the file, opens the library), because in a container a setting may
// not apply.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "procfs/roots.h"
#include "show/json/texts.h"

namespace lowtide::doctor {

enum class CheckState { Ok, Limited, Missing };

constexpr std::string_view to_string(CheckState state) {
  switch (state) {
    case CheckState::Ok:
      return "ok";
    case CheckState::Limited:
      return "limited";
    case CheckState::Missing:
      return "missing";
  }
  return {};
}

struct MachineCheck {
  std::string_view name;
  CheckState state = CheckState::Ok;
  std::string value = {};  // what was found
  std::string why = {};    // what it means for the user
  std::string hint = {};   // what to try; empty if the state is Ok
};

// The places that are checked. Tests use other places.
struct Surroundings {
  procfs::Roots roots = {};
  std::int32_t own_pid = 0;
  std::uint32_t own_uid = 0;
  std::string search_path = {};  // $PATH
  std::string gpu_library = "libnvidia-ml.so.1";
  std::string recording_folder = ".";
  std::string fallback_folder = "/tmp";
};

std::vector<MachineCheck> check_machine(const Surroundings& where);

// The groups of checks, in the order of the table.
void check_rights(const Surroundings& where, std::vector<MachineCheck>& checks);
void check_memory(const Surroundings& where, std::vector<MachineCheck>& checks);
void check_tools(const Surroundings& where, std::vector<MachineCheck>& checks);

// A command that needs root: with sudo, unless the user is root already.
std::string privileged(std::string_view command, const Surroundings& where);

// Whether `lowtide run` can watch a job of this user.
bool can_watch(const std::vector<MachineCheck>& checks);

std::string checks_to_text(const std::vector<MachineCheck>& checks, std::size_t width);
std::string checks_to_json(const std::vector<MachineCheck>& checks);
show::ObjectText checks_text();

// The check that decides can_watch().
inline constexpr std::string_view kProcCheck = "proc";

}  // namespace lowtide::doctor
