"""The script that describes torch's CUDA allocator, with outputs of torch on an H200. Every function without an underscore is a test.

usage: gpu_blocks_test.py --sources SRC [NAME...] | --list
"""

import json
import pathlib
import sys
import time
import types

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
sys.dont_write_bytecode = True
from functions import main  # noqa: E402

RECORDED = sorted(HERE.glob("recorded/*.json"))
JOB = "/job/train.py"


class _Torch:
    """torch as the script meets it: what it is asked for, and the answers of an allocator."""

    def __init__(self, snapshot=None, backend="native"):
        self.is_on, self.calls, self.allocated, self.is_capturing = False, [], 0, False
        self.snapshot = snapshot or {"segments": [], "device_traces": []}
        self.C = types.SimpleNamespace(
            _cuda_record_memory_history=self.record_in_c, _cuda_isHistoryEnabled=lambda: self.is_on,
            _cuda_isCurrentStreamCapturing=lambda: self.is_capturing, _cuda_getAllocatorBackend=lambda: backend,
            _cuda_getDeviceCount=lambda: 1, _cuda_memorySnapshot=lambda pool: self.snapshot,
            _cuda_memoryStats=lambda device: {"allocation": {"all": {"allocated": self.allocated}},
                                              "allocated_bytes": {"all": {"current": 0}}})
        memory = types.SimpleNamespace(_record_memory_history=self.record)
        self.modules = {"torch": types.SimpleNamespace(_C=self.C), "time": time, "torch.cuda.memory": memory,
                        "torch.cuda": types.SimpleNamespace(is_initialized=lambda: True)}

    def record_in_c(self, enabled, context=None, stacks="all", most=0):
        self.calls.append((enabled, context, stacks, most))
        self.is_on = enabled is not None

    def record(self, enabled="all", context="all", stacks="all", max_entries=1 << 60):  # as torch.cuda.memory has it
        self.C._cuda_record_memory_history(enabled, context, stacks, max_entries)


def _script(sources, torch):
    """The names of the script, and the texts that it has sent."""
    sent = []
    names = {"modules": torch.modules, "report_blocks": sent.append, "like": lambda wrapper, real: wrapper}
    exec(compile((sources / "agent/python/gpu_blocks.py").read_text().partition("# --- embedded from here on ---")[2], "gpu_blocks.py", "exec"), names)
    names["history"].watch_job(torch.C)
    return names, sent


def _described(sources, torch):
    names, sent = _script(sources, torch)
    names["description"].make(names["history"], 0)
    assert sent[0] == "", "that of the last time is not that of now"
    return [line.split(" ") for line in sent[-1].splitlines()]


def _steps(names, torch, count, allocations=10):
    """Steps of the trainer; returns those that were recorded."""
    recorded = []
    for step in range(1, count + 1):
        torch.allocated += allocations
        if torch.is_on:
            recorded.append(step)
        names["history"].end_step()
    return recorded


def pools_and_lines_add_up_to_the_counters_of_torch(sources):
    assert len(RECORDED) == 2, RECORDED
    for path in RECORDED:
        recorded = json.loads(path.read_text())
        lines = _described(sources, _Torch(recorded))
        pools = [[int(number) for number in words[1:]] for words in lines if words[0] == "pool"]
        stats = recorded["stats"]
        assert sum(pool[3] for pool in pools) == stats["reserved"], (path, pools)
        assert sum(pool[4] for pool in pools) == stats["allocated"], (path, pools)
        assert sum(pool[5] for pool in pools) == stats["requested"], (path, pools)
        by_line = [int(words[2]) for words in lines if words[0] in ("line", "other", "without")]
        assert sum(by_line) == stats["allocated"], (path, lines)
        assert sorted(pool[1:3] for pool in pools) == [[0, 0], [0, 1], [1, 0]], "the default one, that of a MemPool, of a CUDA graph"


def free_memory_of_a_pool_is_divided_by_whether_torch_can_return_it(sources):
    recorded = json.loads((HERE / "recorded/torch-2.11-native.json").read_text())
    default = next(words for words in _described(sources, _Torch(recorded)) if words[:4] == ["pool", "0", "0", "0"])
    reserved, allocated, awaiting, split, whole, largest = (int(default[at]) for at in (4, 5, 7, 8, 9, 10))
    assert split + whole + allocated + awaiting == reserved, default
    assert whole == largest == 50 << 20, "the segment of a tensor of 50 MiB that was freed"
    in_graph = next(words for words in _described(sources, _Torch(recorded)) if words[:4] == ["pool", "0", "1", "0"])
    assert split + int(in_graph[8]) == recorded["stats"]["inactive"], (default, in_graph)


def line_is_the_innermost_of_the_user(sources):
    recorded = json.loads(RECORDED[0].read_text())
    lines = {words[4]: words for words in _described(sources, _Torch(recorded)) if words[0] == "line"}
    kept = lines["53"]
    assert kept[1:] == ["0", str(2 << 20), "2", "53", "keep_one", JOB], kept
    assert lines["75"][5:] == ["fixture", JOB], "below it are frames of torch"


def one_of_twelve_steps_is_recorded_at_no_fixed_distance(sources):
    torch = _Torch()
    names, _ = _script(sources, torch)
    names["clock"] = iter(range(1_000_000)).__next__  # a second per step: its allocations cost nothing beside it
    recorded = _steps(names, torch, 1200)
    assert 95 <= len(recorded) <= 101, len(recorded)
    assert len({step % 10 for step in recorded}) == 10, "a job that evaluates every tenth step is seen doing so"
    assert torch.calls[:2] == [("state", "state", "python", 1), (None, "all", "all", 1 << 60)], torch.calls[:2]
    assert not torch.is_on or names["history"].is_on


def steps_of_many_allocations_are_recorded_less_often(sources):
    torch = _Torch()
    names, _ = _script(sources, torch)
    ticks = iter(range(1_000_000))
    names["clock"] = lambda: next(ticks) * 0.005  # 5 ms with 1,000 allocations, whose stacks take 3.5 ms
    recorded = _steps(names, torch, 3000, allocations=1000)
    assert 3.5e-6 * 1000 / 0.005 * len(recorded) / 3000 < 0.006, len(recorded)
    assert len(recorded) > 15, len(recorded)


def _event(action, address, size, line=0):
    frames = [{"filename": JOB, "line": line, "name": "step"}] if line else []
    return {"action": action, "addr": address, "size": size, "frames": frames, "stream": 0, "time_us": 1}


def peak_of_a_step_is_divided_by_line(sources):
    names, _ = _script(sources, _Torch())
    events = [_event("free_requested", 1, 50),        # what an earlier step has left
              _event("alloc", 2, 300, 10), _event("segment_alloc", 2, 4096), _event("alloc", 3, 200, 11),
              _event("alloc", 4, 100),                # by a thread of C++: the highest moment
              _event("free_requested", 2, 300), _event("free_completed", 2, 300), _event("alloc", 5, 250, 12)]
    lines, before = names["peak_lines"](events, 1000)
    assert lines.line_texts("", 0, 16) == [f"line 0 300 1 10 step {JOB}", f"line 0 200 1 11 step {JOB}", "without 0 100 1"]
    assert before == 1000 - 500 + 550 - 600 == 450, before  # 500 more than at the beginning; the peak was 550 above it


def events_are_read_in_some_recorded_steps_and_the_history_is_off_after_an_error(sources):
    torch = _Torch({"segments": [], "device_traces": [[_event("alloc", 1, 64, 5)]]})
    names, sent = _script(sources, torch)
    _steps(names, torch, 40)
    assert [call[:2] for call in torch.calls].count(("all", "alloc")) == 1, "the next one only after a thousand times as long"
    names["description"].make(names["history"], 0)
    assert f"\npeak-line 0 64 1 5 step {JOB}\npeak-before 0 " in sent[-1], sent[-1]
    broken = _Torch()
    broken.C._cuda_memorySnapshot = lambda pool: 1 / 0
    names, _ = _script(sources, broken)
    names["clock"] = iter(range(1_000_000)).__next__
    errors = 0
    for _ in range(100):
        try:
            _steps(names, broken, 1)
        except ZeroDivisionError:
            errors += 1
            assert not broken.is_on
    assert errors == 1 and names["history"].recorded > 5, (errors, names["history"].recorded)


def history_that_the_job_records_is_left_alone(sources):
    torch = _Torch()
    names, sent = _script(sources, torch)
    _steps(names, torch, 1)
    assert torch.is_on
    torch.record()  # of the job, in the middle of a recorded step
    assert not _steps(names, torch, 100)[100:] and torch.is_on, "the job has switched it on"
    assert len(torch.calls) == 2, torch.calls
    torch.snapshot = None  # its stacks may have frames of C++: torch is not asked for their names
    names["description"].make(names["history"], 0)
    assert sent[-1].startswith("history 0 101 12 the job records"), sent[-1]


def history_that_was_on_before_is_left_alone(sources):
    torch = _Torch()
    torch.is_on = True
    names, _ = _script(sources, torch)
    _steps(names, torch, 50)
    assert not torch.calls and names["history"].why_not.startswith("the job records")


def nothing_is_switched_while_a_graph_is_captured(sources):
    torch = _Torch()
    torch.is_capturing = True
    names, _ = _script(sources, torch)
    _steps(names, torch, 50)
    assert not torch.calls
    torch.is_capturing = False
    assert _steps(names, torch, 50)


def other_allocators_are_named_and_not_asked(sources):
    torch = _Torch(backend="cudaMallocAsync")
    torch.C._cuda_memorySnapshot = lambda pool: 1 / 0
    torch.C._cuda_isHistoryEnabled = lambda: 1 / 0  # as cudaMallocAsync does
    names, sent = _script(sources, torch)
    _steps(names, torch, 50)
    names["description"].make(names["history"], 0)
    assert not torch.calls and sent[-1] == "history 0 50 12 the allocator of torch is cudaMallocAsync\nbackend cudaMallocAsync\n", sent


def torch_without_the_functions_gives_less(sources):
    torch = _Torch()
    for name in ("_cuda_record_memory_history", "_cuda_isHistoryEnabled", "_cuda_getAllocatorBackend"):
        delattr(torch.C, name)
    torch.C._cuda_memorySnapshot = lambda: {"segments": []}  # before torch 2.9
    names, sent = _script(sources, torch)
    _steps(names, torch, 50)
    names["description"].make(names["history"], 0)
    assert "this torch cannot record" in sent[-1] and "backend native" in sent[-1], sent
    older = _Torch()
    older.modules["torch.cuda.memory"]._record_memory_history = lambda enabled, record_context=True: None  # torch 2.0
    names, _ = _script(sources, older)
    _steps(names, older, 50)
    assert "this torch cannot record" in names["history"].why_not


def what_takes_long_is_done_less_often(sources):
    names, sent = _script(sources, _Torch())
    now = [0.0]

    def clock():
        now[0] += 0.05
        return now[0]
    names["clock"] = clock
    names["description"].make(names["history"], 500)
    names["description"].make(names["history"], 500)
    assert sent[1] and sent[2:] == [""], sent
    now[0] += 60
    names["description"].make(names["history"], 500)
    assert sent[4], sent


def longest_description_has_room(sources):
    function, file = "f" * 100, "/job/" + "x" * 150
    blocks = [{"size": 512 * (number + 1), "state": "active_allocated", "address": number,
               "frames": [{"filename": file, "line": number, "name": function}]} for number in range(500)]
    segment = {"device": 0, "total_size": sum(block["size"] for block in blocks), "blocks": blocks, "segment_pool_id": (0, 0)}
    names, sent = _script(sources, _Torch({"segments": [segment]}))
    names["history"].peaks = {0: (names["Blocks"](), 1)}
    names["history"].peaks[0][0].add_all([segment])
    names["description"].make(names["history"], 0)
    room = int((sources / "wire/snapshot.h").read_text().partition("kMaxBlocksText = ")[2].partition(";")[0])
    assert len(sent[-1]) <= room, len(sent[-1])
    assert sent[-1].count("\nline ") == 48 and "\nother 0 " in sent[-1]


if __name__ == "__main__":
    main(globals(), lambda test, words: test(words.sources), sources=pathlib.Path)
