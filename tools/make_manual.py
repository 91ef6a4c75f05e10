"""Writes lowtide.1 and lowtide.bash from what the binary says with --help.

usage: make_manual.py BINARY OUTPUT_DIR

A manual page and a completion that are written by hand drift from the flags.
These two are read off the program that they are shipped with.
"""

import pathlib
import re
import subprocess
import sys


def help_of(binary, *verbs):
    result = subprocess.run(
        [binary, *verbs, "--help"], capture_output=True, text=True, timeout=30, check=False
    )
    if result.returncode != 0:
        sys.exit(f"make_manual: `{binary} {' '.join(verbs)} --help` ended with {result.returncode}")
    return result.stdout


def flags_of(text):
    """The long flags at the beginning of the lines of a --help."""
    flags = set()
    for line in text.splitlines():
        head = re.match(r"\s+(-.*)", line)
        if head:
            flags.update(re.findall(r"--[a-z][a-z0-9-]*", re.split(r"\s{2,}", head[1])[0]))
    return sorted(flags)


def verbs_of(text):
    """The words that open the lines under a heading such as "Subcommands:" or "commands"."""
    verbs, inside = [], False
    for line in text.splitlines():
        if re.match(r"(?i)\s*(sub)?commands\b|\s*verbs\b", line):
            inside = True
        elif inside and re.match(r"\S", line):
            inside = False
        elif inside:
            hit = re.match(r"\s+(?:lowtide\s+)?([a-z][a-z-]*)(\s|$)", line)
            if hit and hit[1] not in verbs:
                verbs.append(hit[1])
    return verbs


def roff(text):
    lines = text.replace("\\", "\\e").replace("-", "\\-").splitlines()
    return "\n".join("\\&" + line if line.startswith((".", "'")) else line for line in lines)


def manual(top, by_verb):
    out = [
        ".TH LOWTIDE 1",
        ".SH NAME",
        "lowtide \\- tells whether the memory growth of a training job is a leak",
        ".SH DESCRIPTION",
        ".nf",
        roff(top.strip("\n")),
        ".fi",
    ]
    for verb, text in by_verb.items():
        out += [f".SH {verb.upper()}", ".nf", roff(text.strip("\n")), ".fi"]
    out += [
        ".SH EXIT STATUS",
        "0 no leak; 1 leak; 2 usage; 3 could not read; 4 inconclusive; 70 a bug in lowtide.",
        ".SH SEE ALSO",
        "The JSON report is described in docs/json.md.",
    ]
    return "\n".join(out) + "\n"


def completion(top, by_verb):
    cases = "\n".join(
        f'    {verb}) words="{" ".join(flags_of(text))}" ;;' for verb, text in by_verb.items()
    )
    first = " ".join([*by_verb, *flags_of(top)])
    return f"""# bash completion for lowtide; made by tools/make_manual.py
_lowtide() {{
  local words="" current="${{COMP_WORDS[COMP_CWORD]}}"
  case "${{COMP_WORDS[1]}}" in
{cases}
    *) words="{first}" ;;
  esac
  if [[ $current == -* || $COMP_CWORD -eq 1 ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  fi
}}
complete -o default -F _lowtide lowtide
"""


def main():
    binary, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    top = help_of(binary)
    by_verb = {verb: help_of(binary, verb) for verb in verbs_of(top)}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "lowtide.1").write_text(manual(top, by_verb))
    (folder / "lowtide.bash").write_text(completion(top, by_verb))


if __name__ == "__main__":
    main()
