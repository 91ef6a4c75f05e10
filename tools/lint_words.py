"""Checks comments, strings and documents for words that lowtide does not use (docs/architecture.md, Words).

usage: lint_words.py [--all]     checks the files and folders of CHECKED
       lint_words.py PATH...     checks these files and folders

Prints `file:line: word -> say instead`, and exits with 1 if there was any. Code itself is not checked (except in
shell scripts), nor is code in documents or a table that is made from the sources.
"""

from __future__ import annotations

import io
import pathlib
import re
import sys
import tokenize
from collections.abc import Callable, Iterator
from typing import NamedTuple

from lint_tree import ROOT, is_shell, tree

CHECKED = ("src/", "python/", "web/src/", "tools/", "docs/", "tests/", "bench/", "zoo/", "dev", "README.md", "CHANGELOG.md",
           "CONTRIBUTING.md")
# These contain the words on purpose, or are made from other files.
EXEMPT = ("tools/lint_words.py", "tests/tools/lint_words_test.py", "web/src/report_types.ts", "web/src/page_types.ts",
          "python/lowtide/_report_types.py")


class Rule(NamedTuple):
    pattern: re.Pattern[str]
    instead: str


def rule(pattern: str, instead: str) -> Rule:
    return Rule(re.compile(pattern), instead)


DETERMINERS = r"(?:[Aa]|[Aa]n|[Tt]he|[Tt]his|[Ee]ach|[Ee]very|[Oo]ne|[Ff]irst|[Ll]ast|[Nn]ext|[Nn]o|[Aa]nother|[Nn]ew)"

RULES = (
    rule(r"\b[Tt]ells\b|\b(?:is|are|was|were|be|been|being) told\b", "reports, shows, prints, states"),
    rule(r"\b[Tt]o tell\b|\b(?:tell|told|telling)\b(?: \w+){0,4} (?:apart|from)\b", "distinguish; too early to say"),
    rule(r"\b(?:says|say|said) so\b", "reports it, shows it"),
    rule(DETERMINERS + r" look\b(?! like)|\b(?:\d+|two|three|few|many|all|its|between) looks\b", "snapshot"),
    rule(r"\bcensus\b", "snapshot"),
    rule(r"\bof ours\b", "of lowtide"),
    rule(r"\b[Aa]new\b", "again, new, updated"),
    rule(r"\bPythons\b", "Python processes, interpreters, versions of Python"),
    rule(r"\b[Ww]ho(?:ever|mever)\b", "a user who, the process that"),
    rule(r"\bcan(?:not| not)? be had\b|\bis to be had\b", "is available, can be installed"),
    rule(r"\bso far\b", "until now, or leave it out"),
    rule(r"\bits kin\b", "similar tools"),
    rule(r"\b[Tt]he way of the data\b", "data flow"),
    rule(r"[\d}] %(?![\w(*%])", "93%: no blank before the percent sign"),
    rule(r"\b[kKMGT]?i?B a (?:step|second|minute|hour|day|process|sample)\b", "per step, kB/step"),
    rule(r"\bwould go with it\b", "retains"),
    rule(r"\balive from here\b", "allocated here"),
    rule(r"\b(?:[Ww]hat|[Aa]ll that|[Mm]ore|[Nn]othing (?:new|more)) (?:is|was) (?:still )?alive\b|\bmore alive\b|"
         r"\b(?:samples|blocks|bytes|memory)(?: that)? (?:is|are|was|were) (?:still )?alive\b|(?:\b[kMGT]?B|\}) alive\b",
         "live memory, allocated and not freed"),
    rule(r"\b[Ss]peaks for\b", "decides, is the one of the report"),
    rule(r"\bto blame for\b", "causes, keeps, its private memory"),
    rule(r"\blooks at all\b", "snapshots"),
    rule(r"\bshared pages once(?! per)\b", "shared pages counted once (PSS)"),
    rule(r"\b(?:more|other|own|our|what|its|no|has|have|needs?|the) rights\b", "privileges, needs root, needs CAP_SYS_PTRACE"),
    rule(r"\bthan we\b(?=[,.;:)]|$)", "than lowtide"),
)

C_TEXT = re.compile(r'"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`|//([^\n]*)|/\*(.*?)\*/|\'(?:[^\'\\\n]|\\.)*\'', re.DOTALL)
# A line that another tool prints.
QUOTED = re.compile(r"NVIDIA A100")
MADE = re.compile(r"<!-- made (?:by|from) .*: (begin|end) -->")


def c_texts(source: str) -> Iterator[tuple[int, str]]:
    """Strings and comments of C++ and TypeScript."""
    source = re.sub(r"^[ \t]*#include[^\n]*", "", source, flags=re.MULTILINE)
    for found in C_TEXT.finditer(source):
        text = next((group for group in found.groups() if group is not None), "")
        yield 1 + source.count("\n", 0, found.start()), text


def python_texts(source: str) -> Iterator[tuple[int, str]]:
    """Strings and comments of Python."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type in (tokenize.STRING, tokenize.COMMENT):
            yield token.start[0], token.string


def prose(source: str) -> Iterator[tuple[int, str]]:
    """The text of a Markdown document, without code and without tables that are made from the sources."""
    is_made = is_fenced = False
    for number, line in enumerate(source.splitlines(), 1):
        if mark := MADE.search(line):
            is_made = mark[1] == "begin"
        if line.lstrip().startswith("```"):
            is_fenced = not is_fenced
        elif not is_made and not is_fenced and not line.startswith("    "):
            yield number, re.sub(r"`[^`]*`", "``", line)


def shell_texts(source: str) -> Iterator[tuple[int, str]]:
    """All lines of a shell script: here-documents are text without quotes."""
    yield from enumerate(source.splitlines(), 1)


Reader = Callable[[str], Iterator[tuple[int, str]]]
READERS: dict[str, Reader] = {".cpp": c_texts, ".h": c_texts, ".ts": c_texts, ".py": python_texts, ".md": prose}


def reader_of(name: str) -> Reader | None:
    return shell_texts if is_shell(name) else READERS.get(pathlib.PurePath(name).suffix)


def find_words(name: str, read: Reader) -> Iterator[tuple[int, str, str]]:
    source = (ROOT / name).read_text(encoding="utf-8")
    for first, text in read(source):
        for number, line in enumerate(text.split("\n"), first):
            for each in () if QUOTED.search(line) else RULES:
                for found in each.pattern.finditer(line):
                    yield number, found[0].strip(), each.instead


def main() -> int:
    words = sys.argv[1:]
    wanted = CHECKED if words in ([], ["--all"]) else tuple(words)
    names = [name for name in tree() if name.startswith(wanted) and name not in EXEMPT]
    readers = {name: read for name in names if (read := reader_of(name))}
    count = 0
    for name, read in readers.items():
        for number, word, instead in find_words(name, read):
            print(f"{name}:{number}: {word} -> {instead}")
            count += 1
    print(f"{count} words in {len(readers)} files" if count else f"{len(readers)} files are clean")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
