"""Writes lowtide.1 and the shell completions from what the binary says of itself.

usage: make_manual.py BINARY OUTPUT_DIR

A manual page that is written by hand drifts from the flags. This one is the
--help of the program that it is shipped with.
"""

import pathlib
import re
import subprocess
import sys


def said(binary, *words):
    result = subprocess.run([binary, *words], capture_output=True, text=True, timeout=30, check=False)
    if result.returncode != 0 or not result.stdout:
        sys.exit(f"make_manual: `{binary} {' '.join(words)}` ended with {result.returncode}")
    return result.stdout


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


def main():
    binary, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    top = said(binary, "--help")
    verbs = verbs_of(top)
    if "analyze" not in verbs:
        sys.exit("make_manual: found no verbs in --help")
    by_verb = {verb: said(binary, verb, "--help") for verb in verbs}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "lowtide.1").write_text(manual(top, by_verb))
    for shell in ("bash", "zsh", "fish"):
        (folder / f"lowtide.{shell}").write_text(said(binary, "completion", shell))


if __name__ == "__main__":
    main()
