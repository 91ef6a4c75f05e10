"""A job that the kernel kills at the limit of its memory cgroup: what the report says afterwards."""

import json
import re
import subprocess

from box import Box, Recording, main
from cgroup import MemoryCgroup

LIMIT_BYTES = 200 << 20
KILLED_WITHIN_S = 100  # it takes 20 s where nothing else runs

# 20 s until the end: what is thought of the job is put on record every fifteen.
LEAK = """
import time
kept = []
for step in range(2000):
    kept.append(bytearray(b"x" * 1000000))
    print(f"step {step} loss {1 / (step + 1):.4f}", flush=True)
    time.sleep(0.1)
"""


def _start(box, words):
    """Starts it as a person would: the output in a file, so that the steps are known."""
    with open(box.path("log"), "wb") as log:
        return box.spawn(words, stdin=subprocess.PIPE, stdout=log)


def _leak(box):
    return " ".join(box.script("leak.py", LEAK))


class _Reports:
    """What the recording and both reports say."""

    def __init__(self, box):
        self.text = box.run("run.lowtide", verb="report").stdout.decode()
        self.report = json.loads(box.run("run.lowtide", options=("--json",), verb="report").stdout)
        self.recording = Recording(box.path("run.lowtide"))
        self.pid = self.recording.one("SELECT pid FROM process WHERE command LIKE '%leak.py' ORDER BY id DESC")
        self.kills = [event for event in self.report["events"] if event["kind"] == "oom-kill"]
        self.findings = [finding for finding in self.report["findings"] if finding["id"] == "oom-killed"]
        self.evidence = "\n".join(line for finding in self.findings for line in finding["evidence"])


def _check_kill_and_limit(reports):
    assert len(reports.kills) == 1, reports.report["events"]
    blamed = [(finding["pid"], finding["severity"]) for finding in reports.findings]
    assert blamed == [(reports.pid, "critical")], reports.findings
    assert reports.report["target"]["limit_bytes"] == LIMIT_BYTES, reports.report["target"]
    assert "the limit of the cgroup is 200 MiB" in reports.evidence, reports.evidence
    assert "oom-kill" in reports.text and f"pid {reports.pid}" in reports.text and "killed at 200 MiB" in reports.text, reports.text


def _check_last_second(reports):
    readings = reports.recording.rows("SELECT at_s, high_bytes FROM target_memory WHERE high_bytes > 0 ORDER BY at_s")

    # Near the limit a reading comes every 0.1 s, or as often as this machine lets it.
    longest_s = max(after[0] - before[0] for before, after in zip(readings, readings[1:]))
    assert reports.kills[0]["at_s"] - readings[-1][0] <= 1.0 + longest_s, (reports.kills, longest_s, readings[-3:])
    assert readings[-1][1] > 0.85 * LIMIT_BYTES, readings[-3:]
    # The rest is the monitor's, where it is in the same cgroup, and the kernel's.
    had = re.findall(r"[\d.]+ m?s before the kill: the process tree had (\d+) MB", reports.evidence)
    assert had and 0.85 * LIMIT_BYTES < int(had[-1]) * 1e6 <= LIMIT_BYTES, reports.evidence
    assert "it had 0 B" not in reports.text and " 0 B of the tree" not in reports.text, reports.text


def _check_forecast(reports):
    given = reports.recording.rows("SELECT limit_kind, limit_bytes, at_s, limit_s FROM judgement WHERE limit_s IS NOT NULL"
                                " ORDER BY at_s")

    assert given and given[0][:2] == ("cgroup", LIMIT_BYTES), given
    assert "no forecast" not in reports.evidence and "forecast" in reports.evidence, reports.evidence


def _check_end_is_reported_once(reports):
    killed = [event for event in reports.report["events"] if event["kind"] == "killed"]

    assert len(killed) <= 1, killed


def _check(reports):
    _check_kill_and_limit(reports)
    _check_last_second(reports)
    _check_forecast(reports)
    _check_end_is_reported_once(reports)


def job_that_moved_into_a_cgroup_and_is_killed_there_is_reported(box: Box):
    with MemoryCgroup(LIMIT_BYTES) as group:
        # As container runtimes and batch systems do it: the process is there first, its cgroup comes later.
        wrapper = ("sh", "-c", f"read go; echo $$ > {group.procs}; exec {_leak(box)}")
        process = _start(box, box.command(*wrapper, options=("--output", "run.lowtide")))
        box.wait_for_samples("run.lowtide")

        process.communicate(b"go\n", KILLED_WITHIN_S)

        assert process.returncode == 137, process.returncode
        _check(_Reports(box))


def job_killed_in_a_cgroup_that_the_monitor_shares_is_reported(box: Box):
    with MemoryCgroup(LIMIT_BYTES) as group:
        command = " ".join(box.command(_leak(box), options=("--output", "run.lowtide")))

        process = _start(box, ["sh", "-c", f"echo $$ > {group.procs}; exec {command}"])
        process.communicate(timeout=KILLED_WITHIN_S)

        assert process.returncode == 137, process.returncode
        _check(_Reports(box))


if __name__ == "__main__":
    main(globals())
