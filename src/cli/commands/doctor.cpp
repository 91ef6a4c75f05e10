// `lowtide doctor`: checks what works on this machine.

#include <unistd.h>

#include <cstdlib>

#include "cli/commands/all.h"
#include "cli/output/output.h"
#include "console/terminal.h"
#include "doctor/machine_check.h"

namespace lowtide::cli {
namespace {

std::string environment(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : otherwise;
}

struct DoctorFlags {
  bool json = false;
};

console::ExitCode run_doctor(const DoctorFlags& flags, const Words& /*words*/) {
  const std::vector<doctor::MachineCheck> checks =
      doctor::check_machine({.own_pid = ::getpid(),
                             .own_uid = ::geteuid(),
                             .search_path = environment("PATH", ""),
                             .fallback_folder = environment("TMPDIR", "/tmp")});
  Output output;
  output.write(flags.json
                   ? doctor::checks_to_json(checks)
                   : doctor::checks_to_text(checks, console::find_terminal("never", std::nullopt).width));
  if (!output.finish()) return console::ExitCode::Unreadable;
  return doctor::can_watch(checks) ? console::ExitCode::NoLeak : console::ExitCode::Unreadable;
}

}  // namespace

Command doctor_command() {
  return with_flags<DoctorFlags>(
      {"doctor",
       "Check what works on this machine and how to fix what does not",
       "Checks what lowtide needs from the kernel, the container, the GPU driver and the disk, with the "
       "permissions of the current user. It changes nothing and runs no program.",
       {},
       {
           {"lowtide doctor", "run it before the first job, and if a report lacks something"},
           {"lowtide doctor --json", "use it in scripts and bug reports"},
       }},
      {
          console::turns_on("json", "print the checks as JSON (docs/json.md)", &DoctorFlags::json),
      },
      run_doctor);
}

}  // namespace lowtide::cli
