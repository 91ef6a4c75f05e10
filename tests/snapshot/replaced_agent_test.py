"""The file of the agent is replaced by another version while a process has the first one loaded.

usage: replaced_agent_test.py --binary LOWTIDE --agent LIBRARY --other LIBRARY [NAME...] | --list
"""

import os
import pathlib
import shutil
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
sys.dont_write_bytecode = True
from lab import PYTHON, Lab, ready  # noqa: E402  (it makes the others known)
from functions import main  # noqa: E402

HOLDS = "import time\nkept = [bytes(1000 + n) for n in range(999)]\nprint('ready', flush=True)\nwhile True: time.sleep(0.01)"


def process_with_the_old_agent_survives_a_snapshot(lab, agent, other):
    with tempfile.TemporaryDirectory() as folder, lab.running(PYTHON, "-c", HOLDS) as job:
        os.chmod(folder, 0o755)
        library = pathlib.Path(folder) / "liblowtide_agent.so"
        os.environ["LOWTIDE_AGENT"] = str(library)
        shutil.copy(agent, library)
        ready(job)
        assert lab.take(job.pid)["snapshot"]["is_whole"]
        # An installer puts a new file in the place of the old one. The process keeps the old one.
        shutil.copy(other, folder + "/new")
        os.rename(folder + "/new", library)
        assert lab.take(job.pid)["snapshot"]["is_whole"]
        assert job.poll() is None, job.returncode


if __name__ == "__main__":
    main(globals(), lambda test, words: test(Lab(words.binary, words.rounds), words.agent, words.other),
         binary=str, agent=str, other=str)
