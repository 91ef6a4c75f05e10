"""A job that the kernel kills at the limit of its memory cgroup: what the report says afterwards."""

import json

from box import Box, Recording, main
from cgroup import MemoryCgroup

LIMIT_BYTES = 200 << 20

LEAK = """
import time
kept = []
for step in range(2000):
    kept.append(bytearray(b"x" * 1000000))
    print(f"step {step} loss {1 / (step + 1):.4f}", flush=True)
    time.sleep(0.05)
"""


def _run(box, words):
    """Runs it as a person would: the output in a file, so that the steps are known."""
    with open(box.path("log"), "wb") as log:
        process = box.spawn(words, stdout=log)
        return process.wait(timeout=60)


def _check_report(box):
    text = box.run("run.lowtide", verb="report").stdout.decode()
    report = json.loads(box.run("run.lowtide", options=("--json",), verb="report").stdout)
    recording = Recording(box.path("run.lowtide"))
    (pid,) = [row[0] for row in recording.rows("SELECT pid FROM process WHERE command LIKE '%leak.py%'"
                                               " ORDER BY id DESC LIMIT 1")]
    return text, report, pid


def _assert_oom_is_told(text, report, pid):
    events = [event for event in report["events"] if event["kind"] == "oom-kill"]
    assert len(events) == 1, report["events"]
    assert str(pid) in events[0]["text"], events
    (finding,) = [finding for finding in report["findings"] if finding["id"] == "oom-killed"]
    assert finding["pid"] == pid and finding["severity"] == "critical", finding
    assert report["target"]["limit_bytes"] == LIMIT_BYTES, report["target"]
    assert "oom-kill" in text and str(pid) in text, text
    assert "210 MB" in text, text


def _assert_last_second_is_there(box, report):
    rows = Recording(box.path("run.lowtide")).rows("SELECT at_s, high_bytes FROM target_memory ORDER BY at_s")
    killed_s = next(event["at_s"] for event in report["events"] if event["kind"] == "oom-kill")

    assert killed_s - rows[-1][0] <= 1.0, (killed_s, rows[-3:])
    assert rows[-1][1] > 0.8 * LIMIT_BYTES, rows[-3:]


def _assert_forecast_had_been_given(box, text, report):
    given = Recording(box.path("run.lowtide")).rows(
        "SELECT at_s, limit_kind, limit_bytes, limit_s FROM judgement WHERE limit_s IS NOT NULL ORDER BY at_s")

    assert given, "no forecast was made while the job ran"
    assert (given[0][1], given[0][2]) == ("cgroup", LIMIT_BYTES), given[0]
    (finding,) = [finding for finding in report["findings"] if finding["id"] == "oom-killed"]
    assert any("forecast" in line for line in finding["evidence"]), finding
    assert "forecast" in text, text


def _leak(box):
    return box.script("leak.py", LEAK)


def job_killed_in_its_own_cgroup_is_told(box: Box):
    with MemoryCgroup(LIMIT_BYTES) as group:
        wrapper = ("sh", "-c", f"echo $$ > {group.procs}; exec {' '.join(_leak(box))}")

        status = _run(box, box.command(*wrapper, options=("--output", "run.lowtide")))

        assert status == 137, status
        text, report, pid = _check_report(box)
        _assert_oom_is_told(text, report, pid)
        _assert_last_second_is_there(box, report)
        _assert_forecast_had_been_given(box, text, report)


def job_killed_in_a_cgroup_that_the_monitor_shares_is_told(box: Box):
    with MemoryCgroup(LIMIT_BYTES) as group:
        inner = " ".join(box.command(*_leak(box), options=("--output", "run.lowtide")))

        status = _run(box, ["sh", "-c", f"echo $$ > {group.procs}; exec {inner}"])

        assert status == 137, status
        text, report, pid = _check_report(box)
        _assert_oom_is_told(text, report, pid)
        _assert_last_second_is_there(box, report)
        _assert_forecast_had_been_given(box, text, report)


if __name__ == "__main__":
    main(globals())
