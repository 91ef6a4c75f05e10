"""Snapshots of processes with a known truth. Every function without an underscore is a test.

usage: snapshot_test.py --binary LOWTIDE [--rounds N] [NAME...] | --list
"""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True
from lab import NOT_SEEN, PYTHON, Lab, by_path, has_agent, needs, ready, walkers, write_line  # noqa: E402  (it makes the others known)
from probing import place_of, pythons  # noqa: E402
from functions import LIMIT_S, Skip, children_of, cpu_ticks_of, is_sanitized, main, read_line, state_of, wait_until  # noqa: E402

GROWS = {
    "__main__.in_module": ("list", 100, 5000),
    "__main__.main.trainer.history": ("list", 100, 4000),
    "__main__.main.trainer.callbacks": ("list", 100, 3000),
    "__main__.window": ("collections.deque", 100, 3500),
    "__main__.seen": ("set", 100, 3000),
    "__main__.tuples": ("tuple", 0, 2200),
    "__main__.chain": ("__main__.Slotted", None, 2600),
    "__main__.Registry.entries": ("dict", 100, 2100),
    "__main__.inbox.queue": ("collections.deque", 100, 1800),
    "__main__.unbounded": ("functools._lru_cache_wrapper", 100, 2500),
}


def what_grew_is_named_in_every_python(lab):
    found = pythons()
    if not found:
        raise Skip("no CPython from 3.9 on")
    for version, python in found.items():
        with tempfile.TemporaryDirectory() as folder, lab.running(python, HERE / "holding.py") as job:
            inside = json.loads(read_line(job.stdout))
            before = lab.save(folder, "before.json", job.pid)
            counts = {row["type"]: row["count"] for row in json.loads(before.read_text())["types"]}
            for name in ("Plain", "Slotted", "Trainer"):
                assert counts["__main__." + name] == inside["gc_counts"][name], (version, name, counts)
            assert counts["collections.deque"] == inside["gc_counts"]["deque"], (version, counts)
            nodes = by_path(json.loads(before.read_text()))
            assert nodes["__main__.bounded", "functools._lru_cache_wrapper"]["bound"] == 50, version
            assert nodes["__main__.unbounded", "functools._lru_cache_wrapper"]["cache"] == "unbounded", version
            recent, window = nodes["__main__.recent", "collections.deque"], nodes["__main__.window", "collections.deque"]
            assert (recent["cache"], recent["length"], recent["bound"]) == ("bounded", 400, 500), (version, recent)
            assert window["cache"] is None, (version, window)
            assert nodes["__main__.main.trainer.model[\"layers\"]", "list"]["retained_bytes"] > 1_200_000
            assert nodes["__main__.in_a_thread.kept", "list"]["retained_bytes"] > 700_000
            write_line(job, "grow 100")
            assert json.loads(read_line(job.stdout))["step"] == 160
            after = lab.save(folder, "after.json", job.pid)
            difference = json.loads(lab.call("--diff", "--json", before, after).stdout)
            grown = {holder["path"]: holder for holder in difference["holders"]}
            for path, (kind, length, bytes_each) in GROWS.items():
                assert path in grown, (version, path, list(grown))
                holder = grown[path]
                assert holder["type"] == kind and holder["growth_length"] == length, (version, holder)
                assert 100 * bytes_each <= holder["growth_bytes"] <= 100 * (bytes_each + 900), (version, holder)
            assert grown["__main__.main.local_list"]["length"] == 100, (version, grown)
            assert "__main__.bounded" not in grown, (version, "a cache that is full has stopped growing")
            write_line(job, "end")
            assert read_line(job.stdout).split() == ["done", "160", "12880"]
            assert job.wait(LIMIT_S) == 0


IN_A_STEP = """
import sys
sys.path.insert(0, sys.argv[1])
import library
hidden = None
for _ in range(200):
    hidden = library.step(hidden, False)
hidden = library.step(hidden, True)
"""
LIBRARY = """
class State:
    def __init__(self, graph):
        self.graph = graph

def step(hidden, waits):
    graph = [bytes(10_000), hidden.graph if hidden else None]
    result = State(graph)
    if waits:
        print("ready", flush=True)
        input()
    return result
"""


def what_a_library_has_in_hand_does_not_hide_who_holds_it(lab):
    with tempfile.TemporaryDirectory() as folder:
        packages = pathlib.Path(folder) / "site-packages"
        packages.mkdir()
        (packages / "library.py").write_text(LIBRARY)
        job = pathlib.Path(folder) / "job.py"
        job.write_text(IN_A_STEP)
        # In the middle of a step: the new state refers to the old graph, as `hidden` does.
        with lab.running(PYTHON, job, packages) as process:
            ready(process)
            nodes = by_path(lab.take(process.pid))
            assert nodes["__main__.hidden", "library.State"]["retained_bytes"] > 2_000_000, nodes.keys()


KEEPS_LOSSES = """
import ctypes, torch
class Heap(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in "arena a b c mapped d e used free top".split()]
mallinfo2 = ctypes.CDLL(None).mallinfo2
mallinfo2.restype = Heap
model = torch.nn.Sequential(*[torch.nn.Linear(8, 8) for _ in range(6)])
losses = []
def step():
    loss = model(torch.ones(2, 8)).square().mean()
    loss.backward()  # what the graph had saved is gone, the graph is not
    losses.append(loss)
for _ in range(50):
    step()
before, steps = mallinfo2().used, 1000
for _ in range(steps):
    step()
print("ready", (mallinfo2().used - before) * len(losses) // steps, flush=True)
import time
time.sleep(100)
"""


def list_of_losses_holds_the_graphs_behind_them(lab):
    needs("torch")
    with lab.running(PYTHON, "-W", "ignore", "-c", KEEPS_LOSSES) as job:
        grown = ready(job)
        held = by_path(lab.take(job.pid))["__main__.losses", "list"]["retained_bytes"]
        print(f"  {held} of {grown} bytes")
        assert 0.55 * grown < held < grown, (held, grown)


KEEPS_IN_DEFAULT = """
def lookup(key, size=100, memo={}, *, seen=[]):
    memo[key] = bytes(size)
    seen.append(str(key) * 10)
for number in range(2000):
    lookup(number)
print("ready", flush=True)
import time
time.sleep(100)
"""


def default_value_of_a_parameter_has_the_name_of_the_parameter(lab):
    for version, python in pythons().items():
        with lab.running(python, "-c", KEEPS_IN_DEFAULT) as job:
            ready(job)
            nodes = by_path(lab.take(job.pid))
            assert nodes['__main__.lookup.__defaults__["memo"]', "dict"]["length"] == 2000, version
            assert nodes['__main__.lookup.__kwdefaults__["seen"]', "list"]["length"] == 2000, version


KEEPS_HOOKS = """
import torch
weight = torch.nn.Parameter(torch.zeros(10))
output = weight * 2
def watch(tensor):
    batch = torch.zeros(100_000)
    tensor.register_hook(lambda gradient: gradient + batch.sum())
for _ in range(20):
    watch(weight)
    watch(output)
print("ready", flush=True)
import time
time.sleep(100)
"""


def hooks_of_a_tensor_belong_to_it(lab):
    needs("torch")
    with lab.running(PYTHON, "-W", "ignore", "-c", KEEPS_HOOKS) as job:
        ready(job)
        nodes = by_path(lab.take(job.pid))
        for name in ("weight", "output"):
            hooks = nodes[f"__main__.{name}._backward_hooks", "collections.OrderedDict"]
            assert hooks["length"] == 20 and 8_000_000 < hooks["retained_bytes"] < 8_100_000, (name, hooks)


def sizes_are_those_of_getsizeof(lab):
    for version, python in pythons().items():
        with lab.running(python, HERE / "sizes.py") as job:
            inside = ready(job)
            nodes = by_path(lab.take(job.pid))
            for name, expected in inside.items():
                told = nodes["__main__." + name, "list"]["retained_bytes"]
                assert abs(told - expected) <= 0.01 * expected + 200, (version, name, told, expected)


def holes_between_the_jobs_memory_are_not_taken_for_ours(lab):
    # What the child maps lies then among the job's objects.
    script = ("import mmap\nmaps, kept = [], []\n"
              "for turn in range(300):\n maps.append(mmap.mmap(-1, 1 << 20))\n"
              " kept.append([b'%d' % number for number in range(9000)])\n"
              "[each.close() for each in maps]\nprint('ready', flush=True)\ninput()")
    with lab.running(PYTHON, "-c", script) as job:
        ready(job)
        snapshot = lab.take(job.pid)
        counts = {row["type"]: row["count"] for row in snapshot["types"]}
        assert counts["bytes"] >= 300 * 8990, counts["bytes"]
        assert by_path(snapshot)["__main__.kept", "list"]["retained_bytes"] > 300 * 8990 * 34


def tensors_agree_with_what_the_process_counts(lab):
    needs("torch")
    with lab.running(PYTHON, HERE / "tensors.py") as job:
        inside = ready(job)
        snapshot = lab.take(job.pid)
        table = {"{device} {dtype} {shape} {requires_grad}".format(**row): row["count"] for row in snapshot["tensors"]}
        assert table == inside["table"], sorted(set(table.items()) ^ set(inside["table"].items()))
        facts = snapshot["snapshot"]
        assert facts["parameter_bytes"] == inside["parameter_bytes"], (facts, inside["parameter_bytes"])
        assert facts["gradient_bytes"] == inside["gradient_bytes"], (facts, inside["gradient_bytes"])
        # Of three losses the batch and the hidden layer; and a tensor that only a function has saved.
        assert 4_000_000 + 3 * 4 * 16 * 64 <= facts["saved_bytes"] < 4_100_000, facts
        nodes = by_path(snapshot)
        kept = nodes["__main__.kept", "list"]["retained_bytes"]
        assert 0 <= kept - inside["kept_bytes"] * 29 / 30 < 20_000, (kept, "the first storage is also in the views")
        arrays = nodes["__main__.arrays", "list"]["retained_bytes"]
        assert 0 <= arrays - inside["arrays_bytes"] * 19 / 20 < 20_000, arrays
        assert nodes["__main__.objects", "numpy.ndarray"]["retained_bytes"] >= inside["objects_bytes"]
        losses = nodes["__main__.losses", "list"]["retained_bytes"]
        # Each keeps a batch, the hidden layer, and what is behind the loss, until its backward().
        graphs = sum(row["bytes"] for row in snapshot["types"] if "Backward" in row["type"])
        assert 5 * 6 * 300 < graphs < 5 * 6 * 1000, graphs  # five losses of six functions
        assert 3 <= (losses - graphs) / (4 * (16 * 64 + 16 * 128)) < 5, (losses, graphs)
        doubled = nodes["__main__.doubled", "torch.Tensor"]["retained_bytes"]
        assert 4_000_000 <= doubled < 4_100_000, doubled


def _losses(process):
    out, err = process.communicate(timeout=1500)
    assert process.returncode == 0, (process.returncode, err[-2000:])
    assert out.endswith("done\n"), out[-200:]
    return out


HOLDS_MANY = "import time\nkept = [[n] for n in range(300000)]\nprint('ready', flush=True)\nwhile True: time.sleep(0.01)"


def _walking_children(pid):
    return [child for child in children_of(pid) if pathlib.Path(f"/proc/{child}/comm").read_text() == "lowtide-walk\n"]


def child_that_dies_is_followed_by_another(lab):
    with lab.running(PYTHON, "-c", HOLDS_MANY) as job:
        ready(job)
        taking = subprocess.Popen([lab.binary, "snapshot", "--json", str(job.pid)], stdout=subprocess.PIPE, text=True)
        wait_until(lambda: _walking_children(job.pid), "the child that walks")
        os.kill(_walking_children(job.pid)[0], signal.SIGKILL)
        out, _ = taking.communicate(timeout=120)
        assert taking.returncode == 0 and json.loads(out)["snapshot"]["is_whole"], (taking.returncode, out[:500])
        assert job.poll() is None


def training_is_the_same_with_any_number_of_snapshots(lab):
    needs("torch")
    if is_sanitized(lab.binary):  # takes seconds to find a safe place, and what is in the job is the same
        raise Skip("needs unsanitized")
    named, without_place = [], 0  # whether a snapshot names the list that grows; how many were not taken
    wanted = max(1, lab.rounds // 2)
    with lab.running(PYTHON, "-W", "ignore", HERE / "training.py") as job:
        ready(job)
        while len(named) < wanted:
            assert job.poll() is None, "it ended by itself"
            done = subprocess.run([lab.binary, "snapshot", "--json", str(job.pid)], capture_output=True, text=True, timeout=120)
            if done.returncode == 0:
                snapshot = json.loads(done.stdout)
                assert snapshot["snapshot"]["is_whole"], snapshot["snapshot"]
                named.append(any(holder["path"] == "__main__.history" for holder in snapshot["holders"]))
            else:
                assert "safe place" in done.stderr, done.stderr
                without_place += 1
                assert without_place <= wanted, f"{without_place} snapshots found no safe place, {len(named)} were taken"
        # The first may come before there is much to name.
        assert named[-1] and named[len(named) // 2:] == sorted(named[len(named) // 2:]), named
        children = pathlib.Path(f"/proc/{job.pid}/task/{job.pid}/children").read_text()
        names = [pathlib.Path(f"/proc/{child}/comm").read_text() for child in children.split()]
        assert not any("lowtide" in name for name in names), names
        watched = _losses(job)
    steps = watched.count("\n") - 1
    with lab.running(PYTHON, "-W", "ignore", HERE / "training.py", steps) as job:
        ready(job)
        assert _losses(job) == watched, "the losses are not the same"
    print(f"  {len(named)} snapshots in {steps} steps; {without_place} more found no safe place")


def signals_and_children_of_the_job_are_left_alone(lab):
    script = """
import os, select, signal, sys, time
seen = []
signal.signal(signal.SIGCHLD, lambda *_: seen.append(1))
print("ready", flush=True)
while not select.select([sys.stdin], [], [], 0)[0]:
    time.sleep(0.01)
try:
    os.waitpid(-1, os.WNOHANG)
    seen.append("a child to wait for")
except ChildProcessError:
    pass
print(seen, flush=True)
"""
    with lab.running(PYTHON, "-c", script) as job:
        ready(job)
        for _ in range(5):
            lab.take(job.pid)
        write_line(job, "end")
        assert read_line(job.stdout).strip() == "[]"


LAUNCHER = """
import ctypes, os, sys, time
if os.getpid() != 1:
    PR_SET_CHILD_SUBREAPER = 36
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
workers = set()
for _ in range(2):
    reader, writer = os.pipe()
    worker = os.fork()
    if worker == 0:
        os.close(writer)
        os.read(reader, 1)  # until the launcher hangs up
        os._exit(0)
    os.close(reader)
    workers.add((worker, writer))
pids = {worker for worker, _ in workers}
print("ready", sorted(pids), flush=True)
sys.stdin.readline()
for _, writer in workers:
    os.close(writer)
while pids:
    pids.remove(os.wait()[0])  # KeyError: a child that it never made
sys.exit(5)
"""


def launcher_that_takes_in_orphans_never_meets_the_child_that_walks(lab):
    """As a subreaper, and as pid 1 of a container: the launcher itself is looked into, and a worker of it."""
    contained = ["unshare", "--pid", "--fork", "--mount-proc"] if os.geteuid() == 0 and shutil.which("unshare") else None
    for prefix in filter(None, ([], contained)):
        with lab.running(*prefix, PYTHON, "-c", LAUNCHER) as job:
            ready(job)
            launcher = job.pid if not prefix else children_of(job.pid)[0]
            for pid in (launcher, children_of(launcher)[0]):
                lab.take(pid)
                assert not [child for child in children_of(pid) if state_of(child) == "Z"], "a zombie"
            write_line(job, "end")
            assert job.wait(LIMIT_S) == 5, job.stderr.read()


def process_without_python_is_reported(lab):
    with lab.running("sleep", "100") as job:
        wait_until(lambda: state_of(job.pid) == "S", "the sleep")
        assert "it has no Python interpreter" in lab.call(job.pid, code=NOT_SEEN).stderr


def process_that_does_not_exist_is_reported(lab):
    assert "no running process has this pid" in lab.call(2**22 - 5, code=NOT_SEEN).stderr


def process_that_is_stopped_is_reported(lab):
    with lab.running(PYTHON, "-c", "print('ready', flush=True); import time; time.sleep(100)") as job:
        ready(job)
        job.send_signal(signal.SIGSTOP)
        wait_until(lambda: state_of(job.pid) == "T", "the stop")
        told = lab.call(job.pid, code=NOT_SEEN).stderr
        assert "stopped" in told, told
        assert state_of(job.pid) == "T", "it stays so"
        job.send_signal(signal.SIGCONT)
        lab.take(job.pid)


def interpreter_that_does_not_release_the_lock_is_reported(lab):
    script = "import threading, time; threading.Thread(target=time.sleep, args=(60,), daemon=True).start(); " \
             "print('ready', flush=True); sum(range(10**12))"
    with lab.running(PYTHON, "-c", script) as job:
        ready(job)
        began = cpu_ticks_of(job.pid)
        wait_until(lambda: cpu_ticks_of(job.pid) > began + 5, "the sum to be under way")
        told = lab.call(job.pid, code=NOT_SEEN).stderr
        # It depends on the thread that was borrowed: the one that adds up, or the one that sleeps.
        assert re.search(r"the agent runs in thread \d+, which has not answered in time|did not release the GIL in time", told), told
        assert len(told.splitlines()) == 3, told
        after = cpu_ticks_of(job.pid)
        wait_until(lambda: cpu_ticks_of(job.pid) > after + 5, "the sum to go on")
        assert job.poll() is None


def snapshot_that_waits_for_a_lock_is_taken_again(lab):
    # In a training it is a lock that another thread had at the fork. Here the walk comes to pause().
    script = f"""
import ctypes, gc, sys
gc.disable()
class Locked: pass
kept = [Locked() for _ in range(100)]
traverse = ctypes.c_void_p.from_address(id(Locked) + {place_of("type_traverse")})
was, traverse.value = traverse.value, ctypes.cast(ctypes.CDLL(None).pause, ctypes.c_void_p).value
print("ready", flush=True)
sys.stdin.readline()
traverse.value = was
sys.stdin.readline()
"""
    with lab.running(PYTHON, "-c", script, start_new_session=True) as job:
        ready(job)
        look = subprocess.Popen([lab.binary, "snapshot", "--json", str(job.pid)], stdout=subprocess.PIPE, text=True)
        wait_until(lambda: "S" in walkers(job.pid) or look.poll() is not None, "a child that waits")
        assert look.poll() is None, "no child waited"
        write_line(job, "free")
        snapshot = json.loads(look.communicate(timeout=LIMIT_S)[0])
        assert snapshot["snapshot"]["is_whole"], snapshot["snapshot"]
        assert ("__main__.kept", "list") in by_path(snapshot), snapshot["holders"]
        assert job.poll() is None and "S" not in walkers(job.pid)


def embedded_python_is_seen(lab):
    if not os.path.exists(PYTHON + "-config"):
        raise Skip("no python3-config")
    config = subprocess.run([PYTHON + "-config", "--embed", "--cflags", "--ldflags"], capture_output=True, text=True)
    assert config.returncode == 0, config.stderr
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "embeds.c"
        source.write_text('#include <Python.h>\nint main(void) { Py_Initialize(); return PyRun_SimpleString('
                          '"import time\\nkept = [bytes(1000 + n) for n in range(1000)]\\nprint(\'ready\', flush=True)\\n'
                          'time.sleep(100)"); }\n')
        made = subprocess.run(["cc", str(source), "-o", folder + "/embeds", *config.stdout.split()], capture_output=True, text=True)
        if made.returncode:
            raise Skip("no libpython to embed: " + made.stderr.strip().splitlines()[-1])
        with lab.running(folder + "/embeds") as job:
            ready(job)
            assert by_path(lab.take(job.pid))["__main__.kept", "list"]["length"] == 1000


BIG = "import time, sys\nkept = [[n, str(n)] for n in range(1_500_000)]\nprint('ready', flush=True)\nsys.stdin.readline()"


def walk_that_takes_too_long_gives_what_it_has(lab):
    """A child that is stopped too early has counted nothing; a little later it has counted some."""
    with lab.running(PYTHON, "-c", BIG) as job:
        ready(job)
        whole = lab.take(job.pid, "--time-limit", "10min")["snapshot"]
        assert whole["is_whole"], whole
        limit_ms, part = 600 * whole["whole_s"], None
        for _ in range(30):
            done = subprocess.run([lab.binary, "snapshot", "--json", "--time-limit", f"{max(100, limit_ms):.0f}ms", str(job.pid)],
                                  capture_output=True, text=True, timeout=LIMIT_S)
            if done.returncode == NOT_SEEN:
                assert "the forked child did not finish counting the objects in time" in done.stderr, done
                limit_ms *= 1.3
                continue
            assert done.returncode == 0, done
            part = json.loads(done.stdout)["snapshot"]
            if not part["is_whole"]:
                break
            limit_ms *= 0.7
        assert part and not part["is_whole"] and 0 < part["objects"] <= whole["objects"] + 1000, (limit_ms, whole, part)
        assert job.poll() is None


def walk_that_needs_too_much_memory_is_reported(lab):
    with lab.running(PYTHON, "-c", BIG) as job:
        ready(job)
        snapshot = lab.take(job.pid, "--memory-limit", "16M")
        assert not snapshot["snapshot"]["is_whole"], snapshot["snapshot"]
        assert snapshot["snapshot"]["table_bytes"] <= 17 << 20, snapshot["snapshot"]


def target_that_dies_in_the_middle_is_reported(lab):
    for moment in ("at once", "entered", "walked over"):
        with lab.running(PYTHON, "-c", BIG.replace("1_500_000", "400_000"), start_new_session=True) as job:
            ready(job)
            watcher = subprocess.Popen([lab.binary, "snapshot", str(job.pid)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            if moment != "at once":
                has_come = (lambda: has_agent(job.pid)) if moment == "entered" else (lambda: walkers(job.pid))
                wait_until(lambda: has_come() or watcher.poll() is not None, f"a process that is {moment}")
            job.kill()
            job.wait(LIMIT_S)
            out, err = watcher.communicate(timeout=LIMIT_S)
            if watcher.returncode == 0:  # the child that walks goes on without it
                assert "__main__.kept (list)" in out and not err, (moment, out, err)
            else:
                assert watcher.returncode == NOT_SEEN and not out and len(err.splitlines()) == 3, (moment, watcher.returncode, out, err)
                assert "the process has ended" in err and "no running process has this pid" in err, (moment, err)


if __name__ == "__main__":
    main(globals(), lambda test, words: test(Lab(words.binary, words.rounds)), binary=str)
