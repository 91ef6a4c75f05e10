"""The default reports of the jobs, kept as zoo/reports/ID.txt, and how a new report differs from the kept one.

Two runs of one job differ in their numbers, and so in where their lines break. What must be equal is the part to act
on: the answer, the lines of code, the cause and the fix, without numbers. The rest is for review: --keep-reports
writes all reports again, and `git diff zoo/reports` shows what changed.
"""
import difflib
import pathlib
import re
import subprocess

FOLDER = pathlib.Path(__file__).resolve().parent / "reports"
# Where the last snapshot fell decides what "held by" adds to the name.
NOT_COMPARED = "held by"
# "30.py:12" keeps its numbers: they are what the reader looks for. ">99%" is a number.
NUMBER = re.compile(r"(?<![\w:.])>?\d[\d.,]*( [kMGT]?B\b| h\b| min\b| s\b| ms\b)?")


def write_report(binary, recording):
    done = subprocess.run([binary, "report", "--width", "80", recording.name], cwd=recording.parent, capture_output=True,
                          text=True, timeout=120)
    return done.stdout


def _part_to_act_on(report):
    """The answer, and a line for each fact up to the fix, without numbers."""
    answer, _, rest = report.partition("\n\n")
    facts = []
    for line in rest.partition("\n\n")[0].splitlines():
        if re.match(r"  \S", line):
            facts.append(line.strip())
        else:
            facts[-1] += " " + line.strip()
    lines = [answer] + [fact for fact in facts if not fact.startswith(NOT_COMPARED)]
    return [" ".join(NUMBER.sub("N", line).split()) for line in lines]


def differences(job, report):
    kept = FOLDER / f"{job}.txt"
    if not kept.exists():
        return []
    lines = difflib.unified_diff(_part_to_act_on(kept.read_text()), _part_to_act_on(report), lineterm="", n=0)
    return [f"  {line}" for line in lines if not line.startswith(("---", "+++", "@@"))]


def keep(job, report):
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / f"{job}.txt").write_text(report)
