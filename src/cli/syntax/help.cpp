#include "cli/syntax/help.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/syntax/exit_codes.h"
#include "show/terminal/layout.h"

namespace lowtide::cli {
namespace {

constexpr std::size_t kHelpWidth = 80;

// One line for each form of the command.
std::vector<std::string> usages_of(const Command& command) {
  const std::string start =
      fmt::format("lowtide {}{}", command.name, command.flags.empty() ? "" : " [options]");
  std::string first = start;
  if (!command.positional.name.empty()) {
    first += fmt::format(" {}{}", command.positional.name, command.positional.several ? "..." : "");
  }
  if (command.job_words == JobWords::FromFirst) first += " -- COMMAND...";
  std::vector<std::string> usages{first};
  if (command.job_words == JobWords::AfterDashes) usages.push_back(start + " -- COMMAND...");
  return usages;
}

std::string name_of(const console::FlagText& flag) {
  return fmt::format("--{}{}{}", flag.name, flag.value.empty() ? "" : " ", flag.value);
}

// The description. Values that it does not mention are added.
std::string help_of(const console::FlagText& flag) {
  const auto is_mentioned = [&](std::string_view choice) {
    return flag.help.find(choice) != std::string_view::npos;
  };
  std::string help(flag.help);
  if (std::all_of(flag.choices.begin(), flag.choices.end(), is_mentioned)) return help;
  return help + fmt::format("; one of {}", fmt::join(flag.choices, ", "));
}

void add_table(std::string& out, const std::vector<std::vector<std::string>>& rows) {
  for (const std::string& line : show::table(rows, kHelpWidth - 2)) out += "  " + line + "\n";
}

std::vector<ExitMeaning> exits_of(const VerbExits& exits) {
  std::vector<ExitMeaning> rows;
  for (const ExitMeaning& row : exits.rows()) {
    if (!row.meaning.empty()) rows.push_back(row);
  }
  return rows;
}

std::vector<ExitMeaning> exits_of(const Command& command) {
  const VerbExits* exits = find_exits(command.name);
  return exits_of(exits == nullptr ? kVerdictExits : *exits);
}

void add_paragraphs(std::string& out, std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    for (const std::string& line : show::wrap(text.substr(0, end), kHelpWidth)) out += line + "\n";
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

// Escapes backslashes, dashes and a leading dot or quote, which roff would interpret.
std::string roff(std::string_view text) {
  std::string out;
  if (!text.empty() && (text.front() == '.' || text.front() == '\'')) out = "\\&";
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  return out;
}

void add_exit(std::string& out, const ExitMeaning& row) {
  out += fmt::format(".TP\n.B {}\n{}\n", static_cast<int>(row.code), roff(row.meaning));
}

}  // namespace

std::string overview() {
  std::string out =
      "lowtide finds out whether the memory growth of a training job is a leak.\n\n"
      "usage: lowtide COMMAND [options] ...\n\n";
  std::vector<std::vector<std::string>> rows;
  for (const Command& command : commands())
    rows.push_back({std::string(command.name), std::string(command.summary)});
  add_table(out, rows);
  out += "\n";
  add_table(out, {{"lowtide COMMAND --help", "show the options and examples of a command"},
                  {"lowtide --version", "print the version"},
                  {"lowtide --help-man", "print the manual page, for man -l -"}});
  out += "\nexamples\n";
  for (const Command& command : commands()) {
    if (!command.examples.empty()) out += fmt::format("  {}\n", command.examples.front().command);
  }
  return out;
}

std::string help_of(const Command& command) {
  std::string out =
      fmt::format("{}.\n\nusage: {}\n\n", command.summary, fmt::join(usages_of(command), "\n       "));
  add_paragraphs(out, command.description);
  std::vector<std::vector<std::string>> rows;
  if (!command.positional.name.empty()) {
    rows.push_back({std::string(command.positional.name), std::string(command.positional.help)});
  }
  for (const console::FlagText& flag : command.flags) rows.push_back({name_of(flag), help_of(flag)});
  if (!rows.empty()) out += "\noptions\n";
  add_table(out, rows);
  if (!command.examples.empty()) out += "\nexamples\n";
  for (const Example& example : command.examples) {
    out += fmt::format("  {}\n      {}\n", example.command, example.what);
  }
  out += "\nexit status\n";
  rows.clear();
  for (const ExitMeaning& row : exits_of(command)) {
    rows.push_back({fmt::format("{:>2}", static_cast<int>(row.code)), std::string(row.meaning)});
  }
  add_table(out, rows);
  return out;
}

std::string man_page() {
  std::string out = fmt::format(
      ".TH LOWTIDE 1 \"\" \"lowtide {}\"\n.SH NAME\nlowtide \\- find memory leaks in training jobs\n"
      ".SH SYNOPSIS\n",
      LOWTIDE_VERSION);
  for (const Command& command : commands()) {
    for (const std::string& usage : usages_of(command)) out += fmt::format(".B {}\n.br\n", roff(usage));
  }
  out += ".SH COMMANDS\n";
  for (const Command& command : commands()) {
    out += fmt::format(".SS {}\n{}.\n.PP\n{}\n", roff(command.name), roff(command.summary),
                       roff(command.description));
    for (const console::FlagText& flag : command.flags) {
      out += fmt::format(".TP\n.B {}\n{}\n", roff(name_of(flag)), roff(help_of(flag)));
    }
    for (const Example& example : command.examples) {
      out += fmt::format(".PP\n.EX\n{}\n.EE\n{}\n", roff(example.command), roff(example.what));
    }
  }
  out += ".SH EXIT STATUS\n";
  for (const ExitMeaning& row : kVerdictExits.rows()) add_exit(out, row);
  for (const Command& command : commands()) {
    if (exits_of(command) == exits_of(kVerdictExits)) continue;
    out += fmt::format(".SS {}\n", roff(command.name));
    for (const ExitMeaning& row : exits_of(command)) add_exit(out, row);
  }
  return out;
}

}  // namespace lowtide::cli
