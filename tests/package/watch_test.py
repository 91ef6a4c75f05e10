"""lowtide.watch(): a monitor outside, started from within. Every function without an underscore is a test.

usage: watch_test.py --binary LOWTIDE [NAME...] | --list
"""

import contextlib
import json
import os
import shutil
import sys

from environment import HERE, PYTHON, WAIT_FOR_READINGS, folder, kind_of, main, need, run, told

JOB = HERE / "jobs" / "plain.py"
READING = {"memory/process_mb", "memory/swap_mb", "memory/tree_mb", "memory/host_available_mb"}


def _job(binary, place, *words, **more):
    return run(binary, [PYTHON, JOB, place / "job.lowtide", *words], **more)


def import_brings_nothing_along(binary):
    """What it takes in time is `./dev bench package`'s."""
    code = "import sys; before = set(sys.modules); import lowtide; brought = set(sys.modules) - before; import json; print(json.dumps(sorted(brought)))"
    brought = told(run(binary, [PYTHON, "-c", code]))
    assert brought == ["__future__", "lowtide"], brought


def leak_is_found_with_its_line_and_its_variable(binary):
    with folder() as place:
        job = told(_job(binary, place, 400, "leak"))
    assert job["kind"] == "leak", job
    assert job["agent"] == "on" and job["axis"] == "step" and job["steps"] >= 350, job
    assert any("plain.py:" in one for one in job["findings"]), job["findings"]
    assert any("history" in one for one in job["holders"]) and any("history" in one for one in job["findings"]), job
    assert "train" in job["phases"] and job["tree"] > 50e6, job
    assert "<svg" in job["html"] and "http" not in job["html"].replace("http://www.w3.org", ""), job["html"][:500]


def stable_job_is_no_leak(binary):
    with folder() as place:
        job = told(_job(binary, place, 300, "stable"))
    assert job["kind"] in ("stable", "spikes", "warmup"), job
    assert not any("history" in one for one in job["findings"]), job


def child_that_is_started_later_is_entered_too(binary):
    script = """
import json, lowtide, sqlite3, subprocess, sys, time
def functions():
    try:
        link = sqlite3.connect("file:job.lowtide?mode=ro", uri=True)
        return [row[0] for row in link.execute("SELECT DISTINCT function FROM frame")]
    except sqlite3.Error:
        return []
with lowtide.watch("job.lowtide"):
    child = subprocess.Popen([sys.executable, "child.py"])
    until = time.monotonic() + 60
    while "leaks_in_the_child" not in functions() and time.monotonic() < until:
        time.sleep(0.05)
    child.kill()
print(json.dumps(functions()))
"""
    child = "import time\nkept = []\ndef leaks_in_the_child():\n    kept.append(bytearray(1 << 18))\n" \
            "while True:\n    leaks_in_the_child()\n    time.sleep(0.05)\n"
    with folder() as place:
        (place / "job.py").write_text(script)
        (place / "child.py").write_text(child)
        functions = told(run(binary, [PYTHON, "job.py"], cwd=place))
    assert "leaks_in_the_child" in functions, functions


def loop_of_your_own_is_logged_and_summed_up(binary):
    script = ("import lowtide, json, time\nlogged = []\nkept = []\n"
              "with lowtide.MemoryLog(lambda told, step: logged.append((step, sorted(told))), every=50, recording='loop.lowtide') as memory:\n"
              "    for number in range(400):\n"
              "        kept.append(bytearray(b'x') * 400_000); memory.step(number); time.sleep(0.02)\n"
              "print(json.dumps([logged, memory.report.verdict.kind, [one['path'] for one in memory.report.holders]]))")
    with folder() as place:
        (place / "loop.py").write_text(script)
        done = run(binary, [PYTHON, "loop.py"], cwd=place)
    logged, kind, holders = told(done)
    assert [step for step, _ in logged] == [*range(0, 400, 50), 399] and set(logged[1][1]) == READING, logged
    assert {"memory/leak", "memory/train_growth_mb"} <= set(logged[-1][1]) and kind == "leak" and any("kept" in one for one in holders), (logged[-1], kind, holders)
    assert "held by" in done.stderr and "loop.lowtide" in done.stderr, done.stderr


def callback_that_is_never_ended_gives_its_summary_once(binary):
    """As after an exception in a trainer that does not call on_train_end. A forked child says nothing."""
    job = ("import lowtide, os, sys\nfrom lowtide._training import TrainingMemory\n"
           "class Callback:\n"
           "    def __init__(self): self.memory = TrainingMemory(recording='job.lowtide', deep=False); self.memory.begin(self)\n"
           "callback = Callback()\n"
           "child = os.fork()\n"
           "if child == 0: sys.exit(0)\n"
           "os.waitpid(child, 0)\n")
    for end, expect in (("raise RuntimeError('broken')", 1), ("sys.exit(7)", 7), ("del callback; print('on', file=sys.stderr)", 0),
                        ("callback.memory.end()", 0)):
        with folder() as place:
            done = run(binary, [PYTHON, "-c", job + end], cwd=place, expect=expect)
        assert done.stderr.count("recording: ") == 1 and done.stderr.count("lowtide: ") == 1, (end, done.stderr)
        assert ("RuntimeError: broken" in done.stderr) == (expect == 1), done.stderr
        assert not end.startswith("del") or done.stderr.index("recording: ") < done.stderr.index("on\n"), done.stderr


def without_the_program_training_goes_on_with_one_warning(binary):
    code = ("import lowtide\n"
            "for _ in range(3):\n"
            "    with lowtide.watch() as w: lowtide.step(1)\n"
            "print(w.verdict()); print(w.report()); print(w.tree_bytes())")
    with folder() as place:
        done = run(binary, [PYTHON, "-W", "error", "-c", code], LOWTIDE_COMMAND="/nonexistent", cwd=place)
        assert os.listdir(place) == []
    assert done.stdout.startswith("inconclusive") and "nothing was watched" in done.stdout, done.stdout
    assert done.stderr.count("not watched") == 1 and "try:" in done.stderr, done.stderr


def numbers_are_accepted_as_times_and_sizes(binary):
    """Seconds and bytes, as int, float and number of numpy, in watch(), in a callback and in a report."""
    need(PYTHON, "numpy")
    code = ("import lowtide, json, numpy\n"
            "is_on = []\n"
            "for interval, limit in ((0.5, 32e9), (1, 32_000_000_000), (numpy.float32(0.25), numpy.int64(32_000_000_000)), ('1 s', '32GB')):\n"
            "    with lowtide.watch('job.lowtide', deep=False, interval=interval, limit=limit, quiet=True) as w: is_on.append(w.is_on)\n"
            "with lowtide.MemoryLog(limit=32e9, deep=False, recording='log.lowtide', quiet=True) as log: is_on.append(log.memory.watch.is_on)\n"
            "kinds = [lowtide.open('job.lowtide').report(limit=limit).verdict.kind for limit in (48e9, numpy.float64(48e9), '48GB')]\n"
            "print(json.dumps([is_on, len(kinds)]))")
    with folder() as place:
        done = run(binary, [PYTHON, "-c", code], cwd=place)
    assert told(done) == [[True] * 5, 3] and done.stderr == "", done


def wrong_argument_raises_an_error_where_it_is_written(binary):
    for words, error in (("interval=0.001", "ValueError"), ("interval='soon'", "ValueError"), ("interval=[1]", "TypeError"),
                         ("interval=float('nan')", "ValueError"), ("limit='x'", "ValueError"), ("limit=-1", "ValueError"),
                         ("limit=5", "ValueError"), ("limit=True", "TypeError"), ("recording='.'", "ValueError"),
                         ("recording=3", "TypeError")):
        name = words.partition("=")[0]
        for call in ("watch", *(["MemoryLog"] if name != "interval" else [])):
            with folder() as place:
                done = run(binary, [PYTHON, "-c", f"import lowtide; lowtide.{call}({words})"], cwd=place, expect=1)
                assert os.listdir(place) == [], os.listdir(place)
            assert f"{error}: lowtide: {name}=" in done.stderr and "why:" in done.stderr and "try:" in done.stderr, done.stderr


def words_come_at_the_end_of_a_job_that_only_said_watch(binary):
    code = WAIT_FOR_READINGS + "import lowtide; w = lowtide.watch(); lowtide.watch(); wait_for_readings(3)"
    with folder() as place:
        done = run(binary, [PYTHON, "-c", code], cwd=place)
        recordings = [name for name in os.listdir(place) if name.endswith(".lowtide")]
        assert len(recordings) == 1 and len(os.listdir(place)) == 1, os.listdir(place)
    assert recordings[0] in done.stderr and done.stdout == "", done
    assert f"(lowtide report {place / recordings[0]})" in done.stderr, done.stderr


def under_lowtide_run_no_second_monitor_is_started(binary):
    code = (WAIT_FOR_READINGS + "import lowtide, json\n"
            "w = lowtide.watch()\nfor n in range(40):\n    lowtide.step(n); x = bytearray(2 << 20); wait_for_readings(n // 5)\n"
            "report = w.report()\n"
            "print(json.dumps([w.recording, report.verdict.samples, report.readings, w._monitor is None]))")
    with folder() as place:
        done = run(binary, [binary, "run", "--output", place / "outer.lowtide", "--", PYTHON, "-c", code], cwd=place)
        recording, samples, readings, alone = told(done)
        assert recording == str(place / "outer.lowtide") and 3 <= samples <= readings and alone, told(done)
        assert [name for name in os.listdir(place) if name.endswith(".lowtide")] == ["outer.lowtide"]


def watch_within_a_watch_ends_nothing_but_itself(binary):
    code = ("import lowtide, json, os\n"
            "with lowtide.watch('a.lowtide', quiet=True) as a:\n"
            "    with lowtide.watch('b.lowtide', quiet=True) as b: inner = [b.is_on, b.is_own, b.recording == a.recording, b.snapshot()]\n"
            "    print(json.dumps([inner, b.is_on, a.is_on, a.is_own, os.path.exists('b.lowtide')]))")
    with folder() as place:
        assert told(run(binary, [PYTHON, "-c", code], cwd=place)) == [[True, False, True, True], False, True, True, False]


def ranks_have_files_of_their_own(binary):
    script = ("import lowtide, os, sys, multiprocessing\n"
              "def rank(number):\n"
              "    os.environ['RANK'] = str(number)\n"
              "    with lowtide.watch('job.lowtide', deep=False, quiet=True) as w: pass\n"
              "if __name__ == '__main__':\n"
              "    ranks = [multiprocessing.get_context('spawn').Process(target=rank, args=(n,)) for n in range(2)]\n"
              "    for one in ranks: one.start()\n"
              "    for one in ranks: one.join()\n")
    with folder() as place:
        (place / "job.py").write_text(script)
        run(binary, [PYTHON, "job.py"], cwd=place)
        assert sorted(os.listdir(place)) == ["job-rank0.lowtide", "job-rank1.lowtide", "job.py"], os.listdir(place)


def snapshot_that_is_refused_is_not_waited_for(binary):
    """It is requested a few times, at intervals that are shorter here. `look` is the old name of `snapshot`."""
    code = ("import lowtide, lowtide._watch as inner, json\nw = lowtide.watch('job.lowtide', limit='200MB', quiet=True)\n"
            "inner._REQUEST_LAPSES_S, inner._LONGEST_SNAPSHOT_S, requests = 0.3, 600, []\n"
            "request = w._monitor.request_snapshot; w._monitor.request_snapshot = lambda: (requests.append(1), request())\n"
            "w.stop(); print(json.dumps([len(requests), inner._MOST_REQUESTS, lowtide.Watch.look is lowtide.Watch.snapshot]))")
    with folder() as place:
        requests, most, is_same = told(run(binary, [PYTHON, "-c", code], cwd=place))
    assert requests == most > 0 and is_same, (requests, most)


def place_that_cannot_be_written_is_reported(binary):
    code = "import lowtide, json; w = lowtide.watch('/nonexistent/x.lowtide', quiet=True); print(json.dumps([w.is_on, w.report().verdict.kind]))"
    with folder() as place:
        done = run(binary, [PYTHON, "-c", code], cwd=place)
        assert told(done) == [False, "inconclusive"] and "not watched" in done.stderr and os.listdir(place) == [], done


def odd_places_and_odd_answers_break_nothing(binary):
    code = ("import lowtide, time\n"
            "with lowtide.MemoryLog(lambda told, step: None, every=1, recording='job.lowtide', quiet=True) as memory:\n"
            "    for number in range(3): memory.step(number); time.sleep(0.1)\n"
            "print(memory.report.verdict.samples > 0)")
    with folder() as place:
        odd = os.fsencode(place) + b"/caf\xe9"
        os.mkdir(odd)
        for more in ({}, {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, {"LOWTIDE_COMMAND": "/bin/echo"}):
            done = run(binary, [PYTHON, "-c", code], cwd=odd, **more)
            is_watched = "LOWTIDE_COMMAND" not in more
            assert done.stdout == f"{is_watched}\n" and "Traceback" not in done.stderr, (more, done)
            assert os.path.exists(odd + b"/job.lowtide") == is_watched, (more, os.listdir(odd))
            with contextlib.suppress(FileNotFoundError):
                os.unlink(odd + b"/job.lowtide")


def spawned_workers_do_not_watch_again(binary):
    script = ("import lowtide, multiprocessing, os\n"
              "w = lowtide.watch(quiet=True)\n"
              "def work(_): return w.recording is None\n"
              "if __name__ == '__main__':\n"
              "    for how in ('spawn', 'fork'):\n"
              "        with multiprocessing.get_context(how).Pool(2) as pool: print(how, pool.map(work, range(2)))\n"
              "    print(w.is_on)\n")
    with folder() as place:
        (place / "job.py").write_text(script)
        done = run(binary, [PYTHON, "job.py"], cwd=place)
        assert len([name for name in os.listdir(place) if name.endswith(".lowtide")]) == 1, os.listdir(place)
    assert done.stdout.splitlines() == ["spawn [True, True]", "fork [False, False]", "True"], done


def pages_that_are_own_again_when_forked_workers_end_are_no_growth(binary):
    """The workers of a DataLoader share the data set of the trainer; when they have ended, its pages are the trainer's alone."""
    code = ("import lowtide, json, os, time\n"
            "block = os.urandom(1 << 20) * 150\n"
            "w = lowtide.watch('job.lowtide', deep=False, interval=0.02, quiet=True)\n"
            "step = 0\n"
            "def work(readings):\n"
            "    global step\n"
            "    sql = 'SELECT count(*) FROM process_sample WHERE process = 0 AND uss_bytes IS NOT NULL'\n"
            "    ends = lowtide.open('job.lowtide').rows(sql)[0][0] + readings\n"
            "    while w.is_on and lowtide.open('job.lowtide').rows(sql)[0][0] < ends: lowtide.step(step); step += 1; time.sleep(0.02)\n"
            "reader, writer = os.pipe()\n"
            "workers = [os.fork() for _ in range(4) if os.getpid() == w._owner]\n"
            "if 0 in workers: os.close(writer); os.read(reader, 1); os._exit(0)\n"
            "work(4)\n"
            "os.close(writer)\n"
            "for worker in workers: os.waitpid(worker, 0)\n"
            "work(4)\n"
            "w.stop()\n"
            "trainer = next(one for one in w.report().raw['processes'] if one['pid'] == os.getpid())\n"
            "rows = lowtide.open('job.lowtide').rows('SELECT min(own_bytes), max(own_bytes) FROM process_sample WHERE process = 0')\n"
            "print(json.dumps([len(block), *rows[0], trainer['verdict']]))")
    with folder() as place:
        block, least, most, verdict = told(run(binary, [PYTHON, "-c", code], cwd=place))
    assert most - least > 0.8 * block, (least, most)  # else nothing was shared, and nothing is tested
    floor = verdict["floor"]
    assert abs(floor["last_bytes"] - floor["first_bytes"]) < 0.1 * block, verdict


def child_that_was_forked_leaves_the_monitor_alone(binary):
    code = ("import lowtide, os, sys, time\n"
            "w = lowtide.watch(quiet=True)\n"
            "child = os.fork()\n"
            "if child == 0:\n    w.stop(); assert not w.is_on; sys.exit(0)\n"
            "os.waitpid(child, 0); print(w.is_on); w.stop(); print(w.is_on)")
    with folder() as place:
        done = run(binary, [PYTHON, "-c", code], cwd=place)
    assert done.stdout == "True\nFalse\n", done


def nothing_is_left_behind(binary):
    code = ("import lowtide, os, json, threading\n"
            "before = sorted(os.listdir('/proc/self/fd'))\n"
            "for n in range(3):\n    with lowtide.watch(f'{n}.lowtide', quiet=True): pass\n"
            "children = [open(f'/proc/{child}/stat').read().split()[1:3]\n"
            "            for child in open(f'/proc/self/task/{os.getpid()}/children').read().split()]\n"
            "print(json.dumps([before == sorted(os.listdir('/proc/self/fd')), children, threading.active_count()]))")
    with folder() as place:
        same, children, threads = told(run(binary, [PYTHON, "-c", code], cwd=place))
    assert same and children == [] and threads == 1, (same, children, threads)


def killed_monitor_is_not_missed(binary):
    code = ("import lowtide, os, signal, time\n"
            "w = lowtide.watch(quiet=True); os.kill(w._monitor._process.pid, signal.SIGKILL)\n"
            "while w._monitor.is_alive(): time.sleep(0.01)\n"
            "for n in range(1000): lowtide.step(n); bytearray(1 << 20)\n"
            "print(w.is_on); w.stop(); print(w.verdict().kind)")
    with folder() as place:
        done = run(binary, [PYTHON, "-c", code], cwd=place)
    assert done.stdout.splitlines() == ["False", "inconclusive"], done


def command_is_the_program_itself(binary):
    there = run(binary, [PYTHON, "-m", "lowtide", "--version"]).stdout
    assert there == run(binary, [binary, "--version"]).stdout and there, there
    unknown = [run(binary, [*words, "nosuch"], expect=2).stderr for words in ([PYTHON, "-m", "lowtide"], [binary])]
    assert unknown[0] == unknown[1] and "nosuch" in unknown[0], unknown
    missing = run(binary, [PYTHON, "-m", "lowtide"], expect=3, LOWTIDE_COMMAND="/nonexistent")
    assert "try:" in missing.stderr, missing


def users_without_privileges_are_watched_from_outside(binary):
    if os.geteuid() != 0:
        from environment import Skip
        raise Skip("needs root, to give up privileges")
    # Not dumpable: nobody of the same user may enter it.
    code = (WAIT_FOR_READINGS + "import ctypes, lowtide, json, os, sys\n"
            "os.setgid(65534); os.setuid(65534)\n"
            "ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)\n"
            "w = lowtide.watch(sys.argv[1] + '/job.lowtide', quiet=True)\n"
            "for n in range(8): lowtide.step(); wait_for_readings(n, sys.argv[1])\n"
            "w.stop(); print(json.dumps(w.verdict().kind))")
    with folder() as place:
        os.chmod(place, 0o777)
        # One that this user may run: the other may lie in /root.
        done = run(shutil.copy(binary, place / "lowtide"), [PYTHON, "-c", code, place], cwd="/")
        assert (place / "job.lowtide").stat().st_uid == 65534
        kind = kind_of(binary, place / "job.lowtide")
    assert "Traceback" not in done.stderr and json.loads(done.stdout) == kind, (done, kind)
    assert "watched from outside only" in done.stderr and "not watched" not in done.stderr, done


if __name__ == "__main__":
    sys.exit(main(globals(), lambda test, words: test(words.binary), binary=str))
