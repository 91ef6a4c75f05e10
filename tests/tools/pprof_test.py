"""Decodes what `lowtide report --pprof` writes, with a decoder that shares nothing with the encoder.

usage: pprof_test.py LOWTIDE MAKE_RECORDING
"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

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
    profile = {"types": [], "samples": [], "locations": {}, "functions": {}, "mappings": {}, "strings": [], "default": 0}
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
        elif field == 14:
            profile["default"] = value
    return profile


class Pprof(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.recording = os.path.join(self.folder.name, "run.lowtide")
        self.file = os.path.join(self.folder.name, "heap.pb")
        subprocess.run([MAKE_RECORDING, "site-leak", self.recording], check=True)

    def write(self, *flags):
        done = subprocess.run([LOWTIDE, "report", "--pprof", self.file, *flags, self.recording], capture_output=True)
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
                if 2 in place:
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
        self.assertEqual(names[-1][1:], ("/data/job/train.py", 88))

    def test_what_is_shown_first_can_be_chosen(self):
        for flag, name in (("--live", "inuse_space"), ("--allocated", "alloc_space"), ("--growth", "growth")):
            profile = self.write(flag)
            self.assertEqual(profile["strings"][profile["default"]], name)

    def test_pprof_itself_reads_it(self):
        if not shutil.which("go"):
            self.skipTest("no go here: the profile was decoded by this test only, not by pprof")
        self.write()
        try:  # newer go builds its pprof at the first use
            done = subprocess.run(["go", "tool", "pprof", "-symbolize=none", "-top", self.file],
                                  capture_output=True, text=True, timeout=90)
        except subprocess.TimeoutExpired:
            self.skipTest("go had no pprof ready within 90 s: the profile was not read by pprof itself")
        if "no such tool" in done.stderr:
            self.skipTest("this go has no pprof")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("posix_memalign", done.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
