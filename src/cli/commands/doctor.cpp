// `lowtide doctor`: what works on this machine, why not, what to try.

#include <unistd.h>

#include <cstdlib>

#include "cli/commands/all.h"
#include "cli/output.h"
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
       "Tell what works on this machine, why not, and what to try",
       "Looks at what lowtide needs of the kernel, the container, the GPU driver and the disk, as the user "
       "who "
       "asks. Nothing is changed and no program is run. Exit status 3: not even your own jobs can be watched "
       "here.",
       {},
       {
           {"lowtide doctor", "before the first job, and when something is not seen"},
           {"lowtide doctor --json", "for scripts, and for bug reports"},
       }},
      {
          console::turns_on("json", "the same as JSON (docs/json.md)", &DoctorFlags::json),
      },
      run_doctor);
}

}  // namespace lowtide::cli
