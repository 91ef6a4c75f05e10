"""Numbers in, verdict out; sizes; warnings before harm. Every function without an underscore is a test.

usage: face_test.py --binary LOWTIDE [NAME...] | --list
"""

import json
import sys

from environment import PYTHON, folder, main, need, run, told

LEAK = "[500e6 + 1e6 * n for n in range(2000)]"
FLAT = "[500e6 + 1e5 * (7919 * n % 13) for n in range(2000)]"


def _say(binary, code, **more):
    return told(run(binary, [PYTHON, "-c", "import json, lowtide\n" + code], **more))


def judge_distinguishes_a_leak_from_a_flat_series(binary):
    code = (f"leak = lowtide.judge({LEAK}, steps=range(2000)); flat = lowtide.judge({FLAT})\n"
            "print(json.dumps([leak.kind, leak.is_leak, leak.rate.bytes, leak.rate.per, leak.growth_bytes, flat.kind, str(flat),\n"
            "  leak._repr_html_()]))")
    kind, is_leak, rate, per, growth, flat, words, shown = _say(binary, code)
    assert kind == "leak" and is_leak and per == "step" and abs(rate - 1e6) < 1e4 and growth > 1.5e9, (kind, rate, per, growth)
    assert flat in ("stable", "spikes") and words.startswith(flat), words
    assert "<polyline" in shown and "1999 step" in shown and "leak (" in shown, shown


def judge_says_what_analyze_says(binary):
    series = [{"id": 0, "t": [float(n) for n in range(400)], "rss_mb": [300 + min(n, 90) * 2.0 for n in range(400)]}]
    with folder() as place:
        (place / "one.jsonl").write_text(json.dumps(series[0]) + "\n")
        done = run(binary, [binary, "analyze", "--series", place / "one.jsonl", "--json"], expect=None)
    code = "v = lowtide.judge([1e6 * (300 + min(n, 90) * 2.0) for n in range(400)], seconds=range(400)); print(json.dumps(dict(v.raw)))"
    assert _say(binary, code) == told(done)["verdict"]


def judge_refuses_axes_of_another_length(binary):
    done = run(binary, [PYTHON, "-c", "import lowtide; lowtide.judge([1, 2, 3], steps=[1])"], expect=1)
    assert "ValueError: lowtide: 3 readings, but 1 steps\n  why:" in done.stderr, done.stderr


def sizes_and_times_are_read_as_the_program_reads_them(binary):
    code = ("from lowtide._units import parse_size as p, parse_seconds as s, format_bytes as f\n"
            "print(json.dumps([[p(t) for t in ('500MB', '20G', '17.5 GiB', '1,024 kB', '4096', 12)], [f(b) for b in (0, 92000, 5.8e6, -1.5e9)],\n"
            "  [s(t) for t in ('500ms', '1s', '2.5 min', '1h', '7d', '3', 0.25)]]))")
    read, written, seconds = _say(binary, code)
    assert seconds == [0.5, 1, 150, 3600, 604800, 3, 0.25], seconds
    assert read == [500_000_000, 20 << 30, int(17.5 * (1 << 30)), 1_024_000, 4096, 12], read
    assert written == ["0 B", "92.0 kB", "5.80 MB", "-1.50 GB"], written


def memory_limit_is_the_lowest_of_the_groups_around_the_process(binary):
    def write(root, texts):
        for name, text in texts.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)

    code = "from lowtide._loaders import memory_limit\nprint(json.dumps(memory_limit({!r})))"
    with folder() as place:
        write(place / "two", {"proc/self/cgroup": "0::/slice/job\n", "sys/fs/cgroup/slice/memory.max": "1048576\n",
                              "sys/fs/cgroup/slice/job/memory.max": "max\n"})
        write(place / "one", {"proc/self/cgroup": "9:name=systemd:/\n4:cpu,memory:/pod/job\n0::/\n",
                              "sys/fs/cgroup/memory/pod/job/memory.limit_in_bytes": "2097152\n",
                              "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n"})
        assert _say(binary, code.format(str(place / "two"))) == 1 << 20
        assert _say(binary, code.format(str(place / "one"))) == 2 << 20
        assert _say(binary, code.format(str(place / "none"))) > 2 << 20  # the memory of the machine


def loader_over_python_objects_is_warned_of(binary):
    need(PYTHON, "torch", "numpy")
    code = ("import numpy, torch\nfrom torch.utils.data import DataLoader, Dataset\n"
            "class Words(Dataset):\n"
            "    def __init__(self, things): self.things = things\n"
            "    def __len__(self): return len(self.things)\n"
            "    def __getitem__(self, n): raise RuntimeError('not to be called')\n"
            "names = Words([f'a path with some letters {n}' for n in range(1_000_000)])\n"
            "packed = Words(numpy.arange(30_000_000))\n"
            "said = [lowtide.check_loader(DataLoader(d, batch_size=4, num_workers=w)) for d, w in ((names, 4), (names, 0), (packed, 4))]\n"
            "spawned = lowtide.check_loader(DataLoader(packed, num_workers=4, multiprocessing_context='spawn'))\n"
            "ahead = lowtide.check_loader(DataLoader(packed, num_workers=4, prefetch_factor=8), batch=[torch.ones(3_000_000)])\n"
            "pinned = lowtide.check_loader(DataLoader(packed, num_workers=0, pin_memory=True), batch={'x': torch.ones(15_000_000)})\n"
            "print(json.dumps([[[w.kind, w.bytes, str(w)] for w in one] for one in (*said, spawned, ahead, pinned)]))")
    names, none, packed, spawned, ahead, pinned = _say(binary, code, OMP_NUM_THREADS="1")
    real = 4 * 1_000_000 * (49 + 30 + 8)  # a string of 31 letters in ASCII takes 49 + 31, and its place in the list
    assert len(names) == 1 and names[0][0] == "copy-on-write" and 0.7 * real < names[0][1] < 1.6 * real, (names, real)
    assert "Words.things" in names[0][2] and "try:" in names[0][2], names
    assert none == [] and packed == [], (none, packed)
    assert spawned[0][0] == "worker-copies" and 0.9 * 960e6 < spawned[0][1] < 1.1 * 960e6, spawned
    assert ahead[-1][0] == "prefetch" and ahead[-1][1] == 32 * 12_000_000, ahead
    code = ("import multiprocessing\nfrom torch.utils.data import DataLoader\n"
            "class Paths:\n"
            "    def __init__(self): self.config = [[0.5 * n for n in range(400)] for _ in range(64)]; self.paths = [f'path {n}' for n in range(3_000_000)]\n"
            "    def __len__(self): return len(self.paths)\n"
            "    def __getitem__(self, n): return n\n"
            "said = lowtide.check_loader(DataLoader(Paths(), num_workers=4))\n"
            "multiprocessing.set_start_method('spawn')  # still free to choose\n"
            "print(json.dumps([[w.kind, str(w)] for w in said]))")
    (kind, words), = _say(binary, code, OMP_NUM_THREADS="1")
    assert kind == "copy-on-write" and "Paths.paths" in words, words
    assert [one[:2] for one in pinned] == [["pinned", 2 * 64 << 20]], pinned  # two blocks, rounded up to powers of two


if __name__ == "__main__":
    sys.exit(main(globals(), lambda test, words: test(words.binary), binary=str))
