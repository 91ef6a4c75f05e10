#!/usr/bin/env python3
"""Compares the GPU memory that lowtide reports with torch and nvidia-smi, and measures the cost of lowtide.

./dev bench gpu [--binary LOWTIDE] [--python PYTHON] [--steps 240] [--seconds 40] [--rounds 5] [--cost-seconds 60] [--turn-seconds 12] [--only-cost]

Needs an NVIDIA GPU and torch with CUDA. docs/design/gpu.md has the table of one machine.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

from interval import median_interval

STARTS_S = 2  # a turn
BUILD = pathlib.Path(__file__).resolve().parents[2]
HERE = BUILD.parents[1] / "bench/gpu"
# The kind of the verdict of the GPU, and the finding about it. The finding about a leak is part of the one that names the variable.
TRUTH = {"leak": ("leak", []), "fragments": (None, ["gpu-fragmentation"]), "outside": (None, ["gpu-outside-torch"]), "steady": (None, [])}


def run(words, folder, cause):
    recording = os.path.join(folder, cause + ".lowtide")
    done = subprocess.run([words.binary, "run", "--output", recording, "--", words.python, HERE / "job.py", cause,
                           str(words.steps), str(words.seconds)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    said = json.loads(done.stdout.strip().splitlines()[-1])
    report = json.loads(subprocess.run([words.binary, "report", "--json", recording], capture_output=True, text=True).stdout)
    return said, report


def megabytes(count):
    return "-" if count is None else f"{count / 1e6:,.1f}"


def show(cause, said, report):
    gpu = report["gpus"][0]
    found = [finding["id"] for finding in report["findings"] if finding["id"].startswith("gpu-")]
    kind, findings = TRUTH[cause]
    right = found == findings and kind in (None, gpu["verdict"]["kind"])
    print(f"\n{cause}: {'right' if right else 'WRONG'}; verdict {gpu['verdict']['kind']}, findings {found}, "
          f"steps {report['source']['steps']}")
    for name, ours, theirs in (("allocated", gpu["allocated_bytes"], said["allocated"]),
                               ("reserved", gpu["reserved_bytes"], said["reserved"]),
                               ("in pieces", gpu["fragmented_bytes"], said["inactive"])):
        print(f"  {name:10} lowtide {megabytes(ours):>12} MB   torch {megabytes(theirs):>12} MB"
              f"   {'same' if ours == theirs else 'DIFFERENT'}")
    print(f"  process    lowtide {megabytes(gpu['process_bytes']):>12} MB   nvidia-smi {said['driver']} MiB")
    print(f"  outside    lowtide {megabytes(gpu['outside_torch_bytes']):>12} MB")
    print(f"  pinned     lowtide {megabytes(gpu['pinned_bytes']):>12} MB   torch {megabytes(said['pinned']):>12} MB")
    show_ledger(gpu, said)
    for holder in report["holders"][:1]:
        print(f"  holder     {holder['path']}, {megabytes(holder.get('growth_device_bytes'))} MB on devices")


def show_ledger(gpu, said):
    """What fills the GPU at the last snapshot: the rows add up to it, and those of the training are what torch has."""
    ledger = gpu["ledger"]
    if ledger is None:
        print("  ledger     none: WRONG")
        return
    rows = {part["name"]: part["bytes"] for part in ledger["parts"]}
    adds_up = sum(rows.values()) == gpu["total_bytes"]
    right = adds_up and all(rows.get(name) == count for name, count in said["uses"].items())
    print(f"  ledger     {'right' if right else 'WRONG'}; " + ", ".join(f"{name} {megabytes(count)}" for name, count in rows.items()))


def run_jax(words, folder):
    """JAX takes most of the GPU when it starts; a list keeps 4 MiB per step."""
    if subprocess.run([words.python, "-c", "import jax; jax.devices('gpu')"], capture_output=True).returncode:
        print("\njax: not measured, no JAX with a GPU")
        return
    recording = os.path.join(folder, "jax.lowtide")
    done = subprocess.run([words.binary, "run", "--output", recording, "--", words.python, HERE / "jax_job.py", str(words.steps),
                           str(words.seconds)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    said = json.loads(done.stdout.strip().splitlines()[-1])
    report = json.loads(subprocess.run([words.binary, "report", "--json", recording], capture_output=True, text=True).stdout)
    gpu = report["gpus"][0]
    # No variable and no line of an array is known, so it takes longer to be sure.
    verdict = gpu["verdict"]
    is_leak = verdict["kind"] == "leak" or (verdict["kind"] == "inconclusive" and verdict["lean"]["kind"] == "leak")
    right = gpu["framework"] == "JAX" and is_leak and gpu["allocated_bytes"] == said["bytes_in_use"]
    print(f"\njax: {'right' if right else 'WRONG'}; {report['answer']['headline']}\n  allocated  lowtide {megabytes(gpu['allocated_bytes'])} MB, "
          f"JAX {megabytes(said['bytes_in_use'])} MB, the driver {megabytes(gpu['process_bytes'])} MB; JAX reports {sorted(said)}")


def run_out(words, folder):
    """The job fills the GPU until torch raises an error. Prints the event and the holder of the memory at that moment."""
    said, report = run(words, folder, "oom")
    events = [event["text"] for event in report["events"] if event["kind"] == "cuda-oom"]
    held = [(holder["path"], megabytes(holder.get("growth_device_bytes"))) for holder in report["holders"][:1]]
    print(f"\noom: {'right' if events and held else 'WRONG'}; torch counts {said['ooms']}\n  event      {events}\n  holder     {held}")


def run_into_peak(words, folder):
    """A batch that grows until an allocation fails, beside a forgotten dict. Prints the first line, and what held the memory."""
    recording = os.path.join(folder, "peak.lowtide")
    subprocess.run([words.binary, "run", "--output", recording, "--", words.python, HERE / "peak.py"], capture_output=True)
    report = json.loads(subprocess.run([words.binary, "report", "--json", recording], capture_output=True, text=True).stdout)
    answer = report["answer"]
    failure = next((finding for finding in report["findings"] if finding["id"] == "cuda-out-of-memory"), {"parts": []})
    parts = {part["name"]: part["bytes"] for part in failure["parts"]}
    source = (answer["line"] or {}).get("source")
    right = answer["kind"] == "oom" and source == "loss = model(x).square().mean()" and list(parts)[:2] == ["activations", "`shards`"]
    print(f"\npeak: {'right' if right else 'WRONG'}; {answer['headline']}\n  line       {source}")
    for name, count in parts.items():
        print(f"  {name:16} {megabytes(count):>12} MB")


def cost(words, size):
    """By turns: the same training bare and watched, as fast as it goes."""
    ratios, steps = [], []
    for _ in range(words.rounds):
        took = []
        for prefix in ([], [words.binary, "run", "--output", "", "--"], [words.binary, "run", "--output", "", "--"], []):
            with tempfile.TemporaryDirectory() as folder:
                prefix = [os.path.join(folder, "cost.lowtide") if word == "" else word for word in prefix]
                done = subprocess.run([*prefix, words.python, HERE / "steps.py", size, str(words.cost_seconds)],
                                      capture_output=True, text=True)
                assert done.returncode == 0, done.stderr[-2000:]
                took.append([float(word) for word in done.stdout.split()[-2:]])
        mean, middle = ((took[1][at] + took[2][at]) / (took[0][at] + took[3][at]) for at in (0, 1))
        ratios.append(mean)
        steps.append(middle)
        print(f"  round: watched / bare {mean:.4f}, the median step {middle:.4f} (bare {1e3 * took[0][1]:.3f} ms)", flush=True)
    print(f"{size}: watched / bare {statistics.median(ratios):.4f} ({min(ratios):.4f} to {max(ratios):.4f}), "
          f"the median step {statistics.median(steps):.4f} ({min(steps):.4f} to {max(steps):.4f})", flush=True)


def cost_by_turns(words, size):
    """In one process: lowtide attaches to it and leaves again, by turns. The first seconds of a turn do not count."""
    whole_s = words.rounds * 4 * (words.turn_seconds + STARTS_S)
    ratios = []
    with tempfile.TemporaryDirectory() as folder:
        steps = os.path.join(folder, "steps")
        job = subprocess.Popen([words.python, HERE / "steps.py", size, str(whole_s), steps], stdout=subprocess.PIPE, text=True)
        job.stdout.readline()  # "ready"
        turns = []
        for at in range(4 * words.rounds):
            is_watched = at % 4 in (1, 2)
            began = time.perf_counter()
            watch = [words.binary, "attach", "--deep", "--quiet", "--no-report", "--duration", f"{words.turn_seconds}s", "--output",
                     os.path.join(folder, f"{at}.lowtide"), str(job.pid)]
            subprocess.run(watch if is_watched else ["sleep", str(words.turn_seconds)], capture_output=True)
            turns.append((began + STARTS_S, began + words.turn_seconds))
        job.communicate()
        with open(steps) as file:
            took = [tuple(map(float, line.split())) for line in file]
    for group in range(words.rounds):
        means = [statistics.mean(step for begin, step in took if turns[4 * group + at][0] <= begin < turns[4 * group + at][1])
                 for at in range(4)]
        ratios.append((means[1] + means[2]) / (means[0] + means[3]))
    middle, low, high = median_interval(ratios)
    print(f"{size}: watched / bare by turns in one process {middle:.4f} (95%: {low:.4f} to {high:.4f}), {words.rounds} rounds of "
          f"{4 * words.turn_seconds} s", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", default=str(BUILD / "src/cli/lowtide"))
    parser.add_argument("--python", default="python3")
    parser.add_argument("--steps", type=int, default=240)
    parser.add_argument("--seconds", type=float, default=40)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--cost-seconds", type=float, default=60)
    parser.add_argument("--turn-seconds", type=float, default=12)
    parser.add_argument("--only-cost", action="store_true")
    words = parser.parse_args()
    if subprocess.run([words.python, "-c", "import torch; torch.ones(1).cuda()"], capture_output=True).returncode:
        print("not measured: no torch that has a GPU (--python)")
        return
    if not words.only_cost:
        tell_apart(words)
    for size in ("large", "small"):
        cost_by_turns(words, size)
        cost(words, size)


def tell_apart(words):
    with tempfile.TemporaryDirectory() as folder:
        with concurrent.futures.ThreadPoolExecutor() as pool:
            runs = {cause: pool.submit(run, words, folder, cause) for cause in TRUTH}
        for cause, done in runs.items():
            show(cause, *done.result())
        run_out(words, folder)
        run_into_peak(words, folder)
        run_jax(words, folder)
    print()


if __name__ == "__main__":
    main()
