#include "doctor/machine_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/text.h"
#include "show/json/fields.h"
#include "show/json/formats.h"
#include "show/terminal/layout.h"

namespace lowtide::doctor {

struct MachineChecks {
  std::reference_wrapper<const std::vector<MachineCheck>> checks;
};

std::vector<MachineCheck> check_machine(const Surroundings& where) {
  std::vector<MachineCheck> checks;
  check_rights(where, checks);
  check_memory(where, checks);
  check_tools(where, checks);
  // Names of files, programs and devices come from outside.
  for (MachineCheck& check : checks) {
    for (std::string* text : {&check.value, &check.why, &check.hint}) *text = base::printable(*text);
  }
  return checks;
}

std::string privileged(std::string_view command, const Surroundings& where) {
  return fmt::format("{}{}", where.own_uid == 0 ? "" : "sudo ", command);
}

bool can_watch(const std::vector<MachineCheck>& checks) {
  return std::any_of(checks.begin(), checks.end(), [](const MachineCheck& check) {
    return check.name == kProcCheck && check.state != CheckState::Missing;
  });
}

std::string checks_to_text(const std::vector<MachineCheck>& checks, std::size_t width) {
  std::vector<std::vector<std::string>> rows;
  for (const MachineCheck& check : checks) {
    rows.push_back({std::string(to_string(check.state)), std::string(check.name),
                    check.why.empty() ? check.value : fmt::format("{}: {}", check.value, check.why)});
    if (!check.hint.empty()) rows.push_back({"", "", "try: " + check.hint});
  }
  std::string out;
  for (const std::string& line : show::table(rows, width)) out += line + "\n";
  out += can_watch(checks)
             ? "\n`lowtide run` can watch your jobs on this machine.\n"
             : "\n`lowtide run` cannot watch jobs on this machine: it needs a readable /proc.\n";
  return out;
}

constexpr auto describe(show::Tag<MachineCheck>) {
  using show::field;
  return show::object(
      "Check", "one line of the table that `lowtide doctor` prints",
      field<&MachineCheck::name>("name", "what was checked"),
      field<&MachineCheck::state>("state", "`limited`: lowtide works, but reads or records less"),
      field<&MachineCheck::value>("value", "what was found"),
      show::field_as<show::NonEmpty, &MachineCheck::why>("why", "what it means for the user"),
      show::field_as<show::NonEmpty, &MachineCheck::hint>("try", "what to try; null if the state is `ok`"));
}

constexpr auto describe(show::Tag<MachineChecks>) {
  return show::object("Checks", "what `lowtide doctor --json` prints", show::program_version<MachineChecks>(),
                      show::schema_version<MachineChecks>(),
                      show::field<&MachineChecks::checks>("checks", "in the order of the table"));
}

show::ObjectText checks_text() {
  return show::text_of<MachineChecks>();
}

std::string checks_to_json(const std::vector<MachineCheck>& checks) {
  return show::document_of(MachineChecks{checks});
}

}  // namespace lowtide::doctor
