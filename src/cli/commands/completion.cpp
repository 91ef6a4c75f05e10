// `lowtide completion SHELL`, from the same data as the parser and the help.

#include <fmt/format.h>

#include <string>

#include "cli/commands/all.h"
#include "cli/output/output.h"
#include "cli/syntax/refuse.h"

namespace lowtide::cli {
namespace {

std::string joined_by_blanks(const std::vector<std::string_view>& words) {
  std::string out;
  for (const std::string_view word : words) out += (out.empty() ? "" : " ") + std::string(word);
  return out;
}

std::string verb_names() {
  std::vector<std::string_view> names;
  for (const Command& command : commands()) names.push_back(command.name);
  return joined_by_blanks(names);
}

std::string flag_names(const Command& command) {
  std::string out = "--help";
  for (const console::FlagText& flag : command.flags) out += fmt::format(" --{}", flag.name);
  return out;
}

// Escapes text for single quotes; `quote` is how the shell writes a quote there.
std::string escaped(std::string_view text, std::string_view quote) {
  std::string out;
  for (const char c : text) out += c == '\'' ? std::string(quote) : std::string(1, c);
  return out;
}

std::string bash() {
  std::string out = fmt::format(
      "_lowtide() {{\n"
      "  local word=\"${{COMP_WORDS[COMP_CWORD]}}\" before=\"${{COMP_WORDS[COMP_CWORD-1]}}\"\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    COMPREPLY=($(compgen -W '{} --help --version' -- \"$word\"))\n    return\n  fi\n"
      "  case \"${{COMP_WORDS[1]}} $before\" in\n",
      verb_names());
  for (const Command& command : commands()) {
    for (const console::FlagText& flag : command.flags) {
      if (flag.value.empty()) continue;
      const std::string reply =
          !flag.choices.empty()
              ? fmt::format("COMPREPLY=($(compgen -W '{}' -- \"$word\"))", joined_by_blanks(flag.choices))
          : flag.value == "FILE" ? "COMPREPLY=($(compgen -f -- \"$word\"))"
                                 : "COMPREPLY=()";
      out += fmt::format("    '{} --{}') {}; return ;;\n", command.name, flag.name, reply);
    }
  }
  out += "  esac\n  case \"${COMP_WORDS[1]}\" in\n";
  for (const Command& command : commands()) {
    const std::string rest = command.positional.choices.empty()
                                 ? "COMPREPLY=($(compgen -f -- \"$word\"))"
                                 : fmt::format("COMPREPLY=($(compgen -W '{}' -- \"$word\"))",
                                               joined_by_blanks(command.positional.choices));
    out += fmt::format(
        "    {})\n      case \"$word\" in\n        -*) COMPREPLY=($(compgen -W '{}' -- \"$word\")) ;;\n"
        "        *) {} ;;\n      esac ;;\n",
        command.name, flag_names(command), rest);
  }
  return out + "  esac\n}\ncomplete -o filenames -F _lowtide lowtide\n";
}

std::string zsh() {
  std::string out = "#compdef lowtide\n_lowtide() {\n  local -a verbs\n  verbs=(\n";
  for (const Command& command : commands()) {
    out += fmt::format("    '{}:{}'\n", command.name, escaped(command.summary, "'\\''"));
  }
  out +=
      "  )\n  if (( CURRENT == 2 )); then\n    _describe command verbs\n    return\n  fi\n  case $words[2] "
      "in\n";
  for (const Command& command : commands()) {
    out +=
        fmt::format("    {})\n      shift words; (( CURRENT-- ))\n      _arguments '--help[show the help]'",
                    command.name);
    for (const console::FlagText& flag : command.flags) {
      std::string help;
      for (const char c : flag.help)
        help += c == '[' || c == ']' || c == ':' ? std::string("\\") + c : std::string(1, c);
      out += fmt::format(" \\\n        '--{}[{}]", flag.name, escaped(help, "'\\''"));
      if (!flag.choices.empty()) {
        out += fmt::format(":{}:({})", flag.value, joined_by_blanks(flag.choices));
      } else if (flag.value == "FILE") {
        out += ":file:_files";
      } else if (!flag.value.empty()) {
        out += fmt::format(":{}: ", flag.value);
      }
      out += "'";
    }
    out += command.positional.choices.empty()
               ? " \\\n        '*:file:_files' ;;\n"
               : fmt::format(" \\\n        '1:{}:({})' ;;\n", command.positional.name,
                             joined_by_blanks(command.positional.choices));
  }
  return out + "  esac\n}\n_lowtide \"$@\"\n";
}

std::string fish() {
  std::string out = "complete -c lowtide -f\n";
  for (const Command& command : commands()) {
    out += fmt::format("complete -c lowtide -n __fish_use_subcommand -a {} -d '{}'\n", command.name,
                       escaped(command.summary, "\\'"));
  }
  for (const Command& command : commands()) {
    const std::string when = fmt::format("-n '__fish_seen_subcommand_from {}'", command.name);
    out += command.positional.choices.empty() ? fmt::format("complete -c lowtide {} -F\n", when)
                                              : fmt::format("complete -c lowtide {} -a '{}'\n", when,
                                                            joined_by_blanks(command.positional.choices));
    for (const console::FlagText& flag : command.flags) {
      out += fmt::format("complete -c lowtide {} -l {}", when, flag.name);
      if (!flag.choices.empty()) {
        out += fmt::format(" -x -a '{}'", joined_by_blanks(flag.choices));
      } else if (flag.value == "FILE") {
        out += " -r -F";
      } else if (!flag.value.empty()) {
        out += " -x";
      }
      out += fmt::format(" -d '{}'\n", escaped(flag.help, "\\'"));
    }
  }
  return out;
}

struct CompletionFlags {};

console::ExitCode run_completion(const CompletionFlags& /*flags*/, const Words& words) {
  if (words.positionals.empty()) {
    return refuse({"completion needs the name of a shell", "no shell was given", "lowtide completion bash"});
  }
  const std::string& shell = words.positionals.front();
  Output output;
  output.write(shell == "bash" ? bash() : shell == "zsh" ? zsh() : fish());
  return output.finish() ? console::ExitCode::NoLeak : console::ExitCode::Unreadable;
}

}  // namespace

Command completion_command() {
  return with_flags<CompletionFlags>(
      {"completion",
       "Print a completion script for a shell",
       "Prints a script that completes commands, options and values. Load it when the shell starts.",
       {"SHELL", "bash, zsh or fish", false, {"bash", "zsh", "fish"}},
       {
           {"source <(lowtide completion bash)", "for bash: add this line to ~/.bashrc"},
           {"lowtide completion zsh > \"${fpath[1]}/_lowtide\"", "for zsh: run this once"},
           {"lowtide completion fish > ~/.config/fish/completions/lowtide.fish", "for fish: run this once"},
       }},
      {}, run_completion);
}

}  // namespace lowtide::cli
