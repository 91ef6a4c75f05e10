#!/usr/bin/env python3
"""Lets lowtide watch jobs whose truth is known, and compares what it says with that truth.

    check.py --binary LOWTIDE [--steps 300] [--seconds 70] [-j N] [--fix] [--keep FOLDER [--again]]
             [--ticks N --replay SAME_VERDICT] [ID...]

Every job runs under `lowtide run`, its output in a file, as a person would do it. The truth is in the header comment
of each job. From 1,000 steps on only the right verdict will do. With fewer a leak may be left open if it leans the
right way, and an innocent job must not be called a leak, nor lean that way, as a whole or in any of its processes.
The first finding must be the cause that the header names (docs/causes.md).

--keep FOLDER keeps recordings and logs; with --again nothing runs and the recordings in FOLDER are read again, which
takes a second: that is how a change to the verdict is tried on all of them.

The answer, the lines of code and the fix of each report must be those of zoo/reports/, except for numbers.
--keep-reports writes those files.

--ticks N replays each recording: at N moments of the run and at its end, the status line, the screen, /metrics and
the report must say the same (bench/zoo/same_verdict.cpp).

--fix runs the corrected program of every leak instead: no leak now, of whichever innocent kind. Where FOLDER has the
recording of the leak, `compare` must say that it is better, and that its cause is gone.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

import cut_recording
import kept_reports

HERE = pathlib.Path(__file__).resolve().parent
KIND = {"leak": "leak", "warmup_plateau": "warmup", "spikes": "spikes", "stable": "stable", "overhead": "stable"}
# What the header calls main and worker, in the words of the report.
ROLES = {"main": {"trainer"}, "worker": {"worker", "rank"}}
MANY_STEPS = 1000
# A python3 that comes first in PATH need not be the one that Debian's torch belongs to.
DEBIAN_PYTHON = "/usr/bin/python3"
WIDTHS = (25, 14, 35, 28)


def read_cases(ids, fix):
    for path in sorted(HERE.glob("[0-9][0-9]_*.py")):
        text = path.read_text()
        case = dict(re.findall(r"^#   (\w+): (.*)$", text[:text.index("# END")], re.M))
        case.update(id=path.stem, path=path, kind=KIND[case["label"]])
        case["modules"] = sorted(set(re.findall(r"^import (torch|numpy|PIL)\b", text, re.M)))
        is_asked_for = not ids or any(path.stem.startswith(name) for name in ids)
        if fix and case["kind"] == "leak":
            case.update(kind="no leak", id=path.stem + ".fix")
        elif fix:
            continue
        if is_asked_for:
            yield case


def find_missing(python, modules):
    return [name for name in modules
            if subprocess.run([python, "-c", f"import {name}"], capture_output=True).returncode != 0]


def run_case(case, options, folder):
    words = f"--steps {options.steps} --seconds {options.seconds}" + (" --fix" if options.fix else "")
    command = case.get("command", "{python} {file} {args}").format(
        python=options.python, file=shlex.quote(str(case["path"])), args=words)
    environment = os.environ | {"OMP_NUM_THREADS": "1", "TMPDIR": str(folder)}
    recording = folder / f"{case['id']}.lowtide"
    recording.unlink(missing_ok=True)
    with open(folder / f"{case['id']}.log", "wb") as log:
        ended = subprocess.run([options.binary, "run", "--output", str(recording), "--", *shlex.split(command)],
                               stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment,
                               timeout=300 + 4 * options.seconds)
    if ended.returncode != 0:
        raise RuntimeError(f"the job ended with status {ended.returncode}")


def read_report(case, options, folder):
    recording = folder / f"{case['id']}.lowtide"
    ended = subprocess.run([options.binary, "report", "--json", str(recording)], capture_output=True, timeout=120)
    if ended.returncode not in (0, 1, 4):
        raise RuntimeError(f"report ended with status {ended.returncode}: {ended.stderr.decode(errors='replace')}")
    return json.loads(ended.stdout)


def compare(case, options, folder):
    """What `compare` gets wrong about a fix."""
    before = folder / f"{case['id'].removesuffix('.fix')}.lowtide"
    if not options.fix or not before.exists():
        return []
    ended = subprocess.run([options.binary, "compare", "--json", str(before), str(folder / f"{case['id']}.lowtide")],
                           capture_output=True, timeout=120)
    result = json.loads(ended.stdout)
    fate = {finding["id"]: finding["fate"] for finding in reversed(result["findings"])}.get(case["cause"])
    return ([f"compare: {result['outcome']}, {result['reason']}"] if result["outcome"] != "better" else []) + (
        [f"compare: {case['cause']} is {fate}"] if fate != "gone" else [])


def misnamed(case, report):
    """The first finding, where it is not the cause."""
    first = report["findings"][0]["id"] if report["findings"] else "none"
    return [f"first finding is {first}"] if case["kind"] != "no leak" and case.get("cause", first) != first else []


def replay(case, options, folder):
    """Where the readers of the recording differ, at some moment of the run."""
    if not options.ticks:
        return []
    recording = folder / f"{case['id']}.lowtide"
    moment = folder / f"{case['id']}.moment.lowtide"
    found = []
    for at_s in cut_recording.moments(recording, options.ticks):
        cut_recording.cut(recording, moment, at_s)
        found += [f"at {at_s:.1f} s, {line}" for line in differing_readers(options, moment)]
    moment.unlink()
    return found + [f"at the end, {line}" for line in differing_readers(options, recording)]


def differing_readers(options, recording):
    ended = subprocess.run([options.replay, str(recording)], capture_output=True, text=True, timeout=120)
    if ended.returncode not in (0, 1):
        return [f"the replay ended with status {ended.returncode}: {ended.stderr}"]
    return ended.stdout.splitlines()


def kind_of(verdict):
    """The kind, and for what was left open the kind it leans to."""
    if verdict["kind"] != "inconclusive":
        return verdict["kind"]
    return verdict["lean"]["kind"] if verdict["lean"] else "nothing"


def name_of(process):
    index = "" if process.get("index") is None else f" {process['index']}"
    return f"{process['role']}{index}"


def judge(case, report, steps):
    """right, open or wrong, and why."""
    verdict = report["verdict"]
    suspects = [process for process in report["processes"] if kind_of(process["verdict"]) == "leak"]
    suspects.sort(key=lambda process: -(process.get("growth_share") or 0))
    # A process that takes no part in the growth is not an accusation, whatever its own small series looks like.
    blamed = [process for process in suspects if (process.get("growth_share") or 0) >= 0.1]
    notes = []
    if case["kind"] == "leak":
        if kind_of(verdict) != "leak":
            return "wrong", blamed, ["the leak is missed"]
        if not blamed:
            notes.append("nobody is blamed")
        elif blamed[0]["role"] not in ROLES[case["process"]]:
            notes.append(f"should be the {case['process']}")
    else:
        if kind_of(verdict) == "leak":
            notes.append("false alarm" if verdict["kind"] == "leak" else "leans to a leak")
        notes += [f"false alarm: {name_of(process)}" for process in suspects if process["verdict"]["kind"] == "leak"]
    if notes:
        return "wrong", blamed, notes
    if verdict["kind"] == case["kind"] or (case["kind"] == "no leak" and verdict["kind"] != "inconclusive"):
        return "right", blamed, []
    if steps >= MANY_STEPS:
        return "wrong", blamed, ["left open" if verdict["kind"] == "inconclusive" else "another kind"]
    return "open", blamed, []


def describe(verdict):
    lean = verdict.get("lean")
    return (f"{verdict['kind']} {verdict['confidence']:.2f}"
            + (f" (lean {lean['kind']} {lean['confidence']:.2f})" if lean else ""))


def row(case, result, said, processes, notes):
    cells = (case["id"], f"{case['kind']}, {case['process']}", said, processes)
    return "  ".join(f"{cell:{width}}" for cell, width in zip(cells, WIDTHS)) + "  " + (
        f"{result}: {', '.join(notes)}" if notes else result)


def check(case, options, folder):
    missing = find_missing(options.python, case["modules"])
    if missing:
        return "skipped", row(case, "skipped", "", "", [f"{options.python} has no {' '.join(missing)}"])
    try:
        if not options.again:
            run_case(case, options, folder)
        report = read_report(case, options, folder)
        text = kept_reports.write_report(options.binary, folder / f"{case['id']}.lowtide")
        named = misnamed(case, report) + compare(case, options, folder)
        differing = replay(case, options, folder)
    except (RuntimeError, OSError, ValueError, subprocess.TimeoutExpired) as error:
        return "wrong", row(case, "wrong", "", "", [str(error)])
    result, blamed, notes = judge(case, report, report["source"]["steps"] + 1 if options.again else options.steps)
    if named:
        result, notes = "wrong", notes + named
    processes = ", ".join(f"{name_of(process)} {process.get('growth_share') or 0:.0%}" for process in blamed[:3])
    if options.keep_reports:
        kept_reports.keep(case["id"], text)
    changes = kept_reports.differences(case["id"], text)
    if changes:
        result, notes = "wrong", notes + ["its report is not that of zoo/reports"]
    if differing:
        result, notes = "wrong", notes + ["readers of the recording differ"]
    return result, "\n".join([row(case, result, describe(report["verdict"]), processes or "-", notes), *changes,
                              *(f"  {line}" for line in differing)])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ids", nargs="*", metavar="ID", help="jobs whose names begin so; default: all")
    parser.add_argument("--binary", type=os.path.abspath, required=True)
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--seconds", type=float, default=70)
    parser.add_argument("-j", type=int, default=os.cpu_count() or 1, help="jobs at a time; default: one per core")
    parser.add_argument("--python", default=DEBIAN_PYTHON if os.access(DEBIAN_PYTHON, os.X_OK) else sys.executable)
    parser.add_argument("--fix", action="store_true", help="the corrected programs of the leaks")
    parser.add_argument("--keep", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--keep-reports", action="store_true", help="write zoo/reports/")
    parser.add_argument("--again", action="store_true", help="only read the recordings in FOLDER")
    parser.add_argument("--ticks", type=int, default=0, metavar="N", help="replay each recording at N moments")
    parser.add_argument("--replay", type=os.path.abspath, metavar="PROGRAM", help="compares the readers of a file")
    options = parser.parse_intermixed_args()
    if options.ticks and not options.replay:
        parser.error("--ticks needs --replay PROGRAM")
    if options.again and not options.keep:
        parser.error("--again needs --keep FOLDER")
    cases = list(read_cases(options.ids, options.fix))
    if not cases:
        parser.error(f"no job is called {' or '.join(options.ids)}")
    counts = dict.fromkeys(("right", "open", "wrong", "skipped"), 0)
    titles = ("job", "truth", "verdict", "blamed (share of growth)")
    print("  ".join(f"{title:{width}}" for title, width in zip(titles, WIDTHS)))
    with tempfile.TemporaryDirectory(prefix="lowtide-zoo-") as temporary:
        folder = (options.keep or pathlib.Path(temporary)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        with concurrent.futures.ThreadPoolExecutor(options.j) as pool:
            for result, line in pool.map(lambda case: check(case, options, folder), cases):
                counts[result] += 1
                print(line, flush=True)
    print(", ".join(f"{count} {result}" for result, count in counts.items()))
    return 1 if counts["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
