#!/usr/bin/python3
"""./dev bench agent: what the agent costs a job, beside the tools that people use.

  agent [--rounds N] [--seconds N] [--python PROGRAM] [--no-peers] [--check] [LOAD...]

Each load runs without a tool (bare), under `lowtide run` with and without the agent, and under
heaptrack, memray and tracemalloc, in turn on the same machine. The result is the CPU time that
the job itself measures (with its children), divided by that of the bare job of the same round:
the median of the rounds with a 95% interval. The table also has the wall time, and the
instructions of the job if the processor counts them.
Before that, the cost is measured by turns, which has less noise: that of the hooks within one process, and that of a step
of torch in a pair of processes, one of which waits.
The last part is a job that does nothing: the memory of the agent, and how fast the files grow.

LOAD: a word of the name (torch, objects, malloc, DataLoader), `steady`, or `counted`: instructions of all these under
valgrind, for machines that are too noisy to time them. Default: all but `counted`.
A missed aim is printed; with --check it also makes the exit status 1.
"""
import argparse
import sys
import tempfile

sys.dont_write_bytecode = True
import tools  # noqa: E402
from aims import Aims  # noqa: E402
from counted import bench_counted  # noqa: E402
from side_by_side import bench_side_by_side  # noqa: E402
from steady import bench_steady  # noqa: E402
from turns import bench_turns  # noqa: E402
from twins import bench_load, find_loads  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=60, help="of the job that stands still")
    parser.add_argument("--python", help="the Python of the loads (default: the system's)")
    parser.add_argument("--no-peers", action="store_true", help="only bare and ours: sooner, or more rounds")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("loads", nargs="*", metavar="LOAD")
    arguments = parser.parse_args()
    python = tools.make_environment(tools.python_of(arguments.python))
    contenders = list(tools.find_tools(python))[:3 if arguments.no_peers else None]
    print(f"{tools.describe(python)}; {arguments.rounds} rounds", flush=True)
    aims = Aims()
    with tempfile.TemporaryDirectory() as folder:
        if "counted" in arguments.loads:
            bench_counted(arguments.python or python, [word for word in arguments.loads if word != "counted"], folder, aims)
        elif arguments.loads != ["steady"]:
            by_turns = bench_turns(python, arguments.loads, folder, aims)
            bench_side_by_side(arguments.python or python, arguments.loads, aims)
            for load in find_loads(python, arguments.loads):
                bench_load(load, contenders, python, arguments, folder, aims, by_turns.get(load.name))
        if not arguments.loads or "steady" in arguments.loads:
            bench_steady(contenders, python, arguments, folder, aims)
    print(f"\n{aims.kept} aims kept, {aims.missed} MISSED")
    if arguments.check and aims.missed:
        sys.exit(1)


if __name__ == "__main__":
    main()
