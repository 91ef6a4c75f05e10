"""A shell in a window of a real tmux, as a person has it: keys go in, what is seen comes out."""

import contextlib
import itertools
import shlex
import shutil
import subprocess

from box import LIMIT_S, Skip, children_of, is_alive, wait_until

PROMPT = "prompt$"

_numbers = itertools.count()


class Tmux:
    """One window of the size asked for, with a server of its own."""

    def __init__(self, box, columns=80, rows=24):
        if not shutil.which("tmux") or not shutil.which("bash"):
            raise Skip("needs tmux and bash (./dev test installs them)")
        if b"without ncurses" in box.run("true", options=("--screen",), start_new_session=True).stderr:
            raise Skip("needs a lowtide with ncurses (libncurses-dev)")
        self.socket = box.path(f"tmux.{next(_numbers)}")
        self.environment = box.environment | {"PS1": PROMPT + " ", "HISTFILE": "/dev/null"}
        self._tmux("-f", "/dev/null", "-u", "new-session", "-d", "-x", str(columns), "-y", str(rows), "-c", str(box.folder),
                   "bash", "--norc", "--noprofile", "-i", ";", "set-option", "-g", "status", "off")
        self.resize(columns, rows)  # the status line had its row
        self.expect(PROMPT)
        self.shell = int(self.about("#{pane_pid}"))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        started = children_of(self.shell)
        with contextlib.suppress(subprocess.SubprocessError):
            self._tmux("kill-server")
        # What hangs up still closes its recording.
        wait_until(lambda: not any(map(is_alive, started)), "the end of what ran in the window")

    def _tmux(self, *words):
        return subprocess.run(["tmux", "-S", str(self.socket), *words], env=self.environment, check=True,
                              capture_output=True, text=True, timeout=LIMIT_S).stdout

    def resize(self, columns, rows):
        self._tmux("resize-window", "-x", str(columns), "-y", str(rows))

    def about(self, question):
        return self._tmux("display-message", "-p", question).strip()

    def press(self, *keys):
        self._tmux("send-keys", *keys)

    def run(self, *words):
        """Types a command, as a shell reads it."""
        self._tmux("send-keys", "-l", shlex.join(map(str, words)))
        self.press("Enter")

    def type(self, line):
        self._tmux("send-keys", "-l", line)
        self.press("Enter")

    def text(self):
        return self._tmux("capture-pane", "-p")

    def styled(self):
        return self._tmux("capture-pane", "-p", "-e")

    def record(self, path):
        """From now on every byte that the window is sent is in the file."""
        self._tmux("pipe-pane", f"cat >> {shlex.quote(str(path))}")

    def printed(self):
        """What was printed, with the lines that have scrolled off the window."""
        return self._tmux("capture-pane", "-p", "-S", "-")

    def expect_printed(self, *texts, absent=()):
        return self.expect(*texts, absent=absent, read=self.printed)

    def expect(self, *texts, absent=(), read=None):
        seen = ""

        def shown():
            nonlocal seen
            seen = (read or self.text)()
            return all(text in seen for text in texts) and not any(text in seen for text in absent)
        try:
            wait_until(shown, f"{texts} without {absent}")
        except AssertionError as error:
            raise AssertionError(f"{error}; there is\n{seen}") from None
        return seen

    def lowtide(self):
        return wait_until(lambda: children_of(self.shell), "lowtide")[0]

    def has_screen(self):
        return self.about("#{alternate_on}") == "1"
