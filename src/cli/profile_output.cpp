#include "cli/profile_output.h"

#include "cli/output.h"
#include "cli/report_recording.h"
#include "show/export/profile.h"

namespace lowtide::cli {

std::vector<Flag> profile_flags() {
  return {{"pprof", "FILE", "write the stacks for pprof and speedscope; - is standard output"},
          {"folded", "FILE", "write the stacks folded, a line each, for flame graphs; - is standard output"},
          {"growth", "", "with these two: count what grew, the usual where something did"},
          {"live", "", "with these two: count what is alive"},
          {"allocated", "", "with these two: count all that was ever allocated"}};
}

std::variant<ProfileFlags, console::UserError> parse_profile_flags(const Arguments& arguments) {
  ProfileFlags flags{arguments.text("pprof"), arguments.text("folded"), std::nullopt};
  int chosen = 0;
  const auto choose = [&](const char* name, model::ProfileValue value) {
    if (!arguments.has(name)) return;
    flags.value = value;
    ++chosen;
  };
  choose("growth", model::ProfileValue::Growth);
  choose("live", model::ProfileValue::Live);
  choose("allocated", model::ProfileValue::Allocated);
  if (chosen > 1) {
    return console::UserError{"--growth, --live and --allocated exclude each other", "one of them is counted",
                              "lowtide report --help"};
  }
  if (chosen > 0 && !flags.any()) {
    return console::UserError{"--growth, --live and --allocated say what --pprof or --folded count",
                              "neither of these was given", "lowtide report --folded - --live train.lowtide"};
  }
  if (flags.pprof == "-" && flags.folded == "-") {
    return console::UserError{"--pprof and --folded cannot both go to standard output", "they would be mixed",
                              "--pprof heap.pb --folded -"};
  }
  if (flags.to_output() && (arguments.has("json") || arguments.has("markdown"))) {
    return console::UserError{"the report and the stacks cannot both go to standard output",
                              "they would be mixed", "give --pprof or --folded the name of a file"};
  }
  return flags;
}

std::variant<std::string, console::UserError> write_profiles(const std::string& path,
                                                             const ProfileFlags& flags) {
  const auto read = profile_recording(path);
  if (const auto* user_error = std::get_if<console::UserError>(&read)) return *user_error;
  const auto& profile = std::get<model::Profile>(read);
  const model::ProfileValue value = flags.value.value_or(show::usual_value(profile));
  std::string to_output;
  const auto put = [&](const std::optional<std::string>& where,
                       std::string text) -> std::optional<console::UserError> {
    if (!where) return std::nullopt;
    if (*where == "-") {
      to_output = std::move(text);
      return std::nullopt;
    }
    auto saved = write_file(*where, text);
    if (auto* user_error = std::get_if<console::UserError>(&saved)) return std::move(*user_error);
    return std::nullopt;
  };
  if (flags.pprof) {
    if (auto user_error = put(flags.pprof, show::to_pprof(profile, value))) return std::move(*user_error);
  }
  if (flags.folded) {
    if (auto user_error = put(flags.folded, show::to_folded(profile, value))) return std::move(*user_error);
  }
  return to_output;
}

}  // namespace lowtide::cli
