"""How reports, verdicts and readings are shown. Every function without an underscore is a test.

usage: report_test.py --binary LOWTIDE [NAME...] | --list
"""

import json
import sys

from environment import PYTHON, main, run, told

VERDICT = {"kind": "leak", "confidence": 0.93, "axis": "step", "samples": 400, "rate": {"bytes": 393000, "per": "step", "low": 1, "high": 2},
           "floor": {"first_bytes": 127_000_000, "last_bytes": 713_000_000}, "warmup_end": None, "plateau_bytes": None, "spike_bytes": None,
           "reason": "floor rises by 393 kB per step", "needs": None, "lean": None, "basis": ["series"]}
FIX = "store a scalar, or drop old tensors: `del history[:-100]`"
ANSWER = {"kind": "leak", "headline": "LEAK  train.py:30 -> history  +393 kB/step  93% sure", "variable": "history", "confidence": 0.93,
          "line": {"file": "/job/train.py", "line": 30, "function": "step", "source": "return loss.item(), predicted"},
          "process": {"role": "trainer", "pid": 7}, "rate": {"bytes_per_step": 393000}, "fix": FIX}


def _finding(**more):
    return {"id": "growing-holder", "severity": "high", "title": "history grew by 853 items (335 MB)", "mechanism": "live-objects",
            "where": {"file": "/job/train.py", "line": 30, "function": "step", "holder": "history"}, "evidence": ["it never shrank"], "fix": FIX,
            "ruled_out": False, **more}


def _holder(path, growth):
    return {"path": path, "type": "list", "growth_bytes": growth}


def _report(**more):
    return {"verdict": VERDICT, "findings": [_finding()], "source": {"steps": 1491}, "holders": [], "tensors": [], "phases": [], **more}


def _say(binary, code, report=None):
    given = "" if report is None else f"report = Report.from_json(json.loads({json.dumps(json.dumps(report))}))\n"
    return told(run(binary, [PYTHON, "-c", "import json, lowtide\nfrom lowtide._report import Report, Verdict\n" + given + code]))


def report_prints_the_answer_and_each_fix_once(binary):
    code = "from lowtide._summary import closing_lines\nprint(json.dumps([str(report), closing_lines(report), report._repr_html_(), report.answer.where]))"
    text, closing, html, where = _say(binary, code, _report(answer=ANSWER))
    lines = text.splitlines()
    assert lines[:3] == [f"lowtide: {ANSWER['headline']}", "  /job/train.py:30  return loss.item(), predicted", f"  fix: {FIX}"], lines
    assert text.count(FIX) == 1 and "it never shrank" in text and VERDICT["reason"] in text, text
    assert closing[0] == f"lowtide: {ANSWER['headline']}" and f"  fix: {FIX}" in closing and "\n".join(closing).count(FIX) == 1, closing
    assert "LEAK  train.py:30" in html and "del history" in html and where == "/job/train.py:30", html


def report_without_an_answer_prints_verdict_and_findings(binary):
    for more in ({}, {"answer": None}, {"answer": {}}):
        code = "from lowtide._summary import closing_lines\nprint(json.dumps([str(report), closing_lines(report), report.answer]))"
        text, closing, answer = _say(binary, code, _report(**more))
        assert text.startswith("lowtide: leak (93%): floor rises by 393 kB per step\nhistory grew by") and FIX in text, text
        assert closing[:2] == ["lowtide: leak (93%): floor rises by 393 kB per step", "  floor 127 MB -> 713 MB over 1491 steps"], closing
        assert "  history grew by 853 items (335 MB)" in closing and answer is None, closing


def answer_with_unknown_parts_is_shown_without_them(binary):
    code = "print(json.dumps([str(report.answer), report.answer.where, report.answer.fix]))"
    sparse = {"kind": "stable", "headline": "NO LEAK  297 MB in 3 processes", "line": None, "variable": None, "confidence": 0.87, "fix": ""}
    assert _say(binary, code, _report(answer=sparse)) == ["NO LEAK  297 MB in 3 processes", None, None]


def inconclusive_verdict_states_its_lean(binary):
    code = ("leaning = lowtide.judge([500e6 + 1e6 * n for n in range(60)], steps=range(60))\n"
            "print(json.dumps([[v.kind, v.lean, v.lean_confidence, str(v)] for v in (leaning, lowtide.judge([]), Verdict.unknown('nothing was watched'))]))")
    leaning, empty, unknown = _say(binary, code)
    assert leaning[:2] == ["inconclusive", "leak"] and leaning[3].startswith(f"inconclusive, leans to leak ({leaning[2]:.0%}): "), leaning
    assert empty[0] == "inconclusive" and "%" not in empty[3], empty
    assert unknown[3] == "inconclusive: nothing was watched", unknown


def samples_and_readings_are_distinguished(binary):
    """A pool that starts and ends processes all the time has few readings that can be judged."""
    verdict = {**VERDICT, "kind": "inconclusive", "samples": 5, "reason": "only 5 samples"}
    code = ("from lowtide._summary import closing_lines\n"
            "reports = [Report.from_json(report.raw, (), readings) for readings in (33, 5, None)]\n"
            "print(json.dumps([[str(one), '\\n'.join(closing_lines(one))] for one in reports]))")
    more, same, unknown = _say(binary, code, _report(verdict=verdict))
    assert all(text.count("  5 of 33 readings were judged: ") == 1 for text in more), more
    assert not any("were judged" in text for text in (*same, *unknown)), (same, unknown)
    leak = _say(binary, "print(json.dumps(str(Report.from_json(report.raw, (), 500))))", _report())
    assert "were judged" not in leak, leak


def holders_of_little_are_not_listed(binary):
    holders = [_holder("train.total", 500_000_000), _holder("__main__", 1_680_000), _holder("fell", -5), _holder("unknown", None)]
    code = "from lowtide._summary import closing_lines\nprint(json.dumps(closing_lines(report)))"
    closing = _say(binary, code, _report(holders=holders))
    assert "    train.total (list), +500 MB" in closing and not any("__main__" in line or "fell" in line for line in closing), closing


def notebook_cells_are_named_by_their_numbers(binary):
    """IPython's compiler keeps the number of each cell. The report has the file name, with or without its folder."""
    cells = ("import sys, types\n"
             "shell = types.SimpleNamespace(compile=types.SimpleNamespace(_filename_map={'/tmp/ipykernel_7/2257364082.py': 3, '<stdin>': 4}))\n"
             "sys.modules['IPython'] = types.SimpleNamespace(get_ipython=lambda: shell)\n")
    report = _report(findings=[_finding(title="2257364082.py:3 leaks; not 12257364082.py:3", evidence=["called from <ipython-input-5-0a1b>:2"],
                                        where={"file": "/tmp/ipykernel_7/2257364082.py", "line": 3, "function": None, "holder": None})])
    code = "print(json.dumps([str(report), report.problems[0].where, report.problems[0].file]))"
    text, where, file = _say(binary, cells + code, report)
    assert "cell [3], line 3 leaks; not 12257364082.py:3" in text and "called from cell [5], line 2" in text, text
    assert where == "cell [3], line 3" and file == "/tmp/ipykernel_7/2257364082.py", (where, file)
    text, where, _ = _say(binary, code, report)  # in another process, without IPython
    assert "2257364082.py:3 leaks" in text and where.endswith("/2257364082.py:3"), text


def text_of_a_job_cannot_control_the_terminal(binary):
    nasty = "a\x1b[2J\u202eb\tc"
    report = _report(findings=[_finding(title=nasty, fix=nasty)], answer={**ANSWER, "headline": nasty, "variable": nasty},
                     holders=[_holder(nasty, 500_000_000)])
    code = "from lowtide._summary import closing_lines\nprint(json.dumps([str(report), '\\n'.join(closing_lines(report)), report._repr_html_()]))"
    for text in _say(binary, code, report):
        assert "a\\x1b[2J\\u202eb\\tc" in text and not any(one in text for one in "\x1b\u202e\t"), repr(text)


def version_is_that_of_the_program(binary):
    version = _say(binary, "print(json.dumps(lowtide.__version__))")
    assert run(binary, [binary, "--version"]).stdout.split()[:2] == ["lowtide", version], version


def kinds_are_literals(binary):
    code = ("import typing\nfrom lowtide import _report\n"
            "print(json.dumps([typing.get_args(_report.VerdictKind), typing.get_type_hints(_report.Rate)['per'].__args__]))")
    assert _say(binary, code) == [["leak", "warmup", "spikes", "stable", "inconclusive"], ["step", "second"]]


def tree_is_never_smaller_than_the_process(binary):
    """The reading of the tree may be older than that of the process."""
    code = ("import types\n"
            "small, large = (lowtide.metrics(types.SimpleNamespace(tree_bytes=lambda size=size: size)) for size in (1, 1 << 50))\n"
            "print(json.dumps([small, large]))")
    small, large = _say(binary, code)
    assert small["memory/tree_mb"] == small["memory/process_mb"] > 1 and large["memory/tree_mb"] > 1e9, (small, large)


def readings_have_swap_and_available_memory(binary):
    code = "print(json.dumps([lowtide.metrics(), next(int(line.split()[1]) for line in open('/proc/meminfo') if line.startswith('MemTotal:'))]))"
    numbers, total_kb = _say(binary, code)
    assert set(numbers) == {"memory/process_mb", "memory/swap_mb", "memory/host_available_mb"}, numbers
    assert 0 <= numbers["memory/swap_mb"] <= numbers["memory/process_mb"] and 0 < numbers["memory/host_available_mb"] <= total_kb * 1.024e-3, numbers


def growth_and_peaks_of_phases_are_numbers_for_a_log(binary):
    phases = [{"name": "eval", "pid": "mine", "count": 2, "peak_bytes": 50_000_000, "kept_bytes": 1_000_000, "took_s": 1.0},
              {"name": "my own/phase", "pid": "mine", "count": 1, "peak_bytes": None, "kept_bytes": 0, "took_s": 1.0},
              {"name": "train", "pid": -1, "count": 1, "peak_bytes": 5, "kept_bytes": 5, "took_s": 1.0}]
    code = ("import os\nfrom lowtide._phases import PhaseGrowth, recorded_phases\n"
            "for one in report.raw['phases']: one['pid'] = os.getpid() if one['pid'] == 'mine' else one['pid']\n"
            "growth = PhaseGrowth(); growth.begin('init'); block = bytearray(b'x') * 50_000_000; ended = growth.end('init')\n"
            "print(json.dumps([ended, growth.end('never'), growth.has_begun('init'), growth.metrics(), recorded_phases(report)]))")
    ended, never, has_begun, numbers, recorded = _say(binary, code, _report(phases=phases))
    assert 45e6 < ended < 60e6 and never is None and not has_begun, (ended, never, has_begun)
    assert numbers == {"memory/init_growth_mb": round(ended / 1e6, 3)}, numbers
    assert recorded == {"memory/eval_peak_mb": 50.0, "memory/eval_kept_mb": 1.0, "memory/my_own_phase_kept_mb": 0.0}, recorded


if __name__ == "__main__":
    sys.exit(main(globals(), lambda test, words: test(words.binary), binary=str))
