"""Work in turn with another process: in_turn.py training | loader UNITS.

For each line of its input it does UNITS steps, and prints the CPU time that they took, in nanoseconds.
"""
import sys

from clock import cpu_now_ns

if __name__ == "__main__":
    if sys.argv[1] == "training":
        from training import train as work
    else:
        from loader import epoch as work
    units = int(sys.argv[2])
    work(units)
    print("ready", flush=True)
    for _ in sys.stdin:
        began_ns = cpu_now_ns()
        work(units)
        print(cpu_now_ns() - began_ns, flush=True)
