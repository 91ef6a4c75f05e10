"""list_skipped.py JUNIT: every test that ctest skipped, and the reason that the test gave."""
import re
import sys
import xml.etree.ElementTree

for case in xml.etree.ElementTree.parse(sys.argv[1]).iter("testcase"):
    if case.find("skipped") is None and case.get("status") != "disabled":
        continue
    output = case.findtext("system-out") or ""
    # GTEST_SKIP writes its words below a line with the place; the others say "SKIPPED name: why" on one line.
    found = re.search(r": Skipped\n(.+)", output) or re.search(r"SKIPPED .*: (.+)", output, re.IGNORECASE)
    print(f"  SKIPPED {case.get('name')}: {found[1].strip() if found else 'it gave no reason'}")
