"""--screen in a real tmux: what is seen at three sizes, keys, a new size, and the terminal as it was after every end."""

import os
import re
import signal
import sys

from box import Box, Terminal, children_of, is_alive, jobs_of, main, text_of, wait_until
from tmux import PROMPT, Tmux

OPTIONS = ("--screen", "--interval", "100ms", "--output", "run.lowtide")

# With a number: after so many steps it waits for the file, and ends with 3.
KEEPS = """
import os, sys, time
kept = []
for step in range(100_000):
    kept.append(bytearray(200_000))
    print(f'step {step} loss 0.5', flush=True)
    time.sleep(0.02)
    if len(sys.argv) > 1 and step >= int(sys.argv[1]):
        while not os.path.exists('finish'): time.sleep(0.01)
        sys.exit(3)
"""

SLEEPS = "import time\nopen('begun', 'w').close()\nwhile True: time.sleep(0.1)\n"

HOSTILE = "evil\x1b]0;owned\x07\x1b[2J\x1b[31m\rname"


def _words(box, *job, options=OPTIONS):
    return box.command(*job, options=options)


def _sleeper(box, first_word=None):
    words = [first_word or "sleep", "300"]
    return box.spawn(words, executable="/bin/sleep")


def _attach(box, pid, options=OPTIONS):
    return box.command(str(pid), options=options, verb="attach")


def _modes(tmux, box, name):
    tmux.type(f"stty -a > {name}; echo modes''-{name}")
    tmux.expect(f"modes-{name}")
    return text_of(box.path(name))


def _expect_restored(tmux, box, modes):
    tmux.expect(PROMPT)
    wait_until(lambda: not tmux.has_screen(), "the shell's own screen")
    assert tmux.about("#{cursor_flag}") == "1"
    after = _modes(tmux, box, "after")
    assert after == modes, f"{modes}\n{after}"
    # Keys are echoed again, and what is typed is run.
    tmux.type("echo still''-here")
    tmux.expect("still-here", "echo still''-here")


def _shows_everything(box, columns, rows):
    with Tmux(box, columns, rows) as tmux:
        tmux.run(*_words(box, *box.script("keeps.py", KEEPS)))
        text = tmux.expect("lowtide", "LEAK  keeps.py:5 -> kept", "PROCESS", "LINE THAT ALLOCATES", "VARIABLE", "OUTPUT", "q close", "┤", "below the floor"
                           if rows > 30 else "step", "loss 0.5")
        lines = text.split("\n")
        assert lines[0].startswith(" lowtide ") and "keeps" in lines[0], text
        assert re.match(r"LEAK  keeps\.py:5 -> kept  \+\d+ kB/step  \d\d% sure", lines[1]), text
        assert "memory" in text and "MB" in text, text
        assert any("⠒" in line or "⣀" in line or "⡠" in line or "⠤" in line for line in lines), text
        assert max(map(len, lines)) <= columns, text
        assert lines[rows - 1].startswith(" q close"), text
        tmux.press("q")
        tmux.expect("the screen is closed, the job keeps running")
        os.kill(jobs_of(tmux.lowtide())[0], signal.SIGTERM)
        tmux.expect_printed("recording: run.lowtide")


def all_is_shown_at_80x24(box: Box):
    _shows_everything(box, 80, 24)


def all_is_shown_at_120x40(box: Box):
    _shows_everything(box, 120, 40)


def all_is_shown_at_200x60(box: Box):
    _shows_everything(box, 200, 60)


def keys_sort_pause_help_and_move(box: Box):
    sleeper = _sleeper(box)
    with Tmux(box) as tmux:
        tmux.run(*_attach(box, sleeper.pid))
        tmux.expect("sort: growth", str(sleeper.pid), "q detach")
        for order in ("memory", "rate", "cpu", "pid", "growth"):
            tmux.press("s")
            tmux.expect(f"sort: {order}")
        tmux.press("p")
        paused = tmux.expect("PAUSED")
        box.wait_for_more_samples("run.lowtide", 8)
        assert tmux.text() == paused
        tmux.press("p")
        tmux.expect("lowtide", absent=("PAUSED",))
        tmux.press("?")
        tmux.expect("columns", "press any key to go back", "growth of the floor")
        tmux.press("q")
        tmux.expect("PROCESS", absent=("press any key to go back",))
        tmux.press("h")
        tmux.expect("press any key to go back")
        tmux.press("Escape")
        tmux.expect(">    PID ROLE", absent=("press any key to go back",))
        tmux.press("Tab")
        tmux.expect(">    PID     LIVE", " " + "    PID ROLE")
        tmux.press("n")
        tmux.expect("no snapshot: the job has no agent")
        tmux.press("q")
        tmux.expect(PROMPT, "lowtide report")
    assert is_alive(sleeper.pid)


def lists_scroll(box: Box):
    script = "import os, time\nfor _ in range(30):\n    if os.fork() == 0: break\ntime.sleep(300)\n"
    job = box.spawn(box.script("many.py", script))
    with Tmux(box) as tmux:
        tmux.run(*_attach(box, job.pid))
        tmux.expect("of 31")
        for _ in range(4):
            tmux.press("s")
        first = tmux.expect("sort: pid", f"  {job.pid} ", "  1-")
        tmux.press("Down")
        wait_until(lambda: re.search(rf"^> *{job.pid} ", tmux.text(), re.MULTILINE), "the selected line")
        tmux.press("PageDown")
        tmux.press("PageDown")
        tmux.expect("sort: pid", absent=("  1-",))
        tmux.press("End")
        tmux.expect("-31 of 31")
        tmux.press("PageUp")
        tmux.expect("sort: pid", absent=("-31 of 31",))
        tmux.press("Home")
        tmux.expect(f"  {job.pid} ", "  1-")
        assert "of 31" in first
        tmux.press("q")
        tmux.expect(PROMPT)
    for pid in children_of(job.pid):
        os.kill(pid, signal.SIGKILL)


def a_line_is_selected_by_keys_and_by_the_mouse_and_lines_are_filtered(box: Box):
    script = "import os, time\nfor _ in range(3):\n    if os.fork() == 0: break\ntime.sleep(300)\n"
    job = box.spawn(box.script("many.py", script))
    with Tmux(box) as tmux:
        tmux.run(*_attach(box, job.pid))
        tmux.expect("PROCESS", str(job.pid))
        wait_until(lambda: len(children_of(job.pid)) == 3, "the children")
        child = children_of(job.pid)[1]
        tmux.press("/")
        tmux.expect("filter: _")
        tmux.press(*str(child))
        tmux.expect(f"filter: {child}_")
        tmux.press("Enter")
        tmux.expect(f"filter: {child} (Esc clears it)")
        # The footer has the pid as well, and the child may not have been read yet.
        wait_until(lambda: re.search(rf"^ +{child} ", tmux.text(), re.MULTILINE), "the child in the list")
        assert not re.search(rf"^ +{job.pid} ", tmux.text(), re.MULTILINE), tmux.text()
        tmux.press("Down")
        wait_until(lambda: re.search(rf"^> *{child} ", tmux.text(), re.MULTILINE), "the selected line")
        tmux.press("Enter")
        tmux.expect(f"process {child}", "command", "press any key to go back")
        tmux.press("Escape")
        tmux.expect("PROCESS", absent=("press any key to go back",))
        tmux.press("Escape")
        tmux.expect("PROCESS", str(job.pid), absent=("(Esc clears it)",))
        # A click, as a terminal reports it: the button (pressed, then released), the column and the row, each with 32 added.
        lines = tmux.expect(f" {job.pid} ").split("\n")
        row = next(at for at, line in enumerate(lines) if re.match(rf"[ >] *{job.pid} ", line))
        place = chr(33 + 5) + chr(33 + row)
        tmux.press("-l", "\x1b[M" + chr(32) + place + "\x1b[M" + chr(32 + 3) + place)
        wait_until(lambda: re.search(rf"^> *{job.pid} ", tmux.text(), re.MULTILINE), "the clicked line")
        tmux.press("-l", "\x1b[M" + chr(32) + place + "\x1b[M" + chr(32 + 3) + place)
        tmux.expect(f"process {job.pid}", "press any key to go back")
        tmux.press("q")
        tmux.expect("PROCESS", absent=("press any key to go back",))
        tmux.press("q")
        tmux.expect(PROMPT)
    for pid in children_of(job.pid):
        os.kill(pid, signal.SIGKILL)


def new_size_is_taken(box: Box):
    sleeper = _sleeper(box)
    with Tmux(box) as tmux:
        tmux.run(*_attach(box, sleeper.pid))
        tmux.expect("PROCESS")
        for columns, rows in ((200, 60), (40, 10), (120, 40), (20, 5), (80, 24)):
            tmux.resize(columns, rows)

            def fits():
                lines = tmux.text().split("\n")
                return lines[rows - 1].startswith(" q detach"[:columns]) and "lowtide" in lines[0]
            wait_until(fits, lambda: f"a screen of {columns}x{rows}; there is\n{tmux.text()}")
        tmux.press("q")
        tmux.expect(PROMPT)


def quit_on_attach_detaches(box: Box):
    sleeper = _sleeper(box)
    with Tmux(box) as tmux:
        modes = _modes(tmux, box, "before")
        tmux.run(*_attach(box, sleeper.pid))
        tmux.expect("PROCESS")
        assert tmux.has_screen()
        tmux.press("q")
        tmux.expect_printed("recording: run.lowtide")
        _expect_restored(tmux, box, modes)
    assert is_alive(sleeper.pid)
    assert box.recording("run.lowtide").meta("closed") == "1"


def quit_on_run_closes_the_screen_and_the_report_comes_at_the_end(box: Box):
    with Tmux(box) as tmux:
        modes = _modes(tmux, box, "before")
        tmux.run(*_words(box, *box.script("keeps.py", KEEPS), "50"))
        tmux.expect("PROCESS")
        tmux.press("q")
        tmux.expect("the screen is closed, the job keeps running", "output: lowtide-", absent=("recording:",))
        box.path("finish").touch()
        tmux.expect_printed("the job failed; its last output:", "step 50 loss", "recording: run.lowtide")
        _expect_restored(tmux, box, modes)
    assert box.recording("run.lowtide").meta("closed") == "1"


def end_of_the_job_ends_the_screen_and_its_status_is_ours(box: Box):
    with Tmux(box) as tmux:
        modes = _modes(tmux, box, "before")
        tmux.type(" ".join(_words(box, *box.script("keeps.py", KEEPS), "60")) + "; echo status''-$?")
        tmux.expect("PROCESS")
        box.path("finish").touch()
        tmux.expect("status-3")
        text = tmux.expect_printed("recording: run.lowtide", "step 60 loss")
        # The report comes last, since a terminal shows the end of what was printed.
        assert text.index("step 60 loss") < text.index("output: ") < text.index("recording: run.lowtide"), text
        assert text.index("recording: run.lowtide") < text.index("status-3"), text
        _expect_restored(tmux, box, modes)


def output_of_the_job_is_in_a_file_and_its_end_on_the_screen(box: Box):
    script = ("import os, sys, time\nos.write(1, b'\\x1b[2J\\x1b]0;owned\\x07first words\\n')\nprint('to the other', file=sys.stderr)\n"
              "assert sys.stdin.read() == ''\nprint('no keys', flush=True)\ntime.sleep(300)\n")
    with Tmux(box, 120, 40) as tmux:
        tmux.record(box.path("raw"))
        tmux.run(*_words(box, *box.script("says.py", script)))
        tmux.expect("first words", "to the other", "no keys", "PROCESS")
        files = list(box.folder.glob("lowtide-*.out"))
        assert len(files) == 1, files
        assert files[0].read_bytes() == b"\x1b[2J\x1b]0;owned\x07first words\nto the other\nno keys\n", files[0].read_bytes()
        assert files[0].name in tmux.text(), tmux.text()
        assert b"]0;owned" not in box.path("raw").read_bytes()
        assert tmux.about("#{pane_title}") != "owned"
        tmux.press("C-c")
        tmux.expect_printed("KeyboardInterrupt", "output: lowtide-", PROMPT)


def silent_job_leaves_no_empty_file(box: Box):
    with Tmux(box) as tmux:
        tmux.run(*_words(box, "sh", "-c", "while [ ! -e finish ]; do sleep 0.05; done"))
        tmux.expect("the job has written nothing yet")
        box.path("finish").touch()
        tmux.expect_printed("recording: run.lowtide", absent=("output:",))
        assert not list(box.folder.glob("lowtide-*.out"))


def output_that_goes_to_a_file_is_left_there(box: Box):
    with Tmux(box) as tmux:
        tmux.type(" ".join(_words(box, *box.script("keeps.py", KEEPS))) + " > train.log 2>&1")
        tmux.expect("PROCESS", "step", absent=("OUTPUT",))
        wait_until(lambda: re.search(r"step \d", tmux.text().split("\n")[0]), "the step in the title")
        assert "loss 0.5" in text_of(box.path("train.log"))
        assert not list(box.folder.glob("lowtide-*.out"))
        tmux.press("C-c")
        tmux.expect(PROMPT)
    assert "recording: run.lowtide" in text_of(box.path("train.log"))


def signals_give_the_terminal_back(box: Box):
    sleeper = _sleeper(box)
    with Tmux(box) as tmux:
        modes = _modes(tmux, box, "before")
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
            tmux.press("C-l")
            tmux.run(*_attach(box, sleeper.pid))
            tmux.expect("PROCESS", "q detach")
            os.kill(tmux.lowtide(), number)
            tmux.expect_printed("recording: run.lowtide")
            _expect_restored(tmux, box, modes)
            tmux.type("clear")
    assert is_alive(sleeper.pid)


def crash_of_lowtide_gives_the_terminal_back(box: Box):
    sleeper = _sleeper(box)
    with Tmux(box) as tmux:
        modes = _modes(tmux, box, "before")
        for number in (signal.SIGSEGV, signal.SIGABRT):
            tmux.type("ulimit -c 0; clear")
            tmux.run(*_attach(box, sleeper.pid))
            tmux.expect("PROCESS", "q detach")
            os.kill(tmux.lowtide(), number)
            _expect_restored(tmux, box, modes)
    assert is_alive(sleeper.pid)


def killed_job_gives_the_terminal_back(box: Box):
    with Tmux(box) as tmux:
        modes = _modes(tmux, box, "before")
        tmux.type(" ".join(_words(box, *box.script("sleeps.py", SLEEPS))) + "; echo status''-$?")
        tmux.expect("PROCESS", "sleeps.py")
        os.kill(jobs_of(tmux.lowtide())[0], signal.SIGKILL)
        tmux.expect("status-137")
        _expect_restored(tmux, box, modes)


def interrupt_key_reaches_the_job(box: Box):
    with Tmux(box) as tmux:
        modes = _modes(tmux, box, "before")
        tmux.run(*_words(box, *box.script("sleeps.py", SLEEPS)))
        tmux.expect("PROCESS", "sleeps.py")
        # An interpreter that still starts would die of the signal without an exception.
        wait_until(lambda: os.path.exists(box.path("begun")), "the job")
        tmux.press("C-c")
        tmux.expect_printed("KeyboardInterrupt", "recording: run.lowtide")
        _expect_restored(tmux, box, modes)


def stop_key_gives_the_terminal_back_until_we_go_on(box: Box):
    with Tmux(box) as tmux:
        tmux.run(*_words(box, *box.script("sleeps.py", SLEEPS)))
        tmux.expect("PROCESS", "sleeps.py")
        tmux.press("C-z")
        tmux.expect("Stopped", PROMPT)
        assert not tmux.has_screen()
        tmux.type("echo between''-times; fg")
        tmux.expect("PROCESS", "q close")
        assert tmux.has_screen()
        tmux.press("q")
        tmux.expect("the screen is closed")
        tmux.press("C-c")
        tmux.expect_printed("recording: run.lowtide")
        # And no stop after that brings it back.
        tmux.type("echo at''-last")
        tmux.expect("at-last")
        assert not tmux.has_screen()


def window_that_is_closed_ends_an_attach(box: Box):
    sleeper = _sleeper(box)
    with Tmux(box) as tmux:
        tmux.run(*_attach(box, sleeper.pid))
        tmux.expect("PROCESS")
        lowtide = tmux.lowtide()
    wait_until(lambda: not is_alive(lowtide), "the end of lowtide")
    assert is_alive(sleeper.pid)
    assert box.recording("run.lowtide").meta("closed") == "1"


def hostile_names_are_only_text(box: Box):
    sleeper = _sleeper(box, HOSTILE)
    with Tmux(box) as tmux:
        tmux.record(box.path("raw"))
        title = tmux.about("#{pane_title}")
        tmux.run(*_attach(box, sleeper.pid))
        text = tmux.expect("PROCESS", "evil?]0;owned??[2J?[31m?name")
        assert text.split("\n")[0].startswith(" lowtide  evil"), text
        assert tmux.about("#{pane_title}") == title
        tmux.press("q")
        tmux.expect(PROMPT)
    raw = box.path("raw").read_bytes()
    assert b"evil" in raw and b"\x1b]0;owned" not in raw and b"\x1b[2J\x1b[31m\rname" not in raw


def no_colour_where_none_is_wanted_or_there_is_none(box: Box):
    sleeper = _sleeper(box)
    for settings in ({"NO_COLOR": "1"}, {"TERM": "vt100"}, {}):
        with Tmux(box) as tmux:
            for name, value in settings.items():
                tmux.type(f"export {name}={value}; clear")
            tmux.run(*_attach(box, sleeper.pid))
            tmux.expect("PROCESS", "memory ")
            codes = {code for codes in re.findall(r"\x1b\[([0-9;]*)m", tmux.styled()) for code in codes.split(";")}
            coloured = {code for code in codes if code and (30 <= int(code) <= 38 or 40 <= int(code) <= 48)}
            assert bool(coloured) == (not settings), (settings, codes)
            assert "1" in codes, codes  # what matters is still seen
            tmux.press("q")
            tmux.expect(PROMPT)


def plain_characters_where_the_locale_has_no_others(box: Box):
    sleeper = _sleeper(box, "\u00e4-sleep")
    with Tmux(box) as tmux:
        tmux.type("export LC_ALL=C; clear")
        tmux.run(*_attach(box, sleeper.pid))
        text = tmux.expect("PROCESS", "?-sleep", "**")
        assert text.isascii(), text
        tmux.press("q")
        tmux.expect(PROMPT)


def screen_needs_a_terminal(box: Box):
    ended = box.run("touch", "was-run", options=("--screen",), start_new_session=True)

    assert ended.returncode == 2, ended
    assert ended.stderr.startswith(b"lowtide: cannot open the screen: ") and ended.stderr.count(b"\n") == 3, ended.stderr
    assert not box.path("was-run").exists()


def unknown_terminal_is_refused_before_the_job_starts(box: Box):
    for kind in ("no-such-kind", "dumb", ""):
        environment = box.environment | {"TERM": kind}
        terminal = Terminal(_words(box, "touch", "was-run", options=("--screen",)), box.folder, environment)

        assert terminal.wait() == 2, terminal.seen
        assert b"cannot open the screen: " in terminal.seen and b"\x1b" not in terminal.seen, terminal.seen
        assert not box.path("was-run").exists()


def screen_in_the_background_is_refused(box: Box):
    with Tmux(box) as tmux:
        tmux.type(" ".join(_words(box, "touch", "was-run", options=("--screen",))) + " & wait $!; echo status''-$?")
        tmux.expect("in the background", "status-2")
    assert not box.path("was-run").exists()


def _snapshots_shown(tmux):
    """How many snapshots the screen has shown by now. More may come by themselves at any time."""
    return max(map(int, re.findall(r"snapshot (\d+),", tmux.text())), default=0)


def snapshots_and_lines_are_shown(box: Box):
    script = KEEPS.replace("bytearray(200_000)", "[bytearray(1000) for _ in range(200)]")
    with Tmux(box, 120, 40) as tmux:
        tmux.run(*_words(box, *box.script("keeps.py", script)))
        tmux.expect("PROCESS")
        tmux.press("n")
        tmux.expect("taking a snapshot")
        tmux.expect("snapshot ", "(list)")
        tmux.expect("keeps.py:5")
        box.wait_for_more_samples("run.lowtide", 8)
        before = _snapshots_shown(tmux)
        tmux.press("n")
        wait_until(lambda: _snapshots_shown(tmux) > before, "another snapshot")
        tmux.expect("+")
        tmux.press("C-c")
        tmux.expect(PROMPT)


if __name__ == "__main__":
    sys.exit(main(globals()))
