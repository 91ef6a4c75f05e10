#!/usr/bin/env python3
"""How long a snapshot stops the process, compared with other ways to count its objects: ./dev bench snapshot

  snapshot [--objects 10e6] [--rounds 5] [--python PROGRAM] [--no-peers] [--check]

`stopped for` is how long no thread of the process runs Python: for lowtide the fork, for the others all of their work,
which they do inside the process. --check: exit 1 when the pause is more than a bare fork and 2 ms (the median of the rounds), the walk
does less than 8 M objects/s, or its tables take more than 40 bytes per object.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
BUILD = HERE.parents[1]
LOWTIDE = os.environ.get("LOWTIDE", str(BUILD / "src/cli/lowtide"))
PEERS = ("objgraph", "guppy3", "pympler")
WAYS = {"collector": "gc.get_objects() + Counter", "objgraph": "objgraph", "guppy": "guppy3", "pympler": "pympler"}


def install_peers(python, folder):
    """Installs the peers that are available. Returns the path to add to PYTHONPATH."""
    for peer in PEERS:
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--target", folder, peer], stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
    return folder


class Heap:
    def __init__(self, python, objects, path):
        self.process = subprocess.Popen([python, str(HERE / "heap.py"), str(objects)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, env={**os.environ, "PYTHONPATH": path})
        self.process.stdout.readline()

    def ask(self, way):
        self.process.stdin.write(way + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().split()
        return None if not answer or answer[0] == "missing" else (float(answer[0]), int(answer[1]))

    def snapshot(self):
        done = subprocess.run([LOWTIDE, "snapshot", "--json", str(self.process.pid)], capture_output=True, text=True)
        if done.returncode:
            sys.exit(done.stderr)
        return json.loads(done.stdout)["snapshot"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--objects", type=float, default=10e6)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--python", default="/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable)
    parser.add_argument("--no-peers", action="store_true")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        heap = Heap(arguments.python, arguments.objects, "" if arguments.no_peers else install_peers(arguments.python, folder))
        heap.snapshot()  # loads the agent
        rounds = [(heap.ask("fork")[0], heap.snapshot()) for _ in range(arguments.rounds)]
        middle = lambda values: statistics.median(values)  # noqa: E731
        fork_ms = 1e3 * middle([fork for fork, _ in rounds])
        pause_ms = 1e3 * middle([one["pause_s"] for _, one in rounds])
        objects = rounds[0][1]["objects"]
        rate = middle([one["objects"] / one["walk_s"] for _, one in rounds])
        table = middle([one["table_bytes"] / one["objects"] for _, one in rounds])
        print(f"\na process with {objects / 1e6:.1f} M objects ({rounds[0][1]['object_bytes'] / 1e9:.2f} GB), medians of {len(rounds)}")
        print(f"  {'':28} {'stopped for':>14} {'objects seen':>14}")
        print(f"  {'a bare fork':28} {fork_ms:11.1f} ms")
        print(f"  {'lowtide snapshot':28} {pause_ms:11.1f} ms {objects:14,}")
        for way, name in ({"collector": WAYS["collector"]} if arguments.no_peers else WAYS).items():
            found = heap.ask(way)
            print(f"  {name:28} " + ("not installed" if found is None else f"{1e3 * found[0]:11.1f} ms {found[1]:14,}"), flush=True)
        whole = middle([one["whole_s"] for _, one in rounds])
        print(f"  the child: counts {rate / 1e6:.1f} M objects/s; including the holders it takes {whole:.1f} s "
              f"({objects / whole / 1e6:.1f} M/s); {table:.1f} bytes per object")
        goals = {"a bare fork and 2 ms": pause_ms <= fork_ms + 2, "8 M objects/s": rate >= 8e6, "40 bytes per object": table <= 40}
        for aim, is_met in goals.items():
            print(f"  goal {aim}: {'met' if is_met else 'MISSED'}")
        heap.process.kill()
    sys.exit(1 if arguments.check and not all(goals.values()) else 0)


if __name__ == "__main__":
    main()
