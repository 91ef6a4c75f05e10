"""Snapshots of PyPI's torch: the tests of tests/snapshot use Debian's, whose C++ is years older.

usage: pypi_torch_test.py --binary LOWTIDE [NAME...] | --list
"""

import sys

from environment import ROOT, frameworks, main

sys.path.insert(0, str(ROOT / "tests" / "snapshot"))
import lab  # noqa: E402
import snapshot_test  # noqa: E402


def list_of_losses_holds_the_graphs_of_a_newer_torch(binary):
    _with_its_torch(binary, snapshot_test.list_of_losses_holds_the_graphs_behind_them)


def tensors_of_a_newer_torch_agree_with_what_the_process_counts(binary):
    _with_its_torch(binary, snapshot_test.tensors_agree_with_what_the_process_counts)


def _with_its_torch(binary, test):
    lab.PYTHON = snapshot_test.PYTHON = frameworks()
    test(lab.Lab(binary, rounds=1))


if __name__ == "__main__":
    main(globals(), lambda test, words: test(words.binary), binary=str)
