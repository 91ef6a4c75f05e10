#include "doctor/machine_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "show/terminal/layout.h"

namespace lowtide::doctor {
namespace {

constexpr int kSchema = 1;

nlohmann::ordered_json text_or_null(const std::string& text) {
  return text.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(text);
}

}  // namespace

std::string_view to_string(CheckState state) {
  switch (state) {
    case CheckState::Ok:
      return "ok";
    case CheckState::Limited:
      return "limited";
    case CheckState::Missing:
      return "missing";
  }
  return "missing";
}

std::vector<MachineCheck> check_machine(const Surroundings& where) {
  std::vector<MachineCheck> checks;
  check_rights(where, checks);
  check_memory(where, checks);
  check_tools(where, checks);
  // Names of files, programs and devices are text from outside.
  for (MachineCheck& check : checks) {
    for (std::string* text : {&check.value, &check.why, &check.hint}) *text = base::printable(*text);
  }
  return checks;
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
  out += can_watch(checks) ? "\nlowtide run can watch your jobs here.\n"
                           : "\nlowtide run cannot watch any job here: it needs a readable /proc.\n";
  return out;
}

std::string checks_to_json(const std::vector<MachineCheck>& checks) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const MachineCheck& check : checks) {
    list.push_back({{"name", check.name},
                    {"state", to_string(check.state)},
                    {"value", check.value},
                    {"why", text_or_null(check.why)},
                    {"try", text_or_null(check.hint)}});
  }
  const nlohmann::ordered_json root = {{"lowtide", LOWTIDE_VERSION}, {"schema", kSchema}, {"checks", list}};
  return root.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace lowtide::doctor
