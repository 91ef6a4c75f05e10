"""The CUDA driver's allocations, followed by the agent in a real process with a stand-in for libcuda.

usage: driver_test.py --probe AGENT_PROBE --agent LIBAGENT --cuda LIBCUDA --calls DRIVER_CALLS [NAME...] | --list
"""

import pathlib
import re
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "agent")]
sys.dont_write_bytecode = True
import functions  # noqa: E402
from probing import Bench, live_bytes_of, pythons, sites_of  # noqa: E402

MIB = 1 << 20
ALLOC, CREATE, ASYNC, HOST, REGISTER = 8, 9, 10, 11, 12
FOLLOWED, LATE = 1, 2
DRIVER_DROPS = 5
WAYS = ("dlsym", "dlvsym", "first", "second", "threads")
CTYPES = """\
import ctypes, os
driver = ctypes.CDLL({path!r})
block = ctypes.c_uint64()
def train_step():
    driver.cuMemAlloc_v2(ctypes.byref(block), ctypes.c_size_t(4 << 20))  # line 5
for _ in range(30):
    train_step()
os._exit(0)
"""


def _same_as_without(bench, words, mode, way="second", environment=()):
    command = (words.calls, words.cuda, mode, way)
    plain = bench.without(*command)
    said = bench.run(*command, environment=environment)
    assert plain.returncode == 0, plain.stderr

    assert said.output == plain.stdout, f"with:\n{said.output}\nwithout:\n{plain.stdout}"
    return said


def _live(process):
    return {source: size for source, size in process["live_by_source"] if source >= ALLOC and size}


def _bytes(said):
    return int(re.search(r"^bytes: (\d+)$", said.output, re.M)[1])


def every_way_of_asking_is_followed_to_the_byte(bench, words):
    for way in WAYS:
        process = _same_as_without(bench, words, "keep", way).only()

        assert _live(process) == {ALLOC: 40 * MIB, CREATE: 20 * MIB, HOST: 10 * MIB}, (way, process["live_by_source"])
        assert process["driver"]["state"] == FOLLOWED and process["driver"]["failures"] == 0, (way, process["driver"])
        assert process["drops"][DRIVER_DROPS] == 0, (way, process["drops"])


def functions_that_were_looked_up_before_main_are_followed(bench, words):
    said = bench.run(words.calls, words.cuda, "keep", "early", environment={"EARLY_DRIVER": str(words.cuda)})

    assert _live(said.only()) == {ALLOC: 40 * MIB, CREATE: 20 * MIB, HOST: 10 * MIB}, said.only()["live_by_source"]


def every_function_returns_what_the_driver_returns(bench, words):
    process = _same_as_without(bench, words, "everything").only()

    driver = process["driver"]
    assert driver["modules"] == 1 and driver["unsized"] == 1 and driver["imported"] == 2, driver
    assert driver["failures"] == 7, driver
    assert _live(process) == {ALLOC: MIB, ASYNC: MIB, REGISTER: 65536}, process["live_by_source"]
    assert driver["unfollowed"] == ["cuMemAlloc"], driver


def a_version_that_is_not_known_is_passed_on_and_named(bench, words):
    process = _same_as_without(bench, words, "next").only()

    assert process["driver"]["unfollowed"] == ["cuMemAlloc_v3", "cuMemAlloc"], process["driver"]
    assert _live(process) == {}, process["live_by_source"]


def eight_threads_leave_nothing(bench, words):
    said = _same_as_without(bench, words, "storm")

    process = said.only()
    assert _bytes(said) == 0 and _live(process) == {}, process["live_by_source"]
    assert process["driver"]["failures"] == 0, process["driver"]


def a_forked_child_frees_its_copy_only(bench, words):
    said = _same_as_without(bench, words, "fork")

    parent = next(process for process in said.processes if _live(process) == {ALLOC: 16 * MIB})
    others = [process for process in said.processes if process is not parent]
    assert [_live(process) for process in others] == [{ALLOC: 2 * MIB}], said.processes


def blocks_of_the_drivers_pools_are_sampled_by_their_size(bench, words):
    said = _same_as_without(bench, words, "pool", environment={"LOWTIDE_AGENT_RATE": "1000000"})

    # 600 blocks of 64 KiB are kept, and one in eight is sampled. 75 samples have an error of 11%; five times that.
    estimate = _live(said.only())[ASYNC]
    assert 0.45 * 600 * 65536 < estimate < 1.55 * 600 * 65536, estimate


def driver_that_was_there_before_the_agent_is_not_followed_by_halves(bench, words):
    said = bench.run(words.calls, words.cuda, "late", "dlsym", environment={"PROBE_LATE": "1"})

    process = said.only()
    assert _bytes(said) == 2 * 60 * MIB and _live(process) == {}, process["live_by_source"]
    assert process["driver"]["state"] == LATE and process["driver"]["allocations"] == 0, process["driver"]


def allocation_by_ctypes_has_its_line(bench, words):
    for python in pythons().values():
        process = bench.run(python, bench.script("extension.py", CTYPES.format(path=str(words.cuda)))).only()

        assert live_bytes_of(process, "extension.py:5 train_step") == 30 * 4 * MIB, sites_of(process, "extension.py")
        break
    else:
        raise functions.Skip("no Python")


def without_a_monitor_the_driver_is_left_alone(bench, words):
    plain = bench.without(words.calls, words.cuda, "everything", "second")
    asleep = bench.without(words.calls, words.cuda, "everything", "second", preload=bench.agent)

    assert asleep.returncode == 0 and asleep.stdout == plain.stdout, asleep.stdout


def _run(test, words):
    with tempfile.TemporaryDirectory(prefix="lowtide-driver-") as folder:
        test(Bench(words.probe.resolve(), words.agent.resolve(), folder), words)


if __name__ == "__main__":
    functions.main(globals(), _run, probe=pathlib.Path, agent=pathlib.Path, cuda=pathlib.Path, calls=pathlib.Path)
