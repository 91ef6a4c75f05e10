"""A loop without any framework, watched from within.

usage: plain.py RECORDING STEPS leak|stable
"""

import json
import os
import sys
import time

import lowtide

history = []


def train(number, keeps):
    block = bytearray(os.urandom(1024)) * 512  # half a MB that is really there
    if keeps:
        history.append(block)
    return number


def main():
    recording, steps, keeps = sys.argv[1], int(sys.argv[2]), sys.argv[3] == "leak"
    with lowtide.watch(recording, interval="50ms") as w:
        for number in range(steps):
            with lowtide.phase("train"):
                train(number, keeps)
            lowtide.step(number)
            time.sleep(0.02)
        tree = w.tree_bytes()
    report = w.report()
    print(json.dumps({"kind": report.verdict.kind, "axis": report.verdict.axis, "tree": tree, "verdict": str(w.verdict()),
                      "basis": list(report.verdict.basis), "steps": report.raw["source"]["steps"],
                      "findings": [str(one) for one in report.problems], "holders": [one["path"] for one in report.holders],
                      "phases": [one["name"] for one in report.raw["phases"]], "html": report._repr_html_(),
                      "agent": report.raw["overhead"]["agent"]}))


if __name__ == "__main__":
    main()
