"""The numbers of a text report can be computed from its JSON, for all recordings with a known truth.

usage: report_numbers_test.py LOWTIDE MAKE_RECORDING
"""

import collections
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import unittest

LOWTIDE, MAKE_RECORDING = sys.argv[1:3]
SIZE = r"-?[\d.]+ [kMGT]?B"
UNITS = {"B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12}


def size(value):
    """As base::format_bytes()."""
    for name, unit in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if abs(value) >= (999.5 * unit / 1000 if name != "kB" else 999.5):
            number = value / unit
            digits = 0 if abs(number) >= 99.95 else 1 if abs(number) >= 9.995 else 2
            return f"{number:.{digits}f} {name}"
    return f"{value:.0f} B"


def limit(value):
    """As base::format_limit()."""
    for name, unit in (("GiB", 2**30), ("MiB", 2**20)):
        if value % unit == 0 and value >= unit and (name == "GiB" or value < 2**30):
            return f"{value // unit:,} {name}"
    return size(value)


def share(value):
    """As base::format_share()."""
    return "100%" if value >= 0.9995 else ">99%" if value >= 0.995 else f"{max(value, 0) * 100:.0f}%"


def bytes_of(text):
    """The bytes, and by how much they may be wrong: half of the last digit."""
    number, unit = text.split()
    decimals = len(number.partition(".")[2])
    return float(number) * UNITS[unit], 0.5 * 10**-decimals * UNITS[unit]


def flat(text):
    return re.sub(r"\s+", " ", text)


class Report:
    def __init__(self, scenario, folder):
        self.scenario = scenario
        path = os.path.join(folder, scenario + ".lowtide")
        subprocess.run([MAKE_RECORDING, scenario, path], check=True)
        self.json = json.loads(self.run("--json", path))
        self.short = self.run("--no-plot", "--width", "100", path)
        self.all = self.run("--all", "--no-plot", "--width", "100", path)
        self.narrow = self.run("--all", "--width", "60", path)
        os.remove(path)

    def run(self, *words):
        done = subprocess.run([LOWTIDE, "report", *words], stdout=subprocess.PIPE, text=True)
        assert done.returncode in (0, 1, 4), (self.scenario, words, done.returncode)
        return done.stdout

    def section(self, label):
        """The lines of the whole report below a heading."""
        found = re.search(rf"^{label}.*\n((?:.+\n)*)", self.all, re.MULTILINE)
        return found[1] if found else ""

    def is_about_gpu(self):
        """Then the verdict is not that of the process tree."""
        return any(gpu["verdict"] == self.json["verdict"] for gpu in self.json["gpus"])

    def row(self, name):
        """The value of a fact of the whole report."""
        found = re.search(rf"^  {name} {{2,}}((?:.*\n)(?:   +.*\n)*)", self.all, re.MULTILINE)
        return flat(found[1]).strip() if found else None


def read_all():
    listed = subprocess.run([MAKE_RECORDING], stdout=subprocess.PIPE, text=True).stdout
    with tempfile.TemporaryDirectory() as folder:
        return [Report(line.split()[0], folder) for line in listed.splitlines()]


class Numbers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.reports = read_all()

    def setUp(self):
        self.checked = collections.Counter()

    def check(self, report, what, expected, text):
        self.checked[what] += 1
        self.assertIn(flat(expected), flat(text), f"{report.scenario}: {what}")

    def test_no_line_is_wider_than_the_terminal(self):
        for report in self.reports:
            for line in report.narrow.splitlines():
                self.assertLessEqual(len(line), 60, f"{report.scenario}: {line}")

    def test_first_and_last_line_are_the_answer(self):
        for report in self.reports:
            answer = report.json["answer"]
            lines = report.short.splitlines()
            self.assertEqual(lines[-1], answer["headline"][:100], report.scenario)
            rate = answer["rate"]
            if rate and rate["bytes_per_step"] is not None and answer["kind"] == "leak":
                self.check(report, "rate", f"+{size(rate['bytes_per_step'])}/step", report.short)
            if answer["confidence"] is not None and answer["kind"] in ("leak", "bounded"):
                self.check(report, "confidence", f"{min(99, round(answer['confidence'] * 100))}% sure", lines[0])
        self.assertGreater(self.checked["rate"], 10)
        self.assertGreater(self.checked["confidence"], 10)

    def test_ends_growth_and_peak_are_those_of_the_verdict(self):
        for report in self.reports:
            verdict = report.json["verdict"]
            ends = f"{size(verdict['floor']['first_bytes'])} → {size(verdict['floor']['last_bytes'])}"
            if report.row("floor"):
                self.check(report, "floor", ends, report.row("floor"))
            if re.search(rf"{SIZE} → {SIZE} in [\d,]+ steps", flat(report.short)):
                self.check(report, "ends", ends + " in", report.short)
            rate = verdict["rate"]
            if rate and rate["per"] == "step" and report.row("growth") and verdict["kind"] == "leak":
                self.check(report, "growth", f"{size(rate['bytes'])} per step", report.row("growth"))
                if size(rate["low"]) != size(rate["high"]):
                    self.check(report, "interval", f"({size(rate['low'])} to {size(rate['high'])})", report.row("growth"))
            if report.row("peak") and not report.is_about_gpu():
                self.check(report, "peak", size(report.json["target"]["peak_bytes"]), report.row("peak"))
        for what in ("floor", "ends", "growth", "interval", "peak"):
            self.assertGreater(self.checked[what], 5, what)

    def test_parts_of_the_growth_are_those_of_the_json(self):
        for report in self.reports:
            parts = [part for part in report.json["growth"]["mechanisms"] if part["share"] >= 0.005]
            row = report.row("made of")
            if not row:
                continue
            self.checked["made of"] += 1
            stated = re.findall(r"(>?\d+%) ", row + " ")
            self.assertEqual(stated, [share(part["share"]) for part in parts], report.scenario)
            self.assertLessEqual(abs(sum(part["share"] for part in parts) - 1), 0.01, report.scenario)
        self.assertGreater(self.checked["made of"], 10)

    def test_forecast_states_the_memory_and_the_limit_of_the_json(self):
        for report in self.reports:
            forecast, floor = report.json["forecast"], report.json["verdict"]["floor"]
            row = report.row("forecast")
            if not row or forecast is None or forecast["limit"] in ("gpu", "tmpfs"):
                continue
            self.check(report, "limit", limit(forecast["limit_bytes"]), row)
            if forecast["reach_bytes"] is not None:
                self.check(report, "left", size(max(0, forecast["reach_bytes"] - floor["last_bytes"])), row)
            if forecast["step"]:
                self.check(report, "step", f"at step {round(forecast['step']['estimate']):,}", row)
                self.assert_short_step(report, forecast["step"]["estimate"])
        self.assertGreater(self.checked["limit"], 1)
        self.assertGreater(self.checked["step"], 1)

    def assert_short_step(self, report, estimate):
        found = re.search(r"at about step ([\d,]+)", flat(report.short))
        if found:
            unit = 10 ** max(0, math.floor(math.log10(max(estimate, 1))) - 2)
            self.assertLessEqual(abs(int(found[1].replace(",", "")) - estimate), unit, report.scenario)

    def test_limit_is_that_of_the_json(self):
        for report in self.reports:
            row, target = report.row("limit"), report.json["target"]
            if not row:
                continue
            self.check(report, "limit", limit(target["limit_bytes"]), row)
            stated = re.search(r"the peak is (>?\d+%) of it", row)
            if stated:
                self.checked["share"] += 1
                self.assertEqual(stated[1], share(target["peak_bytes"] / target["limit_bytes"]), report.scenario)
        self.assertGreater(self.checked["limit"], 1)

    def test_rows_of_processes_are_those_of_the_json(self):
        for report in self.reports:
            for process in report.json["processes"]:
                row = re.search(rf"^  [a-z][a-z0-9 -]* +{process['pid']} .*$", report.section("processes"), re.MULTILINE)
                floor = process["verdict"]["floor"]
                if not row or len(report.json["processes"]) > 16:
                    continue
                self.check(report, "floor", f"{size(floor['first_bytes'])} → {size(floor['last_bytes'])}", row[0])
                if process["bytes"]["pss"] is not None:
                    self.check(report, "PSS", size(process["bytes"]["pss"]), row[0])
                rate = process["verdict"]["rate"]
                if process["verdict"]["kind"] == "leak" and rate["per"] == "step":
                    self.check(report, "rate", f"{size(rate['bytes'])}/step", row[0])
        for what in ("floor", "PSS", "rate"):
            self.assertGreater(self.checked[what], 10, what)

    def test_rows_of_the_short_report_add_up_to_its_last(self):
        for report in self.reports:
            rows = re.findall(rf"^  (\S.*?) {{2,}}({SIZE}) → ({SIZE}) +([+-]?{SIZE})$", report.short, re.MULTILINE)
            if not rows or rows[-1][0] != "total":
                continue
            self.checked["table"] += 1
            for column in (1, 2):
                values = [bytes_of(row[column]) for row in rows]
                total, error = values.pop()
                self.assertLessEqual(abs(sum(value for value, _ in values) - total),
                                     error + sum(error for _, error in values) + 1, report.scenario)
            sentence = re.search(rf"({SIZE} → {SIZE}) in", flat(report.short))
            if sentence:
                self.assertEqual(sentence[1], f"{rows[-1][1]} → {rows[-1][2]}", report.scenario)
        self.assertGreater(self.checked["table"], 3)

    def test_shares_of_one_process_are_one_share(self):
        for report in self.reports:
            shares = {process["pid"]: process["growth_share"] for process in report.json["processes"]}
            for finding in report.json["findings"]:
                for text in [finding["title"], *finding["evidence"]]:
                    stated = re.search(r"(>?\d+%) of the growth of the process tree", text)
                    if stated and shares.get(finding["pid"]) is not None:
                        self.checked["share"] += 1
                        self.assertEqual(stated[1], share(shares[finding["pid"]]), f"{report.scenario}: {text}")
        self.assertGreater(self.checked["share"], 10)

    def test_sites_are_those_of_the_json(self):
        pattern = re.compile(rf"(>?\d+%) (?:(?!%).)*? ({SIZE}) live(?:, grew by {SIZE}(?: ± {SIZE})?)?; pid (\d+)")
        for report in self.reports:
            known = {(share(site["share"]), size(site["live_bytes"]), str(site["pid"]))
                     for site in report.json["sites"] if site["share"] is not None}
            for stated in pattern.findall(flat(report.section("allocation sites, by growth"))):
                self.checked["site"] += 1
                self.assertIn(stated, known, f"{report.scenario}: {stated}")
        self.assertGreater(self.checked["site"], 10)

    def test_memory_of_the_cgroup_adds_up(self):
        for report in self.reports:
            parts = report.json["reconciliation"]
            if not parts:
                continue
            rest = parts["rest_bytes"]
            self.check(report, "sum", f"process tree {size(parts['tree_bytes'])} + page cache {size(parts['cache_bytes'])} + kernel "
                       f"{size(parts['kernel_bytes'])} {'-' if rest < 0 else '+'} rest {size(abs(rest))} = cgroup "
                       f"{size(parts['current_bytes'])}", report.all)
            self.assertEqual(parts["tree_bytes"] + parts["cache_bytes"] + parts["kernel_bytes"] + rest, parts["current_bytes"])
        self.assertGreater(self.checked["sum"], 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
