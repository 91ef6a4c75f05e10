#include "cli/output/profile_output.h"

#include "cli/input/report_recording.h"
#include "cli/output/output.h"
#include "show/export/profile.h"

namespace lowtide::cli {

console::Flags<ProfileFlags> profile_flags() {
  using console::takes_text;
  using console::turns_on;
  return {takes_text({"pprof", "FILE", "write the stacks for pprof and speedscope; - is standard output"},
                     &ProfileFlags::pprof),
          takes_text(
              {"folded", "FILE", "write folded stacks for flame graphs, one per line; - is standard output"},
              &ProfileFlags::folded),
          turns_on("growth", "with --pprof or --folded: count the memory that grew (the default if any did)",
                   &ProfileFlags::growth),
          turns_on("live", "with --pprof or --folded: count live memory", &ProfileFlags::live),
          turns_on("allocated", "with --pprof or --folded: count all memory that was ever allocated",
                   &ProfileFlags::allocated)};
}

std::optional<console::UserError> find_conflict(const ProfileFlags& flags, bool prints) {
  const int chosen = (flags.growth ? 1 : 0) + (flags.live ? 1 : 0) + (flags.allocated ? 1 : 0);
  if (chosen > 1) {
    return console::UserError{"--growth, --live and --allocated exclude each other",
                              "a profile counts one of them", "lowtide report --help"};
  }
  if (chosen > 0 && !flags.any()) {
    return console::UserError{"--growth, --live and --allocated need --pprof or --folded",
                              "they select what these files count",
                              "lowtide report --folded - --live train.lowtide"};
  }
  if (flags.pprof == "-" && flags.folded == "-") {
    return console::UserError{"--pprof and --folded cannot both go to standard output",
                              "their data would be mixed", "--pprof heap.pb --folded -"};
  }
  if (flags.to_output() && prints) {
    return console::UserError{"the report and the stacks cannot both go to standard output",
                              "their data would be mixed", "give --pprof or --folded a file name"};
  }
  return std::nullopt;
}

std::variant<std::string, console::UserError> write_profiles(const std::string& path,
                                                             const ProfileFlags& flags) {
  const auto read = profile_recording(path);
  if (const auto* user_error = std::get_if<console::UserError>(&read)) return *user_error;
  const auto& profile = std::get<model::Profile>(read);
  const model::ProfileValue value = flags.growth      ? model::ProfileValue::Growth
                                    : flags.live      ? model::ProfileValue::Live
                                    : flags.allocated ? model::ProfileValue::Allocated
                                                      : show::usual_value(profile);
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
