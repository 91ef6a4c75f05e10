"""list_failed.py JUNIT: the end of the output of every test that failed. Exits with 1 where there is none."""
import sys
import xml.etree.ElementTree

MOST_LINES = 40


def main() -> int:
    failed = 0
    for case in xml.etree.ElementTree.parse(sys.argv[1]).iter("testcase"):
        if case.find("failure") is None:
            continue
        failed += 1
        print(f"--- {case.get('name')} failed after {float(case.get('time', 0)):.1f} s")
        print("\n".join((case.findtext("system-out") or "").rstrip().splitlines()[-MOST_LINES:]))
    return 0 if failed else 1


sys.exit(main())
