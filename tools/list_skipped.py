"""list_skipped.py JUNIT: every test that was skipped, and the reason that it gave, one per line.

A test of ctest may be a whole program of GoogleTest, which passes although some of its tests were skipped.
"""
import re
import sys
import xml.etree.ElementTree
from collections.abc import Iterator

# GoogleTest prints the place, then the reason, then the name. Other tests print "SKIPPED name: reason" on one line.
IN_PROGRAM = re.compile(r": Skipped\n(?P<why>.*)\n(?:.*\n)*?\[  SKIPPED \] (?P<name>\S+) \(")


def reasons(case: xml.etree.ElementTree.Element) -> Iterator[tuple[str, str]]:
    output = case.findtext("system-out") or ""
    if case.find("skipped") is not None or case.get("status") == "disabled":
        found = re.search(r": Skipped\n(.+)", output) or re.search(r"SKIPPED .*: (.+)", output, re.IGNORECASE)
        yield case.get("name", ""), found[1].strip() if found else "it gave no reason"
        return
    for found in IN_PROGRAM.finditer(output):
        yield f"{case.get('name')} {found['name']}", found["why"].strip() or "it gave no reason"


for case in xml.etree.ElementTree.parse(sys.argv[1]).iter("testcase"):
    for name, why in reasons(case):
        print(f"  SKIPPED {name}: {why}")
