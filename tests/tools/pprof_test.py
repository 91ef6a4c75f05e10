"""Decodes the profile of `lowtide report --pprof` with a decoder of its own, and reads it with pprof and speedscope.

usage: pprof_test.py LOWTIDE MAKE_RECORDING
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from functions import LIMIT_S  # noqa: E402

LOWTIDE, MAKE_RECORDING = sys.argv[1:3]


def fields(data):
    """(field, value) of one message; packed lists and messages stay bytes."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(data):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
        elif key & 7 == 2:
            size = varint()
            yield key >> 3, data[at:at + size]
            at += size
            assert at <= len(data), "a field goes beyond the end"
        else:
            raise AssertionError(f"wire type {key & 7}")


def numbers(packed):
    out, value, shift = [], 0, 0
    for byte in packed:
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            out.append(value - (1 << 64) if value >= 1 << 63 else value)
            value = shift = 0
    return out


def decode(data):
    profile = {"types": [], "samples": [], "locations": {}, "functions": {}, "mappings": {}, "strings": [], "default": 0, "drop": 0}
    for field, value in fields(data):
        if field == 1:
            profile["types"].append(dict(fields(value)))
        elif field == 2:
            profile["samples"].append(list(fields(value)))
        elif field in (3, 4, 5):
            message = dict(fields(value))
            profile[{3: "mappings", 4: "locations", 5: "functions"}[field]][message[1]] = message
        elif field == 6:
            profile["strings"].append(value.decode())
        elif field == 7:
            profile["drop"] = value
        elif field == 14:
            profile["default"] = value
    return profile


class Pprof(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.recording = os.path.join(self.folder.name, "run.lowtide")
        self.file = os.path.join(self.folder.name, "heap.pb")
        subprocess.run([MAKE_RECORDING, "site-leak", self.recording], check=True, timeout=LIMIT_S)

    def write(self, *flags):
        done = subprocess.run([LOWTIDE, "report", "--pprof", self.file, *flags, self.recording], capture_output=True, timeout=LIMIT_S)
        self.assertEqual(done.returncode, 0, done.stderr)  # written, although there is a leak
        with open(self.file, "rb") as file:
            return decode(file.read())

    def test_every_reference_resolves_and_the_leak_is_the_largest_growth(self):
        profile = self.write()
        strings = profile["strings"]
        self.assertEqual(strings[0], "")
        types = [(strings[each[1]], strings[each[2]]) for each in profile["types"]]
        self.assertEqual(types, [("inuse_space", "bytes"), ("inuse_objects", "count"), ("alloc_space", "bytes"),
                                 ("growth", "bytes")])
        self.assertEqual(strings[profile["default"]], "growth")
        stacks = []
        for sample in profile["samples"]:
            parts = dict(sample)
            values = numbers(parts[2])
            self.assertEqual(len(values), 4)
            self.assertGreaterEqual(values[2], values[0])
            names = []
            for location in numbers(parts[1]):
                place = profile["locations"][location]
                self.assertIn(place[2], profile["mappings"])
                line = dict(fields(place[4]))
                function = profile["functions"][line[1]]
                names.append((strings[function[2]], strings[function.get(4, 0)], line.get(2, 0)))
            self.assertEqual(strings[dict(fields(parts[3]))[1]], "pid")
            stacks.append((values[3], names))
        self.assertEqual(len(stacks), 3)
        growth, names = max(stacks)
        self.assertGreater(growth, 200e6)
        self.assertEqual(names[0][0], "posix_memalign")
        self.assertIn(("validate", "/data/job/trainer.py", 631), names)
        self.assertEqual(names[-1], ("<module> (train.py)", "/data/job/train.py", 88))

    def test_first_mapping_is_the_program(self):
        profile = self.write()
        self.assertEqual(profile["strings"][profile["mappings"][min(profile["mappings"])][5]], "python")

    def test_frames_of_allocators_are_dropped_and_no_others(self):
        profile = self.write()
        drop = re.compile(profile["strings"][profile["drop"]])
        for name in ("malloc", "calloc", "posix_memalign", "aligned_alloc", "__libc_memalign", "je_malloc",
                     "operator new", "operator new[]", "PyObject_Malloc", "_PyMem_RawMalloc", "mmap"):
            self.assertTrue(drop.fullmatch(name), name)
        for name in ("validate", "my_malloc_wrapper", "operator delete", "at::empty", "<module> (train.py)"):
            self.assertFalse(drop.fullmatch(name), name)

    def test_default_value_can_be_chosen(self):
        for flag, name in (("--live", "inuse_space"), ("--allocated", "alloc_space"), ("--growth", "growth")):
            profile = self.write(flag)
            self.assertEqual(profile["strings"][profile["default"]], name)

    def test_pprof_shows_top_level_code_and_the_program(self):
        if not shutil.which("go"):
            self.skipTest("needs go: the profile was decoded only by this test, not by pprof")
        self.write()
        try:  # newer go builds its pprof at the first use
            done = subprocess.run(["go", "tool", "pprof", "-top", self.file], capture_output=True, text=True, timeout=90)
        except subprocess.TimeoutExpired:
            self.skipTest("go did not build pprof within 90 s: the profile was not read by pprof")
        if "no such tool" in done.stderr:
            self.skipTest("this go has no pprof")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("File: python\n", done.stdout)
        self.assertIn("<module> (train.py)", done.stdout)
        self.assertNotIn("<unknown>", done.stdout)
        self.assertNotIn("posix_memalign", done.stdout)

    def test_folded_file_is_as_speedscope_expects(self):
        """speedscope (src/import/bg-flamegraph.ts) takes a file whose every line is `STACK NUMBER`."""
        done = subprocess.run([LOWTIDE, "report", "--folded", "-", self.recording], capture_output=True, text=True, timeout=LIMIT_S)
        self.assertTrue(done.stdout)
        for line in done.stdout.splitlines():
            self.assertRegex(line, r"^(.*) (\d+)$")
            self.assertTrue(all(line.rpartition(" ")[0].split(";")), line)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
